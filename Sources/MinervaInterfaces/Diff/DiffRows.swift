/// The rows of one list as bytes: the identifiers in one blob, and a content hash for each.
///
/// Rows of all sections stand one after another, in order. A list without sections has none in `sections`.
/// Columns instead of an array of structs: a million rows cross the bus as four byte strings.
public struct DiffRows: Codable, Hashable, Sendable {
  /// The UTF-8 bytes of all identifiers, without separators.
  public var identifiers: [UInt8]
  /// Where each identifier ends in `identifiers`; ascending, one entry a row.
  public var ends: [Int32]
  /// A hash of each row's content; equal hashes mean equal contents.
  public var contents: [Int]
  /// The sections, in order; empty for a flat list.
  public var sections: [DiffSection]

  public init(identifiers: [UInt8] = [], ends: [Int32] = [], contents: [Int] = [], sections: [DiffSection] = []) {
    self.identifiers = identifiers
    self.ends = ends
    self.contents = contents
    self.sections = sections
  }

  /// The number of rows.
  public var count: Int { ends.count }

  /// Appends a row.
  public mutating func append(_ identifier: some Collection<UInt8>, content: Int) {
    identifiers.append(contentsOf: identifier)
    ends.append(Int32(clamping: identifiers.count))
    contents.append(content)
  }
}

/// One section of `DiffRows`: its identifier, a hash of its header, footer and constraints, and how many rows it has.
public struct DiffSection: Codable, Hashable, Sendable {
  public var identifier: String
  public var content: Int
  public var rows: Int

  public init(identifier: String, content: Int, rows: Int) {
    self.identifier = identifier
    self.content = content
    self.rows = rows
  }
}
