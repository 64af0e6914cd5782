import CZeroMQ
import Glibc
import MinervaTransport
import MinervaWire

/// A peer that is not ours: a bare DEALER, or a bare socket, that says whatever a test wants.
final class RawPeer {
  private let context: UnsafeMutableRawPointer
  private let socket: UnsafeMutableRawPointer

  init?(_ endpoint: Endpoint, type: Int32 = ZMQ_DEALER) {
    guard let context = zmq_ctx_new(), let socket = zmq_socket(context, type) else { return nil }
    self.context = context
    self.socket = socket
    var zero: Int32 = 0
    var timeout: Int32 = 5_000
    // So that a test of a peer that never reads need not fill a large queue first.
    var mark: Int32 = 16
    zmq_setsockopt(socket, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
    zmq_setsockopt(socket, ZMQ_RCVHWM, &mark, MemoryLayout<Int32>.size)
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &timeout, MemoryLayout<Int32>.size)
    zmq_setsockopt(socket, ZMQ_SNDTIMEO, &timeout, MemoryLayout<Int32>.size)
    guard zmq_connect(socket, endpoint.description) == 0 else { return nil }
  }

  deinit {
    zmq_close(socket)
    zmq_ctx_term(context)
  }

  /// Sends one message of the given frames.
  func send(_ frames: [[UInt8]]) {
    for (index, frame) in frames.enumerated() {
      _ = frame.withUnsafeBytes { zmq_send(socket, $0.baseAddress, $0.count, index < frames.count - 1 ? ZMQ_SNDMORE : 0) }
    }
  }

  /// Receives one frame that is no ping; nothing after five seconds of silence.
  func receive() -> [UInt8]? {
    while let frame = receiveAny() {
      if frame.count < Envelope.size || frame[3] != EnvelopeKind.ping.rawValue { return frame }
    }
    return nil
  }

  private func receiveAny() -> [UInt8]? {
    var message = zmq_msg_t()
    zmq_msg_init(&message)
    defer { zmq_msg_close(&message) }
    guard zmq_msg_recv(&message, socket, 0) >= 0 else { return nil }
    return [UInt8](UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message)))
  }

  /// Introduces itself as a bus of no fixed interface would; the kind of the answer.
  func greet(_ node: String, incarnation: UInt64 = 99, heartbeat: Int64 = 60_000) throws -> EnvelopeKind? {
    let hello = Hello(
      api: APIVersion(number: 0, fingerprint: 0xcbf2_9ce4_8422_2325),
      from: Introduction(node: node, incarnation: incarnation, kind: "raw", pid: 1, version: "0", heartbeat: heartbeat))
    send([Envelope(.hello).message(body: try CBOR.encode(hello))])
    return try receive().map { bytes in try bytes.withUnsafeBytes { try Envelope.read($0, limits: .standard).kind } }
  }

  /// A call as a peer may forge it: any actor, any target, any arguments.
  static func call(_ actor: String, _ target: String, arguments: [UInt8] = [], count: UInt8 = 0, identifier: UInt64 = 1) -> [UInt8] {
    var bytes = Envelope(.call, arguments: count, call: identifier, deadline: 1_000).message(body: arguments)
    CallAddress.append(actor: actor, target: target, to: &bytes)
    return bytes
  }

  /// The error that a message carries.
  static func error(_ message: [UInt8]) -> MinervaError? {
    message.withUnsafeBytes { bytes in
      guard let envelope = try? Envelope.read(bytes, limits: .standard), envelope.kind == .error else { return nil }
      return try? CBOR.decode(MinervaError.self, from: envelope.body(in: bytes))
    }
  }
}

/// A plain TCP connection; true when it could be made. Whatever is given is written before it is closed.
func shout(_ bytes: [UInt8], at endpoint: Endpoint) -> Bool {
  guard case .tcp(_, let port) = endpoint else { return false }
  let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let connected = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
  guard connected == 0 else { return false }
  return bytes.isEmpty || Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
}

/// How many descriptors this process has open.
func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}
