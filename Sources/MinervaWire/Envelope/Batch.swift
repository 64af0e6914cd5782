/// Messages of one loop turn to one peer in one frame: `u32 length, message` repeated, as the body of a `batch` envelope.
///
/// A batch holds no batch and no message with payload frames.
package struct BatchWriter {
  private var bytes: [UInt8]
  /// How many messages the batch holds.
  package private(set) var count = 0

  package init(capacity: Int = 4096) {
    bytes = []
    bytes.reserveCapacity(capacity)
    bytes.append(contentsOf: repeatElement(0, count: Envelope.size))
  }

  /// How large the batch is as it stands.
  package var byteCount: Int { bytes.count }

  /// Adds one whole message.
  package mutating func append(_ message: [UInt8]) {
    unsafe message.withUnsafeBytes { unsafe append($0) }
  }

  /// Adds one whole message.
  package mutating func append(_ message: UnsafeRawBufferPointer) {
    let length = UInt32(clamping: message.count).littleEndian
    unsafe withUnsafeBytes(of: length) { unsafe bytes.append(contentsOf: $0) }
    unsafe bytes.append(contentsOf: message)
    count += 1
  }

  /// Ends the batch and gives its bytes; the writer is empty after.
  package mutating func finish() -> [UInt8] {
    Envelope(.batch, bodyLength: UInt32(clamping: bytes.count - Envelope.size)).write(into: &bytes)
    defer { self = BatchWriter() }
    return bytes
  }
}

/// Takes a batch apart, message by message, without copying.
@safe package struct BatchReader {
  private let body: UnsafeRawBufferPointer
  private var offset = 0
  private var left: Int

  /// Reads the body of a `batch` envelope.
  package init(_ body: UnsafeRawBufferPointer, limits: Limits) {
    unsafe self.body = body
    left = limits.batchMessages
  }

  /// The next message, or nothing at the end. After an error the rest of the batch cannot be read.
  package mutating func next() throws(MinervaError) -> UnsafeRawBufferPointer? {
    guard unsafe offset < body.count else { return nil }
    guard left > 0 else { throw MinervaError(.tooLarge, "a batch holds too many messages") }
    left -= 1
    guard unsafe body.count - offset >= 4 else { throw .badMessage("a batch ends inside a length") }
    let length = Int(UInt32(littleEndian: unsafe body.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    offset += 4
    guard length >= Envelope.size, unsafe length <= body.count - offset else {
      throw .badMessage("a batch holds a message of \(length) bytes")
    }
    let message = unsafe UnsafeRawBufferPointer(rebasing: body[offset..<offset + length])
    guard unsafe message[3] != EnvelopeKind.batch.rawValue, unsafe message[7] == 0 else {
      throw .badMessage("a batch holds a batch or a message with payload frames")
    }
    offset += length
    return unsafe message
  }
}
