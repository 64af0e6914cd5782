/// How far two names are apart, for "did you mean".
enum Spelling {
  /// The number of insertions, deletions, substitutions and swaps of neighbours between two names, case ignored
  /// (optimal string alignment; Damerau 1964).
  static func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a.lowercased().utf8.prefix(64)), b = Array(b.lowercased().utf8.prefix(64))
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var before = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], before[j - 2] + 1) }
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }

  /// Whether a typo is likely: at most a third of the longer name differs.
  static func isClose(_ a: String, to b: String) -> Bool { distance(a, b) * 3 <= max(a.count, b.count) }
}
