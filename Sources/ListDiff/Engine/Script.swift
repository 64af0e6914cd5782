/// The columns of a change set while they are written, in the form the options ask for.
@usableFromInline
struct Script {
  @usableFromInline var deletes: [Int32] = []
  @usableFromInline var inserts: [Int32] = []
  @usableFromInline var moves: [Link] = []
  @usableFromInline var updates: [Link] = []
  @usableFromInline let options: Differ.Options
  /// Whether deletes and inserts have been added out of order.
  private var unsorted = false

  @usableFromInline
  init(_ options: Differ.Options) { self.options = options }

  /// Whether a changed element counts as gone and come.
  @inlinable var replacesUpdated: Bool { options.updates == .deleteAndInsert }

  /// Whether moves can only be told from the whole matching: the pairs that stay are not those that the lists have in order.
  @inlinable var needsMatching: Bool { replacesUpdated || options.moves == .withoutSelfMoves }

  /// Notes a change of content.
  @usableFromInline
  mutating func update(_ old: Int, _ new: Int) {
    let link = Link(old: Int32(truncatingIfNeeded: old), new: Int32(truncatingIfNeeded: new))
    if replacesUpdated { replace(link) } else { updates.append(link) }
  }

  @usableFromInline
  mutating func deleteAll(_ positions: Range<Int>) {
    deletes.append(contentsOf: positions.lazy.map { Int32(truncatingIfNeeded: $0) })
  }

  @usableFromInline
  mutating func insertAll(_ positions: Range<Int>) {
    inserts.append(contentsOf: positions.lazy.map { Int32(truncatingIfNeeded: $0) })
  }

  @usableFromInline
  mutating func replace(_ link: Link) {
    deletes.append(link.old)
    inserts.append(link.new)
    unsorted = true
  }

  /// Takes back the updates from index `start` on of pairs that are none any more; both ascend.
  @usableFromInline
  mutating func withdrawUpdates(of pairs: [Link], from start: Int) {
    var kept = start
    var next = 0
    for index in start..<updates.count {
      while next < pairs.count, pairs[next].new < updates[index].new { next += 1 }
      if next < pairs.count, pairs[next].new == updates[index].new { continue }
      updates[kept] = updates[index]
      kept += 1
    }
    updates.removeSubrange(kept...)
  }

  /// Merges the updates from index `middle` on into those before it; both parts ascend by new position.
  @usableFromInline
  mutating func mergeUpdates(from middle: Int) {
    guard middle > 0, middle < updates.count, updates[middle - 1].new > updates[middle].new else { return }
    updates = Array(updates[..<middle]).merging(Array(updates[middle...]))
  }

  /// Brings moves into the form asked for and the columns into order.
  @usableFromInline
  consuming func changeSet(oldCount: Int, newCount: Int) -> ChangeSet {
    finish()
    return ChangeSet(trusted: oldCount, newCount, deletes: deletes, inserts: inserts, moves: moves, updates: updates)
  }

  /// The same for columns that are used by themselves.
  @usableFromInline
  mutating func finish() {
    if options.moves == .deleteAndInsert, !moves.isEmpty {
      // A moved element arrives as an insert, content and all: its update goes too. Both columns ascend by new position.
      var move = 0
      updates.removeAll { update in
        while move < moves.count, moves[move].new < update.new { move += 1 }
        return move < moves.count && moves[move].new == update.new
      }
      for link in moves { replace(link) }
      moves = []
    }
    if unsorted {
      deletes.sort()
      inserts.sort()
    }
  }
}
