/// Pairs two lists by looking a few elements ahead, without hashing.
///
/// Edits in real lists are sparse: nearly every element is found within a handful of comparisons. A pairing of equal
/// identifiers is valid wherever it comes from, so the walk cannot make a result wrong; it stops when it misses too often.
@usableFromInline
struct Walk {
  /// How far ahead an element is looked for.
  @usableFromInline static var reach: Int { 6 }

  /// What a miss costs of the budget; a hit earns one back.
  @usableFromInline static var missCost: Int { 4 }

  /// Neighbours are paired in runs of so many, which are near enough in the cache to be looked at twice.
  @usableFromInline static var run: Int { 256 }

  /// Misses are paid from here, so a shuffled list costs a bounded part of its length before the table takes over.
  @usableFromInline let ceiling: Int
  /// Added to local positions when they are written down.
  @usableFromInline let oldBase: Int
  @usableFromInline let newBase: Int
  /// Whether changes of content are noted on the way.
  @usableFromInline let notes: Bool

  @inlinable
  init(length: Int, oldBase: Int = 0, newBase: Int = 0, notes: Bool) {
    ceiling = min(64, max(8, length >> 4))
    self.oldBase = oldBase
    self.newBase = newBase
    self.notes = notes
  }

  /// Walks through `old` and `new`, writing the positions that find no partner to `open` and changes to `script`.
  ///
  /// - Returns: The number of pairs.
  @inlinable
  @inline(__always)
  func run<Source: PairSource, Rest>(
    _ source: Source, old: Range<Int>, new: Range<Int>, open: inout Open<Rest>, script: inout Script, differ: Differ
  ) throws(DiffError) -> Int {
    var i = old.lowerBound
    var j = new.lowerBound
    let oldEnd = old.upperBound
    let newEnd = new.upperBound
    var budget = ceiling
    var pairs = 0
    var look = Differ.stride
    while i < oldEnd && j < newEnd && budget > 0 {
      let length = pair(source, i, j, min(oldEnd &- i, newEnd &- j, Walk.run), &open, &script)
      pairs &+= length
      i &+= length
      j &+= length
      budget = min(ceiling, budget &+ length)
      if pairs > look {
        try differ.checkCancellation()
        look &+= Differ.stride
      }
      if length == Walk.run { continue }
      if i == oldEnd || j == newEnd { break }
      let skip = lookAhead(source, i, j, oldEnd, newEnd)
      if skip.missed { budget &-= Walk.missCost }
      skipOld(&i, skip.old, source, &open)
      skipNew(&j, skip.new, source, &open)
    }
    // Nothing is paired after these, so the filter need not know them.
    while i < oldEnd {
      open.leaveOld(i &+ oldBase)
      i &+= 1
    }
    while j < newEnd {
      open.leaveNew(j &+ newBase)
      j &+= 1
    }
    return pairs
  }

  /// Pairs neighbours as long as they are the same: the loop in which a diff of similar lists spends its time.
  ///
  /// - Returns: How many pairs, at most `limit`.
  @inlinable
  @inline(__always)
  func pair<Source: PairSource, Rest>(
    _ source: Source, _ i: Int, _ j: Int, _ limit: Int, _ open: inout Open<Rest>, _ script: inout Script
  ) -> Int {
    var length = 0
    while length < limit && source.same(i &+ length, j &+ length) {
      if notes && source.changed(i &+ length, j &+ length) {
        script.update(i &+ length &+ oldBase, j &+ length &+ newBase)
      }
      length &+= 1
    }
    if open.watches && open.oldCount &+ open.newCount > 0 {
      var index = 0
      while index < length {
        if open.mayHold(source.sketchNew(j &+ index)) { open.suspect(i &+ index &+ oldBase, j &+ index &+ newBase) }
        index &+= 1
      }
    }
    return length
  }

  /// How many elements to leave open on either side before the lists meet again.
  @inlinable
  @inline(never)
  func lookAhead<Source: PairSource>(
    _ source: Source, _ i: Int, _ j: Int, _ oldEnd: Int, _ newEnd: Int
  ) -> (old: Int, new: Int, missed: Bool) {
    var ahead = 1
    while ahead <= Walk.reach {
      let inOld = i &+ ahead < oldEnd
      let inNew = j &+ ahead < newEnd
      if inNew && source.same(i, j &+ ahead) { return (0, ahead, false) }
      if inOld && source.same(i &+ ahead, j) { return (ahead, 0, false) }
      if inOld && inNew && source.same(i &+ ahead, j &+ ahead) { return (ahead, ahead, false) }
      ahead &+= 1
    }
    return (1, 1, true)
  }

  @inlinable
  @inline(__always)
  func skipOld<Source: PairSource, Rest>(_ i: inout Int, _ count: Int, _ source: Source, _ open: inout Open<Rest>) {
    let end = i &+ count
    while i < end {
      open.leaveOld(i &+ oldBase)
      if open.watches { open.remember(source.sketchOld(i)) }
      i &+= 1
    }
  }

  @inlinable
  @inline(__always)
  func skipNew<Source: PairSource, Rest>(
    _ j: inout Int, _ count: Int, _ source: Source, _ open: inout Open<Rest>
  ) {
    let end = j &+ count
    while j < end {
      open.leaveNew(j &+ newBase)
      if open.watches { open.remember(source.sketchNew(j)) }
      j &+= 1
    }
  }
}
