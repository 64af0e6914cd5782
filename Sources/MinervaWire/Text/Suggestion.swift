/// The nearest known word to a mistyped one.
package enum Suggestion {
  /// Returns the candidate that a typo most likely meant, or nil when none is near.
  ///
  /// Near means at most a third of the letters edited (insert, delete, replace, swap of neighbours; Damerau 1964, restricted form),
  /// at least one. Ties go to the earlier candidate. Complexity: O(c · n · m) for c candidates.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    guard !word.isEmpty else { return nil }
    let typed = Array(word.lowercased().utf8.prefix(64))
    var best: (distance: Int, candidate: String)?
    for candidate in candidates where candidate != word {
      let limit = max(1, min(typed.count, candidate.utf8.count) / 3)
      let distance = distance(typed, Array(candidate.lowercased().utf8.prefix(64)))
      let isPrefix = typed.count >= 3 && candidate.lowercased().utf8.starts(with: typed)
      guard distance <= limit || isPrefix else { continue }
      let rank = isPrefix ? min(distance, 1) : distance
      if best.map({ rank < $0.distance }) ?? true { best = (rank, candidate) }
    }
    return best?.candidate
  }

  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforePrevious = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    for i in a.indices {
      var current = [i + 1] + [Int](repeating: 0, count: b.count)
      for j in b.indices {
        let replaced = previous[j] + (a[i] == b[j] ? 0 : 1)
        current[j + 1] = min(replaced, previous[j + 1] + 1, current[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { current[j + 1] = min(current[j + 1], beforePrevious[j - 1] + 1) }
      }
      beforePrevious = previous
      previous = current
    }
    return previous[b.count]
  }
}
