import MinervaWire

/// Reads rows of tab-separated columns; every row has as many as the first.
struct TableReader {
  private let text: TextLines
  private let format: ListFormat
  /// Where the columns of the row under way begin, and one past its end.
  private var starts: [Int] = []
  private var columnCount: Int?
  private var contents: [Int] = []

  init(_ text: TextLines, _ format: ListFormat) {
    self.text = text
    self.format = format
  }

  mutating func read(into columns: inout ListColumns) throws(MinervaError) {
    columns.reserve(text.bytes.count / 2)
    try text.forEach { (line, start, end) throws(MinervaError) in
      split(start, end)
      try requireColumns(line)
      if line == 1, format.hasHeader { return }
      add(to: &columns)
    }
  }

  private mutating func split(_ start: Int, _ end: Int) {
    starts.removeAll(keepingCapacity: true)
    starts.append(start)
    var at = start
    while at < end {
      if text.bytes[at] == 0x09 { starts.append(at + 1) }
      at += 1
    }
    starts.append(end + 1)
  }

  private mutating func requireColumns(_ line: Int) throws(MinervaError) {
    let count = starts.count - 1
    if let columnCount {
      guard count == columnCount else {
        let found = count == 1 ? "1 column" : "\(count) columns"
        throw MinervaError(.parseRow, "\(text.path): line \(line) has \(found), the first line has \(columnCount)")
      }
      return
    }
    columnCount = count
    for field in [format.id, format.section].compactMap({ $0 }) + format.contents {
      guard case .column(let column) = field, column < count else {
        throw MinervaError(
          .parseRow,
          "\(text.path): line \(line) has \(count) \(count == 1 ? "column" : "columns"), column \(field.spelled) is asked for")
      }
    }
    let taken = [format.id, format.section]
    contents = format.contents.isEmpty ? (0..<count).filter { !taken.contains(.column($0)) } : format.contents.compactMap(\.column)
  }

  private func cell(_ column: Int) -> ArraySlice<UInt8> { text.bytes[starts[column]..<(starts[column + 1] - 1)] }

  private func add(to columns: inout ListColumns) {
    if let section = format.section?.column { columns.enterSection(cell(section)) }
    columns.addID(cell(format.id?.column ?? 0))
    for column in contents { columns.addContent(cell(column), separator: 0x09) }
    columns.endRow()
  }
}

extension ListFormat.Field {
  var column: Int? { if case .column(let column) = self { column } else { nil } }
  var key: String? { if case .key(let key) = self { key } else { nil } }

  /// As it was typed.
  var spelled: String {
    switch self {
    case .column(let column): "\(column + 1)"
    case .key(let key): "\"\(key)\""
    }
  }
}
