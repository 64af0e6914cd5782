import ListDiff
package import Minerva
package import MinervaInterfaces
package import MinervaWire

/// One value of a screen: what is shown, and its rows as the differ takes them.
package struct ListUpdate: Sendable, Equatable {
  /// The screen as its list's policy for duplicates leaves it: the rows here are those of `rows`, one for one.
  package let screen: Screen
  package let rendering: ScreenRendering
  package let rows: DiffRows
  /// Whether there is nothing to see.
  let isEmpty: Bool
  /// Whether any row wants to hear when it comes into view.
  let hasDisplayables: Bool
  /// On a screen with secret fields, those whose values may be written down (P4); `nil` where all may.
  let plainFields: [String]?

  /// Draws a screen.
  ///
  /// A row's identity is its identifier together with its type, so that another type means another row.
  /// - Throws: `list.duplicate_id` when an identifier occurs twice and the screen's policy is to reject that.
  /// - Complexity: O(rows).
  package init(_ screen: Screen) throws(MinervaError) {
    var screen = screen
    var columns = Columns(screen.sections)
    if screen.list.duplicates != .occurrence, screen.list.identity == .canonical || columns.mayHaveDuplicates,
      let sections = try ListDuplicates.resolved(screen.sections, by: screen.list)
    {
      screen.sections = sections
      columns = Columns(sections)
    }
    self.init(checked: screen, columns)
  }

  /// Draws a part of a screen that was checked: of what is free of duplicates a part is as well.
  init(part screen: Screen) {
    self.init(checked: screen, Columns(screen.sections))
  }

  private init(checked screen: Screen, _ columns: Columns) {
    self.screen = screen
    rows = columns.rows
    hasDisplayables = columns.hasDisplayables
    rendering = ScreenRendering(screen)
    isEmpty = screen.isEmpty
    plainFields = screen.plainFields
  }

  package static func == (a: Self, b: Self) -> Bool { a.rows == b.rows && a.rendering == b.rendering }

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
}

extension ListUpdate {
  /// What one pass over the rows finds.
  fileprivate struct Columns {
    var rows = DiffRows(sections: DiffSections())
    var hasDisplayables = false
    /// The identifiers alone, without those of separators and margins.
    private var identifiers = DiffRows(sections: DiffSections())

    init(_ sections: [ListSection]) {
      for section in sections {
        var count = 0
        for cell in section.cells {
          let content = cell.shown.masked
          if content.traits?.contains(.displayable) == true { hasDisplayables = true }
          var hash = ContentHash()
          hash.add(content)
          hash.add(cell.size)
          var key = Array(content.id.utf8)
          if content.type.isDecoration {
            // Many share the identifier they come with: the differ pairs those of a section by occurrence.
            key += [0] + Array(content.type.rawValue.utf8) + [0] + Array(section.identifier.utf8)
          } else {
            identifiers.append(key, content: 0)
            count += 1
            if content.type != .label || key.contains(0) { key += [0] + Array(content.type.rawValue.utf8) }
          }
          rows.append(key, content: hash.value)
        }
        rows.appendSection(section.identifier.utf8, content: Self.hash(of: section), rows: section.cells.count)
        identifiers.appendSection(section.identifier.utf8, rows: count)
      }
    }

    /// Whether an identifier occurs twice; asks the engine, which hashes 200,000 of them in the time that a dictionary takes for a few.
    var mayHaveDuplicates: Bool {
      (try? DiffRows(sections: DiffSections()).changes(to: identifiers, .init(duplicates: .reject))) == nil
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
}

extension ListUpdate {
  /// The rows as they compare with what is shown.
  ///
  /// With canonical identity a row takes the bytes of the shown one that it is equivalent to, so that whoever compares bytes finds it.
  func rows(beside shown: ListUpdate?) -> DiffRows {
    guard screen.list.identity == .canonical, let shown else { return rows }
    var known: [String: String] = [:]
    for section in shown.screen.sections {
      for cell in section.cells { known[cell.identifier] = cell.identifier }
    }
    let sectionNames = Dictionary(shown.screen.sections.map { ($0.identifier, $0.identifier) }) { first, _ in first }
    let sections = screen.sections.map { section in
      var section = section
      section.identifier = sectionNames[section.identifier] ?? section.identifier
      section.cells = section.cells.map { cell in
        guard let name = known[cell.identifier], !ByteText.same(name, cell.identifier) else { return cell }
        return Renamed(cell: cell, identifier: name)
      }
      return section
    }
    var rows = Columns(sections).rows
    // Another spelling of one identifier is no other content.
    rows.contents = self.rows.contents
    return rows
  }

  /// A model under another identifier.
  private struct Renamed: ListCellModel {
    let cell: any ListCellModel
    let identifier: String
    var cellType: CellType { cell.cellType }
    var content: CellContent { cell.content }
    var size: ListCellSize { cell.size }
  }
}

/// Strings by their bytes.
enum ByteText {
  static func same(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}
