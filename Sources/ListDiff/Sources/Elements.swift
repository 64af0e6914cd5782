/// Two arrays of diffable elements, read in place.
@safe
@usableFromInline
struct Elements<Element: Diffable, Rule: IdentityRule>: PairSource {
  @usableFromInline let old: UnsafeBufferPointer<Element>
  @usableFromInline let new: UnsafeBufferPointer<Element>
  @usableFromInline let hash: Hash

  @inlinable
  @inline(__always)
  init(old: UnsafeBufferPointer<Element>, new: UnsafeBufferPointer<Element>, hash: Hash = Hash()) {
    unsafe self.old = old
    unsafe self.new = new
    self.hash = hash
  }

  @inlinable var oldCount: Int { unsafe old.count }
  @inlinable var newCount: Int { unsafe new.count }

  @inlinable
  @inline(__always)
  func same(_ i: Int, _ j: Int) -> Bool {
    unsafe Rule.same(old.baseAddress.unsafelyUnwrapped[i].diffID, new.baseAddress.unsafelyUnwrapped[j].diffID)
  }

  @inlinable
  @inline(__always)
  func sameOld(_ i: Int, _ k: Int) -> Bool {
    unsafe Rule.same(old.baseAddress.unsafelyUnwrapped[i].diffID, old.baseAddress.unsafelyUnwrapped[k].diffID)
  }

  @inlinable
  @inline(__always)
  func sameNew(_ j: Int, _ k: Int) -> Bool {
    unsafe Rule.same(new.baseAddress.unsafelyUnwrapped[j].diffID, new.baseAddress.unsafelyUnwrapped[k].diffID)
  }

  @inlinable
  @inline(__always)
  func changed(_ i: Int, _ j: Int) -> Bool {
    unsafe !old.baseAddress.unsafelyUnwrapped[i].hasSameContent(as: new.baseAddress.unsafelyUnwrapped[j])
  }

  @inlinable
  @inline(__always)
  func hashOld(_ i: Int) -> UInt64 { unsafe Rule.hash(old.baseAddress.unsafelyUnwrapped[i].diffID, hash) }

  @inlinable
  @inline(__always)
  func hashNew(_ j: Int) -> UInt64 { unsafe Rule.hash(new.baseAddress.unsafelyUnwrapped[j].diffID, hash) }

  @inlinable
  @inline(__always)
  func sketchOld(_ i: Int) -> UInt64 { unsafe Rule.sketch(old.baseAddress.unsafelyUnwrapped[i].diffID, hash) }

  @inlinable
  @inline(__always)
  func sketchNew(_ j: Int) -> UInt64 { unsafe Rule.sketch(new.baseAddress.unsafelyUnwrapped[j].diffID, hash) }

  @inlinable func describeOld(_ i: Int) -> String { unsafe String(describing: old[i].diffID) }
  @inlinable func describeNew(_ j: Int) -> String { unsafe String(describing: new[j].diffID) }
}

/// Identifiers drawn from elements by a closure, content compared by another.
@safe
@usableFromInline
struct KeyedElements<ID: Hashable, Rule: IdentityRule>: PairSource {
  @usableFromInline let old: UnsafeBufferPointer<ID>
  @usableFromInline let new: UnsafeBufferPointer<ID>
  @usableFromInline let sameContent: (Int, Int) -> Bool
  @usableFromInline let hash = Hash()

  @inlinable
  init(old: UnsafeBufferPointer<ID>, new: UnsafeBufferPointer<ID>, sameContent: @escaping (Int, Int) -> Bool) {
    unsafe self.old = old
    unsafe self.new = new
    self.sameContent = sameContent
  }

  @inlinable var oldCount: Int { unsafe old.count }
  @inlinable var newCount: Int { unsafe new.count }

  @inlinable
  @inline(__always)
  func same(_ i: Int, _ j: Int) -> Bool {
    unsafe Rule.same(old.baseAddress.unsafelyUnwrapped[i], new.baseAddress.unsafelyUnwrapped[j])
  }

  @inlinable
  @inline(__always)
  func sameOld(_ i: Int, _ k: Int) -> Bool {
    unsafe Rule.same(old.baseAddress.unsafelyUnwrapped[i], old.baseAddress.unsafelyUnwrapped[k])
  }

  @inlinable
  @inline(__always)
  func sameNew(_ j: Int, _ k: Int) -> Bool {
    unsafe Rule.same(new.baseAddress.unsafelyUnwrapped[j], new.baseAddress.unsafelyUnwrapped[k])
  }

  @inlinable
  @inline(__always)
  func changed(_ i: Int, _ j: Int) -> Bool { !sameContent(i, j) }

  @inlinable
  @inline(__always)
  func hashOld(_ i: Int) -> UInt64 { unsafe Rule.hash(old.baseAddress.unsafelyUnwrapped[i], hash) }

  @inlinable
  @inline(__always)
  func hashNew(_ j: Int) -> UInt64 { unsafe Rule.hash(new.baseAddress.unsafelyUnwrapped[j], hash) }

  @inlinable
  @inline(__always)
  func sketchOld(_ i: Int) -> UInt64 { unsafe Rule.sketch(old.baseAddress.unsafelyUnwrapped[i], hash) }

  @inlinable
  @inline(__always)
  func sketchNew(_ j: Int) -> UInt64 { unsafe Rule.sketch(new.baseAddress.unsafelyUnwrapped[j], hash) }

  @inlinable func describeOld(_ i: Int) -> String { unsafe String(describing: old[i]) }
  @inlinable func describeNew(_ j: Int) -> String { unsafe String(describing: new[j]) }
}
