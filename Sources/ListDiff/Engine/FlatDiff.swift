extension Differ {
  /// Applies the policy for duplicates, then diffs.
  @inlinable
  func changes<Source: PairSource>(between source: Source) throws(DiffError) -> ChangeSet {
    try requireIndexable(old: source.oldCount, new: source.newCount)
    try checkCancellation()
    switch options.duplicates {
    case .occurrence:
      return try computeChanges(source)
    case .reject:
      if let (first, second) = try Occurrences.firstDuplicate(OldSide(source), self) {
        throw .duplicate(source.describeOld(second), .old, first: .init(item: first), second: .init(item: second))
      }
      if let (first, second) = try Occurrences.firstDuplicate(NewSide(source), self) {
        throw .duplicate(source.describeNew(second), .new, first: .init(item: first), second: .init(item: second))
      }
      return try computeChanges(source)
    case .first:
      let old = try Occurrences.first(OldSide(source), self)
      let new = try Occurrences.first(NewSide(source), self)
      if old.count == source.oldCount && new.count == source.newCount { return try computeChanges(source) }
      return try computeChanges(Subset(source, old: old, new: new))
    }
  }

  /// Trims what both ends have in common, matches the middle, and writes the script.
  @inlinable
  @inline(never)
  func computeChanges<Source: PairSource>(_ source: Source) throws(DiffError) -> ChangeSet {
    let oldCount = source.oldCount
    let newCount = source.newCount
    var script = Script(options)
    let prefix = try commonPrefix(source, &script)
    let (suffix, suffixChanges) = try commonSuffix(source, after: prefix)
    let old = prefix..<(oldCount - suffix)
    let new = prefix..<(newCount - suffix)
    if old.isEmpty || new.isEmpty {
      script.deleteAll(old)
      script.insertAll(new)
    } else {
      try writeMiddle(source, old: old, new: new, &script)
    }
    if suffixChanges { try updateSuffix(source, suffix, &script) }
    return script.changeSet(oldCount: oldCount, newCount: newCount)
  }

  @inlinable
  @inline(__always)
  func commonPrefix<Source: PairSource>(_ source: Source, _ script: inout Script) throws(DiffError) -> Int {
    let limit = min(source.oldCount, source.newCount)
    var position = 0
    while position < limit {
      let stop = min(limit, position &+ Differ.stride)
      while position < stop && source.same(position, position) {
        if source.changed(position, position) { script.update(position, position) }
        position &+= 1
      }
      if position < stop { break }
      try checkCancellation()
    }
    return position
  }

  /// How many elements both ends have in common, and whether the content of any of them differs: those are noted later,
  /// in order, and in most lists there are none.
  @inlinable
  @inline(__always)
  func commonSuffix<Source: PairSource>(
    _ source: Source, after prefix: Int
  ) throws(DiffError) -> (length: Int, changes: Bool) {
    var old = source.oldCount
    var new = source.newCount
    let limit = min(old, new) &- prefix
    var length = 0
    var changes = false
    while length < limit {
      let stop = min(limit, length &+ Differ.stride)
      while length < stop && source.same(old &- 1, new &- 1) {
        old &-= 1
        new &-= 1
        length &+= 1
        changes = changes || source.changed(old, new)
      }
      if length < stop { break }
      try checkCancellation()
    }
    return (length, changes)
  }

  @inlinable
  @inline(__always)
  func updateSuffix<Source: PairSource>(_ source: Source, _ suffix: Int, _ script: inout Script) throws(DiffError) {
    try checkCancellation()
    var old = source.oldCount &- suffix
    var new = source.newCount &- suffix
    while old < source.oldCount {
      if source.changed(old, new) { script.update(old, new) }
      old &+= 1
      new &+= 1
    }
  }
}

extension Script {
  @usableFromInline
  mutating func append(deletes gone: [Int32], inserts come: [Int32]) {
    if deletes.isEmpty { deletes = gone } else { deletes += gone }
    if inserts.isEmpty { inserts = come } else { inserts += come }
  }

  /// Writes the moves of a matching of `new` with `old`, both counted from their beginnings.
  @usableFromInline
  mutating func move(_ match: borrowing Buffer<Int32>, _ old: Range<Int>, _ new: Range<Int>) {
    moves = fewestMoves(match, old, new, withoutSelfMoves: options.moves == .withoutSelfMoves)
  }
}

/// The moves of a matching of `new` with `old`, both counted from their beginnings: the fewest, or the fewest of which none has
/// a position as its own target.
func fewestMoves(
  _ match: borrowing Buffer<Int32>, _ old: Range<Int>, _ new: Range<Int>, withoutSelfMoves: Bool
) -> [Link] {
  let (oldBase, newBase) = (Int32(old.lowerBound), Int32(new.lowerBound))
  func moves(_ match: borrowing Buffer<Int32>) -> [Link] {
    IncreasingSubsequence(match, count: new.count, positions: 0..<old.count)
      .moves(match, count: new.count, oldBase: oldBase, newBase: newBase)
  }
  guard withoutSelfMoves else { return moves(match) }
  // Every element that keeps its position has to stay. Those never cross each other; what crosses one of them must move, and
  // of the rest a longest increasing subsequence stays.
  var standing: [Int32] = []
  for index in 0..<new.count where Int(match[index]) == index { standing.append(match[index]) }
  if standing.isEmpty { return moves(match) }
  let compatible = Buffer<Int32>(capacity: new.count)
  var crossing: [Link] = []
  var before = 0
  for index in 0..<new.count {
    let place = match[index]
    while before < standing.count, Int(standing[before]) < index { before += 1 }
    if place >= 0, standing.countBelow(place) != before {
      crossing.append(Link(old: place + oldBase, new: Int32(index) + newBase))
      compatible[index] = -1
    } else {
      compatible[index] = place
    }
  }
  return moves(compatible).merging(crossing)
}
