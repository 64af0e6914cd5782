import CZeroMQ
import MinervaWire

/// One dialled connection: a DEALER that connects once and never by itself again.
///
/// libzmq's own reconnect is off: each attempt is a new socket with a new routing id, so nothing of an old connection can be delivered on
/// a new one, and backoff and jitter are the link's. `ZMQ_IMMEDIATE` keeps libzmq from queueing for a server that does not exist.
final class DealerChannel: LinkChannel, EventSource {
  var isReady = true
  var descriptor: Int32 { socket.descriptor }
  var needsDrain: Bool { socket.isTouched && socket.isReadable }
  /// Called on the loop with each message.
  var onFrame: ((Frame) -> Void)?
  /// Called on the loop with each message of any other shape.
  var onMalformed: ((String) -> Void)?
  /// Called once, on the loop, when the connection was let go of.
  var onClosed: (() -> Void)?

  private let socket: ZeroMQSocket
  private let monitor: SocketMonitor
  private let payloadLimit: Int
  private unowned let loop: EventLoop

  init(
    to endpoint: Endpoint, server: String?, settings: TransportSettings, number: Int, in context: ZeroMQContext, loop: EventLoop,
    onEvent: @escaping (SocketMonitor.Event) -> Void
  ) throws {
    self.loop = loop
    payloadLimit = settings.limits.frames
    socket = try ZeroMQSocket(.dealer, in: context)
    try socket.apply(settings)
    try socket.set(ZMQ_IMMEDIATE, 1)
    try socket.set(ZMQ_RECONNECT_IVL, -1)
    try socket.secure(dialling: endpoint, settings.security, known: server, spare: settings.spareKeys)
    monitor = try SocketMonitor(of: socket, number: number, in: context)
    monitor.onEvent = onEvent
    try socket.connect(endpoint.description)
    loop.add(monitor)
    loop.add(self)
  }

  func drain(budget: Int) -> Bool {
    var taken = 0
    while taken < budget, !socket.isClosed, let frame = socket.receive() {
      taken += 1
      if frame.hasMore {
        guard let payloads = socket.receiveRest(atMost: payloadLimit) else {
          onMalformed?("a message of too many frames")
          continue
        }
        frame.payloads = payloads
      }
      onFrame?(frame)
    }
    return taken == budget
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> ZeroMQSocket.Sent { socket.isClosed ? .failed : socket.send(bytes) }

  func send(owned buffer: OutputBuffer) -> ZeroMQSocket.Sent { socket.isClosed ? .failed : socket.send(owned: buffer) }

  func send(_ head: OutputBuffer, _ payloads: [[UInt8]]) -> ZeroMQSocket.Sent { socket.isClosed ? .failed : socket.send(head, payloads) }

  /// For how many milliseconds libzmq may go on writing what it holds after `close`.
  var linger: Int32 = 0

  /// Lets go of the connection.
  func close() {
    guard !socket.isClosed else { return }
    onFrame = nil
    onMalformed = nil
    loop.remove(monitor)
    loop.remove(self)
    monitor.close()
    if linger > 0 { try? socket.set(ZMQ_LINGER, linger) }
    socket.close()
    onClosed?()
    onClosed = nil
  }
}
