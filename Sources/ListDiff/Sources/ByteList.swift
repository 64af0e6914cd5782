/// A list whose identifiers are bytes in one run of memory: what crosses processes, diffed without building a string.
///
/// Identifier *i* is the bytes from `offsets[i]` to `offsets[i + 1]`. Content is a 64-bit hash an element, or bytes laid out
/// like the identifiers, or nothing. Memory: the bytes themselves, 4 bytes an offset, 8 a hash.
public struct ByteList: Sendable, Hashable {
  /// What tells whether an element's content changed.
  public enum Contents: Sendable, Hashable {
    /// Elements have no content besides their identifier.
    case none
    /// A hash of the content for each element, as good as the hash is.
    case hashes([UInt64])
    /// The content itself: bytes, and where each element's begin, with the end of the last.
    case bytes([UInt8], offsets: [UInt32])
  }

  /// All identifiers, one after the other.
  public private(set) var bytes: [UInt8]
  /// Where each identifier begins, and the end of the last: one more than elements.
  public private(set) var offsets: [UInt32]
  public private(set) var contents: Contents

  /// The number of elements.
  public var count: Int { offsets.count - 1 }

  /// Whether there is no element.
  public var isEmpty: Bool { count == 0 }

  /// An empty list of elements without content.
  public init() {
    bytes = []
    offsets = [0]
    contents = .none
  }

  /// Takes columns as they are, having checked them.
  ///
  /// - Throws: `diff.malformed` unless offsets begin with 0, never descend, end within the bytes, and contents are as many.
  /// - Complexity: O(*n*).
  public init(bytes: [UInt8], offsets: [UInt32], contents: Contents = .none) throws(DiffError) {
    try ByteList.check(offsets, bytes.count, "identifiers")
    switch contents {
    case .none: break
    case .hashes(let hashes):
      guard hashes.count == offsets.count - 1 else {
        throw .malformed("\(hashes.count) content hashes for \(offsets.count - 1) identifiers")
      }
    case .bytes(let bytes, let ends):
      try ByteList.check(ends, bytes.count, "contents")
      guard ends.count == offsets.count else { throw .malformed("\(ends.count - 1) contents for \(offsets.count - 1) identifiers") }
    }
    self.bytes = bytes
    self.offsets = offsets
    self.contents = contents
  }

  /// Takes columns that are known to be valid.
  init(trusted bytes: [UInt8], _ offsets: [UInt32], _ contents: Contents) {
    self.bytes = bytes
    self.offsets = offsets
    self.contents = contents
  }

  /// Copies strings' UTF-8, with a content hash each, or none at all.
  ///
  /// - Precondition: As many hashes as identifiers, or nil; fewer than 2³² bytes in all.
  public init(_ identifiers: some Sequence<String>, hashes: [UInt64]? = nil) {
    self.init()
    for identifier in identifiers {
      bytes.append(contentsOf: identifier.utf8)
      offsets.append(UInt32(bytes.count))
    }
    if let hashes {
      precondition(hashes.count == count, "as many content hashes as identifiers")
      contents = .hashes(hashes)
    }
  }

  /// The bytes of one identifier.
  public subscript(index: Int) -> ArraySlice<UInt8> { bytes[Int(offsets[index])..<Int(offsets[index + 1])] }

  /// One identifier as text; bytes that are not UTF-8 are replaced.
  public func text(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }

  private static func check(_ offsets: [UInt32], _ size: Int, _ what: String) throws(DiffError) {
    guard offsets.first == 0 else {
      throw .malformed("the offsets of \(what) begin with 0, found \(offsets.first.map { "\($0)" } ?? "none")")
    }
    var last: UInt32 = 0
    for offset in offsets {
      guard offset >= last else { throw .malformed("the offsets of \(what) descend from \(last) to \(offset)") }
      last = offset
    }
    guard Int(last) <= size else { throw .malformed("the offsets of \(what) end at \(last), beyond \(size) bytes") }
  }
}

extension DiffError {
  static func malformed(_ message: String) -> DiffError { DiffError(.malformed, "\(message); the sender must encode it again") }
}

extension Differ {
  /// The changes between two lists of byte identifiers.
  ///
  /// Lists with hashes and lists with content bytes do not compare: an element of the one is changed in the other.
  ///
  /// - Throws: `diff.duplicate` with the policy `reject`, `diff.too_large` from 2³¹ elements, `diff.cancelled`.
  public func changes(from old: ByteList, to new: ByteList) throws(DiffError) -> ChangeSet {
    try old.withRows { (old) throws(DiffError) -> ChangeSet in
      try new.withRows { (new) throws(DiffError) -> ChangeSet in
        try changes(between: BytePair(old: old, new: new))
      }
    }
  }

  /// The positions of the first element with each identifier, ascending.
  public func firstOccurrences(of list: ByteList) throws(DiffError) -> [Int] {
    try list.withRows { (rows) throws(DiffError) -> [Int] in
      try Occurrences.first(OldSide(BytePair(old: rows, new: rows)), self).map { Int($0) }
    }
  }
}
