/// Where each move of a batch goes when the moves are made one after the other, by ascending target, after all deletes and before
/// all inserts.
///
/// When an element's turn comes, all that precede it in the new order stand in that order already, and it goes right behind
/// the last of them. Its *anchor* is the last element before it that never moves; among those not moved yet, the ones that
/// stood before the anchor are in front of it. Two trees of counts answer how many of either kind precede a position. With
/// sections this holds in each of them: elements are numbered through all, and a section is a range of the numbers.
///
/// - Complexity: O(log *k*) a move in the number of operations.
struct SequentialMoves {
  private let deletes: [Int32]
  private let inserts: [Int32]
  /// Old positions of what moves, ascending.
  private let sources: [Int32]
  /// Old positions of what is deleted or moves, ascending.
  private let leaving: [Int32]
  /// For each source whether it has not been moved yet.
  private var waiting: Counts
  /// For each source how many moved elements have come to stand right before it: behind the last before it that never moves.
  private var placed: Counts

  init(deletes: [Int32], inserts: [Int32], moves: [Link]) {
    self.deletes = deletes
    self.inserts = inserts
    sources = moves.map(\.old).sorted()
    leaving = (deletes + sources).sorted()
    waiting = Counts(ones: sources.count)
    placed = Counts(count: sources.count)
  }

  /// Makes the next move.
  ///
  /// - Parameters:
  ///   - origin: The old positions of the section it leaves.
  ///   - target: The new positions of the section it enters.
  ///   - standing: The old positions of the section it enters.
  ///   - done: How many moves into that section have been made.
  /// - Returns: Its place in the section it leaves, and then in the one it enters, as the moves before have left them.
  mutating func take(
    _ move: Link, out origin: Range<Int>, into target: Range<Int>, standing: Range<Int>, done: Int
  ) -> (from: Int, to: Int) {
    let index = sources.countBelow(move.old)
    waiting.add(-1, at: index)
    // Of the section it leaves: what never moves, what came, and what has not gone.
    let first = sources.countBelow(Int32(truncatingIfNeeded: origin.lowerBound))
    let from =
      Int(move.old) - origin.lowerBound - count(leaving, origin.lowerBound, Int(move.old))
      + placed.sum(first...index) + waiting.sum(first..<index)
    // In the new order without inserts this many elements of the section come before, `done` of them moved.
    let before = Int(move.new) - target.lowerBound - count(inserts, target.lowerBound, Int(move.new))
    let front = sources.countBelow(Int32(truncatingIfNeeded: standing.lowerBound))
    let end = sources.countBelow(Int32(truncatingIfNeeded: standing.upperBound))
    var rank = front
    if before > done { rank = sources.countBelow(position(before - done - 1, from: standing.lowerBound) + 1) }
    let to = before + waiting.sum(front..<rank)
    // It precedes every source behind its anchor.
    if rank < end { placed.add(1, at: rank) }
    return (from, to)
  }

  /// How many of `positions` are from `low` to below `high`.
  private func count(_ positions: [Int32], _ low: Int, _ high: Int) -> Int {
    positions.countBelow(Int32(truncatingIfNeeded: high)) - positions.countBelow(Int32(truncatingIfNeeded: low))
  }

  /// The old position of an element that never moves, by its rank among those from `start` on.
  private func position(_ rank: Int, from start: Int) -> Int32 {
    let rank = rank + start - leaving.countBelow(Int32(truncatingIfNeeded: start))
    // The number of leaving positions before it is the first `k` with `leaving[k] - k` above the rank.
    var low = 0
    var high = leaving.count
    while low < high {
      let middle = (low + high) / 2
      if Int(leaving[middle]) - middle <= rank { low = middle + 1 } else { high = middle }
    }
    return Int32(truncatingIfNeeded: rank + low)
  }
}

/// Counts at positions with sums of ranges, both in O(log *n*) (Fenwick 1994).
private struct Counts {
  private var tree: [Int]

  init(count: Int) { tree = [Int](repeating: 0, count: count + 1) }

  init(ones count: Int) {
    tree = (0...count).map { $0 & -$0 }
  }

  mutating func add(_ value: Int, at position: Int) {
    var at = position + 1
    while at < tree.count {
      tree[at] += value
      at += at & -at
    }
  }

  private func sum(below position: Int) -> Int {
    var at = position
    var sum = 0
    while at > 0 {
      sum += tree[at]
      at -= at & -at
    }
    return sum
  }

  func sum(_ range: Range<Int>) -> Int { sum(below: range.upperBound) - sum(below: range.lowerBound) }

  func sum(_ range: ClosedRange<Int>) -> Int { sum(range.lowerBound..<range.upperBound + 1) }
}
