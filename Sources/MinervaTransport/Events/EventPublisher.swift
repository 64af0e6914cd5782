import CZeroMQ
import MinervaWire

/// A socket of events: numbered events, a bounded queue for each subscriber.
///
/// A subscriber that does not read loses events from its own queue alone and sees the gap in the numbers (C06). Confined to the loop.
final class EventPublisher: EventSource {
  let endpoint: Endpoint
  var isReady = true
  var descriptor: Int32 { socket?.descriptor ?? -1 }
  var needsDrain: Bool { socket.map { $0.isTouched && $0.isReadable } ?? false }

  private let socket: ZeroMQSocket?
  private let monitor: SocketMonitor?
  private var isKeyed = false
  private unowned let transport: Transport
  private var wishes = EventWishes()
  /// The turn in which subscribers were last listened to.
  private var lastLook: Int64 = -1

  /// Events that may wait for one subscriber.
  static let highWaterMark = 4_096

  init(on wanted: Endpoint, transport: Transport) throws {
    self.transport = transport
    if case .inProcess = wanted {
      socket = nil
      monitor = nil
      endpoint = wanted
      return
    }
    let socket = try ZeroMQSocket(.publish, in: transport.context())
    try socket.apply(transport.settings)
    try socket.set(ZMQ_SNDHWM, Int32(Self.highWaterMark))
    // A subscriber says no more than one name, with the words of ZMTP around it; and it is heard each time, so that its wishes can be counted.
    try socket.set(ZMQ_MAXMSGSIZE, wide: Int64(transport.settings.limits.nameBytes + 64))
    try socket.set(ZMQ_XPUB_VERBOSER, 1)
    try socket.set(ZMQ_HEARTBEAT_IVL, 1_000)
    try socket.set(ZMQ_HEARTBEAT_TIMEOUT, 3_000)
    isKeyed = try socket.secure(listening: wanted, domain: KeyGate.events, transport.settings.security)
    let monitor = try SocketMonitor(of: socket, number: transport.nextMonitor(), in: transport.context())
    endpoint = try socket.listen(on: wanted)
    self.socket = socket
    self.monitor = monitor
    monitor.onEvent = { [unowned self] in self.saw($0) }
    transport.loop.add(monitor)
    transport.loop.add(self)
  }

  /// Takes in what is subscribed to.
  func drain(budget: Int) -> Bool {
    // First what became of connections, since descriptors are used again.
    _ = monitor?.drain(budget: .max)
    var taken = 0
    while taken < budget, let frame = socket?.receive() {
      taken += 1
      // What libzmq says itself, when the last subscriber of a prefix is gone, has no connection.
      let connection = frame.connection
      guard connection >= 0 else { continue }
      transport.unfinished.finished(connection)
      let key = isKeyed ? frame.property("User-Id") ?? "" : nil
      if let key, transport.grant(of: key)?.isUnrestricted != true {
        drop(connection, "a key that may not hear events any more")
      } else if !wishes.take(frame.bytes, from: connection, key: key) {
        transport.counters.badMessages += 1
        drop(connection, "a subscriber of more topics than anyone needs")
      }
    }
    return taken == budget
  }

  private func saw(_ event: SocketMonitor.Event) {
    switch event {
    case .accepted(let connection):
      wishes.forget(connection)
      transport.accepted(connection)
    case .disconnected(let connection):
      wishes.forget(connection)
      transport.ended(connection)
    default: break
    }
  }

  /// Lets go of subscribers whose key is gone or narrowed: libzmq asks for a key once, when they connect.
  func authorize(_ keys: AuthorizedKeys) {
    _ = drain(budget: .max)
    for connection in wishes.connections(where: { keys[$0]?.isUnrestricted != true }) {
      drop(connection, "a key that may not hear events any more")
    }
  }

  private func drop(_ connection: Int32, _ reason: String) {
    wishes.forget(connection)
    transport.hangUp(connection)
    transport.log.line("rejected", at: transport.loop.now, "\(endpoint) let go of \(reason)")
  }

  /// Whether somebody may want the events of a topic. Looks at subscribers at most once a millisecond.
  func isHeard(_ topic: String) -> Bool {
    if case .inProcess(let name) = endpoint { return transport.settings.hub?.isHeard(name, EventFrame.prefix(topic: topic)) ?? false }
    if lastLook != transport.loop.now {
      lastLook = transport.loop.now
      _ = drain(budget: 1_024)
    }
    return wishes.contains(topic)
  }

  func publish(topic: String, number: UInt64, body: [UInt8]) {
    let (limits, incarnation) = (transport.settings.limits, transport.settings.introduction.incarnation)
    guard Envelope.size + body.count <= limits.listMessageBytes else {
      // Nobody could take it in; the next number shows that it is missing.
      return transport.log.line("too_large", at: transport.loop.now, "an event of \(topic) with \(body.count) bytes is not published")
    }
    let frame = EventFrame.write(topic: topic, number: number, incarnation: incarnation, body: body, limits: limits)
    transport.counters.eventsPublished += 1
    if let socket {
      _ = frame.count >= 64 << 10 ? socket.send(owned: frame) : frame.withUnsafeBytes { socket.send($0) }
    } else if case .inProcess(let name) = endpoint {
      frame.withUnsafeBytes { transport.settings.hub?.publish(name, $0) }
    }
  }

  func close() {
    guard let socket, !socket.isClosed else { return }
    transport.loop.remove(self)
    if let monitor {
      transport.loop.remove(monitor)
      monitor.close()
    }
    socket.unbind(endpoint.description)
    socket.close()
    if case .ipc(let path) = endpoint { removeSocketFile(path) }
  }
}
