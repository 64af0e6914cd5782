package import MinervaInterfaces

/// A list as the load test keeps it: identifiers and contents as bytes, so that answers are held against what was meant.
package struct LoadRows: Sendable, Hashable {
  /// A column of byte strings in one blob.
  package struct Column: Sendable, Hashable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int32] = []

    package init() {}

    var count: Int { ends.count }

    subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])] }

    mutating func append(_ element: some Sequence<UInt8>) {
      bytes.append(contentsOf: element)
      ends.append(Int32(clamping: bytes.count))
    }

    mutating func reserve(_ count: Int, _ width: Int) {
      bytes.reserveCapacity(count * width)
      ends.reserveCapacity(count)
    }
  }

  package var identifiers = Column()
  package var contents = Column()
  /// The identifiers of the sections and how many rows each has; nil for a flat list.
  package var sections: [(identifier: String, rows: Int)]?

  package init() {}

  package var count: Int { identifiers.count }

  /// How many rows each section has as the answer counts them: a flat list is one section, an empty one none.
  var counts: [Int] { sections?.map(\.rows) ?? (count == 0 ? [] : [count]) }

  package mutating func append(_ identifier: some Sequence<UInt8>, _ content: some Sequence<UInt8>) {
    identifiers.append(identifier)
    contents.append(content)
  }

  mutating func reserve(_ count: Int) {
    identifiers.reserve(count, 12)
    contents.reserve(count, 12)
  }

  /// The columns that a worker gets: of contents their hashes alone.
  package func columns() -> DiffRows {
    var hashes: [Int] = []
    hashes.reserveCapacity(count)
    for row in 0..<count {
      // FNV-1a (Fowler, Noll, Vo).
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for byte in contents[row] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hashes.append(Int(truncatingIfNeeded: hash))
    }
    return DiffRows(
      identifiers: identifiers.bytes, ends: identifiers.ends, contents: hashes,
      sections: sections?.map { DiffSection(identifier: $0.identifier, content: 0, rows: $0.rows) } ?? [])
  }

  package static func == (a: LoadRows, b: LoadRows) -> Bool {
    a.identifiers == b.identifiers && a.contents == b.contents && a.sections?.map(\.identifier) == b.sections?.map(\.identifier)
      && a.counts == b.counts
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(identifiers) }
}
