/// One batch that a collection view accepts, and the list after it.
///
/// Within a stage nothing that is updated moves. The data after the last stage is the new list.
public struct Stage<Element> {
  /// From the list before this stage to `data`.
  public let changes: ChangeSet
  /// The list after this stage.
  public let data: [Element]

  @inlinable
  init(changes: ChangeSet, data: [Element]) {
    self.changes = changes
    self.data = data
  }
}

extension Stage: Sendable where Element: Sendable {}

extension ChangeSet {
  /// The batch in the fewest stages that each obey a collection view's rules: none, one, or two.
  ///
  /// Elements that move and change are updated at their old place first. Everything else is one batch.
  ///
  /// - Throws: `diff.mismatch` when the lists have not the lengths the change set was computed for.
  /// - Complexity: O(*k*), and O(*n*) when there are two stages.
  public func stages<Element>(from old: [Element], to new: [Element]) throws(DiffError) -> [Stage<Element>] {
    guard old.count == oldCount else { throw .mismatch(expected: oldCount, found: old.count, .old) }
    guard new.count == newCount else { throw .mismatch(expected: newCount, found: new.count, .new) }
    if isEmpty { return [] }
    let (moved, standing) = updates.storage.split(by: moves.storage)
    if moved.isEmpty { return [Stage(changes: self, data: new)] }
    var data = old
    for update in moved { data[Int(update.old)] = new[Int(update.new)] }
    let inPlace = moved.map { Link(old: $0.old, new: $0.old) }.sorted { $0.new < $1.new }
    return [
      Stage(changes: ChangeSet(trusted: oldCount, oldCount, updates: inPlace), data: data),
      Stage(
        changes: ChangeSet(
          trusted: oldCount, newCount, deletes: deletes.storage, inserts: inserts.storage, moves: moves.storage, updates: standing),
        data: new),
    ]
  }
}

extension [Link] {
  /// The updates of moved elements, and the others; both columns ascend by new position.
  func split(by moves: [Link]) -> (moved: [Link], standing: [Link]) {
    var moved: [Link] = []
    var standing: [Link] = []
    var move = 0
    for update in self {
      while move < moves.count, moves[move].new < update.new { move += 1 }
      if move < moves.count, moves[move].new == update.new { moved.append(update) } else { standing.append(update) }
    }
    return (moved, standing)
  }
}
