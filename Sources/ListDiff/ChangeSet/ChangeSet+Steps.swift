extension ChangeSet {
  /// One operation of the sequential script, on the array as the steps before have left it.
  public enum Step: Sendable, Hashable, CustomStringConvertible {
    /// Remove the element at a position.
    case delete(at: Int)
    /// Take the element out of one position, then put it in at another of the array that is left.
    case move(from: Int, to: Int)
    /// Put in, at its position in the new list, the element that stands there.
    case insert(at: Int)
    /// Replace the element by the one that stands at the same position in the new list.
    case update(at: Int)

    public var description: String {
      switch self {
      case .delete(let position): "delete \(position)"
      case .move(let from, let to): "move \(from) to \(to)"
      case .insert(let position): "insert \(position)"
      case .update(let position): "update \(position)"
      }
    }
  }

  /// The sequential script: deletes from the back, moves, inserts from the front, then updates; as many steps as the batch
  /// has operations.
  ///
  /// Applied one by one to the old array they give the new one.
  ///
  /// - Complexity: O(*k* log *k*) in the number of operations.
  public var steps: [Step] {
    var steps: [Step] = []
    steps.reserveCapacity(operationCount)
    for delete in deletes.reversed() { steps.append(.delete(at: delete)) }
    appendMoves(to: &steps)
    for insert in inserts { steps.append(.insert(at: insert)) }
    for update in updates { steps.append(.update(at: update.new)) }
    return steps
  }

  /// Brings the moved elements to their places one after the other, by ascending target.
  ///
  /// When an element's turn comes, all that precede it in the new order stand in that order already, and it goes right behind
  /// the last of them. Its *anchor* is the last element before it that never moves; among those not moved yet, the ones that
  /// stood before the anchor are in front of it. Two trees of counts answer how many of either kind precede a position.
  private func appendMoves(to steps: inout [Step]) {
    let moves = moves.storage
    guard !moves.isEmpty else { return }
    let deletes = deletes.storage
    let inserts = inserts.storage
    let sources = moves.map(\.old).sorted()
    var waiting = Counts(count: sources.count)
    var placed = Counts(count: sources.count)
    for index in sources.indices { waiting.add(1, at: index) }
    let standing = StandingElements(count: oldCount, leaving: deletes, sources)
    for (done, move) in moves.enumerated() {
      let index = sources.countBelow(move.old)
      // In the new order without inserts this many elements come before, `done` of them moved.
      let before = Int(move.new) - inserts.countBelow(move.new)
      let anchor = before > done ? standing.position(before - done - 1) : -1
      let anchorRank = sources.countBelow(anchor + 1)
      waiting.add(-1, at: index)
      let from =
        Int(move.old) - deletes.countBelow(move.old) - index
        + placed.sum(through: index)
        + waiting.sum(below: index)
      let to = before + waiting.sum(below: anchorRank)
      // Counted at the rank of its anchor: it precedes every source behind that.
      if anchorRank < sources.count { placed.add(1, at: anchorRank) }
      steps.append(.move(from: from, to: to))
    }
  }

  /// Replays the sequential script on the old list, taking new elements from the new list.
  ///
  /// - Throws: `diff.mismatch` when the lists have not the lengths the change set was computed for.
  /// - Complexity: O(*k* *n*): every step shifts an array. ``apply(to:from:)`` is linear.
  public func applySteps<Element>(to old: [Element], from new: [Element]) throws(DiffError) -> [Element] {
    guard old.count == oldCount else { throw .mismatch(expected: oldCount, found: old.count, .old) }
    guard new.count == newCount else { throw .mismatch(expected: newCount, found: new.count, .new) }
    var list = old
    for step in steps {
      switch step {
      case .delete(let position): list.remove(at: position)
      case .move(let from, let to): list.insert(list.remove(at: from), at: to)
      case .insert(let position): list.insert(new[position], at: position)
      case .update(let position): list[position] = new[position]
      }
    }
    return list
  }
}

/// The elements of a list that are neither deleted nor moved, by their rank.
private struct StandingElements {
  /// Positions that leave, ascending.
  private let leaving: [Int32]
  private let count: Int

  init(count: Int, leaving deletes: [Int32], _ sources: [Int32]) {
    self.count = count
    leaving = (deletes + sources).sorted()
  }

  /// The old position of the element with a rank.
  func position(_ rank: Int) -> Int32 {
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

/// Counts at positions with sums of prefixes, both in O(log *n*) (Fenwick 1994).
private struct Counts {
  private var tree: [Int]

  init(count: Int) { tree = [Int](repeating: 0, count: count + 1) }

  mutating func add(_ value: Int, at position: Int) {
    var at = position + 1
    while at < tree.count {
      tree[at] += value
      at += at & -at
    }
  }

  func sum(below position: Int) -> Int {
    var at = position
    var sum = 0
    while at > 0 {
      sum += tree[at]
      at -= at & -at
    }
    return sum
  }

  func sum(through position: Int) -> Int { sum(below: position + 1) }
}
