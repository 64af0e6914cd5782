/// Columns of a byte list in memory that somebody else keeps alive, for the time of a diff.
///
/// The offsets have been checked against the bytes by whoever made it; the engine reads without checks.
@safe
@usableFromInline
package struct ByteRows {
  let ids: UnsafeRawPointer
  let offsets: UnsafePointer<UInt32>
  let count: Int
  let kind: Kind
  /// `UInt64` each with hashes; bytes with content bytes.
  let contents: UnsafeRawPointer
  let contentOffsets: UnsafePointer<UInt32>

  enum Kind {
    case none, hashes, bytes
  }

  @inline(__always)
  func start(_ i: Int) -> Int { unsafe Int(offsets[i]) }

  @inline(__always)
  func length(_ i: Int) -> Int { unsafe Int(offsets[i &+ 1] &- offsets[i]) }

  @inline(__always)
  func sameID(_ i: Int, _ other: ByteRows, _ j: Int) -> Bool {
    let count = length(i)
    guard count == other.length(j) else { return false }
    return unsafe sameBytes(ids + start(i), other.ids + other.start(j), count)
  }

  @inline(__always)
  func hash(_ i: Int, _ hash: Hash) -> UInt64 { unsafe hash.bytes(ids + start(i), length(i)) }

  @inline(__always)
  func sketch(_ i: Int, _ hash: Hash) -> UInt64 { unsafe hash.sketch(ids + start(i), length(i)) }

  @inline(__always)
  func sameContent(_ i: Int, _ other: ByteRows, _ j: Int) -> Bool {
    switch (kind, other.kind) {
    case (.hashes, .hashes):
      return unsafe contents.load(fromByteOffset: i &* 8, as: UInt64.self) == other.contents.load(fromByteOffset: j &* 8, as: UInt64.self)
    case (.none, .none):
      return true
    case (.bytes, .bytes):
      let start = unsafe Int(contentOffsets[i])
      let count = unsafe Int(contentOffsets[i &+ 1]) &- start
      let otherStart = unsafe Int(other.contentOffsets[j])
      guard unsafe count == Int(other.contentOffsets[j &+ 1]) &- otherStart else { return false }
      return unsafe sameBytes(contents + start, other.contents + otherStart, count)
    default:
      return false
    }
  }

  func describe(_ i: Int) -> String {
    unsafe String(decoding: UnsafeRawBufferPointer(start: ids + start(i), count: length(i)), as: UTF8.self)
  }
}

extension ByteList {
  /// Calls `body` with the columns in place.
  func withRows<Result>(_ body: (ByteRows) throws(DiffError) -> Result) throws(DiffError) -> Result {
    unsafe try bytes.withUnsafeBufferPointer { (ids) throws(DiffError) -> Result in
      unsafe try offsets.withUnsafeBufferPointer { (offsets) throws(DiffError) -> Result in
        // Never nil: offsets hold at least one element. It stands in for columns that are not there.
        let anchor = unsafe offsets.baseAddress.unsafelyUnwrapped
        let ids = unsafe ids.baseAddress.map { unsafe UnsafeRawPointer($0) } ?? UnsafeRawPointer(anchor)
        switch contents {
        case .none:
          return unsafe try body(
            ByteRows(ids: ids, offsets: anchor, count: count, kind: .none, contents: UnsafeRawPointer(anchor), contentOffsets: anchor))
        case .hashes(let hashes):
          return unsafe try hashes.withUnsafeBufferPointer { (hashes) throws(DiffError) -> Result in
            unsafe try body(
              ByteRows(
                ids: ids, offsets: anchor, count: count, kind: .hashes,
                contents: hashes.baseAddress.map { unsafe UnsafeRawPointer($0) } ?? UnsafeRawPointer(anchor), contentOffsets: anchor))
          }
        case .bytes(let bytes, let ends):
          return unsafe try bytes.withUnsafeBufferPointer { (bytes) throws(DiffError) -> Result in
            unsafe try ends.withUnsafeBufferPointer { (ends) throws(DiffError) -> Result in
              unsafe try body(
                ByteRows(
                  ids: ids, offsets: anchor, count: count, kind: .bytes,
                  contents: bytes.baseAddress.map { unsafe UnsafeRawPointer($0) } ?? UnsafeRawPointer(anchor),
                  contentOffsets: ends.baseAddress.unsafelyUnwrapped))
            }
          }
        }
      }
    }
  }
}

/// Two lists of byte identifiers.
struct BytePair: PairSource {
  let old: ByteRows
  let new: ByteRows
  let hash = Hash()

  init(old: ByteRows, new: ByteRows) {
    self.old = old
    self.new = new
  }

  var oldCount: Int { old.count }
  var newCount: Int { new.count }
  @inline(__always) func same(_ i: Int, _ j: Int) -> Bool { old.sameID(i, new, j) }
  @inline(__always) func sameOld(_ i: Int, _ k: Int) -> Bool { old.sameID(i, old, k) }
  @inline(__always) func sameNew(_ j: Int, _ k: Int) -> Bool { new.sameID(j, new, k) }
  @inline(__always) func changed(_ i: Int, _ j: Int) -> Bool { !old.sameContent(i, new, j) }
  @inline(__always) func hashOld(_ i: Int) -> UInt64 { old.hash(i, hash) }
  @inline(__always) func hashNew(_ j: Int) -> UInt64 { new.hash(j, hash) }
  @inline(__always) func sketchOld(_ i: Int) -> UInt64 { old.sketch(i, hash) }
  @inline(__always) func sketchNew(_ j: Int) -> UInt64 { new.sketch(j, hash) }
  func describeOld(_ i: Int) -> String { old.describe(i) }
  func describeNew(_ j: Int) -> String { new.describe(j) }
}
