package import CommandKit

/// How a file becomes a list: where in a line its identifier, its section and its content stand.
package struct ListFormat: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// A line is its own identifier.
    case lines
    /// Columns between tabs.
    case table
    /// One JSON object a line.
    case objects
  }

  /// A column, counted from 0, or a key.
  package enum Field: Sendable, Hashable {
    case column(Int)
    case key(String)
  }

  package var kind: Kind
  /// Nil where the whole line is the identifier.
  package var id: Field?
  package var section: Field?
  /// What an update is a change of; empty for everything that is neither identifier nor section.
  package var contents: [Field]
  /// Whether the first line names the columns.
  package var hasHeader: Bool

  /// A list of lines.
  package static let lines = ListFormat(kind: .lines, id: nil, section: nil, contents: [], hasHeader: false)

  package init(kind: Kind, id: Field?, section: Field?, contents: [Field], hasHeader: Bool) {
    self.kind = kind
    self.id = id
    self.section = section
    self.contents = contents
    self.hasHeader = hasHeader
  }

  /// Reads the options of the command line; columns are counted from 1 there.
  package init(ids: String, section: String?, contents: [String], hasHeader: Bool, command: String) throws(UsageError) {
    let parts = ids.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    self.hasHeader = hasHeader
    switch parts[0] {
    case "lines" where parts.count == 1:
      guard section == nil, contents.isEmpty else {
        throw UsageError("--section and --content need columns or keys: --ids tsv:COL or jsonl:KEY", command: command)
      }
      self.kind = .lines
    case "tsv" where parts.count == 2: kind = .table
    case "jsonl" where parts.count == 2: kind = .objects
    default:
      throw UsageError("--ids: expected lines, tsv:COL or jsonl:KEY, found \"\(Escaping.visible(ids))\"", command: command)
    }
    let kind = kind
    func field(_ text: String, _ option: String) throws(UsageError) -> Field {
      if kind == .objects, !text.isEmpty { return .key(text) }
      guard let column = Int(text), (1...1_000_000).contains(column) else {
        throw UsageError("--\(option): expected a column, from 1, found \"\(Escaping.visible(text))\"", command: command)
      }
      return .column(column - 1)
    }
    id = kind == .lines ? nil : try field(parts[1], "ids")
    if let section { self.section = try field(section, "section") } else { self.section = nil }
    self.contents = []
    for text in contents {
      // Keys may hold commas; columns may be given as a list.
      if kind == .objects {
        self.contents.append(try field(text, "content"))
      } else {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
          self.contents.append(try field(String(part), "content"))
        }
      }
    }
  }
}
