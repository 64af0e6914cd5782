import CZeroMQ
import MinervaWire

/// A SUB socket on one publisher; libzmq keeps it connected, the numbers tell what was missed. Confined to the loop.
package final class EventSubscription: EventSource, @unchecked Sendable {
  // Confined to the loop's thread.
  var isReady = true
  var descriptor: Int32 { socket?.descriptor ?? -1 }
  var needsDrain: Bool { socket.map { $0.isTouched && $0.isReadable } ?? false }

  private let socket: ZeroMQSocket?
  private let name: String?
  private unowned let transport: Transport
  private let take: (PublishedFrame) -> Void
  private let end: () -> Void

  init(to endpoint: Endpoint, topics: [String], transport: Transport, take: @escaping (PublishedFrame) -> Void, end: @escaping () -> Void)
    throws
  {
    self.transport = transport
    self.take = take
    self.end = end
    let prefixes = topics.isEmpty ? [[]] : topics.map { EventFrame.prefix(topic: $0) }
    if case .inProcess(let name) = endpoint {
      guard let hub = transport.settings.hub else { throw MinervaError(.endpointInvalid, "\(endpoint): this bus has no in-process hub") }
      socket = nil
      self.name = name
      let inbox = InProcessHub.EventInbox(loop: transport.loop, prefixes: prefixes) { [weak self] frame in self?.received(frame) }
      hub.subscribe(name, ObjectIdentifier(self), inbox)
      return
    }
    name = nil
    let socket = try ZeroMQSocket(.subscribe, in: transport.context())
    self.socket = socket
    try socket.apply(transport.settings)
    try socket.set(ZMQ_RCVHWM, 4_096)
    try socket.set(ZMQ_RECONNECT_IVL, 50)
    try socket.set(ZMQ_RECONNECT_IVL_MAX, 2_000)
    try socket.set(ZMQ_HEARTBEAT_IVL, 1_000)
    try socket.set(ZMQ_HEARTBEAT_TIMEOUT, 3_000)
    try socket.secure(dialling: endpoint, transport.settings.security)
    for prefix in prefixes { try socket.set(ZMQ_SUBSCRIBE, bytes: prefix) }
    try socket.connect(endpoint.description)
    transport.loop.add(self)
  }

  func drain(budget: Int) -> Bool {
    var taken = 0
    while taken < budget, let socket, !socket.isClosed, let frame = socket.receive() {
      taken += 1
      guard !frame.hasMore else {
        while let rest = socket.receive(), rest.hasMore {}
        transport.malformed("an event of several frames", from: nil)
        continue
      }
      received(frame)
    }
    return taken == budget
  }

  private func received(_ frame: Frame) {
    do throws(MinervaError) {
      let event = try EventFrame.read(frame.bytes, limits: transport.settings.limits)
      transport.counters.eventsReceived += 1
      take(event)
    } catch {
      transport.malformed(error.message, from: nil)
    }
  }

  func close() {
    end()
    if let name { transport.settings.hub?.unsubscribe(name, ObjectIdentifier(self)) }
    guard let socket, !socket.isClosed else { return }
    transport.loop.remove(self)
    socket.close()
  }
}
