extension String {
  /// The text of UTF-8 bytes, or nothing when they are not UTF-8: never repaired.
  ///
  /// Most texts on the wire are ASCII, which needs no validation: the generic validating initializer costs several times the copy.
  @inline(__always) init?(_ utf8: UnsafeRawBufferPointer) {
    let bytes = unsafe utf8.bindMemory(to: UInt8.self)
    var index = 0
    var bits: UInt64 = 0
    while index + 8 <= utf8.count {
      bits |= unsafe utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < utf8.count {
      bits |= UInt64(unsafe utf8[index])
      index += 1
    }
    if bits & 0x8080_8080_8080_8080 == 0 {
      unsafe self.init(decoding: bytes, as: UTF8.self)
    } else if let text = unsafe String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      return nil
    }
  }
}
