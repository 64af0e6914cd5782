import ListDiff

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

/// A small generator with a seed that a failure prints (SplitMix64).
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
