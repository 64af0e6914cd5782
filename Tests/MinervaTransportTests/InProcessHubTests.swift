import Glibc
import MinervaTransport
import MinervaWire
import Synchronization
import TestSupport
import Testing

@Suite("Buses of one process", .timeLimit(.minutes(1)))
struct InProcessHubTests {
  /// Something that holds a loop's thread until it is opened.
  private final class Gate: @unchecked Sendable {
    // A semaphore is thread safe, and does not move.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
      sem_destroy(semaphore)
      semaphore.deallocate()
    }

    func hold(_ transport: Transport) { transport.loop.post { while sem_wait(self.semaphore) != 0 {} } }
    func open() { sem_post(semaphore) }
  }

  private static func listen(_ transport: Transport) async throws {
    _ = try await TransportTests.onLoop(transport) {
      Result { () throws(MinervaError) in try transport.listen(on: .inProcess(name: "x")) }
    }.get()
  }

  private static func dial(_ transport: Transport) async throws -> Link {
    try await TransportTests.onLoop(transport) { Result { () throws(MinervaError) in try transport.dial(.inProcess(name: "x")) } }.get()
  }

  @Test("a peer that stands still fills its queue and ours, then senders are told bus.backpressure; what was taken arrives in order")
  func standsStill() async throws {
    let hub = InProcessHub()
    let (near, far) = (TransportTests.Listener(), TransportTests.Listener())
    // One that stands still beats no more, and on a busy machine it may for long.
    let server = TransportTests.transport("server", hub, far, heartbeat: 30_000)
    let client = TransportTests.transport("client", hub, near, limits: Limits(outboundMessages: 1_000), heartbeat: 30_000)
    try await Self.listen(server)
    let link = try await Self.dial(client)
    try await until("the link is up") { near.log.withLock { !$0.isEmpty } }
    let gate = Gate()
    gate.hold(server)
    let outcome = await TransportTests.onLoop(client) { () -> (sent: Int, error: MinervaError?) in
      for number in 0..<100_000 {
        let buffer = OutputBuffer()
        buffer.append(Envelope(.call, call: UInt64(number)).message(body: Array(repeating: 7, count: 5_000)))
        do throws(MinervaError) { try link.send(buffer) } catch { return (number, error) }
      }
      return (100_000, nil)
    }
    #expect(outcome.error?.code == .backpressure && outcome.error?.retryable == true)
    // 256 frames at the other end, a thousand here.
    #expect((1_000...1_256).contains(outcome.sent), "\(outcome.sent) messages were taken")
    gate.open()
    let expected = ["up client"] + (0..<outcome.sent).map { "call \($0)" }
    try await until("what was taken has arrived") { far.log.withLock { $0.count >= expected.count } }
    #expect(far.log.withLock { $0 } == expected)
    for transport in [client, server] { await TransportTests.close(transport) }
  }

  /// The numbers of the events that a subscriber has taken in.
  private static func subscribe(_ transport: Transport, to topics: [String]) async throws -> Seen {
    let seen = Seen()
    _ = try await TransportTests.onLoop(transport) {
      Result { () throws(MinervaError) in
        try transport.subscribe(
          to: .inProcess(name: "events"), topics: topics, take: { event in seen.numbers.withLock { $0.append(event.number) } }, end: {})
      }
    }.get()
    return seen
  }

  private final class Seen: Sendable {
    let numbers = Mutex<[UInt64]>([])
    var last: UInt64 { numbers.withLock { $0.last ?? 0 } }
  }

  @Test(
    "C06: a subscriber that stands still keeps a bounded queue and sees its gap; others miss nothing, and what it did not ask for takes no room"
  )
  func slowSubscriber() async throws {
    let hub = InProcessHub()
    let transports = ["server", "slow", "quick"].map { TransportTests.transport($0, hub, TransportTests.Listener()) }
    let server = transports[0]
    _ = try await TransportTests.onLoop(server) {
      Result { () throws(MinervaError) in try server.bindEvents(on: .inProcess(name: "events")) }
    }.get()
    let slow = try await Self.subscribe(transports[1], to: ["a"])
    let quick = try await Self.subscribe(transports[2], to: [])
    let gate = Gate()
    gate.hold(transports[1])
    for topic in ["b", "a"] {
      for round in 1...20 {
        await TransportTests.onLoop(server) { for _ in 0..<500 { _ = server.publish(topic: topic) { [1] } } }
        try await until("the others have heard them") { quick.last == UInt64(round) * 500 }
      }
    }
    gate.open()
    try await until("its queue is empty") { slow.last == 4_096 }
    await TransportTests.onLoop(server) { _ = server.publish(topic: "a") { [1] } }
    try await until("it hears again, and so do the others") { slow.last == 10_001 && quick.last == 10_001 }
    #expect(slow.numbers.withLock { $0 } == Array(1...4_096) + [10_001])
    #expect(quick.numbers.withLock { $0 } == Array(1...10_000) + Array(1...10_001))
    for transport in transports { await TransportTests.close(transport) }
  }

  @Test("one peer more than may be connected is refused, and let in when another has left")
  func crowd() async throws {
    let hub = InProcessHub()
    let server = TransportTests.transport("server", hub, TransportTests.Listener(), peerLimit: 2)
    try await Self.listen(server)
    let listeners = (0..<3).map { _ in TransportTests.Listener() }
    let clients = (0..<3).map { TransportTests.transport("client-\($0)", hub, listeners[$0]) }
    for number in 0..<2 {
      _ = try await Self.dial(clients[number])
      try await until("it is in") { listeners[number].log.withLock { $0.contains("up server") } }
    }
    _ = try await Self.dial(clients[2])
    try await until("it is refused") { listeners[2].log.withLock { $0.contains("failed bus.unreachable") } }
    #expect(await TransportTests.onLoop(server) { server.counters.rejectedPeers } >= 1)
    #expect(listeners[2].log.withLock { !$0.contains("up server") })
    await TransportTests.close(clients[0])
    try await until("it is in") { listeners[2].log.withLock { $0.contains("up server") } }
    for transport in [clients[1], clients[2], server] { await TransportTests.close(transport) }
  }
}
