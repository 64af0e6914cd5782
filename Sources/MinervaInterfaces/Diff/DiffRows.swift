public import ListDiff

/// The rows of one list as columns of bytes: what the differ reads in place, and what crosses the bus without a string.
///
/// Rows of all sections stand one after another, in order. What is in the columns is checked when they are compared, not before.
public struct DiffRows: Hashable, Sendable {
  /// The bytes of all identifiers, without separators.
  public var identifiers: [UInt8]
  /// Where each identifier begins in `identifiers`, and where the last one ends: one entry more than rows.
  public var offsets: [UInt32]
  /// What tells whether a row's content changed: a hash a row, the bytes themselves, or nothing.
  public var contents: ByteList.Contents
  /// The sections, in order; nil for a list without sections.
  public var sections: DiffSections?

  public init(
    identifiers: [UInt8] = [], offsets: [UInt32] = [0], contents: ByteList.Contents = .hashes([]), sections: DiffSections? = nil
  ) {
    self.identifiers = identifiers
    self.offsets = offsets
    self.contents = contents
    self.sections = sections
  }

  /// Takes columns with a hash a row.
  public init(identifiers: [UInt8], offsets: [UInt32], hashes: [UInt64], sections: DiffSections? = nil) {
    self.init(identifiers: identifiers, offsets: offsets, contents: .hashes(hashes), sections: sections)
  }

  /// Takes a byte list as it is.
  public init(_ list: ByteList, sections: DiffSections? = nil) {
    self.init(identifiers: list.bytes, offsets: list.offsets, contents: list.contents, sections: sections)
  }

  /// The number of rows.
  public var count: Int { max(0, offsets.count - 1) }

  /// Appends a row with a hash of its content; in a list of rows with other contents it has none.
  public mutating func append(_ identifier: some Collection<UInt8>, content: Int) {
    appendIdentifier(identifier)
    if case .hashes(var hashes) = contents {
      contents = .none  // So that the column is changed in place.
      hashes.append(UInt64(bitPattern: Int64(content)))
      contents = .hashes(hashes)
    }
  }

  /// Appends a row with the bytes of its content; the first row decides which kind of content the list has.
  public mutating func append(_ identifier: some Collection<UInt8>, content: some Collection<UInt8>) {
    if count == 0 { contents = .bytes([], offsets: [0]) }
    appendIdentifier(identifier)
    if case .bytes(var bytes, var ends) = contents {
      contents = .none
      bytes.append(contentsOf: content)
      ends.append(UInt32(clamping: bytes.count))
      contents = .bytes(bytes, offsets: ends)
    }
  }

  private mutating func appendIdentifier(_ identifier: some Collection<UInt8>) {
    identifiers.append(contentsOf: identifier)
    offsets.append(UInt32(clamping: identifiers.count))
  }

  /// Appends a section of the rows that follow those of the sections before.
  ///
  /// - Parameter content: A hash of what the section shows besides its rows.
  public mutating func appendSection(_ identifier: some Collection<UInt8>, content: Int = 0, rows: Int) {
    sections = sections ?? DiffSections()
    sections?.append(identifier, content: content, rows: rows)
  }

  /// The bytes that the columns take.
  public var byteCount: Int {
    let inContents: Int
    switch contents {
    case .none: inContents = 0
    case .hashes(let hashes): inContents = hashes.count * 8
    case .bytes(let bytes, let ends): inContents = bytes.count + ends.count * 4
    }
    return identifiers.count + offsets.count * 4 + inContents + (sections?.byteCount ?? 0)
  }
}

/// The sections of a list as columns: identifiers in one blob, a hash of what each shows besides its rows, and how many rows it has.
public struct DiffSections: Hashable, Sendable {
  public var identifiers: [UInt8]
  /// Where each identifier begins, and where the last one ends.
  public var offsets: [UInt32]
  public var contents: [UInt64]
  public var rows: [UInt32]

  public init(identifiers: [UInt8] = [], offsets: [UInt32] = [0], contents: [UInt64] = [], rows: [UInt32] = []) {
    self.identifiers = identifiers
    self.offsets = offsets
    self.contents = contents
    self.rows = rows
  }

  /// The number of sections.
  public var count: Int { rows.count }

  public mutating func append(_ identifier: some Collection<UInt8>, content: Int = 0, rows count: Int) {
    identifiers.append(contentsOf: identifier)
    offsets.append(UInt32(clamping: identifiers.count))
    contents.append(UInt64(bitPattern: Int64(content)))
    rows.append(UInt32(clamping: count))
  }

  var byteCount: Int { identifiers.count + offsets.count * 4 + contents.count * 8 + rows.count * 4 }
}
