extension ChangeSet {
  /// The compact form: about a byte or two an operation, less for runs of deletes or inserts.
  ///
  /// Three bytes (`4C`, version 1, kind 0), then numbers in LEB128: both lengths; deletes and inserts as
  /// `count × 2 + form` with gaps (form 0) or runs (form 1: number of runs, then gap and length − 1 of each); moves and
  /// updates as count, then for each the gap of its new position and, zigzag-coded, how old − new differs from the one before.
  public func encoded() -> [UInt8] {
    var writer = BinaryWriter(kind: BinaryWriter.flat)
    writer.body(self)
    return writer.bytes
  }

  /// Reads the compact form and checks that it describes a change set.
  ///
  /// - Parameters:
  ///   - bytes: The compact form, whole; from wherever they come.
  ///   - limit: The longest list to accept on either side; it bounds what is allocated, which is at most 16 bytes for each of
  ///     them whatever the bytes say.
  /// - Throws: `diff.malformed`, `diff.limit`, `diff.invalid`.
  /// - Complexity: O(*k* log *k*) in the number of operations.
  public init(decoding bytes: some Collection<UInt8>, limit: Int = 1 << 24) throws(DiffError) {
    var reader = try BinaryReader(ArraySlice(bytes), kind: BinaryWriter.flat, limit: limit)
    self = try reader.body()
    try reader.finish()
    try validate()
  }
}

extension SectionedChangeSet {
  /// The compact form: that of the sections with kind 1, the item counts of all old and all new sections, then the item
  /// columns, numbered through, coded like those of a flat one.
  public func encoded() -> [UInt8] {
    var writer = BinaryWriter(kind: BinaryWriter.sectioned)
    writer.body(sections)
    for section in 0..<oldLayout.sectionCount { writer.number(oldLayout.count(section)) }
    for section in 0..<newLayout.sectionCount { writer.number(newLayout.count(section)) }
    writer.positions(flat.deletes)
    writer.positions(flat.inserts)
    writer.links(flat.moves)
    writer.links(flat.updates)
    return writer.bytes
  }

  /// Reads the compact form and checks that it describes a change set.
  ///
  /// - Parameters:
  ///   - bytes: The compact form, whole; from wherever they come.
  ///   - limit: The most sections and the most items to accept on either side.
  /// - Throws: `diff.malformed`, `diff.limit`, `diff.invalid`.
  /// - Complexity: O(*s* + *k* log *k*) in sections and operations.
  public init(decoding bytes: some Collection<UInt8>, limit: Int = 1 << 24) throws(DiffError) {
    var reader = try BinaryReader(ArraySlice(bytes), kind: BinaryWriter.sectioned, limit: limit)
    let sections = try reader.body()
    let old = try reader.layout(sections.oldCount)
    let new = try reader.layout(sections.newCount)
    self.init(
      trusted: sections, old, new, deletes: try reader.positions(below: old.itemCount), inserts: try reader.positions(below: new.itemCount),
      moves: try reader.links(old: old.itemCount, new: new.itemCount), updates: try reader.links(old: old.itemCount, new: new.itemCount))
    try reader.finish()
    try validate()
  }
}
