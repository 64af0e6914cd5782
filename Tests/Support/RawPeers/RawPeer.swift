import CZeroMQ
import Glibc
package import MinervaTransport
package import MinervaWire

/// A peer that is not ours: a bare ZeroMQ socket that says whatever a test wants.
package final class RawPeer {
  /// The kinds of socket a stranger may dial with, fitting or not.
  package enum Kind: Int32, CaseIterable, Sendable {
    case pair = 0
    case publish = 1
    case subscribe = 2
    case request = 3
    case reply = 4
    case dealer = 5
    case router = 6
    case pull = 7
    case push = 8
    case rawPublish = 9
    case rawSubscribe = 10
  }

  private let context: UnsafeMutableRawPointer
  private let socket: UnsafeMutableRawPointer

  /// Dials an endpoint; nothing when libzmq refuses to.
  package init?(_ endpoint: Endpoint, kind: Kind = .dealer) {
    guard let context = zmq_ctx_new() else { return nil }
    guard let socket = zmq_socket(context, kind.rawValue) else {
      zmq_ctx_term(context)
      return nil
    }
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
    if kind == .subscribe { zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0) }
    guard zmq_connect(socket, endpoint.description) == 0 else { return nil }
  }

  deinit {
    zmq_close(socket)
    zmq_ctx_term(context)
  }

  /// Sends one message of the given frames; false when the queue stayed full for five seconds.
  @discardableResult
  package func send(_ frames: [[UInt8]]) -> Bool {
    for (index, frame) in frames.enumerated() {
      let more = index < frames.count - 1 ? ZMQ_SNDMORE : 0
      guard frame.withUnsafeBytes({ zmq_send(socket, $0.baseAddress, $0.count, more) }) >= 0 else { return false }
    }
    return true
  }

  /// Receives one frame that is no ping; nothing after five seconds of silence.
  package func receive() -> [UInt8]? {
    while let frame = receive(flags: 0) {
      if frame.count < Envelope.size || frame[3] != EnvelopeKind.ping.rawValue { return frame }
    }
    return nil
  }

  /// The messages that come within a time, up to a number of them; those of a batch each for itself.
  package func messages(within time: Duration, upTo limit: Int) -> [[UInt8]] {
    let deadline = ContinuousClock.now + time
    var messages: [[UInt8]] = []
    while messages.count < limit, ContinuousClock.now < deadline, let frame = receive() {
      frame.withUnsafeBytes { bytes in
        guard let envelope = try? Envelope.read(bytes, limits: .standard) else { return }
        guard envelope.kind == .batch else { return messages.append(frame) }
        var reader = BatchReader(envelope.body(in: bytes), limits: .standard)
        while let next = try? reader.next() { messages.append(Array(next)) }
      }
    }
    return messages
  }

  /// Throws away what has come so far; how many frames that was.
  @discardableResult
  package func drain() -> Int {
    var count = 0
    while receive(flags: ZMQ_DONTWAIT) != nil { count += 1 }
    return count
  }

  private func receive(flags: Int32) -> [UInt8]? {
    var message = zmq_msg_t()
    zmq_msg_init(&message)
    defer { zmq_msg_close(&message) }
    guard zmq_msg_recv(&message, socket, flags) >= 0 else { return nil }
    return [UInt8](UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message)))
  }

  /// Introduces itself, by default as a bus of no fixed interface would; the kind of the answer.
  package func greet(_ node: String, incarnation: UInt64 = 99, heartbeat: Int64 = 60_000, api: APIVersion = noInterfaces) throws
    -> EnvelopeKind?
  {
    send([try Self.hello(node, incarnation: incarnation, heartbeat: heartbeat, api: api)])
    return try receive().map { bytes in try bytes.withUnsafeBytes { try Envelope.read($0, limits: .standard).kind } }
  }

  /// What a bus of no fixed interface says of itself.
  package static let noInterfaces = APIVersion(number: 0, fingerprint: 0xcbf2_9ce4_8422_2325)

  /// The message with which a peer introduces itself.
  package static func hello(_ node: String, incarnation: UInt64 = 99, heartbeat: Int64 = 60_000, api: APIVersion = noInterfaces) throws
    -> [UInt8]
  {
    let hello = Hello(
      api: api, from: Introduction(node: node, incarnation: incarnation, kind: "raw", pid: 1, version: "0", heartbeat: heartbeat))
    return Envelope(.hello).message(body: try CBOR.encode(hello))
  }

  /// The message with which whoever is dialled lets a peer in.
  package static func welcome(_ node: String, incarnation: UInt64 = 99, heartbeat: Int64 = 60_000, api: APIVersion = noInterfaces) throws
    -> [UInt8]
  {
    let welcome = Welcome(
      version: Envelope.version, api: api,
      from: Introduction(node: node, incarnation: incarnation, kind: "raw", pid: 1, version: "0", heartbeat: heartbeat))
    return Envelope(.welcome).message(body: try CBOR.encode(welcome))
  }

  /// A call as a peer may forge it: any actor, any target, any arguments.
  package static func call(
    _ actor: String, _ target: String, arguments: [UInt8] = [], count: UInt8 = 0, identifier: UInt64 = 1, deadline: UInt32 = 1_000
  ) -> [UInt8] {
    var bytes = Envelope(.call, arguments: count, call: identifier, deadline: deadline).message(body: arguments)
    CallAddress.append(actor: actor, target: target, to: &bytes)
    return bytes
  }

  /// The error that a message carries.
  package static func error(_ message: [UInt8]) -> MinervaError? {
    message.withUnsafeBytes { bytes in
      guard let envelope = try? Envelope.read(bytes, limits: .standard), envelope.kind == .error else { return nil }
      return try? CBOR.decode(MinervaError.self, from: envelope.body(in: bytes))
    }
  }
}
