import MinervaWire

/// Measures and breaks text by the columns it takes on a terminal.
public enum TextMeasure {
  /// The number of columns that a text takes.
  ///
  /// Wide East Asian characters and emoji take two columns, combining marks and control characters none, as `wcwidth` has it.
  public static func width(_ text: String) -> Int { CellWidth.of(text) }

  static func width(_ character: Character) -> Int { CellWidth.of(character) }

  /// The text with control characters written out, so that none drives the terminal or is counted wrongly; line feeds stay.
  public static func printable(_ text: String) -> String { Printable.visible(text, keepsLines: true) }

  /// Cuts a text to a width; never splits a visible character.
  static func clipped(_ text: String, to width: Int) -> String {
    guard CellWidth.of(text) > width else { return text }
    var result = ""
    var used = 0
    for character in text {
      used += CellWidth.of(character)
      if used > width { break }
      result.append(character)
    }
    return result
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
