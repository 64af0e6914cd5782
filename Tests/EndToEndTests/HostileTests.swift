import Glibc
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaTesting
import MinervaTransport
import MinervaWire
import RawPeers
import Testing

/// Whatever reaches a broker's endpoints: it stays up and of one size, and serves everyone else (C02; architecture, section 5).
@Suite("Real processes among strangers", .serialized, .oneAtATime, .timeLimit(.minutes(3)))
struct HostileTests {
  /// Another one each time; a failure names it, and `MINERVA_SEED` repeats it.
  private static let seed = getenv("MINERVA_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0 ... .max)

  @Test("Processes: 10,000 mutated frames of a raw peer leave a broker as it was, and its callers served", arguments: [HostileTests.seed])
  func mutatedFrames(seed: UInt64) async throws {
    let interfaces = try await FixedInterfaces.learn()
    try await Strangers.with { strangers in
      var mutator = try FrameMutator(seed: seed, interfaces: interfaces)
      var welcomed = 0
      for life in 0..<50 {
        let raw = try #require(RawPeer(strangers.set.endpoint))
        // Half of them introduce themselves first, with the right version, and are believed until they show what they are.
        if life.isMultiple(of: 2),
          try raw.greet("raw-\(life)", incarnation: UInt64(life) + 1, api: interfaces.catalogue.version) == .welcome
        {
          welcomed += 1
        }
        for _ in 0..<200 {
          #expect(raw.send(mutator.next()), "seed \(seed), life \(life)")
          raw.drain()
        }
        try await strangers.served("seed \(seed), life \(life)")
      }
      #expect(welcomed == 25, "seed \(seed)")
      #expect(try await strangers.counter("frames.bad") > 1_000, "seed \(seed)")
      #expect(try await strangers.set.wait { try await strangers.caller.status().peers.allSatisfy { $0.kind != "raw" } }, "seed \(seed)")
      try await strangers.leaveNothing()
    }
  }

  @Test("Processes: HTTP, telnet, a zero byte, noise, half a greeting and 1,000 port scans, over ipc and tcp (C02)")
  func strangersOnTheLine() async throws {
    let port = try FreePorts.pair()
    try await Strangers.with(["--insecure", "--listen", "tcp://127.0.0.1:\(port)"]) { strangers in
      var random = Seeded(12)
      let failed = try await strangers.counter("handshakes.failed")
      let calls: [Endpoint] = [strangers.set.endpoint, .tcp(host: "127.0.0.1", port: port)]
      let events: [Endpoint] = [.ipc(path: strangers.set.directory + "/events.sock"), .tcp(host: "127.0.0.1", port: port + 1)]
      for endpoint in calls + events {
        let sayings: [[UInt8]] = [
          Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), Array("asdfasdf\r\n".utf8), [0], random.bytes(10_240),
          Array(ZMTP.greeting.prefix(20)), ZMTP.greeting + ZMTP.ready.prefix(7), ZMTP.greeting + random.bytes(2_000),
        ]
        for words in sayings { #expect(shout(words, at: endpoint), "\(endpoint)") }
        try await strangers.served("\(endpoint)")
        for number in 0..<1_000 {
          #expect(shout([], at: endpoint), "\(endpoint)")
          if number.isMultiple(of: 250) { try await strangers.served("\(endpoint)") }
        }
        try await strangers.served("\(endpoint)")
      }
      #expect(try await strangers.set.wait { try await strangers.counter("handshakes.failed") >= failed + 6 })
      try await strangers.leaveNothing()
    }
  }

  @Test("Processes: 200 connections that say half a greeting and stay disturb nobody, and are shown out")
  func halfGreetings() async throws {
    try await Strangers.with { strangers in
      let slow = (0..<200).compactMap { _ in RawConnection(strangers.set.endpoint) }
      #expect(slow.count == 200)
      for connection in slow { connection.write(Array(ZMTP.greeting.prefix(12))) }
      for _ in 0..<50 { try await strangers.served() }
      // The handshake has its time, then they are hung up on, not the other way round.
      #expect(slow.allSatisfy { $0.hangsUp(withinMilliseconds: 10_000) })
      try await strangers.leaveNothing()
    }
  }

  @Test("Processes: frames that claim 65 MiB, 1 GiB and 2^63 bytes are refused before there is memory for them")
  func claims() async throws {
    try await Strangers.with { strangers in
      let peak = strangers.peak
      for claim in [65 << 20, 1 << 30, UInt64.max >> 1, UInt64.max] {
        for _ in 0..<20 {
          let connection = try #require(RawConnection(strangers.set.endpoint))
          connection.write(ZMTP.greeting + ZMTP.ready + ZMTP.head(claiming: claim) + [UInt8](repeating: 1, count: 1_000))
          #expect(connection.hangsUp(withinMilliseconds: 10_000), "\(claim)")
        }
        try await strangers.served("\(claim)")
      }
      #expect(strangers.peak <= peak + 16 << 20)
      // Over the limit of a message but under that of a list, and no list: it arrives, is counted and dropped.
      let raw = try #require(RawPeer(strangers.set.endpoint))
      let bad = try await strangers.counter("frames.bad")
      raw.send([RawPeer.call("broker", "x", arguments: [UInt8](repeating: 1, count: 5 << 20))])
      #expect(try await strangers.set.wait { try await strangers.counter("frames.bad") > bad })
      try await strangers.leaveNothing(growth: 24 << 20)
    }
  }

  @Test("Processes: a message of parts without end over tcp costs a bounded memory and disturbs nobody (C02)")
  func endlessMessage() async throws {
    let interfaces = try await FixedInterfaces.learn()
    let port = try FreePorts.pair()
    try await Strangers.with(["--insecure", "--listen", "tcp://127.0.0.1:\(port)"]) { strangers in
      let part = ZMTP.frame([UInt8](repeating: 1, count: 1 << 20), more: true)
      for name in ["stranger", "raw"] {
        let connection = try #require(RawConnection(.tcp(host: "127.0.0.1", port: port)))
        #expect(connection.shakesHands())
        if name == "raw" {
          connection.write(ZMTP.frame(try RawPeer.hello(name, api: interfaces.catalogue.version)))
          let caller = strangers.caller
          #expect(try await strangers.set.wait { try await caller.status().peers.contains { $0.node == name } })
        }
        // Without a bound it would be two gigabytes.
        var parts = 0
        while parts < 2_048, connection.write(part) {
          parts += 1
          if parts.isMultiple(of: 8) { try await strangers.served(name) }
        }
        #expect(
          parts >= (name == "raw" ? 100 : 1) && parts < 2_048 && connection.hangsUp(withinMilliseconds: 10_000), "\(name): \(parts) MiB")
        try await strangers.served(name)
      }
      // Two of the largest messages, and what comes between two looks.
      #expect(strangers.peak <= strangers.before.memory + 768 << 20, "\(strangers.peak >> 20) MiB")
      try await strangers.leaveNothing()
    }
  }

