/// When two identifiers are one, and their hash: chosen once a diff, so that the loops carry no flag.
@usableFromInline
protocol IdentityRule {
  static func same<ID: Hashable>(_ a: ID, _ b: ID) -> Bool
  static func hash<ID: Hashable>(_ id: ID, _ hash: Hash) -> UInt64
  /// A hash that may be weaker, if that makes it cheaper.
  static func sketch<ID: Hashable>(_ id: ID, _ hash: Hash) -> UInt64
}

/// The types' own equality, strings included.
@usableFromInline
enum EqualityIdentity: IdentityRule {
  @inlinable
  @inline(__always)
  static func same<ID: Hashable>(_ a: ID, _ b: ID) -> Bool { a == b }

  @inlinable
  @inline(__always)
  static func hash<ID: Hashable>(_ id: ID, _ hash: Hash) -> UInt64 {
    integer(id).map(hash.word) ?? UInt64(bitPattern: Int64(id.hashValue))
  }

  @inlinable
  @inline(__always)
  static func sketch<ID: Hashable>(_ id: ID, _ hash: Hash) -> UInt64 { self.hash(id, hash) }

  /// The bits of a standard integer. In specialised code the casts are decided by the compiler.
  @inlinable
  @inline(__always)
  static func integer<ID: Hashable>(_ id: ID) -> UInt64? {
    if ID.self == Int.self { return unsafe UInt64(bitPattern: Int64(unsafeBitCast(id, to: Int.self))) }
    if ID.self == UInt64.self { return unsafe unsafeBitCast(id, to: UInt64.self) }
    if ID.self == Int64.self { return unsafe UInt64(bitPattern: unsafeBitCast(id, to: Int64.self)) }
    if ID.self == UInt.self { return unsafe UInt64(unsafeBitCast(id, to: UInt.self)) }
    if ID.self == Int32.self { return unsafe UInt64(bitPattern: Int64(unsafeBitCast(id, to: Int32.self))) }
    if ID.self == UInt32.self { return unsafe UInt64(unsafeBitCast(id, to: UInt32.self)) }
    return nil
  }
}

/// Equality for every type but `String`, which is compared by its UTF-8.
@usableFromInline
enum ByteIdentity: IdentityRule {
  @inlinable
  @inline(__always)
  static func same<ID: Hashable>(_ a: ID, _ b: ID) -> Bool {
    if ID.self == String.self {
      return unsafe sameUTF8(unsafeBitCast(a, to: String.self), unsafeBitCast(b, to: String.self))
    }
    return a == b
  }

  @inlinable
  @inline(__always)
  static func hash<ID: Hashable>(_ id: ID, _ hash: Hash) -> UInt64 {
    if ID.self == String.self { return unsafe hashUTF8(unsafeBitCast(id, to: String.self), hash) }
    return EqualityIdentity.hash(id, hash)
  }

  @inlinable
  @inline(__always)
  static func sketch<ID: Hashable>(_ id: ID, _ hash: Hash) -> UInt64 {
    if ID.self == String.self { return unsafe sketchUTF8(unsafeBitCast(id, to: String.self), hash) }
    return EqualityIdentity.hash(id, hash)
  }
}

/// Whether two strings have the same UTF-8. (`utf8Span` is several times slower on this toolchain.)
///
/// Strings that share their storage, as rows do that an app keeps from one list to the next, and short ones, which are stored
/// in place, are the same when their own bits are; other bits decide nothing.
@inlinable
@inline(__always)
func sameUTF8(_ a: String, _ b: String) -> Bool {
  if MemoryLayout<String>.size == 16 {
    let x = unsafe unsafeBitCast(a, to: SIMD2<UInt64>.self)
    let y = unsafe unsafeBitCast(b, to: SIMD2<UInt64>.self)
    if x[0] == y[0] && x[1] == y[1] { return true }
  }
  let same: Bool? =
    unsafe a.utf8.withContiguousStorageIfAvailable { x in
      unsafe b.utf8.withContiguousStorageIfAvailable { y in
        let count = x.count
        guard count == y.count else { return false }
        guard count > 0 else { return true }
        return unsafe sameBytes(
          UnsafeRawPointer(x.baseAddress.unsafelyUnwrapped), UnsafeRawPointer(y.baseAddress.unsafelyUnwrapped), count)
      }
    } ?? nil
  return same ?? a.utf8.elementsEqual(b.utf8)
}

/// The hash of a string's UTF-8.
@inlinable
@inline(__always)
func hashUTF8(_ string: String, _ hash: Hash) -> UInt64 {
  let fast: UInt64? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
    guard bytes.count > 0 else { return hash.word(0) }
    return unsafe hash.bytes(UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped), bytes.count)
  }
  return fast ?? hashForeignUTF8(string, hash)
}

/// The sketch of a string's UTF-8.
@inlinable
@inline(__always)
func sketchUTF8(_ string: String, _ hash: Hash) -> UInt64 {
  let fast: UInt64? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
    guard bytes.count > 0 else { return hash.word(0) }
    return unsafe hash.sketch(UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped), bytes.count)
  }
  return fast ?? sketchForeignUTF8(string, hash)
}

/// The same hash for a string that is not stored as contiguous UTF-8.
@usableFromInline
func hashForeignUTF8(_ string: String, _ hash: Hash) -> UInt64 {
  var copy = string
  copy.makeContiguousUTF8()
  return unsafe copy.utf8.withContiguousStorageIfAvailable { bytes in
    guard bytes.count > 0 else { return hash.word(0) }
    return unsafe hash.bytes(UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped), bytes.count)
  } ?? 0
}

/// The same sketch for a string that is not stored as contiguous UTF-8: one identifier may be stored in either way.
@usableFromInline
func sketchForeignUTF8(_ string: String, _ hash: Hash) -> UInt64 {
  var copy = string
  copy.makeContiguousUTF8()
  return unsafe copy.utf8.withContiguousStorageIfAvailable { bytes in
    guard bytes.count > 0 else { return hash.word(0) }
    return unsafe hash.sketch(UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped), bytes.count)
  } ?? 0
}
