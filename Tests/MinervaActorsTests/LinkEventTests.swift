import Glibc
@testable import MinervaActors
import MinervaTransport
import MinervaWire
import Synchronization
import Testing
import TestSupport

/// Events over the link itself, by credit: for keys that may not hear everything.
@Suite("Events over a link", .timeLimit(.minutes(1)))
struct LinkEventTests {
  /// Waits until the server knows of a subscription.
  private func heard(_ topic: String, at server: BusSystem, by count: Int = 1) async throws {
    try await until("\(count) subscriptions of \(topic)") { await server.onLoop { server.lanes[topic]?.count ?? 0 } == count }
  }

  @Test("events arrive numbered, far beyond the first credit, also when the topic has no socket", arguments: Pair.Way.allCases)
  func byCredit(_ way: Pair.Way) async throws {
    try await Pair.with(way) { pair in
      try await pair.client.connect(to: pair.endpoint)
      let stream = try await pair.client.subscribe(at: "server", topics: ["scene1"])
      try await heard("scene1", at: pair.server)
      let reading = Task {
        var numbers: [UInt64] = []
        for await frame in stream {
          guard frame.topic == "scene1", frame.incarnation == pair.server.incarnation else { return numbers }
          numbers.append(frame.number)
          if frame.body == [9] { break }
        }
        return numbers
      }
      let count = Int(Hearing.window) * 5
      for number in 1..<count {
        pair.server.publish(topic: "scene10", body: [10])
        pair.server.publish(topic: "scene1", body: [1])
        if number % 100 == 0 { _ = await pair.server.counters() }
      }
      pair.server.publish(topic: "scene1", body: [9])
      #expect(await reading.value == Array(1...UInt64(count)))
    }
  }

  @Test("C06: a reader that takes nothing costs its bound, sees its gap, and slows nobody")
  func slow() async throws {
    try await Pair.with(.ipc, server: { $0.heartbeat = .seconds(20) }, client: { $0.heartbeat = .seconds(20) }) { pair in
      var settings = BusSettings(node: "quick", heartbeat: .seconds(20))
      settings.security.allowsInsecureLoopback = true
      let quick = BusSystem(settings)
      for bus in [pair.client, quick] { try await bus.connect(to: pair.endpoint) }
      let late = try await pair.client.subscribe(at: "server", topics: ["t"], buffer: 1 << 20)
      let prompt = try await quick.subscribe(at: "server", topics: ["t"], buffer: 1 << 20)
      try await heard("t", at: pair.server, by: 2)
      let reading = Task {
        var last: UInt64 = 0
        for await frame in prompt {
          guard frame.number == last + 1 else { return last }
          last = frame.number
          if frame.body == [9] { break }
        }
        return last
      }
      // The client's thread stands still: it reads nothing and grants nothing.
      let gate = Gate()
      let standing = Task { await pair.client.onLoop { gate.wait() } }
      for number in 1..<20_000 {
        pair.server.publish(topic: "t", body: [1])
        // In bursts within the credit, so that the quick reader keeps up.
        if number % 200 == 0 {
          try await until { await pair.server.onLoop { pair.server.lanes["t"]?.contains { $0.waiting == 0 } ?? false } }
        }
      }
      let waiting = await pair.server.onLoop { pair.server.lanes["t"]?.map(\.waiting).max() ?? 0 }
      #expect(waiting > 0 && waiting <= 4_096)
      pair.server.publish(topic: "t", body: [9])
      #expect(await reading.value == 20_000, "the other reader misses nothing")
      gate.open()
      await standing.value
      var numbers: [UInt64] = []
      for await frame in late {
        numbers.append(frame.number)
        if frame.body == [9] { break }
      }
      #expect(numbers.count < 20_000 && numbers.last == 20_000)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
      await quick.close(grace: .zero)
    }
  }

  @Test("a narrowed key hears nothing that nobody said it may, a refused topic ends the stream, and topics are bounded")
  func narrowed() async throws {
    let keys = try CurveKeyPair()
    let (server, endpoint, key) = try await SecurityTests.server([keys.publicKey: PeerGrant(role: .observe, scenes: ["a"])])
    server.onSubscription { peer, topic in
      topic == "secret" ? MinervaError(.unauthorized, "\(peer.node) may not") : nil
    }
    let client = SecurityTests.client("client", keys, server: key)
    try await client.connect(to: endpoint)
    let refused = try await client.subscribe(at: "server", topics: ["secret"])
    for await frame in refused { Issue.record("an event of \(frame.topic)") }
    #expect(await server.onLoop { server.lanes["secret"]?.count ?? 0 } == 0)
    let stream = try await client.subscribe(at: "server", topics: ["open"])
    try await heard("open", at: server)
    server.publish(topic: "open", body: [1])
    await server.onLoop {
      server.publish(topic: "open", to: { $0.scenes == ["b"] }) { [2] }
      server.publish(topic: "open", to: { $0.scenes == ["a"] }) { [3] }
    }
    for await frame in stream {
      #expect(frame.body == [3] && frame.number == 3, "the number is the topic's: what was kept from it shows as a gap")
      break
    }
    var streams: [AsyncStream<PublishedFrame>] = []
    // With the one there is.
    for number in 1..<BusSystem.lanesPerLink { streams.append(try await client.subscribe(at: "server", topics: ["t\(number)"])) }
    try await heard("t\(BusSystem.lanesPerLink - 1)", at: server)
    let tooMany = try await client.subscribe(at: "server", topics: ["one too many"])
    for await frame in tooMany { Issue.record("an event of \(frame.topic)") }
    for bus in [client, server] { await bus.close(grace: .zero) }
    withExtendedLifetime(streams) {}
  }

  @Test("a subscription made before the link comes with it, and again with the next one")
  func comesBack() async throws {
    try await Pair.with { pair in
      let stream = try await pair.client.subscribe(at: "server", topics: ["t"])
      try await pair.client.connect(to: pair.endpoint)
      try await heard("t", at: pair.server)
      var frames = stream.makeAsyncIterator()
      pair.server.publish(topic: "t", body: [1])
      #expect(await frames.next()?.number == 1)
      await pair.client.disconnect(from: pair.endpoint)
      try await heard("t", at: pair.server, by: 0)
      pair.server.publish(topic: "t", body: [2])
      try await pair.client.connect(to: pair.endpoint)
      try await heard("t", at: pair.server)
      pair.server.publish(topic: "t", body: [3])
      #expect(await frames.next()?.number == 3, "the gap shows")
    }
  }

  @Test("a subscription ends with its last listener")
  func ends() async throws {
    try await Pair.with { pair in
      try await pair.client.connect(to: pair.endpoint)
      let listening = Task { for await _ in try await pair.client.subscribe(at: "server", topics: ["t"]) {} }
      try await heard("t", at: pair.server)
      listening.cancel()
      try await heard("t", at: pair.server, by: 0)
    }
  }
}

/// Holds a thread until it is opened.
private final class Gate: Sendable {
  private let isOpen = Atomic<Bool>(false)

  func open() { isOpen.store(true, ordering: .releasing) }

  func wait() { while !isOpen.load(ordering: .acquiring) { usleep(1_000) } }
}
