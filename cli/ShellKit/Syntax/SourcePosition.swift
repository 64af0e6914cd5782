/// Where something was typed: the file (nil at the prompt), line and column from 1, the column in visible characters.
package struct SourcePosition: Sendable, Hashable, CustomStringConvertible {
  package var file: String?
  package var line: Int
  package var column: Int

  package init(file: String? = nil, line: Int = 1, column: Int = 1) {
    self.file = file
    self.line = line
    self.column = column
  }

  package var description: String {
    if let file { return "\(file):\(line):\(column)" }
    return line == 1 ? "column \(column)" : "line \(line), column \(column)"
  }
}
