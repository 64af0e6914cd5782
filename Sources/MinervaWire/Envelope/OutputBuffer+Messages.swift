/// Messages completed in place. One function each, since what a hot path does in another module is neither inlined nor specialized there.
extension OutputBuffer {
  /// How a call names its target on the wire.
  package enum Target {
    case index(UInt16)
    case name(String)
  }

  /// Completes a call whose arguments stand behind room for the header: the address as trailer, the header in the room.
  ///
  /// - Throws: `bus.too_large` for a name over the limit; the buffer cannot be sent then.
  package func complete(call header: Envelope, to actor: String, _ target: Target, nameLimit: Int) throws(MinervaError) {
    var header = header
    header.bodyLength = UInt32(clamping: count - Envelope.size)
    try append(name: actor, limit: nameLimit)
    switch target {
    case .index(let index):
      header.flags.insert(.targetIndex)
      append(littleEndian: index)
    case .name(let name):
      try append(name: name, limit: nameLimit)
    }
    unsafe withUnsafeMutableBytes { unsafe header.write(to: $0) }
  }

  /// Completes a message without trailer whose body stands behind room for the header.
  package func complete(_ header: Envelope) {
    var header = header
    header.bodyLength = UInt32(clamping: count - Envelope.size)
    unsafe withUnsafeMutableBytes { unsafe header.write(to: $0) }
  }

  /// Appends a whole message as one of a batch: `u32 length, message`.
  package func append(batched message: OutputBuffer) {
    append(littleEndian: UInt32(message.count))
    unsafe message.withUnsafeBytes { unsafe append($0) }
  }

  /// Appends a name of a call's address: `u16 length, UTF-8`.
  private func append(name: String, limit: Int) throws(MinervaError) {
    var name = name
    let length = name.utf8.count
    guard length <= min(limit, Int(UInt16.max)) else { throw .tooLarge("a name", bytes: length, limit: limit) }
    append(littleEndian: UInt16(length))
    name.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
  }
}
