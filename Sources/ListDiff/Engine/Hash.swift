/// A seeded hash over words and bytes: multiply, fold the halves (the step of wyhash and of its kin), 8 bytes at a time.
///
/// The seed is drawn from the standard library's per-process one, so that identifiers from a network cannot be chosen to
/// collide. No result depends on it: equal hashes are always confirmed by comparing identifiers.
@frozen
@usableFromInline
package struct Hash: Sendable {
  @usableFromInline let first: UInt64
  @usableFromInline let second: UInt64

  /// A hash with the process's seed.
  @inlinable
  package init() {
    self.init(seed: UInt64(bitPattern: Int64("ListDiff".hashValue)))
  }

  @inlinable
  package init(seed: UInt64) {
    first = Hash.fold(seed ^ 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db)
    second = Hash.fold(first ^ 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3) | 1
  }

  @inlinable
  @inline(__always)
  static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  @inlinable
  @inline(__always)
  package func word(_ word: UInt64) -> UInt64 { Hash.fold(word ^ first, 0xe703_7ed1_a0b4_28db ^ second) }

  /// The hash of some bytes. Every byte and the length count.
  @inlinable
  @inline(__always)
  package func bytes(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    var hash = first ^ UInt64(truncatingIfNeeded: count)
    if count >= 16 {
      var at = 0
      while at &+ 16 < count {
        hash = unsafe Hash.fold(
          bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) ^ hash,
          bytes.loadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self) ^ second)
        at &+= 16
      }
      return unsafe Hash.fold(
        bytes.loadUnaligned(fromByteOffset: count &- 16, as: UInt64.self) ^ hash,
        bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self) ^ second)
    }
    var low: UInt64 = 0
    var high: UInt64 = 0
    if count >= 8 {
      low = unsafe bytes.loadUnaligned(as: UInt64.self)
      high = unsafe bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    } else if count >= 4 {
      low = unsafe UInt64(bytes.loadUnaligned(as: UInt32.self))
      high = unsafe UInt64(bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
    } else if count > 0 {
      low = unsafe UInt64(bytes.load(as: UInt8.self))
      high =
        unsafe UInt64(bytes.load(fromByteOffset: count >> 1, as: UInt8.self)) << 8
        | UInt64(bytes.load(fromByteOffset: count &- 1, as: UInt8.self))
    }
    return Hash.fold(low ^ hash, high ^ second)
  }
}

extension Hash {
  /// A cheap stand-in for the hash of some bytes, from three words of them: good enough to rule out, never to confirm.
  @inlinable
  @inline(__always)
  func sketch(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    guard count >= 8 else { return unsafe self.bytes(bytes, count) }
    let last = count &- 8
    let head = unsafe bytes.loadUnaligned(as: UInt64.self)
    let middle = unsafe bytes.loadUnaligned(fromByteOffset: last >> 1, as: UInt64.self)
    let tail = unsafe bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    // Each word is shifted against the others, or equal words would cancel out.
    return Hash.fold(head ^ first, (middle &+ tail << 7 &+ tail >> 5) ^ second)
  }
}

/// Whether two runs of `count` bytes are the same.
///
/// The last words overlap those before them, so that no byte past the end is read.
@inlinable
@inline(__always)
package func sameBytes(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool {
  if count >= 16 {
    var at = 0
    while at < count &- 16 {
      if unsafe difference(a, b, at, UInt64.self) | difference(a, b, at &+ 8, UInt64.self) != 0 { return false }
      at &+= 16
    }
    return unsafe difference(a, b, count &- 16, UInt64.self) | difference(a, b, count &- 8, UInt64.self) == 0
  }
  if count >= 8 { return unsafe difference(a, b, 0, UInt64.self) | difference(a, b, count &- 8, UInt64.self) == 0 }
  if count >= 4 { return unsafe difference(a, b, 0, UInt32.self) | difference(a, b, count &- 4, UInt32.self) == 0 }
  if count >= 2 { return unsafe difference(a, b, 0, UInt16.self) | difference(a, b, count &- 2, UInt16.self) == 0 }
  return unsafe count == 0 || difference(a, b, 0, UInt8.self) == 0
}

/// The bits in which two words differ.
@inlinable
@inline(__always)
func difference<Word: FixedWidthInteger & BitwiseCopyable>(
  _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ offset: Int, _: Word.Type
) -> Word {
  unsafe a.loadUnaligned(fromByteOffset: offset, as: Word.self) ^ b.loadUnaligned(fromByteOffset: offset, as: Word.self)
}
