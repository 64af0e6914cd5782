package import MinervaInterfaces

/// A list as the load test keeps it: identifiers and contents as bytes, so that answers are held against what was meant.
package struct LoadRows: Sendable, Hashable {
  /// A column of byte strings in one blob.
  package struct Column: Sendable, Hashable {
    private(set) var bytes: [UInt8] = []
    /// Where each begins, and where the last one ends.
    private(set) var offsets: [UInt32] = [0]

    package init() {}

    var count: Int { offsets.count - 1 }

    subscript(index: Int) -> ArraySlice<UInt8> { bytes[Int(offsets[index])..<Int(offsets[index + 1])] }

    mutating func append(_ element: some Sequence<UInt8>) {
      bytes.append(contentsOf: element)
      offsets.append(UInt32(clamping: bytes.count))
    }

    mutating func reserve(_ count: Int, _ width: Int) {
      bytes.reserveCapacity(count * width)
      offsets.reserveCapacity(count + 1)
    }
  }

  package var identifiers = Column()
  package var contents = Column()
  /// The identifiers of the sections, how many rows each has, and the number that stands for its header; nil for a flat list.
  package var sections: [(identifier: String, rows: Int, header: Int)]?

  package init() {}

  package var count: Int { identifiers.count }

  /// How many rows each section has; a flat list is one section.
  var counts: [Int] { sections?.map(\.rows) ?? [count] }

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
    var hashes: [UInt64] = []
    hashes.reserveCapacity(count)
    for row in 0..<count {
      // FNV-1a (Fowler, Noll, Vo).
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for byte in contents[row] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hashes.append(hash)
    }
    var rows = DiffRows(identifiers: identifiers.bytes, offsets: identifiers.offsets, hashes: hashes)
    for section in sections ?? [] { rows.appendSection(section.identifier.utf8, content: section.header, rows: section.rows) }
    if sections != nil, rows.sections == nil { rows.sections = DiffSections() }
    return rows
  }

  package static func == (a: LoadRows, b: LoadRows) -> Bool {
    a.identifiers == b.identifiers && a.contents == b.contents && a.sections?.map(\.identifier) == b.sections?.map(\.identifier)
      && a.sections?.map(\.header) == b.sections?.map(\.header) && a.counts == b.counts
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(identifiers) }
}
