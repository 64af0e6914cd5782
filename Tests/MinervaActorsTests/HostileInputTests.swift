import Distributed
import Glibc
@testable import MinervaActors
import MinervaTransport
import MinervaWire
import RawPeers
import Synchronization
import TestSupport
import Testing

@Suite("Hostile input", .timeLimit(.minutes(1)), .serialized)
struct HostileInputTests {
  @Test("C02: HTTP, telnet, a zero byte, noise and port scans leave the bus up and its descriptors closed")
  func strangers() async throws {
    let lines = Mutex<[BusLogLine]>([])
    try await Pair.with(.tcp, server: { $0.log = { line in lines.withLock { $0.append(line) } } }) { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      let before = openDescriptors()
      let start = ContinuousClock.now
      var random = SplitMix64(seed: 1)
      #expect(shout(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), at: pair.endpoint))
      #expect(shout(Array("asdfasdf\r\n".utf8), at: pair.endpoint))
      #expect(shout([0], at: pair.endpoint))
      #expect(shout((0..<10_240).map { _ in UInt8.random(in: 0...255, using: &random) }, at: pair.endpoint))
      for _ in 0..<1_000 { #expect(shout([], at: pair.endpoint)) }
      #expect(try await echo.add(1, 2) == 3)
      try await until { !(openDescriptors() > before + 8) }
      let allowed = Int((ContinuousClock.now - start) / .seconds(1)) + 1
      for kind in Set(lines.withLock { $0.map(\.kind) }) {
        #expect(lines.withLock { $0.count { $0.kind == kind } } <= allowed, "at most one line a second and kind")
      }
      #expect(await pair.server.counters().failedHandshakes >= 3)
      withExtendedLifetime(actor) {}
    }
  }

  @Test("C02: empty frames, too many frames and a wrong kind of socket are dropped and counted")
  func wrongShapes() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let raw = try #require(RawPeer(pair.endpoint))
      for count in [1, 2, 50] { raw.send(Array(repeating: [], count: count)) }
      #expect(try raw.greet("raw") == .welcome)
      #expect(await pair.server.counters().badMessages == 3)
      let subscriber = RawPeer(pair.endpoint, kind: .subscribe)
      #expect(try await pair.echo().add(1, 2) == 3)
      withExtendedLifetime((actor, subscriber)) {}
    }
  }

  @Test("a connection that speaks ZMTP and never says hello is hung up")
  func silent() async throws {
    try await Pair.with(server: { $0.handshakeTimeout = .milliseconds(100) }) { pair in
      let silent = try #require(RawConnection(pair.endpoint))
      #expect(silent.write(ZMTP.greeting + ZMTP.ready))
      #expect(silent.hangsUp(withinMilliseconds: 20_000))
      try await pair.client.connect(to: pair.endpoint)
    }
  }

  @Test(
    "a message without an end is hung up over tcp once it is larger than any may be, before a hello and after", arguments: [false, true])
  func endless(isKnown: Bool) async throws {
    let limits = Limits(messageBytes: 64 << 10, listMessageBytes: 64 << 10)
    try await Pair.with(
      .tcp,
      server: {
        $0.limits = limits
        $0.handshakeTimeout = .seconds(60)
      }
    ) { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let raw = try #require(RawConnection(pair.endpoint))
      #expect(raw.shakesHands())
      if isKnown {
        #expect(raw.write(ZMTP.frame(try RawPeer.hello("raw"))))
        try await until("it is let in") { await pair.server.peers().contains { $0.node == "raw" } }
      }
      // What comes before the next look at a connection that has just finished a message is not counted, so it goes on until it is hung up.
      let echo = try pair.echo()
      let part = ZMTP.frame([UInt8](repeating: 1, count: 60_000), more: true)
      var parts = 0
      while parts < 4_096, raw.write(part) {
        parts += 1
        #expect(try await echo.echo([UInt8](repeating: 2, count: 30_000)).count == 30_000)
      }
      #expect(parts > 1 && raw.hangsUp(withinMilliseconds: 20_000))
      #expect(await pair.server.counters().badMessages == 1)
      // Who finishes messages may send as many as there are.
      #expect(await pair.server.counters().linksLost == (isKnown ? 1 : 0))
      #expect(try await echo.add(1, 2) == 3)
      withExtendedLifetime(actor) {}
    }
  }

  @Test(
    "a server that is dialled over tcp and sends a message without an end is let go of as well, before its welcome and after",
    arguments: [false, true])
  func endlessServer(isKnown: Bool) async throws {
    let listener = try #require(RawListener())
    let bus = BusSystem(
      BusSettings(
        node: "client", limits: Limits(messageBytes: 64 << 10, listMessageBytes: 64 << 10), heartbeat: .seconds(20),
        handshakeTimeout: .seconds(60), security: BusSecurity(allowsInsecureLoopback: true)))
    let endpoint = listener.endpoint
    let dialling = Task { await failure { try await bus.connect(to: endpoint) } }
    let server = try #require(listener.accepted())
    #expect(server.shakesHands(as: "ROUTER") && server.frame() != nil)
    if isKnown {
      #expect(server.write(ZMTP.frame(try RawPeer.welcome("server"))))
      #expect(await dialling.value == nil)
    }
    let part = ZMTP.frame([UInt8](repeating: 1, count: 60_000), more: true)
    var parts = 0
    while parts < 4_096, server.write(part) {
      parts += 1
      _ = await bus.counters()
    }
    #expect(parts > 1 && server.hangsUp(withinMilliseconds: 20_000))
    #expect(await bus.counters().badMessages == 1)
    #expect(await bus.counters().linksLost == (isKnown ? 1 : 0))
    await bus.close(grace: .zero)
    #expect((await dialling.value == nil) == isKnown)
  }

  @Test("a message without an end over ipc: its link is lost when it was silent too long, and the connection with it")
  func endlessAndLocal() async throws {
    try await Pair.with(server: { $0.handshakeTimeout = .milliseconds(100) }) { pair in
      let raw = try #require(RawConnection(pair.endpoint))
      #expect(try raw.shakesHands() && raw.write(ZMTP.frame(RawPeer.hello("raw", heartbeat: 100))))
      try await until("it is let in") { await pair.server.peers().contains { $0.node == "raw" } }
      raw.write(ZMTP.frame([UInt8](repeating: 1, count: 60_000), more: true))
      #expect(raw.hangsUp(withinMilliseconds: 20_000))
      #expect(await pair.server.counters().linksLost == 1)
    }
  }

  @Test("connections beyond the bound are hung up, whoever they are; there is room again when others end")
  func crowd() async throws {
    try await Pair.with { pair in
      await pair.server.onLoop { pair.server.transport.connectionLimit = 8 }
      var crowd: [RawConnection] = []
      for _ in 0..<20 { if let stranger = RawConnection(pair.endpoint) { crowd.append(stranger) } }
      var hungUp = 0
      for stranger in crowd.reversed() where hungUp < 12 { if stranger.hangsUp(withinMilliseconds: 20_000) { hungUp += 1 } }
      #expect(hungUp == 12)
      #expect(await pair.server.counters().rejectedPeers >= 12)
      crowd = []
      try await pair.client.connect(to: pair.endpoint)
    }
  }

  @Test("forged actors, targets, argument counts and depths are typed errors, and nothing is executed")
  func forged() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      let loop = try await LoopEcho.serve(on: pair.server, as: "loop")
      let hidden = try await hiddenName()
      let note = try #require(try await InterfaceTargets<$Echo>.echo().names.first { $0.contains("note") && !$0.contains("Slowly") })
      let raw = try #require(RawPeer(pair.endpoint))
      #expect(try raw.greet("raw") == .welcome)
      let deep = [UInt8](repeating: 0x9F, count: 10_000)
      let cases: [([UInt8], MinervaError.Code)] = [
        (RawPeer.call("nobody", note), .noSuchActor),
        (RawPeer.call("echo", "$sSS"), .notExposed),
        (RawPeer.call("echo", "$s4main9DoNotCallC3nowyyYaKFTE"), .notExposed),
        (RawPeer.call("echo", hidden), .notExposed),
        (RawPeer.call("loop", hidden), .notExposed),
        (RawPeer.call("echo", note, count: 0), .badMessage),
        (RawPeer.call("loop", note, arguments: [1], count: 2), .badMessage),
        (RawPeer.call("loop", note, count: 1), .badMessage),
        (RawPeer.call("loop", note, arguments: deep, count: 1), .badMessage),
        (RawPeer.call("echo", note, arguments: [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], count: 1), .badMessage),
        (RawPeer.call("echo", note, arguments: Array("\u{65}nope".utf8), count: 1), .badMessage),
      ]
      for (number, (message, code)) in cases.enumerated() {
        raw.send([message])
        let answer = try #require(raw.receive(), "case \(number)")
        #expect(RawPeer.error(answer)?.code == code, "case \(number): \(String(describing: RawPeer.error(answer)))")
      }
      #expect(await actor.whenLocal { $0.noted() } == [])
      #expect(await loop.whenLocal { $0.noted() } == [])
    }
  }

  @Test("payload frames: a wrong number of them, and one asked for twice or that is not there")
  func forgedFrames() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      let name = try #require(try await InterfaceTargets<$Echo>.echo().names.first { $0.contains("4echo") })
      let raw = try #require(RawPeer(pair.endpoint))
      #expect(try raw.greet("raw") == .welcome)
      func call(_ arguments: [UInt8], count: UInt8, frames: UInt8) -> [UInt8] {
        var bytes = RawPeer.call("echo", name, arguments: arguments, count: count)
        bytes[7] = frames
        return bytes
      }
      let first: [UInt8] = [0xD9, 0x4D, 0x56, 0x00]
      let before = await pair.server.counters().badMessages
      raw.send([call(first, count: 1, frames: 2), [1, 2, 3]])
      raw.send([call(first, count: 1, frames: 0), [1, 2, 3]])
      raw.send([call([0xD9, 0x4D, 0x56, 0x05], count: 1, frames: 1), [1, 2, 3]])
      #expect(RawPeer.error(try #require(raw.receive()))?.code == .badMessage)
      raw.send([call([0xD9, 0x4D, 0x56, 0x3B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], count: 1, frames: 1), [1]])
      #expect(RawPeer.error(try #require(raw.receive()))?.code == .badMessage)
      raw.send([call([0xD9, 0x00, 0x01, 0x00], count: 1, frames: 1), [1]])
      #expect(RawPeer.error(try #require(raw.receive()))?.code == .badMessage)
      #expect(await pair.server.counters().badMessages == before + 2)
      raw.send([call(first, count: 1, frames: 1), [1, 2, 3]])
      let answer = try #require(raw.receive())
      #expect(RawPeer.error(answer) == nil)
      #expect(try answer.withUnsafeBytes { try Envelope.read($0, limits: .standard).kind } == .reply)
      withExtendedLifetime(actor) {}
    }
  }

  private func hiddenName() async throws -> String {
    let targets = try await InterfaceTargets.learn($Echo.self) { probe in try await probe("hidden") { _ = try await $0.hidden() } }
    return try #require(targets.names.first)
  }

  @Test("2,000 mutated calls: the bus stays up and others are served", arguments: [7, 8] as [UInt64])
  func mutated(_ seed: UInt64) async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      let loop = try await LoopEcho.serve(on: pair.server, as: "loop")
      try await pair.client.connect(to: pair.endpoint)
      let names = try await InterfaceTargets<$Echo>.echo().names
      let raw = try #require(RawPeer(pair.endpoint))
      #expect(try raw.greet("raw") == .welcome)
      var random = SplitMix64(seed: seed)
      for number in 0..<2_000 {
        let arguments = try CBOR.encode([UInt8](repeating: 7, count: Int.random(in: 0...80, using: &random)))
        var message = RawPeer.call(
          Bool.random(using: &random) ? "loop" : "echo", names.randomElement(using: &random) ?? "", arguments: arguments,
          count: UInt8.random(in: 0...2, using: &random), identifier: UInt64(number))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: message.removeLast(Int.random(in: 1..<message.count, using: &random))
        case 1: message += (0..<Int.random(in: 1...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        default:
          for _ in 0...Int.random(in: 0...6, using: &random) {
            message[Int.random(in: 4..<message.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
          }
        }
        raw.send([message])
      }
      #expect(try await pair.echo().add(20, 22) == 42, "seed \(seed)")
      #expect(try await pair.echo("loop").echo([1]) == [1], "seed \(seed)")
      withExtendedLifetime((actor, loop)) {}
    }
  }

  @Test("a peer that asks and never reads meets bounds: its own link ends, others are served")
  func neverReads() async throws {
    try await Pair.with(server: {
      $0.limits.outboundMessages = 2_000; $0.limits.outboundBytes = 1 << 20
    }) { pair in
      let loop = try await LoopEcho.serve(on: pair.server, as: "loop")
      try await pair.client.connect(to: pair.endpoint)
      let name = try #require(try await InterfaceTargets<$Echo>.echo().names.first { $0.contains("EchoC4echo") || $0.contains("4echo") })
      let raw = try #require(RawPeer(pair.endpoint))
      #expect(try raw.greet("raw") == .welcome)
      let call = RawPeer.call("loop", name, arguments: try CBOR.encode([UInt8](repeating: 1, count: 60_000)), count: 1)
      // 60 MB of answers that nobody takes: far more than the queues hold.
      for _ in 0..<1_000 { raw.send([call]) }
      while await pair.server.peers().contains(where: { $0.node == "raw" }) {
        #expect(try await pair.echo("loop").echo([1]) == [1])
      }
      #expect(try await pair.echo("loop").echo([2]) == [2])
      withExtendedLifetime(loop) {}
    }
  }

  @Test("a peer without a hello is told to start over (C07: one that was declared dead and resumes)")
  func noHello() async throws {
    try await Pair.with { pair in
      let raw = try #require(RawPeer(pair.endpoint))
      raw.send([Envelope(.ping).message()])
      let answer = try #require(raw.receive())
      #expect(try answer.withUnsafeBytes { try Envelope.read($0, limits: .standard).kind } == .goodbye)
    }
  }

  @Test("a second answer to a call reaches nobody and is counted; one to a call that was given up is in order")
  func secondAnswer() async throws {
    try await Pair.with { pair in
      let raw = try #require(RawPeer(pair.endpoint))
      #expect(try raw.greet("raw") == .welcome)
      let echo = try $Echo.resolve(id: ActorAddress(node: "raw", name: "echo"), using: pair.server)
      func call() async throws -> UInt64 {
        // Receiving blocks: nothing else may have to happen meanwhile.
        try await until("a call is under way") { await pair.server.peers().contains { $0.node == "raw" && $0.callsInFlight == 1 } }
        return try nextCall()
      }
      func nextCall() throws -> UInt64 {
        while true {
          let message = try #require(raw.messages(within: .seconds(5), upTo: 1).first)
          let envelope = try message.withUnsafeBytes { try Envelope.read($0, limits: .standard) }
          if envelope.kind == .call { return envelope.call }
        }
      }
      func answers(_ call: UInt64, _ number: Int) throws { raw.send([Envelope(.reply, call: call).message(body: try CBOR.encode(number))]) }
      for second in [false, true] {
        async let sum = echo.add(1, 2)
        let asked = try await call()
        try answers(asked, 3)
        if second { try answers(asked, 4) }
        #expect(try await sum == 3)
      }
      try await until("the second answer is counted") { await pair.server.counters().answersRepeated == 1 }
      let late = await failure { try await BusSystem.$deadline.withValue(.milliseconds(50)) { _ = try await echo.add(1, 2) } }
      #expect(late?.code == .deadline)
      try answers(try nextCall(), 3)
      // Its answer is behind the late one.
      async let sum = echo.add(2, 2)
      try answers(try await call(), 4)
      #expect(try await sum == 4)
      #expect(await pair.server.counters().answersRepeated == 1)
    }
  }
}
