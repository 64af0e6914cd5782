/// Columns lined up by display cells; foreign data is escaped on the way.
package struct TableText: Sendable {
  private var header: [String]
  private var rows: [[String]] = []
  private let rightAligned: Set<Int>

  package init(_ header: [String], rightAligned: Set<Int> = []) {
    self.header = header
    self.rightAligned = rightAligned
  }

  package var isEmpty: Bool { rows.isEmpty }

  package mutating func add(_ row: [String]) { rows.append(row.map(Escaping.visible)) }

  /// Writes the header and the rows, two spaces between columns, nothing behind the last.
  package func lines() -> [String] {
    let all = [header] + rows
    let count = all.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in all.map { column < $0.count ? DisplayWidth.of($0[column]) : 0 }.max() ?? 0 }
    return all.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let gap = String(repeating: " ", count: widths[column] - DisplayWidth.of(cell))
        if column > 0 { line += "  " }
        line += rightAligned.contains(column) ? gap + cell : cell + gap
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
