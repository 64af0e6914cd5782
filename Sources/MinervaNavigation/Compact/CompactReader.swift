/// Why bytes are not the compact form of a value.
package struct CompactError: Error, Hashable, Sendable, CustomStringConvertible {
  package let offset: Int

  package var description: String { "not a compact form (at byte \(offset))" }
}

/// Reads what a `CompactWriter` wrote; safe for any bytes: nothing is allocated for a length before the bytes are there.
package struct CompactReader {
  private let bytes: [UInt8]
  private var position: Int

  package init(_ bytes: [UInt8], from position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  package var isAtEnd: Bool { position == bytes.count }

  package var failure: CompactError { CompactError(offset: position) }

  /// Refuses bytes that follow the last value.
  package func finish() throws(CompactError) {
    guard isAtEnd else { throw failure }
  }

  package mutating func byte() throws(CompactError) -> UInt8 {
    guard position < bytes.count else { throw failure }
    defer { position += 1 }
    return bytes[position]
  }

  package mutating func flag() throws(CompactError) -> Bool {
    let byte = try byte()
    guard byte <= 1 else { throw failure }
    return byte == 1
  }

  package mutating func number() throws(CompactError) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      // Each number has one form: no bits beyond the 64th, no zeros at the end.
      guard shift < 63 || next <= 1, next != 0 || shift == 0 else { throw failure }
      number |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return number }
      shift += 7
      guard shift < 64 else { throw failure }
    }
  }

  package mutating func number32() throws(CompactError) -> UInt32 {
    guard let number = UInt32(exactly: try number()) else { throw failure }
    return number
  }

  private mutating func span() throws(CompactError) -> Range<Int> {
    let length = try number()
    guard length <= UInt64(bytes.count - position) else { throw failure }
    let span = position..<position + Int(length)
    position = span.upperBound
    return span
  }

  package mutating func text() throws(CompactError) -> String {
    let span = try span()
    var bits: UInt8 = 0
    for index in span { bits |= bytes[index] }
    // ASCII, as nearly every text is, needs no validation, which costs several times the copy.
    if bits < 0x80 { return String(decoding: bytes[span], as: UTF8.self) }
    guard let text = String(validating: bytes[span], as: UTF8.self) else { throw failure }
    return text
  }

  package mutating func blob() throws(CompactError) -> [UInt8] { Array(bytes[try span()]) }

  package mutating func optional<Value>(_ read: (inout CompactReader) throws(CompactError) -> Value) throws(CompactError) -> Value? {
    try flag() ? try read(&self) : nil
  }

  package mutating func list<Value>(_ read: (inout CompactReader) throws(CompactError) -> Value) throws(CompactError) -> [Value] {
    let count = try number()
    // A value takes at least a byte.
    guard count <= UInt64(bytes.count - position) else { throw failure }
    var values: [Value] = []
    values.reserveCapacity(min(Int(count), 64))
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }
}
