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

  /// Misses are paid from here, so a shuffled list costs a bounded part of its length before the table takes over.
  @usableFromInline let ceiling: Int
  /// Added to local positions when they are written down.
  @usableFromInline let oldBase: Int
  @usableFromInline let newBase: Int
  /// Added to local new positions to index `match`.
  @usableFromInline let shift: Int

  @inlinable
  init(length: Int, oldBase: Int = 0, newBase: Int = 0, shift: Int) {
    ceiling = min(64, max(8, length >> 4))
    self.oldBase = oldBase
    self.newBase = newBase
    self.shift = shift
  }

  /// Walks through `old` and `new`, writing pairs to `match` and all other positions to `open`.
  ///
  /// - Returns: The number of pairs.
  @inlinable
  @inline(__always)
  func run<Source: PairSource, Rest>(
    _ source: Source, old: Range<Int>, new: Range<Int>, match: borrowing Buffer<Int32>, open: inout Open<Rest>, differ: Differ
  ) throws(DiffError) -> Int {
    var i = old.lowerBound
    var j = new.lowerBound
    let oldEnd = old.upperBound
    let newEnd = new.upperBound
    var budget = ceiling
    var pairs = 0
    var pause = j &+ Differ.stride
    walk: while i < oldEnd && j < newEnd && budget > 0 {
      if source.same(i, j) {
        match[j &+ shift] = Int32(truncatingIfNeeded: i &+ oldBase)
        if open.watches && open.mayHold(source.sketchNew(j)) { open.suspects.append(Int32(truncatingIfNeeded: j &+ newBase)) }
        pairs &+= 1
        i &+= 1
        j &+= 1
        if budget < ceiling { budget &+= 1 }
        continue
      }
      if j > pause {
        try differ.checkCancellation()
        pause = j &+ Differ.stride
      }
      var ahead = 1
      while ahead <= Walk.reach {
        let inOld = i &+ ahead < oldEnd
        let inNew = j &+ ahead < newEnd
        if inNew && source.same(i, j &+ ahead) {
          skipNew(&j, ahead, source, match, &open)
          continue walk
        }
        if inOld && source.same(i &+ ahead, j) {
          skipOld(&i, ahead, source, &open)
          continue walk
        }
        if inOld && inNew && source.same(i &+ ahead, j &+ ahead) {
          skipOld(&i, ahead, source, &open)
          skipNew(&j, ahead, source, match, &open)
          continue walk
        }
        ahead &+= 1
      }
      budget &-= Walk.missCost
      skipOld(&i, 1, source, &open)
      skipNew(&j, 1, source, match, &open)
    }
    // Nothing is paired after these, so the filter need not know them.
    while i < oldEnd {
      open.leaveOld(i &+ oldBase)
      i &+= 1
    }
    while j < newEnd {
      match[j &+ shift] = -1
      open.leaveNew(j &+ newBase)
      j &+= 1
    }
    return pairs
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
    _ j: inout Int, _ count: Int, _ source: Source, _ match: borrowing Buffer<Int32>, _ open: inout Open<Rest>
  ) {
    let end = j &+ count
    while j < end {
      match[j &+ shift] = -1
      open.leaveNew(j &+ newBase)
      if open.watches { open.remember(source.sketchNew(j)) }
      j &+= 1
    }
  }
}
