import MinervaProtocol
import MinervaTransport
import MinervaWire
import Synchronization
import TestSupport
import Testing

@Suite("Event loop and links", .timeLimit(.minutes(1)))
struct TransportTests {
  /// Hears of links and keeps what it heard.
  final class Listener: TransportDelegate, Sendable {
    let log = Mutex<[String]>([])

    func linkRose(_ link: Link) { log.withLock { $0.append("up \(link.peer?.node ?? "?")") } }
    func linkFell(_ link: Link, _ error: MinervaError) { log.withLock { $0.append("down \(error.code)") } }
    func attemptFailed(_ link: Link, _ error: MinervaError) { log.withLock { $0.append("failed \(error.code)") } }
    func received(
      _ envelope: Envelope, _ message: UnsafeRawBufferPointer, in frame: Frame, for attachment: Unmanaged<AnyObject>?, on link: Link
    ) {
      log.withLock { $0.append("\(envelope.kind) \(envelope.call)") }
    }
  }

  static func transport(
    _ node: String, _ hub: InProcessHub, _ listener: Listener, limits: Limits = .standard, peerLimit: Int = 4_096, heartbeat: Int64? = nil
  ) -> Transport {
    var settings = TransportSettings(
      introduction: Introduction(
        node: node, incarnation: UInt64.random(in: 1...UInt64.max), kind: "test", pid: 1, version: "1", limits: limits),
      api: APIVersion(number: 0, fingerprint: 0))
    if let heartbeat { settings.introduction.heartbeat = heartbeat }
    settings.hub = hub
    settings.peerLimit = peerLimit
    let transport = Transport(settings)
    transport.delegate = listener
    transport.start(keeping: listener)
    return transport
  }

