/// Bytes as text (RFC 4648, section 4): with padding, one form for each value.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let pad = UInt8(ascii: "=")

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[index + offset]) : 0) }
      for place in 0..<4 { text.append(place <= count ? alphabet[Int(group >> UInt32(18 - 6 * place) & 63)] : pad) }
      index += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes; nil for anything that `text` does not write.
  static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 4) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    for start in stride(from: 0, to: digits.count, by: 4) {
      let isLast = start + 4 == digits.count
      let padding = isLast ? (digits[start + 3] == pad ? (digits[start + 2] == pad ? 2 : 1) : 0) : 0
      var group: UInt32 = 0
      for place in 0..<4 {
        guard place < 4 - padding else {
          group <<= 6
          continue
        }
        guard let digit = value(digits[start + place]) else { return nil }
        group = group << 6 | digit
      }
      // Bits behind the last byte are zero, or two texts would mean the same.
      guard padding == 0 || group & (padding == 2 ? 0xFFFF : 0xFF) == 0 else { return nil }
      for place in 0..<(3 - padding) { bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place))) }
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
