@testable import MinervaActors
import MinervaTransport
import MinervaWire
import RawPeers
import Synchronization
import TestSupport
import Testing

/// What a subscriber on the event socket may do, and for how long.
@Suite("Bounds of the event socket", .timeLimit(.minutes(1)))
struct EventBoundTests {
  /// How many events a subscriber has taken in.
  final class Count: Sendable {
    let value = Mutex(0)
    var now: Int { value.withLock { $0 } }

    func reading(_ stream: AsyncStream<PublishedFrame>) -> Task<Void, Never> {
      Task { for await _ in stream { value.withLock { $0 += 1 } } }
    }
  }

  /// Publishes events until a subscriber has taken in `more` of them.
  private static func publish(_ more: Int, on bus: BusSystem, until count: Count) async throws {
    let wanted = count.now + more
    try await until("\(wanted) events") {
      bus.publish(topic: "t", body: [1])
      return count.now >= wanted
    }
  }

  @Test("a subscriber of more topics than anyone needs is let go, and the others hear on")
  func flood() async throws {
    try await Pair.with { pair in
      let endpoint = try await pair.server.bindEvents(on: try Endpoint("\(pair.endpoint)-events"))
      let count = Count()
      let reading = count.reading(try await pair.client.subscribe(to: endpoint, topics: ["t"]))
      try await Self.publish(1, on: pair.server, until: count)
      let greedy = try #require(RawPeer(endpoint, kind: .rawSubscribe))
      try await until("the flood was noticed") {
        for _ in 0..<64 { greedy.send([[1] + (0..<1_000).map { _ in UInt8.random(in: 0...255) }]) }
        return await pair.server.counters().badMessages > 0
      }
      try await Self.publish(20, on: pair.server, until: count)
      reading.cancel()
      withExtendedLifetime(greedy) {}
    }
  }

  @Test("a key that is struck out hears no event any more, the others do")
  func revoked() async throws {
    let (anna, bob) = (try CurveKeyPair(), try CurveKeyPair())
    let (server, _, key) = try await SecurityTests.server([anna.publicKey: .local, bob.publicKey: .local])
    let events = try await server.bindEvents(on: .tcp(host: "127.0.0.1", port: 0))
    let buses = [SecurityTests.client("anna", anna, server: key), SecurityTests.client("bob", bob, server: key)]
    let counts = [Count(), Count()]
    var readings: [Task<Void, Never>] = []
    for (bus, count) in zip(buses, counts) { readings.append(count.reading(try await bus.subscribe(to: events, topics: ["t"]))) }
    for count in counts { try await Self.publish(1, on: server, until: count) }
    await server.authorize(AuthorizedKeys([bob.publicKey: AuthorizedKeys.Entry(grant: .local)]))
    // Her connection ends a moment later; from then on nothing arrives, however much bob hears.
    try await until("anna hears nothing") {
      let before = counts[0].now
      try await Self.publish(50, on: server, until: counts[1])
      return counts[0].now == before
    }
    let before = counts[0].now
    try await Self.publish(500, on: server, until: counts[1])
    #expect(counts[0].now == before)
    for reading in readings { reading.cancel() }
    for bus in buses + [server] { await bus.close(grace: .zero) }
  }

  @Test("an event over the limit of a message arrives, one over the limit of lists is a gap")
  func large() async throws {
    let limits = Limits(messageBytes: 8 << 10, listMessageBytes: 64 << 10)
    try await Pair.with(server: { $0.limits = limits }, client: { $0.limits = limits }) { pair in
      let endpoint = try await pair.server.bindEvents(on: try Endpoint("\(pair.endpoint)-events"))
      let stream = try await pair.client.subscribe(to: endpoint, topics: ["t"])
      let sizes = Mutex<[Int]>([])
      let reading = Task { for await frame in stream { sizes.withLock { $0.append(frame.body.count) } } }
      try await until("the subscription stands") {
        pair.server.publish(topic: "t", body: [1])
        return sizes.withLock { !$0.isEmpty }
      }
      for size in [100_000, 20_000, 2] { pair.server.publish(topic: "t", body: [UInt8](repeating: 7, count: size)) }
      try await until("the last one") { sizes.withLock { $0.last == 2 } }
      #expect(sizes.withLock { $0.suffix(2) } == [20_000, 2])
      reading.cancel()
    }
  }

  @Test("credit that a full link did not take is given later")
  func credit() async throws {
    try await Pair.with(.inProcess, client: { $0.limits.outboundMessages = 1 }) { pair in
      try await pair.client.connect(to: pair.endpoint)
      let stream = try await pair.client.subscribe(at: "server", topics: ["t"])
      try await until("the subscription") { await pair.server.onLoop { pair.server.lanes["t"]?.count ?? 0 } == 1 }
      let client = pair.client
      let owed = await client.onLoop { () -> UInt32? in
        guard let port = client.nodes["server"]?.port, let hearing = client.hearings["server"]?["t"] else { return nil }
        // The first takes the one place of the queue, the second finds none.
        port.credit(hearing, 1)
        port.credit(hearing, 5)
        return hearing.owed
      }
      #expect(owed == 5)
      try await until("the credit is given") { await client.onLoop { client.hearings["server"]?["t"]?.owed } == 0 }
      withExtendedLifetime(stream) {}
    }
  }
}
