import ListDiff
package import Minerva
package import MinervaInterfaces

/// One value of a screen: what is shown, and its rows as the differ takes them.
package struct ListUpdate: Sendable, Equatable {
  let rendering: ScreenRendering
  package let rows: DiffRows
  /// Whether there is nothing to see.
  let isEmpty: Bool
  /// On a screen with secret fields, those whose values may be written down (P4); `nil` where all may.
  let plainFields: [String]?

  /// Draws a screen.
  ///
  /// A row's identity is its identifier together with its type, so that another type means another row.
  /// - Complexity: O(rows).
  package init(_ screen: Screen) {
    rendering = ScreenRendering(screen)
    isEmpty = screen.isEmpty
    plainFields = screen.plainFields
    var rows = DiffRows(sections: DiffSections())
    for section in screen.sections {
      for cell in section.cells {
        let content = cell.content.masked
        var hash = ContentHash()
        hash.add(content)
        rows.append(
          content.type == .label ? Array(content.id.utf8) : Array("\(content.id)\u{0}\(content.type.rawValue)".utf8), content: hash.value)
      }
      rows.appendSection(section.identifier.utf8, content: Self.hash(of: section), rows: section.cells.count)
    }
    self.rows = rows
  }

  /// A hash over all rows and sections, equal in every process. O(bytes).
  var digest: Int {
    var hash = ContentHash()
    for byte in rows.identifiers { hash.add(UInt64(byte)) }
    for offset in rows.offsets { hash.add(UInt64(offset)) }
    if case .hashes(let contents) = rows.contents { for content in contents { hash.add(content) } }
    if let sections = rows.sections {
      for byte in sections.identifiers { hash.add(UInt64(byte)) }
      for (offset, count) in zip(sections.offsets.dropFirst(), sections.rows) { hash.add(UInt64(offset) << 32 | UInt64(count)) }
      for content in sections.contents { hash.add(content) }
    }
    return hash.value
  }

  private static func hash(of section: ListSection) -> Int {
    var hash = ContentHash()
    hash.add(section.header)
    hash.add(section.footer)
    let constraints = section.constraints
    for number in [constraints.inset, constraints.lineSpacing, constraints.itemSpacing] { hash.add(UInt64(bitPattern: Int64(number))) }
    hash.add("\(constraints.distribution)\(constraints.direction)")
    return hash.value
  }
}
