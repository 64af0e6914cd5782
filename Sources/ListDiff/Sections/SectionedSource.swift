/// What the engine asks of two lists of sections.
@usableFromInline
protocol SectionedSource: ~Copyable {
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
struct SectionedElements<Section: DiffableSection, Rule: IdentityRule>: SectionedSource, ~Copyable {
  @usableFromInline let sections: Elements<Section, Rule>
  @usableFromInline let items = ItemsInPlace<Section.Item, Rule>()
  /// Drawn once, and held: the storage below is theirs. Whoever makes this value keeps it to the end of the diff.
  @usableFromInline let held: [[Section.Item]]
  /// The storage of a native array stays where it is as long as the array is held and not written to. Old sections come
  /// before new ones.
  @usableFromInline let storage: Buffer<UnsafeBufferPointer<Section.Item>>
  @usableFromInline let oldCount: Int

  @inlinable
  init(old: UnsafeBufferPointer<Section>, new: UnsafeBufferPointer<Section>) {
    unsafe sections = Elements(old: old, new: new)
    oldCount = old.count
    var held: [[Section.Item]] = []
    held.reserveCapacity(old.count + new.count)
    for index in old.indices { held.append(unsafe old[index].items) }
    for index in new.indices { held.append(unsafe new[index].items) }
    let storage = unsafe Buffer<UnsafeBufferPointer<Section.Item>>(capacity: held.count)
    for index in held.indices { unsafe held[index].withUnsafeBufferPointer { unsafe storage[index] = $0 } }
    unsafe self.storage = storage
    self.held = held
  }

  @inlinable
  @inline(__always)
  func local(_ old: Int, _ new: Int) -> Elements<Section.Item, Rule> {
    unsafe Elements(old: storage[old], new: storage[oldCount &+ new], hash: items.hash)
  }

  @inlinable func oldItemCount(_ section: Int) -> Int { unsafe storage[section].count }
  @inlinable func newItemCount(_ section: Int) -> Int { unsafe storage[oldCount &+ section].count }
  @inlinable func oldAddress(_ section: Int) -> Int { unsafe Int(bitPattern: storage[section].baseAddress) }
  @inlinable func newAddress(_ section: Int) -> Int { unsafe Int(bitPattern: storage[oldCount &+ section].baseAddress) }
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
struct OpenItems<Items: PairSource>: PairSource, ~Copyable {
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
