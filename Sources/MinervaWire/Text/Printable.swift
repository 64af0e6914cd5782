/// Makes control bytes of foreign data visible, so that a name can never drive the terminal (D06).
package enum Printable {
  /// Returns the text with C0, C1, DEL, line separators and direction overrides written out, `\x1b`, `\n`, `\u{202e}`.
  /// - Parameter keepsLines: Whether line feeds stay, for text that is broken into lines.
  package static func visible(_ text: String, keepsLines: Bool = false) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      guard isControl(scalar) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      switch scalar {
      case "\n": result += keepsLines ? "\n" : "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x100: result += "\\x" + hex(scalar.value, digits: 2)
      default: result += "\\u{" + hex(scalar.value, digits: 4) + "}"
      }
    }
    return result
  }

  /// Whether a scalar could move the cursor, change colours or turn the reading direction of what follows.
  package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C, 0xFEFF: true
    default: false
    }
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
