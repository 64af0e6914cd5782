import CZeroMQ

/// One received or composed message part, closed exactly once, with the payload parts that came behind it in the same message.
///
/// Small messages live inside the `zmq_msg_t` itself, so it must not move: it is a stored property of a final class, whose instances never do,
/// and only this file takes its address. Decoders may point into the bytes as long as they keep the frame.
package final class Frame: @unchecked Sendable {
  // Immutable once received; only the reference moves between threads.
  @exclusivity(unchecked) private var message = zmq_msg_t()

  /// The parts of the same message that follow this one, where it is a head; set before the frame is shared.
  @exclusivity(unchecked) package internal(set) var payloads: [Frame] = []

  /// An empty frame, ready to receive into.
  init() { zmq_msg_init(&message) }

  deinit { zmq_msg_close(&message) }

  /// A frame that holds a copy of `bytes`, with copies of its payloads behind it; nil when memory is exhausted.
  package static func copying(_ bytes: UnsafeRawBufferPointer, _ payloads: [[UInt8]]) -> Frame? {
    guard let frame = copying(bytes) else { return nil }
    for payload in payloads {
      guard let copy = payload.withUnsafeBytes({ copying($0) }) else { return nil }
      frame.payloads.append(copy)
    }
    return frame
  }

  /// A frame that holds a copy of `bytes`; nil when memory is exhausted.
  package static func copying(_ bytes: UnsafeRawBufferPointer) -> Frame? {
    let frame = Frame()
    guard zmq_msg_init_size(&frame.message, bytes.count) == 0 else {
      zmq_msg_init(&frame.message)
      return nil
    }
    if let base = bytes.baseAddress { zmq_msg_data(&frame.message).copyMemory(from: base, byteCount: bytes.count) }
    return frame
  }

  /// Receives one part without waiting; the number of bytes, or -1.
  @inline(__always) func receive(from socket: UnsafeMutableRawPointer) -> Int32 { zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) }

  /// The bytes of the payload frames; valid while the frame is kept.
  package var payloadBytes: [UnsafeRawBufferPointer] { payloads.isEmpty ? [] : payloads.map(\.bytes) }

  /// The bytes of the frame; valid while the frame is kept.
  package var bytes: UnsafeRawBufferPointer {
    withUnsafeMutablePointer(to: &message) { UnsafeRawBufferPointer(start: zmq_msg_data($0), count: zmq_msg_size($0)) }
  }

  /// True when further parts of the same message follow.
  var hasMore: Bool { zmq_msg_more(&message) != 0 }

  /// The descriptor of the connection the frame came in on; -1 when unknown.
  var connection: Int32 { zmq_msg_get(&message, ZMQ_SRCFD) }

  /// A property of the connection: `User-Id` (set by our ZAP answers), `Peer-Address`, `Socket-Type`.
  func property(_ name: String) -> String? { zmq_msg_gets(&message, name).map { String(cString: $0) } }
}
