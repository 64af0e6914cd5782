import MinervaWire

/// How many terminal cells a text takes (D06): by grapheme cluster, not by byte or code point.
package enum DisplayWidth {
  /// Returns the cells of a text that holds no control characters (see ``Escaping``).
  package static func of(_ text: String) -> Int { CellWidth.of(text) }

  /// Returns the cells of one visible character: 0, 1 or 2.
  package static func of(_ character: Character) -> Int { CellWidth.of(character) }

  /// Fills a text with spaces on the right up to a width.
  package static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - of(text)))
  }

  /// Cuts a text to a width, ending in `…` when something was lost; never splits a visible character.
  package static func clipped(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    guard width > 0 else { return "" }
    var result = ""
    var used = 0
    for character in text {
      let cells = of(character)
      if used + cells > width - 1 { break }
      result.append(character)
      used += cells
    }
    return result + "…"
  }
}
