/// The positions that the walk could not pair, ascending on both sides, and the pairs that deserve a second look.
///
/// All positions between belong to pairs, in order, so that nothing has to be written down for a pair: the *k*-th open
/// position `p` of a list that begins at `b` has `p - b - k` pairs before it.
///
/// The walk pairs duplicates as it meets them. A pair is the one that the rule of occurrence makes, too, unless its identifier
/// was left open before, on either side: a filter of the open ones finds the suspects, with few false alarms, which
/// ``passed(_:_:)`` drops.
@usableFromInline
struct Open<Base: PairSource>: PairSource, ~Copyable {
  @usableFromInline let base: Base
  @usableFromInline let old: Buffer<Int32>
  @usableFromInline let new: Buffer<Int32>
  @usableFromInline var oldCount = 0
  @usableFromInline var newCount = 0
  /// One bit for each sketch of an open element.
  @usableFromInline let filter: Buffer<UInt64>
  @usableFromInline let filterMask: UInt64
  /// Pairs that may not be those of the rule of occurrence, ascending.
  @usableFromInline var suspects: [Link] = []
  /// Whether suspects are wanted.
  @usableFromInline let watches: Bool

  @inlinable
  init(_ base: Base, oldCapacity: Int, newCapacity: Int, watches: Bool) {
    self.base = base
    self.watches = watches
    old = Buffer(capacity: oldCapacity)
    new = Buffer(capacity: newCapacity)
    // Two bits an element: with one in ten open, one in twenty pairs is looked at in vain.
    var words = 1
    while watches && words &* 32 < newCapacity { words <<= 1 }
    filter = Buffer(repeating: 0, count: words)
    filterMask = UInt64(truncatingIfNeeded: words &* 64 &- 1)
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
  mutating func suspect(_ old: Int, _ new: Int) {
    suspects.append(Link(old: Int32(truncatingIfNeeded: old), new: Int32(truncatingIfNeeded: new)))
  }

  /// Whether an element with this sketch may have been left open.
  @inlinable
  @inline(__always)
  func mayHold(_ sketch: UInt64) -> Bool {
    let bit = sketch & filterMask
    return filter[Int(truncatingIfNeeded: bit >> 6)] & (1 << (bit & 63)) != 0
  }

  /// Those of `pairs` whose identifier really was left open before them, on either side.
  ///
  /// To pair one of the others anew would give it the same partner, but as a single instead of a link of the chain: as many
  /// moves, perhaps of other elements. Which false alarms there are is a matter of hashes, and a result is none.
  @inlinable
  func passed(_ pairs: [Link], _ differ: Differ) throws(DiffError) -> [Link] {
    let open = Subset(base, old: old.array(0..<oldCount), new: new.array(0..<newCount))
    let olds = try FirstOccurrences(OldSide(open), differ)
    let news = try FirstOccurrences(NewSide(open), differ)
    var passed: [Link] = []
    for pair in pairs {
      let element = Int(pair.new)
      let hash = base.hashNew(element)
      if let first = olds.first(hash, { base.same(Int(open.old[$0]), element) }), open.old[first] < pair.old {
        passed.append(pair)
      } else if let first = news.first(hash, { base.sameNew(Int(open.new[$0]), element) }), open.new[first] < pair.new {
        passed.append(pair)
      }
    }
    return passed
  }

  /// The same with some pairs left open as well; those ascend.
  @inlinable
  func reopening(_ pairs: [Link]) -> Open<Base> {
    var more = Open(base, oldCapacity: oldCount &+ pairs.count, newCapacity: newCount &+ pairs.count, watches: false)
    var (u, v) = (0, 0)
    for pair in pairs {
      while u < oldCount && old[u] < pair.old {
        more.leaveOld(Int(old[u]))
        u &+= 1
      }
      more.leaveOld(Int(pair.old))
      while v < newCount && new[v] < pair.new {
        more.leaveNew(Int(new[v]))
        v &+= 1
      }
      more.leaveNew(Int(pair.new))
    }
    while u < oldCount {
      more.leaveOld(Int(old[u]))
      u &+= 1
    }
    while v < newCount {
      more.leaveNew(Int(new[v]))
      v &+= 1
    }
    return more
  }

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
