import Minerva
import MinervaWire

/// What the policies make of identifiers that occur twice, among sections and among rows alike.
enum ListDuplicates {
  /// Applies a policy.
  /// - Returns: The sections without what the policy leaves out, or `nil` when nothing occurs twice.
  /// - Throws: `list.duplicate_id` with the identifier and both paths.
  static func resolved(_ sections: [ListSection], by options: ListOptions) throws(MinervaError) -> [ListSection]? {
    switch options.identity {
    case .bytes: try resolved(sections, options.duplicates) { ByteKey(text: $0) }
    case .canonical: try resolved(sections, options.duplicates) { $0 }
    }
  }

  private struct ByteKey: Hashable {
    var text: String

    static func == (a: Self, b: Self) -> Bool { ByteText.same(a.text, b.text) }

    func hash(into hasher: inout Hasher) {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }

  private static func resolved<Key: Hashable>(
    _ sections: [ListSection], _ policy: ListOptions.Duplicates, key: (String) -> Key
  ) throws(MinervaError) -> [ListSection]? {
    var knownSections: [Key: Int] = [:]
    var knownRows: [Key: (section: Int, item: Int)] = [:]
    var kept: [ListSection] = []
    var isChanged = false
    for (place, section) in sections.enumerated() {
      if let first = knownSections[key(section.identifier)] {
        if policy == .reject { throw duplicate("section", section.identifier, "\(first)", "\(place)") }
        isChanged = true
        continue
      }
      knownSections[key(section.identifier)] = place
      var cells: [any ListCellModel] = []
      for (item, cell) in section.cells.enumerated() {
        if !cell.cellType.isDecoration {
          let name = key(cell.identifier)
          if let first = knownRows[name] {
            if policy == .reject { throw duplicate("row", cell.identifier, "\(first.section).\(first.item)", "\(place).\(item)") }
            isChanged = true
            continue
          }
          knownRows[name] = (place, item)
        }
        cells.append(cell)
      }
      var section = section
      section.cells = cells
      kept.append(section)
    }
    return isChanged ? kept : nil
  }

  private static func duplicate(_ kind: String, _ identifier: String, _ first: String, _ second: String) -> MinervaError {
    MinervaError(
      .listDuplicateID,
      "the \(kind) \"\(identifier)\" stands at \(first) and again at \(second); make identifiers unique, or choose the policy first or occurrence",
      details: ["id": identifier, "first": first, "second": second])
  }
}
