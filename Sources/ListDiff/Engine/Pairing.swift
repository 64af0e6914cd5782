/// One slot of the table: part of the hash, and which element.
@frozen
@usableFromInline
struct Slot: BitwiseCopyable {
  @usableFromInline var tag: UInt32
  @usableFromInline var index: Int32

  @inlinable
  @inline(__always)
  init(tag: UInt32, index: Int32) {
    self.tag = tag
    self.index = index
  }
}

/// Pairs equal identifiers of two lists in their order of occurrence: the symbol table of Heckel's algorithm (1978) with
/// duplicates chained instead of given up.
///
/// Open addressing over 8-byte slots; equal tags are confirmed by comparing identifiers. Elements with one identifier share
/// a slot, which points to the first that is free, so lists of duplicates stay linear.
@usableFromInline
struct Pairing: ~Copyable {
  /// Two and a half times as many as elements.
  @usableFromInline let slots: Buffer<Slot>
  @usableFromInline let slotCount: Int
  /// For each old ordinal the next with its identifier, or `last`, or `taken`.
  @usableFromInline let next: Buffer<Int32>
  /// How many pairs were found.
  @usableFromInline var hits = 0

  /// Nothing but the reason why the compiler cannot leave out the reads that warm the cache.
  @usableFromInline var warmth: UInt32 = 0

  @usableFromInline static var group: Int { 16 }
  @usableFromInline static var last: Int32 { -1 }
  @usableFromInline static var taken: Int32 { -2 }

  /// Pairs the ordinals of `source`, writing for each new one the old *position* or -1 to `match`, at its ordinal.
  ///
  /// - Parameter guarded: Also remember the new identifiers that have no old one, for ``mixes(_:_:)``.
  @inlinable
  @inline(__always)
  init<Source: OpenSource & ~Copyable>(
    _ source: borrowing Source, into match: borrowing Buffer<Int32>, guarded: Bool, differ: Differ
  ) throws(DiffError) {
    let oldCount = source.oldCount
    let newCount = source.newCount
    let entries = guarded ? oldCount + newCount : oldCount
    slotCount = max(16, entries * 2 + entries / 2)
    slots = Buffer(repeating: Slot(tag: 0, index: -1), count: slotCount)
    next = Buffer(capacity: oldCount)

    // Slots are reached in groups: the hashes first, then all their slots, whose cache misses overlap, then the searches.
    let hashes = Buffer<UInt64>(capacity: Pairing.group)
    var warmth: UInt32 = 0
    // Backwards, so that a slot ends up pointing to the first of its identifier.
    var u = oldCount
    while u > 0 {
      try differ.checkCancellation()
      let pause = max(0, u &- Differ.stride)
      while u > pause {
        let count = min(Pairing.group, u &- pause)
        for k in 0..<count { hashes[k] = source.hashOld(u &- 1 &- k) }
        for k in 0..<count { warmth &+= slots[home(hashes[k])].tag }
        for k in 0..<count { enter(u &- 1 &- k, hashes[k], source) }
        u &-= count
      }
    }
    var v = 0
    while v < newCount {
      try differ.checkCancellation()
      let pause = min(newCount, v &+ Differ.stride)
      while v < pause {
        let count = min(Pairing.group, pause &- v)
        for k in 0..<count { hashes[k] = source.hashNew(v &+ k) }
        for k in 0..<count { warmth &+= slots[home(hashes[k])].tag }
        for k in 0..<count { warmth &+= touch(hashes[k], source) }
        for k in 0..<count { match[v &+ k] = look(v &+ k, hashes[k], source, guarded) }
        v &+= count
      }
    }
    self.warmth = warmth
  }

  @inlinable
  @inline(__always)
  func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: slotCount)).high)
  }

  /// Reads the identifier that a search is likely to end at, so that the next ones need not wait for it.
  @inlinable
  @inline(__always)
  func touch<Source: OpenSource & ~Copyable>(_ hash: UInt64, _ source: borrowing Source) -> UInt32 {
    let slot = slots[home(hash)]
    guard slot.index >= 0, slot.index < source.oldCount, slot.tag == UInt32(truncatingIfNeeded: hash) else { return 0 }
    return UInt32(truncatingIfNeeded: source.sketchOld(Int(slot.index)))
  }

  @inlinable
  @inline(__always)
  func enter<Source: OpenSource & ~Copyable>(_ u: Int, _ hash: UInt64, _ source: borrowing Source) {
    let tag = UInt32(truncatingIfNeeded: hash)
    var at = home(hash)
    while true {
      let slot = slots[at]
      if slot.index < 0 {
        slots[at] = Slot(tag: tag, index: Int32(truncatingIfNeeded: u))
        next[u] = Pairing.last
        return
      }
      if slot.tag == tag && source.sameOld(Int(slot.index), u) {
        next[u] = slot.index
        slots[at].index = Int32(truncatingIfNeeded: u)
        return
      }
      at &+= 1
      if at == slotCount { at = 0 }
    }
  }

  @inlinable
  @inline(__always)
  mutating func look<Source: OpenSource & ~Copyable>(
    _ v: Int, _ hash: UInt64, _ source: borrowing Source, _ guarded: Bool
  ) -> Int32 {
    let tag = UInt32(truncatingIfNeeded: hash)
    var at = home(hash)
    while true {
      let slot = slots[at]
      if slot.index < 0 {
        if guarded { slots[at] = Slot(tag: tag, index: Int32(truncatingIfNeeded: source.oldCount &+ v)) }
        return -1
      }
      if slot.tag == tag {
        let u = Int(slot.index)
        if u >= source.oldCount {
          if source.sameNew(u &- source.oldCount, v) { return -1 }
        } else if source.same(u, v) {
          let following = next[u]
          if following == Pairing.taken { return -1 }
          next[u] = Pairing.taken
          if following >= 0 { slots[at].index = following }
          hits &+= 1
          return source.oldPosition(u)
        }
      }
      at &+= 1
      if at == slotCount { at = 0 }
    }
  }

  /// Whether new element `j`, paired by the walk, has an identifier that is also in the table.
  @inlinable
  func mixes<Base: PairSource>(_ j: Int, _ open: borrowing Open<Base>) -> Bool {
    let hash = open.base.hashNew(j)
    let tag = UInt32(truncatingIfNeeded: hash)
    var at = home(hash)
    while true {
      let slot = slots[at]
      if slot.index < 0 { return false }
      if slot.tag == tag {
        let u = Int(slot.index)
        if u >= open.oldCount {
          if open.base.sameNew(Int(open.new[u &- open.oldCount]), j) { return true }
        } else if open.base.same(Int(open.old[u]), j) {
          return true
        }
      }
      at &+= 1
      if at == slotCount { at = 0 }
    }
  }
}
