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
  private func appendMoves(to steps: inout [Step]) {
    if moves.isEmpty { return }
    var script = SequentialMoves(deletes: deletes.storage, inserts: inserts.storage, moves: moves.storage)
    let (old, new) = (0..<oldCount, 0..<newCount)
    for (done, move) in moves.storage.enumerated() {
      let (from, to) = script.take(move, out: old, into: new, standing: old, done: done)
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
