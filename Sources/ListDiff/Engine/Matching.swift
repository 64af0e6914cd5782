/// Which old element each new one is, between the common prefix and the common suffix.
@usableFromInline
struct Matching: ~Copyable {
  /// For each new position, counted from the end of the prefix, the old position or -1.
  @usableFromInline let match: Buffer<Int32>
  @usableFromInline let subsequence: IncreasingSubsequence
  /// Old positions without a new one, ascending.
  @usableFromInline let deletes: [Int32]
  /// New positions without an old one, ascending.
  @usableFromInline let inserts: [Int32]

  @inlinable
  init(match: consuming Buffer<Int32>, subsequence: consuming IncreasingSubsequence, deletes: [Int32], inserts: [Int32]) {
    self.match = match
    self.subsequence = subsequence
    self.deletes = deletes
    self.inserts = inserts
  }
}

extension Differ {
  /// Pairs what is between prefix and suffix.
  ///
  /// The walk goes first. Where it pairs much, its pairs stay and the table sees the rest; where it pairs little, the table
  /// sees everything and the result is the pairing by occurrence. The walk may pair duplicates in another way than that, and
  /// need more moves for it: when an identifier was paired by the walk after others of it were left to the table, both
  /// results are computed and the one with fewer moves is taken.
  @inlinable
  @inline(__always)
  func match<Source: PairSource>(_ source: Source, old: Range<Int>, new: Range<Int>) throws(DiffError) -> Matching {
    let match = Buffer<Int32>(capacity: new.count)
    var open = Open(source, oldCapacity: old.count, newCapacity: new.count, watches: true)
    let walk = Walk(length: min(old.count, new.count), shift: -new.lowerBound)
    let pairs = try walk.run(source, old: old, new: new, match: match, open: &open, differ: self)
    if pairs < min(old.count, new.count) >> 2 {
      _ = consume open
      _ = consume match
      return try matchByOccurrence(source, old: old, new: new)
    }
    if open.oldCount == 0 || open.newCount == 0 {
      let subsequence = IncreasingSubsequence(inOrder: pairs)
      return Matching(
        match: match, subsequence: subsequence, deletes: open.old.array(0..<open.oldCount), inserts: open.new.array(0..<open.newCount))
    }
    let found = Buffer<Int32>(capacity: open.newCount)
    let pairing = try Pairing(
      open, into: found, guarded: !open.suspects.isEmpty && open.oldCount + open.newCount <= Int(Int32.max), differ: self)
    let gone = pairing.left(open.oldCount) { u in open.old[u] }
    let come = resolve(found, open.new, open.newCount, match, offset: -new.lowerBound)
    if pairing.hits == 0 {
      return Matching(match: match, subsequence: IncreasingSubsequence(inOrder: pairs), deletes: gone, inserts: come)
    }
    try checkCancellation()
    let subsequence = IncreasingSubsequence(match, 0..<new.count)
    if subsequence.moved > 0, mixes(pairing, open) {
      _ = consume pairing
      let other = try matchByOccurrence(source, old: old, new: new)
      if other.subsequence.moved < subsequence.moved { return other }
    }
    return Matching(match: match, subsequence: subsequence, deletes: gone, inserts: come)
  }

  /// Pairs by occurrence alone.
  @inlinable
  @inline(never)
  func matchByOccurrence<Source: PairSource>(_ source: Source, old: Range<Int>, new: Range<Int>) throws(DiffError) -> Matching {
    let match = Buffer<Int32>(capacity: new.count)
    let window = Window(source, old: old, new: new)
    let gone = try deletesByOccurrence(window, match)
    try checkCancellation()
    let come = unmatched(match, new)
    let subsequence = IncreasingSubsequence(match, 0..<new.count)
    return Matching(match: match, subsequence: subsequence, deletes: gone, inserts: come)
  }

  /// Pairs by occurrence and lets go of the table before anything else is allocated.
  @inlinable
  @inline(__always)
  func deletesByOccurrence<Source: PairSource>(
    _ window: Window<Source>, _ match: borrowing Buffer<Int32>
  ) throws(DiffError) -> [Int32] {
    let pairing = try Pairing(window, into: match, guarded: false, differ: self)
    return pairing.left(window.oldCount) { u in window.oldPosition(u) }
  }

  /// Whether an identifier was paired by the walk and also seen by the table.
  @inlinable
  func mixes<Source: PairSource>(_ pairing: borrowing Pairing, _ open: borrowing Open<Source>) -> Bool {
    for suspect in open.suspects where pairing.mixes(Int(suspect), open) { return true }
    return false
  }
}

extension Pairing {
  /// The positions of the old ordinals that found no partner, ascending.
  @inlinable
  @inline(__always)
  func left(_ count: Int, _ position: (Int) -> Int32) -> [Int32] {
    var positions: [Int32] = []
    guard hits < count else { return positions }
    positions.reserveCapacity(count - hits)
    for u in 0..<count where next[u] != Pairing.taken { positions.append(position(u)) }
    return positions
  }
}

/// Writes what the table found for open new positions into `match`.
///
/// - Returns: The new positions it found nothing for, ascending.
@usableFromInline
func resolve(
  _ found: borrowing Buffer<Int32>, _ open: borrowing Buffer<Int32>, _ count: Int, _ match: borrowing Buffer<Int32>, offset: Int
) -> [Int32] {
  var inserts: [Int32] = []
  for v in 0..<count {
    let old = found[v]
    match[Int(open[v]) &+ offset] = old
    if old < 0 { inserts.append(open[v]) }
  }
  return inserts
}

/// The positions in `new` whose entry in `match` is empty, ascending.
@usableFromInline
func unmatched(_ match: borrowing Buffer<Int32>, _ new: Range<Int>) -> [Int32] {
  var inserts: [Int32] = []
  for index in 0..<new.count where match[index] < 0 { inserts.append(Int32(truncatingIfNeeded: new.lowerBound &+ index)) }
  return inserts
}