  static func onLoop<Result: Sendable>(_ transport: Transport, _ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in transport.loop.post { continuation.resume(returning: body()) } }
  }

  static func close(_ transport: Transport) async {
    await withCheckedContinuation { continuation in transport.loop.post { transport.close(linger: 0) { continuation.resume() } } }
  }

  @Test("posts run in order, on the loop, also after it has ended")
  func posts() async {
    let transport = Self.transport("a", InProcessHub(), Listener())
    let seen = Mutex<[Int]>([])
    for number in 0..<1_000 { transport.loop.post { seen.withLock { $0.append(number) } } }
    #expect(await Self.onLoop(transport) { transport.loop.isCurrent })
    #expect(seen.withLock { $0 } == Array(0..<1_000))
    await Self.close(transport)
    #expect(await Self.onLoop(transport) { transport.loop.isCurrent })
    // A task that prefers the loop of a closed bus still runs.
    #expect(await Task(executorPreference: transport.taskExecutor) { 7 }.value == 7)
  }

  @Test("over a socket one peer more than may be connected is told so")
  func crowd() async throws {
    let endpoint = Endpoint.ipc(path: "/tmp/crowd-\(UInt64.random(in: .min ... .max))")
    let (first, second) = (Listener(), Listener())
    let server = Self.transport("server", InProcessHub(), Listener(), peerLimit: 1)
    let clients = [Self.transport("first", InProcessHub(), first), Self.transport("second", InProcessHub(), second)]
    _ = try await Self.onLoop(server) { Result { () throws(MinervaError) in try server.listen(on: endpoint) } }.get()
    _ = try await Self.onLoop(clients[0]) { Result { () throws(MinervaError) in try clients[0].dial(endpoint) } }.get()
    try await until("it is in") { first.log.withLock { $0.contains("up server") } }
    _ = try await Self.onLoop(clients[1]) { Result { () throws(MinervaError) in try clients[1].dial(endpoint) } }.get()
    try await until("it is refused") { second.log.withLock { !$0.isEmpty } }
    #expect(second.log.withLock { $0.first } == "failed bus.backpressure")
    for transport in clients + [server] { await Self.close(transport) }
  }

  @Test("messages of one turn arrive in order, batched and not, small and large")
  func order() async throws {
    let hub = InProcessHub()
    let (near, far) = (Listener(), Listener())
    let server = Self.transport("server", hub, far)
    let client = Self.transport("client", hub, near)
    _ = try await Self.onLoop(server) { Result { () throws(MinervaError) in try server.listen(on: .inProcess(name: "x")) } }.get()
    let link = try await Self.onLoop(client) { Result { () throws(MinervaError) in try client.dial(.inProcess(name: "x")) } }.get()
    try await until { !(near.log.withLock({ $0.isEmpty })) }
    let sizes = [0, 10, 5_000, 3_000, 70_000, 1, 4_095, 4_096, 100_000, 7]
    let sent = await Self.onLoop(client) { () -> Bool in
      for (number, size) in sizes.enumerated() {
        let buffer = OutputBuffer()
        buffer.append(Envelope(.call, call: UInt64(number)).message(body: Array(repeating: 7, count: size)))
        do throws(MinervaError) { try link.send(buffer) } catch { return false }
      }
      return true
    }
    #expect(sent)
    let expected = ["up client"] + sizes.indices.map { "call \($0)" }
    try await until { !(far.log.withLock({ $0.count < expected.count })) }
    #expect(far.log.withLock { $0 } == expected)
    for transport in [client, server] { await Self.close(transport) }
  }

  @Test("a long turn goes out in pieces while it is written, each twice the last one, and in order")
  func pieces() async throws {
    let hub = InProcessHub()
    let (near, far) = (Listener(), Listener())
    let server = Self.transport("server", hub, far)
    let client = Self.transport("client", hub, near)
    _ = try await Self.onLoop(server) { Result { () throws(MinervaError) in try server.listen(on: .inProcess(name: "x")) } }.get()
    let link = try await Self.onLoop(client) { Result { () throws(MinervaError) in try client.dial(.inProcess(name: "x")) } }.get()
    try await until { !(near.log.withLock({ $0.isEmpty })) }
    let frames = await Self.onLoop(client) { () -> UInt64 in
      let before = client.counters.framesSent
      for number in 0..<200 {
        let buffer = OutputBuffer()
        buffer.append(Envelope(.call, call: UInt64(number)).message(body: [7]))
        do throws(MinervaError) { try link.send(buffer) } catch { return 0 }
      }
      return client.counters.framesSent - before
    }
    #expect(frames == 2, "64 and 128 messages went out before the turn was over")
    let expected = ["up client"] + (0..<200).map { "call \($0)" }
    try await until { !(far.log.withLock({ $0.count < expected.count })) }
    #expect(far.log.withLock { $0 } == expected)
    for transport in [client, server] { await Self.close(transport) }
  }

  @Test("a full queue is bus.backpressure and keeps nothing of the message; an oversized one is bus.too_large")
  func bounds() async throws {
    let hub = InProcessHub()
    let near = Listener()
    let server = Self.transport("server", hub, Listener())
    let client = Self.transport("client", hub, near, limits: Limits(messageBytes: 8_192, outboundMessages: 5))
    _ = try await Self.onLoop(server) { Result { () throws(MinervaError) in try server.listen(on: .inProcess(name: "x")) } }.get()
    let link = try await Self.onLoop(client) { Result { () throws(MinervaError) in try client.dial(.inProcess(name: "x")) } }.get()
    try await until { !(near.log.withLock({ $0.isEmpty })) }
    let codes = await Self.onLoop(client) { () -> [MinervaError.Code?] in
      (0..<7).map { number in
        let buffer = OutputBuffer()
        buffer.append(Envelope(.call, call: UInt64(number)).message(body: Array(repeating: 7, count: number == 6 ? 9_000 : 8)))
        do throws(MinervaError) { try link.send(buffer) } catch { return error.code }
        return nil
      }
    }
    #expect(codes == [nil, nil, nil, nil, nil, .backpressure, .tooLarge])
    #expect(await Self.onLoop(client) { link.waiting } == 0, "the next turn has sent what waited")
    for transport in [client, server] { await Self.close(transport) }
  }
}
