import CZeroMQ
import Glibc
import MinervaProtocol
import MinervaWire

/// A listening ROUTER: every peer that dials it is a route of up to 255 bytes that libzmq draws at random.
///
/// `ZMQ_ROUTER_MANDATORY` makes a vanished peer an error instead of silence; handover stays off, so nobody takes over another's route.
final class RouterListener: EventSource {
  let endpoint: Endpoint
  var isReady = true
  var descriptor: Int32 { socket.descriptor }
  var needsDrain: Bool { socket.isTouched && socket.isReadable }

  private let socket: ZeroMQSocket
  private let monitor: SocketMonitor
  private unowned let transport: Transport
  private let isKeyed: Bool
  private var links: [Route: Link] = [:]
  private var connections: [Int32: Link] = [:]
  /// Connections that have not said hello, and until when they may.
  private var strangers: [Int32: Int64] = [:]
  private var lastRoute: Route?
  private var lastLink: Link?

  /// A peer's route: auto-drawn ones have 5 bytes; longer than 15 is chosen by the peer, and refused.
  struct Route: Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0[1...Int($0[0])]) } }

    @inline(__always) init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count >= 1, bytes.count <= 15, let base = bytes.baseAddress else { return nil }
      withUnsafeMutableBytes(of: &self) { memory in
        memory[0] = UInt8(bytes.count)
        memcpy(memory.baseAddress! + 1, base, bytes.count)
      }
    }

    @inline(__always) func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
      withUnsafeBytes(of: self) { body(UnsafeRawBufferPointer(rebasing: $0[1..<1 + Int($0[0])])) }
    }
  }

  init(on wanted: Endpoint, number: Int, in context: ZeroMQContext, transport: Transport) throws {
    self.transport = transport
    let settings = transport.settings
    socket = try ZeroMQSocket(.router, in: context)
    try socket.apply(settings)
    try socket.set(ZMQ_ROUTER_MANDATORY, 1)
    try socket.set(ZMQ_ROUTER_HANDOVER, 0)
    // A machine that is gone without a word leaves no connection behind.
    if case .tcp = wanted { try socket.set(ZMQ_TCP_KEEPALIVE, 1) }
    isKeyed = try socket.secure(listening: wanted, domain: KeyGate.calls, settings.security)
    monitor = try SocketMonitor(of: socket, number: number, in: context)
    endpoint = try socket.listen(on: wanted)
    monitor.onEvent = { [unowned self] in self.saw($0) }
    transport.loop.add(monitor)
    transport.loop.add(self)
  }

  /// Stops accepting and lets go of every peer; the socket file goes with it.
  func close(linger: Int32) {
    guard !socket.isClosed else { return }
    transport.loop.remove(monitor)
    transport.loop.remove(self)
    monitor.close()
    if linger > 0 { try? socket.set(ZMQ_LINGER, linger) }
    socket.unbind(endpoint.description)
    socket.close()
    if case .ipc(let path) = endpoint { removeSocketFile(path) }
    links = [:]
    connections = [:]
    strangers = [:]
    lastLink = nil
  }

  // MARK: Receiving

  func drain(budget: Int) -> Bool {
    var taken = 0
    while taken < budget, !socket.isClosed, let head = socket.receive() {
      taken += 1
      guard head.hasMore, let frame = socket.receive() else { continue }
      if frame.hasMore {
        guard let rest = socket.receiveRest(atMost: transport.settings.limits.frames) else {
          transport.malformed("a message of too many frames", from: nil)
          continue
        }
        frame.payloads = rest
      }
      guard let route = Route(head.bytes) else {
        transport.malformed("a peer with a route of its own choosing", from: nil)
        continue
      }
      if route == lastRoute, let link = lastLink {
        transport.received(frame, on: link)
      } else if let link = links[route] {
        lastRoute = route
        lastLink = link
        transport.received(frame, on: link)
      } else {
        greet(frame, from: route)
      }
    }
    return taken == budget
  }

  /// The first message of a route: a hello makes a link, anything else is told to start over.
  private func greet(_ frame: Frame, from route: Route) {
    let envelope: Envelope
    do throws(MinervaError) {
      envelope = try Envelope.read(frame.bytes, limits: transport.settings.limits)
    } catch {
      transport.malformed(error.message, from: nil)
      return
    }
    // The end of its connection was seen first: it has said goodbye to us already.
    guard envelope.kind != .goodbye else { return }
    guard envelope.kind == .hello else {
      // A peer that was declared dead and resumes, or one of our earlier life: it must introduce itself again (C07).
      transport.counters.badMessages += 1
      let body = (try? CBOR.encode("say hello first")) ?? []
      let message = Envelope(.goodbye).message(body: body)
      _ = route.withBytes { socket.send($0, more: true) } == .sent && message.withUnsafeBytes { socket.send($0) } == .sent
      return
    }
    // What happened to earlier connections was reported before this hello could arrive; see it first, since descriptors are reused.
    _ = monitor.drain(budget: .max)
    let connection = frame.connection
    if connection >= 0, let stale = connections.removeValue(forKey: connection) {
      transport.disconnected("its connection was replaced", on: stale)
    }
    guard transport.hasRoomForPeer() else {
      // Without a word it would take us for nobody, and wait out its handshake each time.
      let error = MinervaError(.backpressure, "\(endpoint) has no room for more than \(transport.settings.peerLimit) peers")
      let body = (try? CBOR.encode(Reject(error: error, api: transport.settings.api))) ?? []
      let message = Envelope(.reject).message(body: body)
      _ = route.withBytes { socket.send($0, more: true) } == .sent && message.withUnsafeBytes { socket.send($0) } == .sent
      return
    }
    let link = transport.accepted(RouterChannel(route: route, connection: connection, listener: self))
    if isKeyed {
      link.key = frame.property("User-Id")
      guard let key = link.key, let grant = transport.grant(of: key) else {
        transport.disconnected("its key is not authorized any more", on: link)
        return
      }
      link.grant = grant
    }
    links[route] = link
    if connection >= 0 {
      connections[connection] = link
      strangers[connection] = nil
    }
    transport.received(frame, on: link)
  }

  // MARK: Connections

  private func saw(_ event: SocketMonitor.Event) {
    switch event {
    case .disconnected(let connection):
      strangers[connection] = nil
      transport.ended(connection)
      if let link = connections.removeValue(forKey: connection) { transport.disconnected("the connection ended", on: link) }
    case .handshakeFailed(let number):
      transport.counters.failedHandshakes += 1
      transport.log.line("handshake", at: transport.loop.now, "something that speaks no Minerva connected to \(endpoint) (\(number))")
    case .unauthorized:
      break  // The gate has counted it, with the key.
    case .accepted(let connection):
      transport.accepted(connection)
      awaitHello(on: connection)
    case .connected, .established, .refused:
      break
    }
  }

  private func awaitHello(on connection: Int32) {
    let until = transport.loop.now + 2 * transport.settings.handshakeTimeout
    strangers[connection] = until
    transport.loop.sweep(noLaterThan: until)
  }

  func link(of connection: Int32) -> Link? { connections[connection] }

  /// The connections on which a whole message came at a moment or later.
  func connections(heardSince moment: Int64, at now: Int64) -> [Int32] {
    connections.compactMap { connection, link in link.machine.silence(at: now) <= now - moment ? connection : nil }
  }

  /// Hangs up connections that have not said hello in time: they may speak ZMTP and nothing else for ever. Returns when to look again.
  func sweep(at now: Int64) -> Int64 {
    var next = Int64.max
    for (connection, until) in strangers {
      if until <= now {
        strangers[connection] = nil
        transport.hangUp(connection)
      } else {
        next = min(next, until)
      }
    }
    return next
  }

  // MARK: The way back

  fileprivate func send(_ bytes: UnsafeRawBufferPointer, to route: Route) -> ZeroMQSocket.Sent {
    guard !socket.isClosed else { return .failed }
    let head = route.withBytes { socket.send($0, more: true) }
    return head == .sent ? socket.send(bytes) : head
  }

  fileprivate func send(owned buffer: OutputBuffer, to route: Route) -> ZeroMQSocket.Sent {
    guard !socket.isClosed else { return .failed }
    let head = route.withBytes { socket.send($0, more: true) }
    return head == .sent ? socket.send(owned: buffer) : head
  }

  fileprivate func send(_ head: OutputBuffer, _ payloads: [[UInt8]], to route: Route) -> ZeroMQSocket.Sent {
    guard !socket.isClosed else { return .failed }
    let first = route.withBytes { socket.send($0, more: true) }
    return first == .sent ? socket.send(head, payloads) : first
  }

  fileprivate func forget(_ route: Route, _ connection: Int32, _ channel: RouterChannel) {
    if let link = links[route], link.channel === channel || link.channel == nil { links[route] = nil }
    if let link = connections[connection], link.channel === channel || link.channel == nil {
      connections[connection] = nil
      // Its link is over and the connection is not: it is a stranger's again.
      if transport.connections.contains(connection) { awaitHello(on: connection) }
    }
    if lastRoute == route {
      lastRoute = nil
      lastLink = nil
    }
  }
}

/// The way to one peer of a listening socket.
final class RouterChannel: LinkChannel {
  private let route: RouterListener.Route
  private let connection: Int32
  /// Until the channel is closed. Not weak, see `Transport.connect`.
  private var listener: RouterListener?

  init(route: RouterListener.Route, connection: Int32, listener: RouterListener) {
    self.route = route
    self.connection = connection
    self.listener = listener
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> ZeroMQSocket.Sent { listener?.send(bytes, to: route) ?? .failed }

  func send(owned buffer: OutputBuffer) -> ZeroMQSocket.Sent { listener?.send(owned: buffer, to: route) ?? .failed }

  func send(_ head: OutputBuffer, _ payloads: [[UInt8]]) -> ZeroMQSocket.Sent { listener?.send(head, payloads, to: route) ?? .failed }

  func close() {
    listener?.forget(route, connection, self)
    listener = nil
  }
}
