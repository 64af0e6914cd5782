/// One of two lists, seen alone.
@usableFromInline
protocol ListSide {
  var count: Int { get }
  func same(_ i: Int, _ k: Int) -> Bool
  func hash(_ i: Int) -> UInt64
}

@usableFromInline
struct OldSide<Source: PairSource>: ListSide {
  @usableFromInline let source: Source
  @inlinable init(_ source: Source) { self.source = source }
  @inlinable var count: Int { source.oldCount }
  @inlinable func same(_ i: Int, _ k: Int) -> Bool { source.sameOld(i, k) }
  @inlinable func hash(_ i: Int) -> UInt64 { source.hashOld(i) }
}

@usableFromInline
struct NewSide<Source: PairSource>: ListSide {
  @usableFromInline let source: Source
  @inlinable init(_ source: Source) { self.source = source }
  @inlinable var count: Int { source.newCount }
  @inlinable func same(_ i: Int, _ k: Int) -> Bool { source.sameNew(i, k) }
  @inlinable func hash(_ i: Int) -> UInt64 { source.hashNew(i) }
}

/// Finds identifiers that occur more than once in a list.
@usableFromInline
enum Occurrences {
  /// The first element, in order, whose identifier has occurred before, and where that was.
  @inlinable
  static func firstDuplicate<Side: ListSide>(_ side: Side, _ differ: Differ) throws(DiffError) -> (first: Int, second: Int)? {
    var duplicate: (first: Int, second: Int)?
    try scan(side, differ) { first, second in
      duplicate = (first, second)
      return false
    }
    return duplicate
  }

  /// The positions of the first element with each identifier, ascending.
  @inlinable
  static func first<Side: ListSide>(_ side: Side, _ differ: Differ) throws(DiffError) -> [Int32] {
    var later: [Int32] = []
    try scan(side, differ) { _, second in
      later.append(Int32(truncatingIfNeeded: second))
      return true
    }
    var kept: [Int32] = []
    kept.reserveCapacity(side.count - later.count)
    var next = 0
    for position in 0..<side.count {
      if next < later.count, Int(later[next]) == position { next += 1 } else { kept.append(Int32(truncatingIfNeeded: position)) }
    }
    return kept
  }

  /// Calls `body` with the place of the first and the place of each later element with an identifier, until it says stop.
  @inlinable
  @inline(__always)
  static func scan<Side: ListSide>(_ side: Side, _ differ: Differ, _ body: (Int, Int) -> Bool) throws(DiffError) {
    try scan(side, Slots(for: side.count), differ, body)
  }

  /// The same with a table that the first element with each identifier is left in.
  @inlinable
  @inline(__always)
  static func scan<Side: ListSide>(
    _ side: Side, _ slots: borrowing Slots, _ differ: Differ, _ body: (Int, Int) -> Bool
  ) throws(DiffError) {
    let count = side.count
    var position = 0
    while position < count {
      try differ.checkCancellation()
      let stop = min(count, position &+ Differ.stride)
      next: while position < stop {
        let hash = side.hash(position)
        let tag = slots.tag(hash)
        var at = slots.home(hash)
        defer { position &+= 1 }
        while true {
          let slot = slots[at]
          if slot == Slots.empty {
            slots.fill(at, tag, position)
            continue next
          }
          let first = slots.index(slot, tag)
          if first < count && side.same(first, position) {
            if !body(first, position) { return }
            continue next
          }
          at = slots.after(at)
        }
      }
    }
  }
}

/// The first element with each identifier of a list.
@usableFromInline
struct FirstOccurrences: ~Copyable {
  @usableFromInline let slots: Slots
  @usableFromInline let count: Int

  @inlinable
  init<Side: ListSide>(_ side: Side, _ differ: Differ) throws(DiffError) {
    let slots = Slots(for: side.count)
    try Occurrences.scan(side, slots, differ) { _, _ in true }
    self.slots = slots
    count = side.count
  }

  /// The first element with an identifier of this hash for which `same` holds, or nil.
  @inlinable
  @inline(__always)
  func first(_ hash: UInt64, _ same: (Int) -> Bool) -> Int? {
    let tag = slots.tag(hash)
    var at = slots.home(hash)
    while true {
      let slot = slots[at]
      if slot == Slots.empty { return nil }
      let index = slots.index(slot, tag)
      if index < count && same(index) { return index }
      at = slots.after(at)
    }
  }
}