  @Test("Processes: every wrong kind of socket at broker.sock and events.sock, and what each of them may send (C02)")
  func wrongKinds() async throws {
    try await Strangers.with { strangers in
      var random = Seeded(13)
      let events = Endpoint.ipc(path: strangers.set.directory + "/events.sock")
      let bad = try await strangers.counter("frames.bad")
      do {
        let peers = RawPeer.Kind.allCases.flatMap { kind in [strangers.set.endpoint, events].map { (kind, RawPeer($0, kind: kind)) } }
        for (kind, peer) in peers {
          let peer = try #require(peer, "\(kind)")
          guard [.request, .dealer, .rawSubscribe].contains(kind) else { continue }
          peer.send([random.bytes(100)])
          guard kind != .request else { continue }
          for count in [1, 2, 50] { peer.send(Array(repeating: [], count: count)) }
          // A subscription longer than any name, and the end of one that was never there.
          peer.send([[1] + random.bytes(8_000)])
          peer.send([[0] + random.bytes(80)])
          try await strangers.served("\(kind)")
        }
        for _ in 0..<50 { try await strangers.served() }
        #expect(try await strangers.set.wait { try await strangers.counter("frames.bad") >= bad + 4 })
      }
      try await strangers.leaveNothing()
    }
  }

  @Test("Processes: 1, 2 and 50 empty frames, with a hello and without, are dropped and counted each (C02)")
  func emptyFrames() async throws {
    let interfaces = try await FixedInterfaces.learn()
    try await Strangers.with { strangers in
      let bad = try await strangers.counter("frames.bad")
      for isKnown in [false, true] {
        let raw = try #require(RawPeer(strangers.set.endpoint))
        if isKnown { #expect(try raw.greet("raw", api: interfaces.catalogue.version) == .welcome) }
        for count in [1, 2, 50] { raw.send(Array(repeating: [], count: count)) }
        let expected = bad + (isKnown ? 6 : 3)
        #expect(try await strangers.set.wait { try await strangers.counter("frames.bad") == expected })
        // Who was let in is still there: it may have been a mistake.
        let peers = try await strangers.caller.status().peers
        #expect(peers.contains { $0.node == "raw" } == isKnown)
      }
      try await strangers.leaveNothing()
    }
  }
}
