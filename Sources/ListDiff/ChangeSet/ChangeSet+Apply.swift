extension ChangeSet {
  /// Replays the batch on the old list, taking new elements from the new list.
  ///
  /// - Throws: `diff.mismatch` when the lists have not the lengths the change set was computed for.
  /// - Complexity: O(*n*).
  @inlinable
  public func apply<Element>(to old: [Element], from new: [Element]) throws(DiffError) -> [Element] {
    guard new.count == newCount else { throw .mismatch(expected: newCount, found: new.count, .new) }
    return try apply(to: old) { position in new[position] }
  }

  /// Replays the batch on the old list; `element` supplies what stands at a new position, for inserts and updates only.
  ///
  /// - Parameters:
  ///   - old: The list the change set was computed from.
  ///   - element: Called with the position of each inserted and updated element in the new list, ascending.
  /// - Throws: `diff.mismatch` when the old list has not the length the change set was computed for.
  /// - Complexity: O(*n*).
  @inlinable
  public func apply<Element>(to old: [Element], element: (_ position: Int) -> Element) throws(DiffError) -> [Element] {
    guard old.count == oldCount else { throw .mismatch(expected: oldCount, found: old.count, .old) }
    var leaves = [Bool](repeating: false, count: oldCount)
    for delete in deletes.storage { leaves[Int(delete)] = true }
    for move in moves.storage { leaves[Int(move.old)] = true }
    var result: [Element] = []
    result.reserveCapacity(newCount)
    var insert = 0
    var move = 0
    var update = 0
    var kept = 0
    for position in 0..<newCount {
      if insert < inserts.count, inserts[insert] == position {
        insert += 1
        result.append(element(position))
        continue
      }
      let source: Int
      if move < moves.count, moves[move].to == position {
        source = moves[move].from
        move += 1
      } else {
        while leaves[kept] { kept += 1 }
        source = kept
        kept += 1
      }
      if update < updates.count, updates[update].new == position {
        update += 1
        result.append(element(position))
      } else {
        result.append(old[source])
      }
    }
    return result
  }
}

extension DiffError {
  @usableFromInline
  static func mismatch(expected: Int, found: Int, _ side: Side) -> DiffError {
    DiffError(
      .mismatch,
      "the change set is for \(side == .old ? "an old" : "a new") list of \(expected) elements, this one has \(found); ask for a snapshot")
  }
}
