import CommandKit
package import ListDiff
package import MinervaWire

/// A list read from a file: identifiers and contents as bytes, no string a line.
package struct ListFile: Sendable {
  package let path: String
  /// All rows, numbered through the sections.
  package let rows: ByteList
  /// The identifiers of the sections, and how many rows each has; nil for a flat list.
  package let sections: (ids: ByteList, counts: [Int])?
  /// The lines before the first row.
  let skipped: Int

  /// Reads a file.
  ///
  /// - Throws: What ``TextLines`` throws, `parse.row` and `parse.json_line` with the line, `file.too_large`.
  package init(path: String, format: ListFormat) throws(MinervaError) {
    try self.init(TextLines(path: path), format: format)
  }

  package init(_ text: TextLines, format: ListFormat) throws(MinervaError) {
    path = text.path
    skipped = format.hasHeader ? 1 : 0
    var columns = ListColumns(hasContents: format.kind != .lines)
    switch format.kind {
    case .lines:
      let skipped = skipped
      columns.reserve(text.bytes.count)
      try text.forEach { (line, start, end) throws(MinervaError) in
        if line > skipped { columns.addLine(text.bytes, start, end) }
      }
    case .table:
      var reader = TableReader(text, format)
      try reader.read(into: &columns)
    case .objects:
      let reader = ObjectReader(text, format)
      try reader.read(into: &columns)
    }
    do throws(DiffError) {
      rows = try columns.rows()
      sections = format.section == nil ? nil : (try columns.sections(), columns.sectionCounts)
    } catch {
      throw MinervaError(.fileTooLarge, "\(text.path): \(error.message)")
    }
  }

  /// The rows under their sections.
  package func sectioned() throws(DiffError) -> SectionedByteList {
    let sections = sections ?? (ByteList([""]), [rows.count])
    return try SectionedByteList(sections: sections.ids, items: rows, counts: sections.counts)
  }

  /// The line of a place that an error of the differ names, counted from 1.
  func line(_ place: DiffError.Place) -> Int {
    let before = place.section.map { section in sections?.counts.prefix(section).reduce(0, +) ?? 0 } ?? 0
    return before + (place.item ?? 0) + 1 + skipped
  }

  /// An identifier for people: controls escaped, cut to a width.
  package func label(_ row: Int, width: Int = 56) -> String {
    DisplayWidth.clipped(Escaping.visible(rows.text(row)), to: width)
  }

  package func sectionLabel(_ section: Int, width: Int = 56) -> String {
    DisplayWidth.clipped(Escaping.visible(sections?.ids.text(section) ?? ""), to: width)
  }
}

/// The columns of a list while they are read.
struct ListColumns {
  private var ids: [UInt8] = []
  private var idEnds: [UInt32] = [0]
  private var contents: [UInt8] = []
  private var contentEnds: [UInt32] = [0]
  private let hasContents: Bool
  private var sectionIDs: [UInt8] = []
  private var sectionEnds: [UInt32] = [0]
  private(set) var sectionCounts: [Int] = []

  init(hasContents: Bool) { self.hasContents = hasContents }

  mutating func reserve(_ bytes: Int) {
    ids.reserveCapacity(bytes)
    idEnds.reserveCapacity(bytes / 24)
  }

  mutating func addLine(_ bytes: [UInt8], _ start: Int, _ end: Int) {
    ids.append(contentsOf: bytes[start..<end])
    idEnds.append(UInt32(truncatingIfNeeded: ids.count))
  }

  /// Rows with the same section as the row before are of the same section.
  mutating func enterSection(_ id: ArraySlice<UInt8>) {
    if let count = sectionCounts.last {
      let start = Int(sectionEnds[sectionCounts.count - 1])
      if sectionIDs[start...] == id {
        sectionCounts[sectionCounts.count - 1] = count + 1
        return
      }
    }
    sectionIDs.append(contentsOf: id)
    sectionEnds.append(UInt32(truncatingIfNeeded: sectionIDs.count))
    sectionCounts.append(1)
  }

  mutating func addID(_ id: ArraySlice<UInt8>) {
    ids.append(contentsOf: id)
    idEnds.append(UInt32(truncatingIfNeeded: ids.count))
  }

  /// Adds a part of the content of the row under way, with a separator that no part holds.
  mutating func addContent(_ part: ArraySlice<UInt8>, separator: UInt8) {
    contents.append(contentsOf: part)
    contents.append(separator)
  }

  mutating func endRow() { contentEnds.append(UInt32(truncatingIfNeeded: contents.count)) }

  func rows() throws(DiffError) -> ByteList {
    try ByteList(bytes: ids, offsets: idEnds, contents: hasContents ? .bytes(contents, offsets: contentEnds) : .none)
  }

  func sections() throws(DiffError) -> ByteList { try ByteList(bytes: sectionIDs, offsets: sectionEnds) }
}
