/// The canonical text of a value: no white space, keys in their order, integers in decimal, doubles in the shortest form that reads back to the same
/// bits, escapes only where JSON demands them. Equal values give equal bytes.
extension JSONValue {
  /// The canonical text as UTF-8.
  public var bytes: [UInt8] {
    var utf8: [UInt8] = []
    write(to: &utf8)
    return utf8
  }

  /// The canonical text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  private func write(to utf8: inout [UInt8]) {
    switch self {
    case .null: utf8.append(contentsOf: "null".utf8)
    case .bool(let value): utf8.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): utf8.append(contentsOf: "\(value)".utf8)
    case .number(let value):
      // A double made in code may not be finite; JSON has no word for it, and an invalid text would be worse than none.
      utf8.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
    case .string(let text): JSONValue.write(text, to: &utf8)
    case .array(let items):
      utf8.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { utf8.append(UInt8(ascii: ",")) }
        item.write(to: &utf8)
      }
      utf8.append(UInt8(ascii: "]"))
    case .object(let object):
      utf8.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { utf8.append(UInt8(ascii: ",")) }
        JSONValue.write(member.key, to: &utf8)
        utf8.append(UInt8(ascii: ":"))
        member.value.write(to: &utf8)
      }
      utf8.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to utf8: inout [UInt8]) {
    utf8.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): utf8.append(contentsOf: #"\""#.utf8)
      case UInt8(ascii: "\\"): utf8.append(contentsOf: #"\\"#.utf8)
      case 0x08: utf8.append(contentsOf: #"\b"#.utf8)
      case 0x09: utf8.append(contentsOf: #"\t"#.utf8)
      case 0x0A: utf8.append(contentsOf: #"\n"#.utf8)
      case 0x0C: utf8.append(contentsOf: #"\f"#.utf8)
      case 0x0D: utf8.append(contentsOf: #"\r"#.utf8)
      case 0..<0x20:
        utf8.append(contentsOf: #"\u00"#.utf8)
        utf8.append(hexDigit(byte >> 4))
        utf8.append(hexDigit(byte & 15))
      default: utf8.append(byte)
      }
    }
    utf8.append(UInt8(ascii: "\""))
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
}

extension JSONValue: CustomStringConvertible {
  public var description: String { text }
}
