/// Pairs equal identifiers of two lists in their order of occurrence: the symbol table of Heckel's algorithm (1978) with
/// duplicates chained instead of given up.
///
/// Elements with one identifier share a slot, which points to the first that is free, so lists of duplicates stay linear.
@usableFromInline
struct Pairing: ~Copyable {
  @usableFromInline let slots: Slots
  /// One bit for each old ordinal that has a partner.
  @usableFromInline let taken: Buffer<UInt64>
  /// One bit for each new ordinal that has a partner with another content.
  @usableFromInline let changed: Buffer<UInt64>
  /// For each old ordinal the next with its identifier, or `last`; undefined until there is one.
  @usableFromInline let next: Buffer<Int32>
  @usableFromInline var hasDuplicates = false
  @usableFromInline let oldCount: Int
  /// How many pairs were found.
  @usableFromInline var hits = 0

  /// Nothing but the reason why the compiler cannot leave out the reads that warm the cache.
  @usableFromInline var warmth: UInt32 = 0

  @usableFromInline static var group: Int { 16 }
  @usableFromInline static var last: Int32 { -1 }
  /// Up to so many slots are near enough to be searched without being warmed.
  @usableFromInline static var nearby: Int { 6144 }

  /// Pairs the ordinals of `source`, writing for each new one the old ordinal or -1 to `found`.
  ///
  /// - Parameter guarded: Also remember the new identifiers that have no old one, for ``holds(_:_:)``.
  @inlinable
  @inline(__always)
  init<Source: PairSource & ~Copyable>(
    _ source: borrowing Source, into found: borrowing Buffer<Int32>, guarded: Bool, differ: Differ
  ) throws(DiffError) {
    oldCount = source.oldCount
    let newCount = source.newCount
    slots = Slots(for: guarded ? oldCount &+ newCount : oldCount)
    taken = Buffer(repeating: 0, count: (oldCount &+ 63) >> 6)
    changed = Buffer(repeating: 0, count: (newCount &+ 63) >> 6)
    next = Buffer(capacity: oldCount)
    if oldCount == 0 || newCount == 0 {
      for v in 0..<newCount { found[v] = -1 }
      return
    }

    // Slots are reached in groups: the hashes first, then all their slots, whose cache misses overlap, then the searches.
    let hashes = Buffer<UInt64>(capacity: Pairing.group)
    let isFar = slots.count > Pairing.nearby
    var warmth: UInt32 = 0
    // Backwards, so that a slot ends up pointing to the first of its identifier.
    var u = oldCount
    while u > 0 {
      try differ.checkCancellation()
      let pause = max(0, u &- Differ.stride)
      while u > pause {
        let count = min(Pairing.group, u &- pause)
        for k in 0..<count { hashes[k] = source.hashOld(u &- 1 &- k) }
        if isFar { for k in 0..<count { warmth &+= slots[slots.home(hashes[k])] } }
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
        if isFar {
          for k in 0..<count { warmth &+= slots[slots.home(hashes[k])] }
          for k in 0..<count { warmth &+= touch(hashes[k], source) }
        }
        for k in 0..<count { found[v &+ k] = look(v &+ k, hashes[k], source, guarded) }
        v &+= count
      }
    }
    self.warmth = warmth
  }

  /// Reads the identifier that a search is likely to end at, so that the next ones need not wait for it.
  @inlinable
  @inline(__always)
  func touch<Source: PairSource & ~Copyable>(_ hash: UInt64, _ source: borrowing Source) -> UInt32 {
    let u = slots.index(slots[slots.home(hash)], slots.tag(hash))
    return u < oldCount ? UInt32(truncatingIfNeeded: source.sketchOld(u)) : 0
  }

  @inlinable
  @inline(__always)
  mutating func enter<Source: PairSource & ~Copyable>(_ u: Int, _ hash: UInt64, _ source: borrowing Source) {
    let tag = slots.tag(hash)
    var at = slots.home(hash)
    while true {
      let slot = slots[at]
      if slot == Slots.empty {
        slots.fill(at, tag, u)
        return
      }
      let first = slots.index(slot, tag)
      if first < oldCount && source.sameOld(first, u) {
        chain(u, before: first)
        slots.fill(at, tag, u)
        return
      }
      at = slots.after(at)
    }
  }

