import ListDiff
import MinervaWire

/// An element with an integer identifier and a content.
struct Row: Diffable, Hashable, CustomStringConvertible {
  var id: Int
  var content: String

  init(_ id: Int, _ content: String = "") {
    self.id = id
    self.content = content
  }

  var diffID: Int { id }
  var description: String { "\(id)\(content)" }

  /// Rows from a text such as `1a 2a 3`.
  static func list(_ text: String) -> [Row] {
    text.split(separator: " ").map { word in
      let digits = word.prefix { $0.isNumber }
      return Row(Int(digits) ?? 0, String(word.dropFirst(digits.count)))
    }
  }
}

/// The same rows by text.
struct TextRow: Diffable, Hashable {
  var id: String
  var content: Int

  var diffID: String { id }
}

extension ChangeSet {
  /// `deletes/inserts/moves/updates`, counted.
  var counts: String { "d\(deletes.count) i\(inserts.count) m\(moves.count) u\(updates.count)" }
}

/// The product's generator, whose seed a failure prints.
typealias Seeded = SplitMix64

extension SplitMix64 {
  init(_ seed: UInt64) { self.init(seed: seed) }
}
