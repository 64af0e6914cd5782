import CommandKit

/// What may follow a half-typed word.
package struct Completion: Sendable, Hashable {
  /// What was typed of the word.
  package var typed: String
  /// Whole words that begin so, in order.
  package var candidates: [String]
  /// What follows a word that is complete.
  package var suffix: String

  package init(typed: String, candidates: [String], suffix: String = " ") {
    self.typed = typed
    self.candidates = candidates
    self.suffix = suffix
  }

  /// The longest beginning that all candidates share.
  package var shared: String {
    guard var result = candidates.first else { return typed }
    for candidate in candidates.dropFirst() {
      result = String(zip(result, candidate).prefix { $0 == $1 }.map(\.0))
    }
    return result
  }

  /// The candidates in columns, at most forty lines.
  package func columns(width: Int) -> [String] {
    let shown = candidates.map(Escaping.visible)
    let column = (shown.map(DisplayWidth.of).max() ?? 0) + 2
    let count = max(1, width / column)
    let lines = stride(from: 0, to: shown.count, by: count).map { start in
      shown[start..<min(start + count, shown.count)].map { DisplayWidth.padded($0, to: column) }.joined()
    }
    return lines.count <= 40 ? lines : Array(lines.prefix(40)) + ["… \(candidates.count) in all"]
  }
}
