import CZeroMQ

/// What happens to the connections of one socket, as libzmq's I/O thread sees it.
final class SocketMonitor: EventSource {
  enum Event {
    case connected(connection: Int32)
    case accepted(connection: Int32)
    case established
    case disconnected(connection: Int32)
    /// A dial attempt ended without a connection; libzmq does not say why.
    case refused
    /// The other side speaks no ZMTP, another mechanism, or an unfitting socket type.
    case handshakeFailed(number: Int32)
    /// The other side refused our key (or we refused theirs): the ZAP status.
    case unauthorized(status: Int32)
  }

  private let socket: ZeroMQSocket
  private let watched: ZeroMQSocket
  /// Called on the loop for each event.
  var onEvent: ((Event) -> Void)?
  var isReady = true
  var descriptor: Int32 { socket.descriptor }

  private static let interesting =
    ZMQ_EVENT_CONNECTED | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED
    | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH

  init(of watched: ZeroMQSocket, number: Int, in context: ZeroMQContext) throws(ZeroMQFailure) {
    let name = "inproc://monitor-\(number)"
    self.watched = watched
    guard zmq_socket_monitor(watched.pointer, name, Self.interesting) == 0 else { throw .last("zmq_socket_monitor") }
    socket = try ZeroMQSocket(.pair, in: context)
    // A monitor must never stop the I/O thread nor lose a disconnect: its queue has no mark, its events are few and small.
    try socket.set(ZMQ_RCVHWM, 0)
    try socket.connect(name)
  }

  var needsDrain: Bool { socket.isTouched && socket.isReadable }

  func drain(budget: Int) -> Bool {
    var taken = 0
    while taken < budget, !socket.isClosed, let head = socket.receive() {
      taken += 1
      let bytes = head.bytes
      while !socket.isClosed, head.hasMore, let rest = socket.receive(), rest.hasMore {}
      guard bytes.count >= 6 else { continue }
      let kind = Int32(bytes.loadUnaligned(fromByteOffset: 0, as: UInt16.self))
      let value = bytes.loadUnaligned(fromByteOffset: 2, as: Int32.self)
      if let event = Self.event(kind, value) { onEvent?(event) }
    }
    return taken == budget
  }

  func close() {
    onEvent = nil
    if !watched.isClosed { zmq_socket_monitor(watched.pointer, nil, 0) }
    socket.close()
  }

  private static func event(_ kind: Int32, _ value: Int32) -> Event? {
    switch kind {
    case ZMQ_EVENT_CONNECTED: .connected(connection: value)
    case ZMQ_EVENT_ACCEPTED: .accepted(connection: value)
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: .established
    case ZMQ_EVENT_DISCONNECTED: .disconnected(connection: value)
    case ZMQ_EVENT_CLOSED: .refused
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: .handshakeFailed(number: value)
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: .unauthorized(status: value)
    default: nil
    }
  }
}
