import ListDiff

/// What a diff must give, computed by dictionaries and tables that share nothing with the engine.
enum Oracle {
  struct Counts: Hashable, Sendable {
    var deletes = 0
    var inserts = 0
    var moves = 0
  }

  /// Counts when the *k*-th of an identifier pairs with the *k*-th: exact where identifiers are unique, the most there may be otherwise.
  static func counts(_ old: [Int], _ new: [Int], bruteForce: Bool = false) -> Counts {
    var waiting: [Int: [Int]] = [:]
    for (position, id) in old.enumerated().reversed() { waiting[id, default: []].append(position) }
    let matched = new.compactMap { waiting[$0]?.popLast() }
    let stay = bruteForce ? longestByTrying(matched) : longest(matched)
    return Counts(deletes: old.count - matched.count, inserts: new.count - matched.count, moves: matched.count - stay)
  }

  /// The same for a pair of sections whose identifiers and items are unique.
  static func counts(oldIDs: [Int], old: [[Int]], newIDs: [Int], new: [[Int]], bruteForce: Bool = false) -> Counts {
    let staying = Set(oldIDs).intersection(newIDs)
    var places: [Int: (section: Int, item: Int)] = [:]
    for (id, items) in zip(oldIDs, old) where staying.contains(id) {
      for (item, row) in items.enumerated() { places[row] = (id, item) }
    }
    var counts = Counts()
    var matched = 0
    for (id, items) in zip(newIDs, new) where staying.contains(id) {
      var inside: [Int] = []
      for row in items {
        guard let place = places[row] else {
          counts.inserts += 1
          continue
        }
        matched += 1
        if place.section == id { inside.append(place.item) } else { counts.moves += 1 }
      }
      counts.moves += inside.count - (bruteForce ? longestByTrying(inside) : longest(inside))
    }
    counts.deletes = places.count - matched
    return counts
  }

  /// The length of a longest increasing subsequence, by patience.
  static func longest(_ values: [Int]) -> Int {
    var tails: [Int] = []
    for value in values {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if tails[middle] < value { low = middle + 1 } else { high = middle }
      }
      if low == tails.count { tails.append(value) } else { tails[low] = value }
    }
    return tails.count
  }

  /// The same by trying every predecessor.
  static func longestByTrying(_ values: [Int]) -> Int {
    var best = [Int](repeating: 1, count: values.count)
    for i in values.indices {
      for k in 0..<i where values[k] < values[i] { best[i] = max(best[i], best[k] + 1) }
    }
    return best.max() ?? 0
  }
}
