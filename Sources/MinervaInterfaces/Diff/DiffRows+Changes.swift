public import ListDiff

extension DiffRows {
  /// What turns these rows into others, computed here and now.
  ///
  /// Rows with one identifier are paired by occurrence, the k-th with the k-th: a list with duplicates is drawn, not refused.
  /// - Parameter isCancelled: Asked now and then; true ends the computation.
  /// - Throws: `DiffError`: `diff.malformed` for columns that do not fit together, `diff.cancelled`.
  public func changes(to new: DiffRows, isCancelled: @escaping @Sendable () -> Bool = { false }) throws(DiffError) -> SectionedChangeSet {
    try Differ(isCancelled: isCancelled).changes(from: list(), to: new.list())
  }

  /// The bytes that the columns take.
  public var byteCount: Int {
    identifiers.count + ends.count * 4 + contents.count * 8 + sections.reduce(0) { $0 + $1.identifier.utf8.count + 16 }
  }

  /// The columns as the differ takes them; rows without sections stand in one.
  private func list() throws(DiffError) -> SectionedByteList {
    var offsets: [UInt32] = [0]
    offsets.reserveCapacity(ends.count + 1)
    for end in ends { offsets.append(UInt32(bitPattern: end)) }
    let items = try ByteList(bytes: identifiers, offsets: offsets, contents: .hashes(contents.map { UInt64(bitPattern: Int64($0)) }))
    guard !sections.isEmpty || count == 0 else {
      return try SectionedByteList(sections: ByteList([""], hashes: [0]), items: items, counts: [count])
    }
    let heads = ByteList(sections.map(\.identifier), hashes: sections.map { UInt64(bitPattern: Int64($0.content)) })
    return try SectionedByteList(sections: heads, items: items, counts: sections.map(\.rows))
  }
}

extension ChangeCounts {
  /// The size of a change set.
  public init(_ changes: SectionedChangeSet) {
    let items = changes.items
    self.init(
      inserts: items.inserts.count, deletes: items.deletes.count, moves: items.moves.count, updates: items.updates.count,
      sectionInserts: changes.sections.inserts.count, sectionDeletes: changes.sections.deletes.count)
  }

  /// The size of an encoded change set.
  public init(decoding bytes: [UInt8]) throws(DiffError) {
    self.init(try SectionedChangeSet(decoding: bytes))
  }
}
