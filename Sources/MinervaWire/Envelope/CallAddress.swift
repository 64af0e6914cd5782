/// Whom a call is for: the trailer of a `call` message, read without copying.
///
/// `u16 length, actor name, target`; the target is a `u16` index into ``ExposedNames`` when the envelope has the flag `targetIndex`, else
/// `u16 length, name`. Little endian, nothing may follow.
@safe package struct CallAddress {
  /// The UTF-8 name of the actor, inside the message.
  package let actorBytes: UnsafeRawBufferPointer
  /// Which of its methods.
  package let target: Target

  /// How a target is named on the wire.
  @safe package enum Target {
    case index(UInt16)
    case name(UnsafeRawBufferPointer)
  }

  /// The name of the actor, or nothing when it is not UTF-8.
  package var actor: String? { unsafe String(validating: actorBytes.bindMemory(to: UInt8.self), as: UTF8.self) }

  /// The name of the target where it travelled as text.
  package var targetName: String? {
    guard case .name(let bytes) = target else { return nil }
    return unsafe String(validating: bytes.bindMemory(to: UInt8.self), as: UTF8.self)
  }

  /// Reads the trailer of a call.
  package init(_ trailer: UnsafeRawBufferPointer, flags: Envelope.Flags, limits: Limits) throws(MinervaError) {
    var offset = 0
    unsafe actorBytes = try CallAddress.name(trailer, &offset, limits)
    if flags.contains(.targetIndex) {
      guard trailer.count - offset >= 2 else { throw .badMessage("the call ends before its target") }
      unsafe target = .index(UInt16(littleEndian: trailer.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
      offset += 2
    } else {
      unsafe target = .name(try CallAddress.name(trailer, &offset, limits))
    }
    guard offset == trailer.count else { throw .badMessage("\(trailer.count - offset) bytes follow the target of a call") }
  }

  private static func name(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ limits: Limits) throws(MinervaError)
    -> UnsafeRawBufferPointer
  {
    guard bytes.count - offset >= 2 else { throw .badMessage("the call ends before its address") }
    let length = Int(UInt16(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    guard length <= limits.nameBytes else { throw .tooLarge("a name", bytes: length, limit: limits.nameBytes) }
    offset += 2
    guard length <= bytes.count - offset else { throw .badMessage("the call ends inside a name") }
    defer { offset += length }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
  }

  /// Appends the address of a call whose target is an agreed index.
  package static func append(actor: String, index: UInt16, to bytes: inout [UInt8]) {
    append(name: actor, to: &bytes)
    append(index, to: &bytes)
  }

  /// Appends the address of a call whose target travels as text.
  package static func append(actor: String, target: String, to bytes: inout [UInt8]) {
    append(name: actor, to: &bytes)
    append(name: target, to: &bytes)
  }

  private static func append(_ value: UInt16, to bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  }

  /// A name that does not fit its length field is cut here and refused by the other side as unknown.
  private static func append(name: String, to bytes: inout [UInt8]) {
    var name = name
    name.withUTF8 { utf8 in
      let length = UInt16(clamping: utf8.count)
      append(length, to: &bytes)
      unsafe bytes.append(contentsOf: utf8.prefix(Int(length)))
    }
  }
}
