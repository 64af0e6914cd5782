public import ListDiff

extension DiffRows {
  /// What turns these rows into others, computed here and now, by sections.
  ///
  /// Rows without sections stand in one. Rows with one identifier are paired by occurrence unless the options say otherwise: a list with
  /// duplicates is drawn, not refused.
  /// - Parameter isCancelled: Asked now and then; true ends the computation.
  /// - Throws: `DiffError`: `diff.malformed` for columns that do not fit together, `diff.duplicate`, `diff.cancelled`.
  public func changes(
    to new: DiffRows, _ options: Differ.Options = Differ.Options(), isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(DiffError) -> SectionedChangeSet {
    try Differ(options, isCancelled: isCancelled).changes(from: sectioned(), to: new.sectioned())
  }

  /// What turns these rows into others, in the compact binary form: flat when neither list has sections.
  public func encodedChanges(
    to new: DiffRows, _ options: Differ.Options = Differ.Options(), isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(DiffError) -> [UInt8] {
    guard sections == nil, new.sections == nil else { return try changes(to: new, options, isCancelled: isCancelled).encoded() }
    return try Differ(options, isCancelled: isCancelled).changes(from: items(), to: new.items()).encoded()
  }

  /// Whether the columns fit together.
  public func check() throws(DiffError) { _ = try sectioned() }

  private func items() throws(DiffError) -> ByteList { try ByteList(bytes: identifiers, offsets: offsets, contents: contents) }

  private func sectioned() throws(DiffError) -> SectionedByteList {
    let items = try items()
    guard let sections else {
      return items.isEmpty
        ? try SectionedByteList(sections: ByteList(), items: items, counts: [])
        : try SectionedByteList(sections: ByteList([""], hashes: [0]), items: items, counts: [items.count])
    }
    let heads = try ByteList(bytes: sections.identifiers, offsets: sections.offsets, contents: .hashes(sections.contents))
    return try SectionedByteList(sections: heads, items: items, counts: sections.rows.map { Int($0) })
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
    if bytes.count > 2, bytes[2] == 0 {
      let changes = try ChangeSet(decoding: bytes)
      self.init(
        inserts: changes.inserts.count, deletes: changes.deletes.count, moves: changes.moves.count, updates: changes.updates.count)
    } else {
      self.init(try SectionedChangeSet(decoding: bytes))
    }
  }
}
