import CommandKit
import ListDiff
package import MinervaInterfaces

/// Change sets of lists in few characters: `v6 → v7 +2 -1 ~3 ↔1 by diff-1`.
package enum ChangeText {
  /// What changed: `+` rows inserted, `-` deleted, `~` updated, `↔` moved; sections with a `§`.
  package static func counts(_ counts: ChangeCounts) -> String {
    let words = [
      ("+", counts.inserts, ""), ("-", counts.deletes, ""), ("~", counts.updates, ""), ("↔", counts.moves, ""),
      ("+", counts.sectionInserts, "§"), ("-", counts.sectionDeletes, "§"),
    ]
    let parts = words.filter { $0.1 > 0 }.map { "\($0.0)\($0.1)\($0.2)" }
    return parts.isEmpty ? "nothing changed" : parts.joined(separator: " ")
  }

  /// How many rows there are after a change set.
  private static func rows(_ change: ListEvent) -> String {
    let count = (try? SectionedChangeSet(decoding: change.changes))?.newItemCounts.reduce(0, +) ?? 0
    return count == 1 ? "1 row" : "\(count) rows"
  }

  /// One line for one change set.
  /// - Parameter name: Of which list, between the versions and what changed.
  package static func line(_ change: ListEvent, of name: String = "") -> String {
    let versions = change.from == 0 ? "v\(change.to)" : "v\(change.from) → v\(change.to)"
    let what: String
    switch (change.from, change.changes.isEmpty) {
    case (0, true): what = "as a whole"
    case (_, true): what = change.counts.isEmpty ? "reloaded" : "reloaded (\(counts(change.counts)))"
    case (0, false): what = "\(counts(change.counts)) (\(rows(change)))"
    case (_, false): what = counts(change.counts)
    }
    let still = change.isAnimated == false ? ["at once"] : []
    let by = change.computedBy == "in process" ? change.computedBy : "by \(Escaping.visible(change.computedBy))"
    return ([versions, name, change.counts.isEmpty && what == "nothing changed" ? what + "," : what] + still + [by]).filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}

/// What the last change set did to each row and section that is shown now.
struct ChangeMarks {
  private var rows: [ItemPath: String] = [:]
  private var sections: [Int: String] = [:]
  /// Old paths of rows that are gone, and old positions of sections.
  private(set) var deleted: [String] = []

  init(_ change: ListEvent?) {
    guard let change, !change.changes.isEmpty, let changes = try? SectionedChangeSet(decoding: change.changes) else { return }
    for section in changes.sections.inserts { sections[section] = "+" }
    for move in changes.sections.moves { sections[move.to] = "↔" }
    for update in changes.sections.updates where sections[update.new] == nil { sections[update.new] = "~" }
    for path in changes.items.inserts { rows[path] = "+" }
    for move in changes.items.moves { rows[move.to] = "↔" }
    // A row that moved and changed is marked as moved: that is what the eye looks for.
    for update in changes.items.updates where rows[update.new] == nil { rows[update.new] = "~" }
    deleted = changes.sections.deletes.map { "section \($0)" } + changes.items.deletes.map(\.description)
  }

  /// One column: what became of a row, or a blank.
  func row(_ section: Int, _ item: Int) -> String {
    // What stands in a new section is new with it.
    rows[ItemPath(section: section, item: item)] ?? (sections[section] == "+" ? "+" : " ")
  }

  /// One column: what became of a section, or a blank.
  func section(_ section: Int) -> String { sections[section] ?? " " }

  /// The columns of a change set as JSON.
  static func members(_ change: ListEvent) -> [(String, JSONLine.Value)] {
    let counts = change.counts
    var members: [(String, JSONLine.Value)] = [
      ("from", .unsigned(change.from)), ("to", .unsigned(change.to)), ("by", .text(change.computedBy)),
      ("reload", .flag(change.changes.isEmpty)), ("insert", .number(counts.inserts)), ("delete", .number(counts.deletes)),
      ("move", .number(counts.moves)), ("update", .number(counts.updates)), ("section_insert", .number(counts.sectionInserts)),
      ("section_delete", .number(counts.sectionDeletes)),
    ]
    guard !change.changes.isEmpty, let changes = try? SectionedChangeSet(decoding: change.changes) else { return members }
    // Enough to look at; who wants all has the event.
    func texts(_ values: some Sequence<some CustomStringConvertible>) -> JSONLine.Value {
      .array(values.prefix(200).map { .text($0.description) })
    }
    let items = changes.items
    members += [
      ("inserts", texts(items.inserts)), ("deletes", texts(items.deletes)), ("moves", texts(items.moves)),
      ("updates", texts(items.updates)),
    ]
    return members
  }
}
