/// The header in front of every message: 32 bytes, little endian.
///
/// | bytes | field |
/// |---|---|
/// | 0-1 | magic `MV` |
/// | 2 | protocol version |
/// | 3 | kind |
/// | 4-5 | flags |
/// | 6 | number of arguments of a call |
/// | 7 | number of payload frames that follow this one in the same multipart message |
/// | 8-15 | call id: pairs a reply, an error or a cancel with its call |
/// | 16-19 | remaining deadline in milliseconds, 0 for none; relative, so clocks need not agree |
/// | 20-23 | length of the body in bytes |
/// | 24-31 | trace id, 0 for none |
///
/// The body follows, then the trailer: for a call its ``CallAddress``, for anything else nothing. The address stands last because the arguments
/// are encoded before the target is known: one buffer, written once.
package struct Envelope: Hashable, Sendable {
  /// The size of the header in bytes.
  package static let size = 32

  /// The protocol version this build speaks, and the oldest it still understands.
  package static let version: UInt8 = 1
  package static let oldestVersion: UInt8 = 1

  package var version: UInt8 = Envelope.version
  package var kind: EnvelopeKind
  package var flags: Flags = []
  package var arguments: UInt8 = 0
  package var frames: UInt8 = 0
  package var call: UInt64 = 0
  package var deadline: UInt32 = 0
  package var bodyLength: UInt32 = 0
  package var trace: UInt64 = 0

  package init(
    _ kind: EnvelopeKind, flags: Flags = [], arguments: UInt8 = 0, frames: UInt8 = 0, call: UInt64 = 0, deadline: UInt32 = 0,
    bodyLength: UInt32 = 0, trace: UInt64 = 0
  ) {
    self.kind = kind
    self.flags = flags
    self.arguments = arguments
    self.frames = frames
    self.call = call
    self.deadline = deadline
    self.bodyLength = bodyLength
    self.trace = trace
  }

  /// Bits that change how a message is read.
  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Those of a message that may or may not carry lists. A literal would be made by the set's generic code, which other modules do not specialize.
    package init(isList: Bool) { rawValue = isList ? Flags.list.rawValue : 0 }

    /// A call's target is an index into the names both sides agreed on by the fingerprint.
    package static let targetIndex = Flags(rawValue: 1 << 0)
    /// No reply is wanted.
    package static let oneWay = Flags(rawValue: 1 << 1)
    /// The message counts against the limit for lists instead of the one for messages.
    package static let list = Flags(rawValue: 1 << 2)

    /// The bits this build knows; others from a newer peer are refused, since they change how a message is read.
    package static let known: Flags = [.targetIndex, .oneWay, .list]
  }
}

// MARK: - Bytes

extension Envelope {
  /// Writes the header over the 32 bytes from `offset`, which the caller has reserved.
  package func write(into bytes: inout [UInt8], at offset: Int = 0) {
    precondition(offset >= 0 && bytes.count - offset >= Envelope.size, "no room for the header")
    unsafe bytes.withUnsafeMutableBytes { unsafe write(to: $0, at: offset) }
  }

  /// Writes the header into memory of at least `offset` + 32 bytes.
  @unsafe package func write(to memory: UnsafeMutableRawBufferPointer, at offset: Int = 0) {
    unsafe memory[offset] = 0x4D
    unsafe memory[offset + 1] = 0x56
    unsafe memory[offset + 2] = version
    unsafe memory[offset + 3] = kind.rawValue
    unsafe memory.storeBytes(of: flags.rawValue.littleEndian, toByteOffset: offset + 4, as: UInt16.self)
    unsafe memory[offset + 6] = arguments
    unsafe memory[offset + 7] = frames
    unsafe memory.storeBytes(of: call.littleEndian, toByteOffset: offset + 8, as: UInt64.self)
    unsafe memory.storeBytes(of: deadline.littleEndian, toByteOffset: offset + 16, as: UInt32.self)
    unsafe memory.storeBytes(of: bodyLength.littleEndian, toByteOffset: offset + 20, as: UInt32.self)
    unsafe memory.storeBytes(of: trace.littleEndian, toByteOffset: offset + 24, as: UInt64.self)
  }

  /// A whole message without trailer: header and body in one buffer.
  package func message(body: [UInt8] = []) -> [UInt8] {
    var header = self
    header.bodyLength = UInt32(clamping: body.count)
    var bytes = [UInt8](repeating: 0, count: Envelope.size)
    bytes.reserveCapacity(Envelope.size + body.count)
    header.write(into: &bytes)
    bytes.append(contentsOf: body)
    return bytes
  }

  /// Reads the header of a message, without copying.
  ///
  /// Throws `bus.bad_message` for what is not ours, `bus.unsupported` for a version or flag this build does not know, `bus.too_large` over the
  /// limits. Versions are checked before anything that a version may change; `hello`, `welcome` and `reject` are readable in every version.
  package static func read(_ message: UnsafeRawBufferPointer, limits: Limits) throws(MinervaError) -> Envelope {
    guard message.count >= size else { throw .badMessage("\(message.count) bytes are shorter than a header") }
    guard unsafe message[0] == 0x4D, unsafe message[1] == 0x56 else { throw .badMessage("the message does not start with the magic MV") }
    var envelope = Envelope(EnvelopeKind(rawValue: unsafe message[3]))
    envelope.version = unsafe message[2]
    let greets = envelope.kind.rawValue <= EnvelopeKind.reject.rawValue
    guard greets || (envelope.version >= oldestVersion && envelope.version <= Envelope.version) else {
      throw MinervaError(.unsupported, "protocol version \(envelope.version); this end speaks \(oldestVersion) to \(Envelope.version)")
    }
    envelope.flags = Flags(rawValue: UInt16(littleEndian: unsafe message.loadUnaligned(fromByteOffset: 4, as: UInt16.self)))
    guard envelope.flags.isSubset(of: .known) else {
      throw MinervaError(.unsupported, "flags \(envelope.flags.rawValue) hold bits this end does not know")
    }
    envelope.arguments = unsafe message[6]
    envelope.frames = unsafe message[7]
    envelope.call = UInt64(littleEndian: unsafe message.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    envelope.deadline = UInt32(littleEndian: unsafe message.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    envelope.bodyLength = UInt32(littleEndian: unsafe message.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
    envelope.trace = UInt64(littleEndian: unsafe message.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    let limit = envelope.flags.contains(.list) ? limits.listMessageBytes : limits.messageBytes
    guard message.count <= limit else { throw .tooLarge("a \(envelope.kind) message", bytes: message.count, limit: limit) }
    guard envelope.bodyLength <= message.count - size else {
      throw .badMessage("a body of \(envelope.bodyLength) bytes is announced, \(message.count - size) came")
    }
    guard Int(envelope.frames) <= limits.frames else {
      throw MinervaError(.tooLarge, "\(envelope.frames) payload frames, the limit is \(limits.frames)")
    }
    return envelope
  }

  /// The body inside the message this header was read from.
  package func body(in message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: message[Envelope.size..<Envelope.size + Int(bodyLength)])
  }

  /// What follows the body inside the message this header was read from.
  package func trailer(in message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: message[(Envelope.size + Int(bodyLength))...])
  }
}
