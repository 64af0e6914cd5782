extension Differ {
  /// Pairs what is between prefix and suffix and writes what follows from it.
  ///
  /// The walk goes first. Where it pairs much, its pairs stay and the table sees the rest; where it pairs little, the table
  /// sees everything and the result is the pairing by occurrence. The walk may pair duplicates in another way than that, and
  /// need more moves for it: when an identifier was paired by the walk after others of it were left to the table, those pairs
  /// are given to the table too, and the result with fewer moves is taken.
  @inlinable
  @inline(__always)
  func writeMiddle<Source: PairSource>(
    _ source: Source, old: Range<Int>, new: Range<Int>, _ script: inout Script
  ) throws(DiffError) {
    var open = Open(source, oldCapacity: old.count, newCapacity: new.count, watches: true)
    let walk = Walk(length: min(old.count, new.count), notes: !script.needsMatching)
    let noted = script.updates.count
    let pairs = try walk.run(source, old: old, new: new, open: &open, script: &script, differ: self)
    if pairs < min(old.count, new.count) >> 2 {
      _ = consume open
      script.updates.removeSubrange(noted...)
      return try writeByOccurrence(source, old: old, new: new, &script)
    }
    let found = Buffer<Int32>(capacity: open.newCount)
    let guarded = !open.suspects.isEmpty && open.oldCount &+ open.newCount <= Int(Int32.max)
    let pairing = try Pairing(open, into: found, guarded: guarded, differ: self)
    let moves = crossings(open, found, pairing.hits, old, new)
    try checkCancellation()
    if !moves.isEmpty && !open.suspects.isEmpty {
      // Where identifiers are unique, none of the suspects is in the table, which is there already.
      let held = open.suspects.filter { pairing.holds(Int($0.new), open) }
      let mixed = held.isEmpty ? [] : try open.passed(held, self)
      if !mixed.isEmpty {
        let more = open.reopening(mixed)
        let others = Buffer<Int32>(capacity: more.newCount)
        let again = try Pairing(more, into: others, guarded: false, differ: self)
        let fewer = crossings(more, others, again.hits, old, new)
        if fewer.count < moves.count {
          script.withdrawUpdates(of: mixed, from: noted)
          return try write(source, more, others, again, fewer, old, new, &script)
        }
      }
    }
    try write(source, open, found, pairing, moves, old, new, &script)
  }

  @inlinable
  @inline(__always)
  func crossings<Source: PairSource>(
    _ open: borrowing Open<Source>, _ found: borrowing Buffer<Int32>, _ hits: Int, _ old: Range<Int>, _ new: Range<Int>
  ) -> [Link] {
    Crossings.moves(
      found, hits: hits, oldOpen: open.old, Gaps(0..<open.oldCount, base: old.lowerBound), newOpen: open.new,
      Gaps(0..<open.newCount, base: new.lowerBound))
  }

  /// Writes what the walk and the table found.
  @inlinable
  @inline(__always)
  func write<Source: PairSource>(
    _ source: Source, _ open: borrowing Open<Source>, _ found: borrowing Buffer<Int32>, _ pairing: borrowing Pairing, _ moves: [Link],
    _ old: Range<Int>, _ new: Range<Int>, _ script: inout Script
  ) throws(DiffError) {
    script.append(deletes: pairing.left { open.old[$0] }, inserts: unpaired(found, open.newCount) { open.new[$0] })
    if script.needsMatching {
      let match = matching(
        found, oldOpen: open.old, Gaps(0..<open.oldCount, base: old.lowerBound), newOpen: open.new,
        Gaps(0..<open.newCount, base: new.lowerBound), count: new.count)
      return try writeMatching(source, match, old, new, &script)
    }
    let middle = script.updates.count
    pairing.forEachChanged(open.newCount) { v in script.update(Int(open.old[Int(found[v])]), Int(open.new[v])) }
    script.mergeUpdates(from: middle)
    script.moves = moves
  }

  /// Pairs everything by occurrence.
  @inlinable
  @inline(never)
  func writeByOccurrence<Source: PairSource>(
    _ source: Source, old: Range<Int>, new: Range<Int>, _ script: inout Script
  ) throws(DiffError) {
    let match = Buffer<Int32>(capacity: new.count)
    try pairByOccurrence(Window(source, old: old, new: new), match, old, new, &script)
    try checkCancellation()
    if script.needsMatching { return try writeMatching(source, match, old, new, &script) }
    script.move(match, old, new)
  }

  /// Pairs by occurrence and lets go of the table before anything else is allocated.
  @inlinable
  @inline(__always)
  func pairByOccurrence<Source: PairSource>(
    _ window: Window<Source>, _ match: borrowing Buffer<Int32>, _ old: Range<Int>, _ new: Range<Int>, _ script: inout Script
  ) throws(DiffError) {
    let pairing = try Pairing(window, into: match, guarded: false, differ: self)
    script.append(
      deletes: pairing.left { Int32(truncatingIfNeeded: old.lowerBound &+ $0) },
      inserts: pairing.hits == new.count ? [] : unpaired(match, new.count) { Int32(truncatingIfNeeded: new.lowerBound &+ $0) })
    if script.needsMatching { return }
    pairing.forEachChanged(new.count) { v in script.update(old.lowerBound &+ Int(match[v]), new.lowerBound &+ v) }
  }

  /// Writes changes and moves from a whole matching, for the forms that need one; with updates as delete and insert, changed
  /// pairs leave it first.
  @inlinable
  @inline(never)
  func writeMatching<Source: PairSource>(
    _ source: Source, _ match: borrowing Buffer<Int32>, _ old: Range<Int>, _ new: Range<Int>, _ script: inout Script
  ) throws(DiffError) {
    for index in 0..<new.count {
      let ordinal = Int(match[index])
      if ordinal >= 0 && source.changed(old.lowerBound &+ ordinal, new.lowerBound &+ index) {
        script.update(old.lowerBound &+ ordinal, new.lowerBound &+ index)
        if script.replacesUpdated { match[index] = -1 }
      }
    }
    try checkCancellation()
    script.move(match, old, new)
  }
}

/// The places whose entry in `found` is empty, ascending, by what `position` makes of them.
@inlinable
@inline(__always)
func unpaired(_ found: borrowing Buffer<Int32>, _ count: Int, _ position: (Int) -> Int32) -> [Int32] {
  var positions: [Int32] = []
  for v in 0..<count where found[v] < 0 { positions.append(position(v)) }
  return positions
}

/// One matching of what the walk and the table paired in a part of the lists: for each of its `count` new positions, counted
/// from its beginning, the old one, counted likewise, or -1.
@usableFromInline
func matching(
  _ found: borrowing Buffer<Int32>, oldOpen: borrowing Buffer<Int32>, _ old: Gaps, newOpen: borrowing Buffer<Int32>, _ new: Gaps,
  count: Int
) -> Buffer<Int32> {
  let match = Buffer<Int32>(capacity: count)
  var links = Gaps.Cursor(old)
  var rank: Int32 = 0
  var v = new.indices.lowerBound
  for index in 0..<count {
    if v < new.indices.upperBound && Int(newOpen[v]) == new.base + index {
      let u = Int(found[v])
      match[index] = old.indices.contains(u) ? oldOpen[u] - Int32(old.base) : -1
      v += 1
    } else {
      match[index] = links.position(rank, oldOpen) - Int32(old.base)
      rank += 1
    }
  }
  return match
}
