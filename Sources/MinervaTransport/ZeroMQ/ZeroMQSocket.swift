import CZeroMQ
import Glibc
import MinervaWire

/// A libzmq socket, owned by the thread of one event loop.
///
/// `ZMQ_FD` is edge-triggered: any call on the socket may consume the edge. Hence the rule that this class keeps for its loop: after
/// draining to EAGAIN a socket may sleep, unless something was sent since; then `ZMQ_EVENTS` is asked last.
final class ZeroMQSocket {
  enum Kind {
    case router, dealer, publish, subscribe, pair, reply

    fileprivate var number: Int32 {
      switch self {
      case .router: ZMQ_ROUTER
      case .dealer: ZMQ_DEALER
      // PUB, and it tells what is subscribed to.
      case .publish: ZMQ_XPUB
      case .subscribe: ZMQ_SUB
      case .pair: ZMQ_PAIR
      case .reply: ZMQ_REP
      }
    }
  }

  /// How a send ended.
  enum Sent { case sent, full, unroutable, failed }

  let pointer: UnsafeMutableRawPointer
  let descriptor: Int32
  private(set) var isClosed = false
  /// True when a call since the last drain may have consumed the edge.
  var isTouched = true
  /// True when a send found no room and its return is awaited. Dealers only: a router has room as soon as any of its peers has.
  private var awaitsRoom = false
  private let kind: Kind

  init(_ kind: Kind, in context: ZeroMQContext) throws(ZeroMQFailure) {
    guard let pointer = zmq_socket(context.pointer, kind.number) else { throw .last("zmq_socket") }
    self.pointer = pointer
    self.kind = kind
    var descriptor: Int32 = -1
    var size = MemoryLayout<Int32>.size
    guard zmq_getsockopt(pointer, ZMQ_FD, &descriptor, &size) == 0 else {
      let failure = ZeroMQFailure.last("ZMQ_FD")
      zmq_close(pointer)
      throw failure
    }
    self.descriptor = descriptor
    // The default lingers for ever (C01): options come before the first connect.
    try set(ZMQ_LINGER, 0)
  }

  deinit { close() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    zmq_close(pointer)
  }

  func set(_ option: Int32, _ value: Int32) throws(ZeroMQFailure) {
    var value = value
    guard zmq_setsockopt(pointer, option, &value, MemoryLayout<Int32>.size) == 0 else { throw .last("option \(option)") }
  }

  func set(_ option: Int32, wide value: Int64) throws(ZeroMQFailure) {
    var value = value
    guard zmq_setsockopt(pointer, option, &value, MemoryLayout<Int64>.size) == 0 else { throw .last("option \(option)") }
  }

  func set(_ option: Int32, bytes: [UInt8]) throws(ZeroMQFailure) {
    guard bytes.withUnsafeBytes({ zmq_setsockopt(pointer, option, $0.baseAddress, $0.count) }) == 0 else { throw .last("option \(option)") }
  }

  func bind(_ endpoint: String) throws(ZeroMQFailure) {
    guard zmq_bind(pointer, endpoint) == 0 else { throw .last("bind \(endpoint)") }
  }

  func connect(_ endpoint: String) throws(ZeroMQFailure) {
    isTouched = true
    guard zmq_connect(pointer, endpoint) == 0 else { throw .last("connect \(endpoint)") }
  }

  /// Stops accepting on an endpoint; for ipc libzmq removes the socket file.
  func unbind(_ endpoint: String) { zmq_unbind(pointer, endpoint) }

  /// The endpoint that the last bind took, with the port the system chose.
  var lastEndpoint: String {
    var text = [CChar](repeating: 0, count: 512)
    var size = text.count
    guard zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &text, &size) == 0 else { return "" }
    return String(decoding: text.prefix(while: { $0 != 0 }).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// True when a message waits, or when there is room again after a full queue. Asked last before sleeping; consumes the edge of `ZMQ_FD`.
  var isReadable: Bool {
    var events: Int32 = 0
    var size = MemoryLayout<Int32>.size
    isTouched = false
    guard zmq_getsockopt(pointer, ZMQ_EVENTS, &events, &size) == 0 else { return false }
    if awaitsRoom, events & Int32(ZMQ_POLLOUT) != 0 {
      // Said once: the next send that finds no room asks again.
      awaitsRoom = false
      return true
    }
    return events & Int32(ZMQ_POLLIN) != 0
  }

  /// Receives one part without waiting; nil when none waits, which makes it safe to sleep on the descriptor.
  func receive() -> Frame? {
    let frame = Frame()
    guard frame.receive(from: pointer) >= 0 else {
      isTouched = false
      return nil
    }
    return frame
  }

  /// Sends a copy of `bytes` without waiting.
  func send(_ bytes: UnsafeRawBufferPointer, more: Bool = false) -> Sent {
    isTouched = true
    return outcome(zmq_send(pointer, bytes.baseAddress, bytes.count, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)))
  }

  /// Sends a buffer without copying: libzmq keeps it alive until its I/O thread has written it, so nobody may change it any more.
  func send(owned buffer: OutputBuffer) -> Sent {
    buffer.withUnsafeMutableBytes { send(kept: buffer, UnsafeRawBufferPointer($0), more: false) }
  }

  /// Sends a head and payload frames as one message. Whether there is room is decided by its first frame alone.
  func send(_ head: OutputBuffer, _ payloads: [[UInt8]]) -> Sent {
    let first = head.withUnsafeBytes { send($0, more: true) }
    guard first == .sent else { return first }
    for (number, payload) in payloads.enumerated() {
      let keeper = Payload(payload)
      let sent = keeper.bytes.withUnsafeBytes { send(kept: keeper, $0, more: number < payloads.count - 1) }
      // The message is torn; the peer's end of the connection drops it, and so does this one.
      guard sent == .sent else { return .failed }
    }
    return .sent
  }

  /// An array that libzmq holds while it is being written.
  private final class Payload {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  /// Sends memory that lives as long as `owner`, which is released when it has been written.
  private func send(kept owner: AnyObject, _ memory: UnsafeRawBufferPointer, more: Bool) -> Sent {
    let keeper = Unmanaged<AnyObject>.passRetained(owner)
    var message = zmq_msg_t()
    let made = zmq_msg_init_data(
      &message, UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count,
      { _, hint in if let hint { Unmanaged<AnyObject>.fromOpaque(hint).release() } }, keeper.toOpaque())
    guard made == 0 else {
      keeper.release()
      return .failed
    }
    isTouched = true
    let result = outcome(zmq_msg_send(&message, pointer, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)))
    if result != .sent { zmq_msg_close(&message) }
    return result
  }

  /// Receives the frames that follow one with more to come; nothing when they are more than `limit`, and then none is kept.
  func receiveRest(atMost limit: Int) -> [Frame]? {
    var frames: [Frame] = []
    var count = 0
    while let frame = receive() {
      count += 1
      if count <= limit { frames.append(frame) } else { frames = [] }
      if !frame.hasMore { break }
    }
    return count <= limit ? frames : nil
  }

  private func outcome(_ result: Int32) -> Sent {
    guard result < 0 else { return .sent }
    switch zmq_errno() {
    case EAGAIN, EINTR:
      awaitsRoom = kind == .dealer
      return .full
    case EHOSTUNREACH: return .unroutable
    default: return .failed
    }
  }
}
