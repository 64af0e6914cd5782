/// What the engine asks of two lists of sections.
@usableFromInline
protocol SectionedSource {
  /// The sections by position.
  associatedtype Sections: PairSource
  /// The items of one old and one new section by position.
  associatedtype Local: PairSource
  /// All items by address.
  associatedtype Items: PairSource

  var sections: Sections { get }
  var items: Items { get }
  func local(_ old: Int, _ new: Int) -> Local
  func oldItemCount(_ section: Int) -> Int
  func newItemCount(_ section: Int) -> Int
  /// The address of a section's first item; the others follow at `addressStride`.
  func oldAddress(_ section: Int) -> Int
  func newAddress(_ section: Int) -> Int
  var addressStride: Int { get }
}

/// Two arrays of sections, their items read in place.
@safe
@usableFromInline
struct SectionedElements<Section: DiffableSection, Rule: IdentityRule>: SectionedSource {
  @usableFromInline let sections: Elements<Section, Rule>
  @usableFromInline let items = ItemsInPlace<Section.Item, Rule>()
  /// Drawn once, and held: the storage below is theirs. Whoever makes this value keeps it to the end of the diff.
  @usableFromInline let held: [[Section.Item]]
  /// The storage of a native array stays where it is as long as the array is held and not written to.
  @usableFromInline let oldItems: [UnsafeBufferPointer<Section.Item>]
  @usableFromInline let newItems: [UnsafeBufferPointer<Section.Item>]

  @inlinable
  init(old: UnsafeBufferPointer<Section>, new: UnsafeBufferPointer<Section>) {
    unsafe sections = Elements(old: old, new: new)
    held = unsafe old.map { $0.items } + new.map { $0.items }
    var storage = unsafe [UnsafeBufferPointer<Section.Item>]()
    unsafe storage.reserveCapacity(held.count)
    for items in held { unsafe items.withUnsafeBufferPointer { unsafe storage.append($0) } }
    unsafe oldItems = Array(storage[..<old.count])
    unsafe newItems = Array(storage[old.count...])
  }

  @inlinable
  @inline(__always)
  func local(_ old: Int, _ new: Int) -> Elements<Section.Item, Rule> {
    unsafe Elements(old: oldItems[old], new: newItems[new], hash: items.hash)
  }

  @inlinable func oldItemCount(_ section: Int) -> Int { unsafe oldItems[section].count }
  @inlinable func newItemCount(_ section: Int) -> Int { unsafe newItems[section].count }
  @inlinable func oldAddress(_ section: Int) -> Int { unsafe Int(bitPattern: oldItems[section].baseAddress) }
  @inlinable func newAddress(_ section: Int) -> Int { unsafe Int(bitPattern: newItems[section].baseAddress) }
  @inlinable var addressStride: Int { MemoryLayout<Section.Item>.stride }
}

/// Items by the address they have in memory that somebody else holds.
@safe
@usableFromInline
struct ItemsInPlace<Item: Diffable, Rule: IdentityRule>: PairSource {
  @usableFromInline let hash = Hash()

  @inlinable init() {}

  @inlinable
  @inline(__always)
  func at(_ address: Int) -> UnsafePointer<Item> { unsafe UnsafePointer(bitPattern: address).unsafelyUnwrapped }

  @inlinable var oldCount: Int { 0 }
  @inlinable var newCount: Int { 0 }
  @inlinable @inline(__always) func same(_ i: Int, _ j: Int) -> Bool { unsafe Rule.same(at(i).pointee.diffID, at(j).pointee.diffID) }
  @inlinable @inline(__always) func sameOld(_ i: Int, _ k: Int) -> Bool { same(i, k) }
  @inlinable @inline(__always) func sameNew(_ j: Int, _ k: Int) -> Bool { same(j, k) }
  @inlinable @inline(__always) func changed(_ i: Int, _ j: Int) -> Bool { unsafe !at(i).pointee.hasSameContent(as: at(j).pointee) }
  @inlinable @inline(__always) func hashOld(_ i: Int) -> UInt64 { unsafe Rule.hash(at(i).pointee.diffID, hash) }
  @inlinable @inline(__always) func hashNew(_ j: Int) -> UInt64 { hashOld(j) }
  @inlinable @inline(__always) func sketchOld(_ i: Int) -> UInt64 { unsafe Rule.sketch(at(i).pointee.diffID, hash) }
  @inlinable @inline(__always) func sketchNew(_ j: Int) -> UInt64 { sketchOld(j) }
  @inlinable func describeOld(_ i: Int) -> String { unsafe String(describing: at(i).pointee.diffID) }
  @inlinable func describeNew(_ j: Int) -> String { describeOld(j) }
}

/// What the walks in all sections left open, by address.
@usableFromInline
struct OpenItems<Items: PairSource>: OpenSource, ~Copyable {
  @usableFromInline let items: Items
  @usableFromInline let old: Buffer<Int>
  @usableFromInline let new: Buffer<Int>
  @usableFromInline let oldCount: Int
  @usableFromInline let newCount: Int

  @inlinable
  init(_ items: Items, old: consuming Buffer<Int>, _ oldCount: Int, new: consuming Buffer<Int>, _ newCount: Int) {
    self.items = items
    self.old = old
    self.new = new
    self.oldCount = oldCount
    self.newCount = newCount
  }

  @inlinable @inline(__always) func oldPosition(_ u: Int) -> Int32 { Int32(truncatingIfNeeded: u) }
  @inlinable @inline(__always) func same(_ i: Int, _ j: Int) -> Bool { items.same(old[i], new[j]) }
  @inlinable @inline(__always) func sameOld(_ i: Int, _ k: Int) -> Bool { items.sameOld(old[i], old[k]) }
  @inlinable @inline(__always) func sameNew(_ j: Int, _ k: Int) -> Bool { items.sameNew(new[j], new[k]) }
  @inlinable @inline(__always) func changed(_ i: Int, _ j: Int) -> Bool { items.changed(old[i], new[j]) }
  @inlinable @inline(__always) func hashOld(_ i: Int) -> UInt64 { items.hashOld(old[i]) }
  @inlinable @inline(__always) func hashNew(_ j: Int) -> UInt64 { items.hashNew(new[j]) }
  @inlinable @inline(__always) func sketchOld(_ i: Int) -> UInt64 { items.sketchOld(old[i]) }
  @inlinable @inline(__always) func sketchNew(_ j: Int) -> UInt64 { items.sketchNew(new[j]) }
  @inlinable func describeOld(_ i: Int) -> String { items.describeOld(old[i]) }
  @inlinable func describeNew(_ j: Int) -> String { items.describeNew(new[j]) }
}

/// The items of all sections on one side, by address, for the search for duplicates.
@usableFromInline
struct AllItems<Items: PairSource>: ListSide {
  @usableFromInline let items: Items
  @usableFromInline let addresses: [Int]
  @usableFromInline let isOld: Bool

  @inlinable
  init(_ items: Items, _ addresses: [Int], isOld: Bool) {
    self.items = items
    self.addresses = addresses
    self.isOld = isOld
  }

  @inlinable var count: Int { addresses.count }
  @inlinable func same(_ i: Int, _ k: Int) -> Bool {
    isOld ? items.sameOld(addresses[i], addresses[k]) : items.sameNew(addresses[i], addresses[k])
  }
  @inlinable func hash(_ i: Int) -> UInt64 { isOld ? items.hashOld(addresses[i]) : items.hashNew(addresses[i]) }
}