  /// Notes that `first` is the next one after `u` with its identifier.
  @usableFromInline
  mutating func chain(_ u: Int, before first: Int) {
    if !hasDuplicates {
      hasDuplicates = true
      for ordinal in 0..<oldCount { next[ordinal] = Pairing.last }
    }
    next[u] = Int32(truncatingIfNeeded: first)
  }

  @inlinable
  @inline(__always)
  mutating func look<Source: PairSource & ~Copyable>(
    _ v: Int, _ hash: UInt64, _ source: borrowing Source, _ guarded: Bool
  ) -> Int32 {
    let tag = slots.tag(hash)
    var at = slots.home(hash)
    while true {
      let slot = slots[at]
      if slot == Slots.empty {
        if guarded { slots.fill(at, tag, oldCount &+ v) }
        return -1
      }
      let u = slots.index(slot, tag)
      if u < oldCount {
        if source.same(u, v) {
          let partner = take(u, at, tag)
          if partner >= 0 && source.changed(u, v) { changed[v >> 6] |= 1 << UInt64(truncatingIfNeeded: v & 63) }
          return partner
        }
      } else if guarded && u < oldCount &+ source.newCount && source.sameNew(u &- oldCount, v) {
        return -1
      }
      at = slots.after(at)
    }
  }

  /// Gives away an old element if it is free still, and lets its slot point to the next with its identifier.
  @inlinable
  @inline(__always)
  mutating func take(_ u: Int, _ at: Int, _ tag: UInt32) -> Int32 {
    let word = taken[u >> 6]
    let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: u & 63)
    if word & bit != 0 { return -1 }
    taken[u >> 6] = word | bit
    hits &+= 1
    if hasDuplicates {
      let following = next[u]
      if following >= 0 { slots.fill(at, tag, Int(following)) }
    }
    return Int32(truncatingIfNeeded: u)
  }

  /// Whether the identifier of new element `j`, which is none of the ordinals, is in the table.
  @inlinable
  func holds<Base: PairSource>(_ j: Int, _ open: borrowing Open<Base>) -> Bool {
    let hash = open.base.hashNew(j)
    let tag = slots.tag(hash)
    var at = slots.home(hash)
    while true {
      let slot = slots[at]
      if slot == Slots.empty { return false }
      let u = slots.index(slot, tag)
      if u < oldCount {
        if open.base.same(Int(open.old[u]), j) { return true }
      } else if u < oldCount &+ open.newCount && open.base.sameNew(Int(open.new[u &- oldCount]), j) {
        return true
      }
      at = slots.after(at)
    }
  }

  /// Calls `body` with each new ordinal whose partner has another content, ascending.
  @inlinable
  @inline(__always)
  func forEachChanged(_ newCount: Int, _ body: (Int) -> Void) {
    for word in 0..<((newCount &+ 63) >> 6) {
      var bits = changed[word]
      while bits != 0 {
        body(word << 6 | bits.trailingZeroBitCount)
        bits &= bits &- 1
      }
    }
  }

  /// The positions of the old ordinals that found no partner, ascending.
  @inlinable
  @inline(__always)
  func left(_ position: (Int) -> Int32) -> [Int32] {
    guard hits < oldCount else { return [] }
    var positions: [Int32] = []
    positions.reserveCapacity(oldCount &- hits)
    var start = 0
    while start < oldCount {
      var free = ~taken[start >> 6]
      if oldCount &- start < 64 { free &= (1 << UInt64(truncatingIfNeeded: oldCount &- start)) &- 1 }
      while free != 0 {
        positions.append(position(start &+ free.trailingZeroBitCount))
        free &= free &- 1
      }
      start &+= 64
    }
    return positions
  }
}
