/// A 64-bit sum as text: sixteen digits.
enum Hexadecimal {
  static func text(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  static func value(_ text: String) -> UInt64? {
    guard text.utf8.count == 16, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
    return UInt64(text, radix: 16)
  }
}
