/// Measures and breaks text by the columns it takes on a terminal.
public enum TextMeasure {
  /// The number of columns that a text takes.
  ///
  /// Wide East Asian characters and emoji take two columns, combining marks and control characters none, as `wcwidth` has it.
  public static func width(_ text: String) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  static func width(_ character: Character) -> Int {
    var widest = 0
    for scalar in character.unicodeScalars {
      widest = max(widest, width(scalar))
      if scalar.value == 0xFE0F { widest = 2 }
    }
    return widest
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x20 || (0x7F..<0xA0).contains(value) { return 0 }
    if value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
      0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// Breaks a text into lines of at most `width` columns, at spaces where it can.
  /// - Returns: At least one line; the lines of an empty text are one empty line.
  public static func wrapped(_ text: String, width: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { wrapped(line: $0, width: max(1, width)) }
  }

  private static func wrapped(line: Substring, width: Int) -> [String] {
    var lines: [String] = []
    var current = ""
    var columns = 0
    for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      let needed = word.reduce(0) { $0 + self.width($1) }
      let space = index == 0 || (current.isEmpty && !lines.isEmpty) ? 0 : 1
      if columns + space + needed <= width {
        current += space == 1 ? " \(word)" : String(word)
        columns += space + needed
        continue
      }
      if columns > 0 { lines.append(current) }
      (current, columns) = ("", 0)
      for character in word {
        let step = self.width(character)
        if columns + step > width, columns > 0 {
          lines.append(current)
          (current, columns) = ("", 0)
        }
        current.append(character)
        columns += step
      }
    }
    lines.append(current)
    return lines
  }
}
