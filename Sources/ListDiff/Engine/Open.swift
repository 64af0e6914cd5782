/// The positions that the walk could not pair, ascending on both sides, and the pairs that deserve a second look.
///
/// The walk pairs duplicates as it meets them. A pair is the one that the rule of occurrence makes, too, unless its identifier
/// was left open before, on either side: a filter of the open ones finds the suspects, with few false alarms.
@usableFromInline
struct Open<Base: PairSource>: OpenSource, ~Copyable {
  @usableFromInline let base: Base
  @usableFromInline let old: Buffer<Int32>
  @usableFromInline let new: Buffer<Int32>
  @usableFromInline var oldCount = 0
  @usableFromInline var newCount = 0
  /// One bit for each sketch of an open element.
  @usableFromInline let filter: Buffer<UInt64>
  @usableFromInline let filterMask: UInt64
  /// New positions whose pair may not be that of the rule of occurrence, ascending.
  @usableFromInline var suspects: [Int32] = []
  /// Whether suspects are wanted.
  @usableFromInline let watches: Bool

  @inlinable
  init(_ base: Base, oldCapacity: Int, newCapacity: Int, watches: Bool) {
    self.base = base
    self.watches = watches
    old = Buffer(capacity: oldCapacity)
    new = Buffer(capacity: newCapacity)
    var words = 1
    while watches && words * 64 < newCapacity { words <<= 1 }
    filter = Buffer(repeating: 0, count: words)
    filterMask = UInt64(words * 64 - 1)
  }

  @inlinable
  @inline(__always)
  mutating func leaveOld(_ position: Int) {
    old[oldCount] = Int32(truncatingIfNeeded: position)
    oldCount &+= 1
  }

  @inlinable
  @inline(__always)
  mutating func leaveNew(_ position: Int) {
    new[newCount] = Int32(truncatingIfNeeded: position)
    newCount &+= 1
  }

  @inlinable
  @inline(__always)
  func remember(_ sketch: UInt64) {
    let bit = sketch & filterMask
    filter[Int(truncatingIfNeeded: bit >> 6)] |= 1 << (bit & 63)
  }

  /// Notes a pair to look at again.
  @inlinable
  @inline(never)
  mutating func suspect(_ position: Int) { suspects.append(Int32(truncatingIfNeeded: position)) }

  /// Whether an element with this sketch may have been left open.
  @inlinable
  @inline(__always)
  func mayHold(_ sketch: UInt64) -> Bool {
    let bit = sketch & filterMask
    return filter[Int(truncatingIfNeeded: bit >> 6)] & (1 << (bit & 63)) != 0
  }

  @inlinable @inline(__always) func oldPosition(_ u: Int) -> Int32 { old[u] }
  @inlinable @inline(__always) func same(_ i: Int, _ j: Int) -> Bool { base.same(Int(old[i]), Int(new[j])) }
  @inlinable @inline(__always) func sameOld(_ i: Int, _ k: Int) -> Bool { base.sameOld(Int(old[i]), Int(old[k])) }
  @inlinable @inline(__always) func sameNew(_ j: Int, _ k: Int) -> Bool { base.sameNew(Int(new[j]), Int(new[k])) }
  @inlinable @inline(__always) func changed(_ i: Int, _ j: Int) -> Bool { base.changed(Int(old[i]), Int(new[j])) }
  @inlinable @inline(__always) func hashOld(_ i: Int) -> UInt64 { base.hashOld(Int(old[i])) }
  @inlinable @inline(__always) func hashNew(_ j: Int) -> UInt64 { base.hashNew(Int(new[j])) }
  @inlinable @inline(__always) func sketchOld(_ i: Int) -> UInt64 { base.sketchOld(Int(old[i])) }
  @inlinable @inline(__always) func sketchNew(_ j: Int) -> UInt64 { base.sketchNew(Int(new[j])) }
  @inlinable func describeOld(_ i: Int) -> String { base.describeOld(Int(old[i])) }
  @inlinable func describeNew(_ j: Int) -> String { base.describeNew(Int(new[j])) }
}
