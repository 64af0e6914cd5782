/// Where something was typed: the file (nil at the prompt), line and column from 1, the column in visible characters. What the system's
/// shell has taken apart is counted by words, and the column is one of the word.
package struct SourcePosition: Sendable, Hashable, CustomStringConvertible {
  package var file: String?
  package var line: Int
  package var column: Int
  /// From 1.
  package var word: Int?

  package init(file: String? = nil, line: Int = 1, column: Int = 1, word: Int? = nil) {
    self.word = word
    self.file = file
    self.line = line
    self.column = column
  }

  package var description: String {
    if let file { return "\(file):\(line):\(column)" }
    if let word {
      let inside = [line == 1 ? nil : "line \(line)", line == 1 && column == 1 ? nil : "column \(column)"].compactMap { $0 }
      return (["word \(word)"] + inside).joined(separator: ", ")
    }
    return line == 1 ? "column \(column)" : "line \(line), column \(column)"
  }
}
