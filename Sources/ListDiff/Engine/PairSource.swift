/// What the engine asks of an old and a new list: everything by position, no element is copied.
@usableFromInline
package protocol PairSource: ~Copyable {
  var oldCount: Int { get }
  var newCount: Int { get }
  /// Whether old[i] and new[j] are the same element.
  func same(_ i: Int, _ j: Int) -> Bool
  /// Whether old[i] and old[k] have the same identifier.
  func sameOld(_ i: Int, _ k: Int) -> Bool
  /// Whether new[j] and new[k] have the same identifier.
  func sameNew(_ j: Int, _ k: Int) -> Bool
  /// Whether the content of an element differs, given that it is the same element.
  func changed(_ i: Int, _ j: Int) -> Bool
  /// A seeded hash of the identifier of old[i]; all 64 bits count.
  func hashOld(_ i: Int) -> UInt64
  func hashNew(_ j: Int) -> UInt64
  /// A cheaper hash of an identifier that may be weaker; nothing is concluded from two that are equal.
  func sketchOld(_ i: Int) -> UInt64
  func sketchNew(_ j: Int) -> UInt64
  /// The identifiers in words, for an error.
  func describeOld(_ i: Int) -> String
  func describeNew(_ j: Int) -> String
}

/// A part of a pair of lists, by the positions that count.
@usableFromInline
struct Subset<Base: PairSource>: PairSource {
  @usableFromInline let base: Base
  @usableFromInline let old: [Int32]
  @usableFromInline let new: [Int32]

  @inlinable
  init(_ base: Base, old: [Int32], new: [Int32]) {
    self.base = base
    self.old = old
    self.new = new
  }

  @inlinable var oldCount: Int { old.count }
  @inlinable var newCount: Int { new.count }
  @inlinable func same(_ i: Int, _ j: Int) -> Bool { base.same(Int(old[i]), Int(new[j])) }
  @inlinable func sameOld(_ i: Int, _ k: Int) -> Bool { base.sameOld(Int(old[i]), Int(old[k])) }
  @inlinable func sameNew(_ j: Int, _ k: Int) -> Bool { base.sameNew(Int(new[j]), Int(new[k])) }
  @inlinable func changed(_ i: Int, _ j: Int) -> Bool { base.changed(Int(old[i]), Int(new[j])) }
  @inlinable func hashOld(_ i: Int) -> UInt64 { base.hashOld(Int(old[i])) }
  @inlinable func hashNew(_ j: Int) -> UInt64 { base.hashNew(Int(new[j])) }
  @inlinable func sketchOld(_ i: Int) -> UInt64 { base.sketchOld(Int(old[i])) }
  @inlinable func sketchNew(_ j: Int) -> UInt64 { base.sketchNew(Int(new[j])) }
  @inlinable func describeOld(_ i: Int) -> String { base.describeOld(Int(old[i])) }
  @inlinable func describeNew(_ j: Int) -> String { base.describeNew(Int(new[j])) }
}

/// Everything between the common prefix and the common suffix.
@usableFromInline
struct Window<Base: PairSource>: PairSource {
  @usableFromInline let base: Base
  @usableFromInline let old: Range<Int>
  @usableFromInline let new: Range<Int>

  @inlinable
  init(_ base: Base, old: Range<Int>, new: Range<Int>) {
    self.base = base
    self.old = old
    self.new = new
  }

  @inlinable var oldCount: Int { old.count }
  @inlinable var newCount: Int { new.count }
  @inlinable @inline(__always) func same(_ i: Int, _ j: Int) -> Bool { base.same(old.lowerBound &+ i, new.lowerBound &+ j) }
  @inlinable @inline(__always) func sameOld(_ i: Int, _ k: Int) -> Bool { base.sameOld(old.lowerBound &+ i, old.lowerBound &+ k) }
  @inlinable @inline(__always) func sameNew(_ j: Int, _ k: Int) -> Bool { base.sameNew(new.lowerBound &+ j, new.lowerBound &+ k) }
  @inlinable @inline(__always) func changed(_ i: Int, _ j: Int) -> Bool { base.changed(old.lowerBound &+ i, new.lowerBound &+ j) }
  @inlinable @inline(__always) func hashOld(_ i: Int) -> UInt64 { base.hashOld(old.lowerBound &+ i) }
  @inlinable @inline(__always) func hashNew(_ j: Int) -> UInt64 { base.hashNew(new.lowerBound &+ j) }
  @inlinable @inline(__always) func sketchOld(_ i: Int) -> UInt64 { base.sketchOld(old.lowerBound &+ i) }
  @inlinable @inline(__always) func sketchNew(_ j: Int) -> UInt64 { base.sketchNew(new.lowerBound &+ j) }
  @inlinable func describeOld(_ i: Int) -> String { base.describeOld(old.lowerBound &+ i) }
  @inlinable func describeNew(_ j: Int) -> String { base.describeNew(new.lowerBound &+ j) }
}
