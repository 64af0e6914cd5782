/// The slots of a hash table with open addressing, 4 bytes each: an element's index, and as many bits of its hash as are left.
///
/// Bits that differ tell elements apart without looking at them; bits that agree prove nothing.
@usableFromInline
struct Slots: ~Copyable {
  @usableFromInline let slots: Buffer<UInt32>
  @usableFromInline let count: Int
  /// How many bits of a slot are the index.
  @usableFromInline let indexBits: UInt32

  @usableFromInline static var few: Int { 1024 }
  @usableFromInline static var empty: UInt32 { .max }

  /// Empty slots for up to `elements` elements with indices below that: three for each, or six where they fit the nearest
  /// cache, as a search that ends at once is one that no branch was guessed wrong in.
  @inlinable
  init(for elements: Int) {
    count = max(16, elements &* (elements <= Slots.few ? 6 : 3))
    slots = Buffer(repeating: Slots.empty, count: count)
    // As many as the number of elements itself needs, so that no slot in use looks empty.
    indexBits = UInt32(truncatingIfNeeded: Int.bitWidth &- elements.leadingZeroBitCount)
  }

  @inlinable
  subscript(place: Int) -> UInt32 {
    @inline(__always) get { slots[place] }
    @inline(__always) nonmutating set { slots[place] = newValue }
  }

  /// Where the search for a hash begins.
  @inlinable
  @inline(__always)
  func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: count)).high)
  }

  /// Where it goes on.
  @inlinable
  @inline(__always)
  func after(_ place: Int) -> Int { place &+ 1 == count ? 0 : place &+ 1 }

  /// The bits of a hash that slots hold, where they hold them.
  @inlinable
  @inline(__always)
  func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) &<< indexBits }

  /// The index in a slot whose tag is this one; else, and for an empty slot, a number above all indices.
  @inlinable
  @inline(__always)
  func index(_ slot: UInt32, _ tag: UInt32) -> Int { Int(truncatingIfNeeded: slot ^ tag) }

  @inlinable
  @inline(__always)
  func fill(_ place: Int, _ tag: UInt32, _ index: Int) { slots[place] = tag | UInt32(truncatingIfNeeded: index) }
}
