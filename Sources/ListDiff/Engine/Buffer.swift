/// Scratch memory of a fixed capacity that the engine's loops index without reference counting.
///
/// Elements start undefined. Indices are checked in debug builds; the engine's own invariants keep them in range in release
/// builds, where no index comes from outside without having been checked.
@safe
@usableFromInline
struct Buffer<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  @usableFromInline let capacity: Int

  @inlinable
  init(capacity: Int) {
    unsafe base = .allocate(capacity: max(capacity, 1))
    self.capacity = capacity
  }

  @inlinable
  init(repeating value: Element, count: Int) {
    self.init(capacity: count)
    unsafe base.initialize(repeating: value, count: count)
  }

  @inlinable
  deinit { unsafe base.deallocate() }

  @inlinable
  subscript(index: Int) -> Element {
    @inline(__always) get {
      assert(index >= 0 && index < capacity)
      return unsafe base[index]
    }
    @inline(__always) nonmutating set {
      assert(index >= 0 && index < capacity)
      unsafe base[index] = newValue
    }
  }

  /// A copy of the elements in `range`.
  @inlinable
  func array(_ range: Range<Int>) -> [Element] {
    assert(range.lowerBound >= 0 && range.upperBound <= capacity)
    return unsafe Array(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
  }
}
