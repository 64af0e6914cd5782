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
    let suffix = try commonSuffix(source, after: prefix)
    let old = prefix..<(oldCount - suffix)
    let new = prefix..<(newCount - suffix)
    if old.isEmpty || new.isEmpty {
      script.deleteAll(old)
      script.insertAll(new)
    } else {
      let matching = try match(source, old: old, new: new)
      script.append(deletes: matching.deletes, inserts: matching.inserts)
      let replaced = try updateMiddle(source, matching.match, new, &script)
      script.move(matching, new, again: replaced)
    }
    try updateSuffix(source, suffix, &script)
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

  @inlinable
  @inline(__always)
  func commonSuffix<Source: PairSource>(_ source: Source, after prefix: Int) throws(DiffError) -> Int {
    var old = source.oldCount
    var new = source.newCount
    let limit = min(old, new) &- prefix
    var length = 0
    while length < limit {
      let stop = min(limit, length &+ Differ.stride)
      while length < stop && source.same(old &- 1, new &- 1) {
        old &-= 1
        new &-= 1
        length &+= 1
      }
      if length < stop { break }
      try checkCancellation()
    }
    return length
  }

  /// Notes the changed elements between prefix and suffix; with updates as delete and insert they leave the matching.
  ///
  /// - Returns: Whether the matching is another one now.
  @inlinable
  @inline(__always)
  func updateMiddle<Source: PairSource>(
    _ source: Source, _ match: borrowing Buffer<Int32>, _ new: Range<Int>, _ script: inout Script
  ) throws(DiffError) -> Bool {
    try checkCancellation()
    var replaced = false
    let base = new.lowerBound
    let count = new.count
    var index = 0
    while index < count {
      let old = match[index]
      if old >= 0 && source.changed(Int(old), base &+ index) {
        script.update(Int(old), base &+ index)
        if script.replacesUpdated {
          match[index] = -1
          replaced = true
        }
      }
      index &+= 1
    }
    return replaced
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

  /// Writes the moves of a matching.
  ///
  /// - Parameter again: The matching lost pairs since its subsequence was found.
  @usableFromInline
  mutating func move(_ matching: borrowing Matching, _ new: Range<Int>, again: Bool) {
    let range = 0..<new.count
    if options.moves == .withoutSelfMoves {
      moves = movesWithoutSelfMoves(matching.match, range, offset: new.lowerBound)
    } else if again {
      moves = IncreasingSubsequence(matching.match, range).moves(matching.match, range, offset: new.lowerBound)
    } else {
      moves = matching.subsequence.moves(matching.match, range, offset: new.lowerBound)
    }
  }
}

/// The fewest moves of which none has a position as its own target.
///
/// Every element that keeps its position has to stay. Those never cross each other; what crosses one of them must move, and
/// of the rest a longest increasing subsequence stays.
func movesWithoutSelfMoves(_ match: borrowing Buffer<Int32>, _ range: Range<Int>, offset: Int) -> [Link] {
  var standing: [Int32] = []
  for index in range where Int(match[index]) == index + offset { standing.append(match[index]) }
  if standing.isEmpty { return IncreasingSubsequence(match, range).moves(match, range, offset: offset) }
  let compatible = Buffer<Int32>(capacity: range.upperBound)
  var crossing: [Link] = []
  var before = 0
  for index in range {
    let old = match[index]
    let new = Int32(truncatingIfNeeded: index + offset)
    while before < standing.count, standing[before] < new { before += 1 }
    if old >= 0, standing.countBelow(old) != before {
      crossing.append(Link(old: old, new: new))
      compatible[index] = -1
    } else {
      compatible[index] = old
    }
  }
  let moves = crossing + IncreasingSubsequence(compatible, range).moves(compatible, range, offset: offset)
  return moves.sorted { $0.new < $1.new }
}
