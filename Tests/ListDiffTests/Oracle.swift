import ListDiff

/// Computations of the test's own, slow and obvious, that the engine is held against.
enum Oracle {
  /// The length of a longest increasing subsequence, by trying every predecessor.
  static func longestIncreasing(_ values: [Int]) -> Int {
    var best = [Int](repeating: 1, count: values.count)
    for i in values.indices {
      for k in 0..<i where values[k] < values[i] { best[i] = max(best[i], best[k] + 1) }
    }
    return best.max() ?? 0
  }

  /// The same in O(n log n), for lists too long for the slow one.
  static func longestIncreasingFast(_ values: [Int]) -> Int {
    var tails: [Int] = []
    for value in values {
      let at = tails.firstIndexNotBelow(value)
      if at == tails.count { tails.append(value) } else { tails[at] = value }
    }
    return tails.count
  }

  /// For each new element the old position it pairs with when the k-th of an identifier pairs with the k-th.
  static func pairByOccurrence<ID: Hashable>(_ old: [ID], _ new: [ID]) -> [Int?] {
    var waiting: [ID: [Int]] = [:]
    for (position, id) in old.enumerated() { waiting[id, default: []].append(position) }
    for id in waiting.keys { waiting[id]?.reverse() }
    return new.map { waiting[$0]?.popLast() }
  }

  /// Deletes, inserts and moves of the pairing by occurrence.
  static func counts<ID: Hashable>(_ old: [ID], _ new: [ID], fast: Bool = false) -> (deletes: Int, inserts: Int, moves: Int) {
    let pairs = pairByOccurrence(old, new)
    let matched = pairs.compactMap { $0 }
    let stay = fast ? longestIncreasingFast(matched) : longestIncreasing(matched)
    return (old.count - matched.count, new.count - matched.count, matched.count - stay)
  }

  /// The same of the items of sections that stay, where identifiers are unique: an item that crosses sections moves, and of those that
  /// stay in theirs as few as possible.
  static func counts<Section: DiffableSection, ID: Hashable>(
    sections old: [Section], _ new: [Section], fast: Bool = false, id: (Section.Item) -> ID
  ) -> (deletes: Int, inserts: Int, moves: Int) where Section.DiffID: Hashable {
    let staying = Set(old.map(\.diffID)).intersection(new.map(\.diffID))
    var places: [ID: (section: Section.DiffID, item: Int)] = [:]
    for section in old where staying.contains(section.diffID) {
      for (item, element) in section.items.enumerated() { places[id(element)] = (section.diffID, item) }
    }
    var matched = 0
    var inserts = 0
    var moves = 0
    for section in new where staying.contains(section.diffID) {
      var inside: [Int] = []
      for element in section.items {
        guard let place = places[id(element)] else {
          inserts += 1
          continue
        }
        matched += 1
        if place.section == section.diffID { inside.append(place.item) } else { moves += 1 }
      }
      moves += inside.count - (fast ? longestIncreasingFast(inside) : longestIncreasing(inside))
    }
    return (places.count - matched, inserts, moves)
  }

  /// The fewest moves over every subset of elements that stays, none of them from a position to itself. Exponential.
  static func fewestWithoutSelfMoves(_ old: [Int], _ new: [Int]) -> Int {
    let pairs = pairByOccurrence(old, new).enumerated().compactMap { new, old in old.map { (old: $0, new: new) } }
    var best = pairs.count
    subsets: for mask in 0..<(1 << pairs.count) {
      var last = -1
      var moves = 0
      for (bit, pair) in pairs.enumerated() {
        if mask & (1 << bit) != 0 {
          if pair.old < last { continue subsets }
          last = pair.old
        } else {
          if pair.old == pair.new { continue subsets }
          moves += 1
        }
      }
      best = min(best, moves)
    }
    return best
  }

  /// Replays a batch exactly as its documentation words it.
  static func replay<Element>(_ changes: ChangeSet, _ old: [Element], _ new: [Element]) -> [Element]? {
    var left: [Element?] = old
    for delete in changes.deletes { left[delete] = nil }
    for move in changes.moves { left[move.from] = nil }
    var rest = left.compactMap { $0 }[...]
    var result = [Element?](repeating: nil, count: new.count)
    for move in changes.moves { result[move.to] = old[move.from] }
    for insert in changes.inserts { result[insert] = new[insert] }
    for position in result.indices where result[position] == nil { result[position] = rest.popFirst() }
    guard rest.isEmpty else { return nil }
    for update in changes.updates { result[update.new] = new[update.new] }
    let whole = result.compactMap { $0 }
    return whole.count == new.count ? whole : nil
  }

  /// Whether every column ascends and no position has two fates.
  static func wellFormed(_ changes: ChangeSet) -> Bool {
    func ascends(_ values: [Int]) -> Bool { zip(values, values.dropFirst()).allSatisfy { $0 < $1 } }
    let gone = Array(changes.deletes) + changes.moves.map(\.from)
    let come = Array(changes.inserts) + changes.moves.map(\.to)
    return ascends(Array(changes.deletes)) && ascends(Array(changes.inserts)) && ascends(changes.moves.map(\.to))
      && ascends(changes.updates.map(\.new)) && Set(gone).count == gone.count && Set(come).count == come.count
      && Set(changes.updates.map(\.old)).count == changes.updates.count
      && Set(changes.updates.map(\.old)).isDisjoint(with: changes.deletes)
      && Set(changes.updates.map(\.new)).isDisjoint(with: changes.inserts)
  }
}

extension [Int] {
  fileprivate func firstIndexNotBelow(_ value: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
