package import CommandKit
import ListDiff

/// A diff of files in words: counts, then the first changes of each kind.
package struct DiffReport {
  private let diff: FileDiff
  private let paint: Paint
  /// How many changes of a kind are shown.
  private let limit: Int

  package init(_ diff: FileDiff, paint: Paint, limit: Int = 6) {
    self.diff = diff
    self.paint = paint
    self.limit = limit
  }

  /// The line of counts.
  package func summary(_ changes: FileChanges) -> String {
    switch changes {
    case .flat(let changes):
      let lengths = "\(changes.oldCount) → \(changes.newCount) rows"
      return changes.isEmpty ? "\(lengths), no change" : "\(lengths): \(DiffReport.counts(changes))"
    case .sectioned(let changes):
      let lengths =
        "\(diff.old.rows.count) → \(diff.new.rows.count) rows in \(changes.sections.oldCount) → \(changes.sections.newCount) sections"
      if changes.isEmpty { return "\(lengths), no change" }
      let items = changes.items
      let rows = DiffReport.counts(items.deletes.count, items.inserts.count, items.moves.count, items.updates.count)
      return changes.sections.isEmpty ? "\(lengths): \(rows)" : "\(lengths): sections \(DiffReport.counts(changes.sections)); rows \(rows)"
    }
  }

  /// The changes, positions from 0; what is left out is counted in a last line.
  package func changes(_ changes: FileChanges) -> [String] {
    var lines: [String] = []
    var left = 0
    func show<Values: Collection>(_ values: Values, _ line: (Values.Element) -> String) {
      lines += values.prefix(limit).map { "  " + line($0) }
      left += max(0, values.count - limit)
    }
    switch changes {
    case .flat(let changes):
      show(changes.deletes) { paint(.red, "- \($0)") + "  \(diff.old.label($0))" }
      show(changes.inserts) { paint(.green, "+ \($0)") + "  \(diff.new.label($0))" }
      show(changes.moves) { paint(.cyan, "> \($0.from) → \($0.to)") + "  \(diff.new.label($0.to))" }
      show(changes.updates) { paint(.yellow, "~ \($0.old) → \($0.new)") + "  \(diff.new.label($0.new))" }
    case .sectioned(let changes):
      let (old, new) = (Bases(diff.old), Bases(diff.new))
      let sections = changes.sections
      show(sections.deletes) { paint(.red, "- section \($0)") + "  \(diff.old.sectionLabel($0))" }
      show(sections.inserts) { paint(.green, "+ section \($0)") + "  \(diff.new.sectionLabel($0))" }
      show(sections.moves) { paint(.cyan, "> section \($0.from) → \($0.to)") + "  \(diff.new.sectionLabel($0.to))" }
      show(changes.items.deletes) { paint(.red, "- \($0)") + "  \(diff.old.label(old.row($0)))" }
      show(changes.items.inserts) { paint(.green, "+ \($0)") + "  \(diff.new.label(new.row($0)))" }
      show(changes.items.moves) { paint(.cyan, "> \($0.from) → \($0.to)") + "  \(diff.new.label(new.row($0.to)))" }
      show(changes.items.updates) { paint(.yellow, "~ \($0.old) → \($0.new)") + "  \(diff.new.label(new.row($0.new)))" }
    }
    if left > 0 { lines.append("  … \(left) more; --json has them all") }
    return lines
  }

  /// The script, one step a line, cut like the changes.
  package func steps(_ steps: FileSteps) -> [String] {
    let shown = limit * 4
    var lines: [String]
    switch steps {
    case .flat(let steps): lines = steps.prefix(shown).map(line)
    case .sectioned(let steps):
      let new = Bases(diff.new)
      lines = steps.prefix(shown).map { line($0, new) }
    }
    if steps.count > shown { lines.append("  … \(steps.count - shown) more; --json has them all") }
    return lines
  }

  private func line(_ step: ChangeSet.Step) -> String {
    switch step {
    case .delete(let position): "  delete \(position)"
    case .move(let from, let to): "  move   \(from) → \(to)"
    case .insert(let position): "  insert \(position)  \(diff.new.label(position))"
    case .update(let position): "  update \(position)  \(diff.new.label(position))"
    }
  }

  private func line(_ step: SectionedChangeSet.Step, _ new: Bases) -> String {
    switch step {
    case .deleteItem(let path): "  delete \(path)"
    case .moveItem(let from, let to): "  move   \(from) → \(to)"
    case .insertItem(let path): "  insert \(path)  \(diff.new.label(new.row(path)))"
    case .updateItem(let path): "  update \(path)  \(diff.new.label(new.row(path)))"
    case .deleteSection(let position): "  delete section \(position)"
    case .moveSection(let from, let to): "  move   section \(from) → \(to)"
    case .insertSection(let position): "  insert section \(position)  \(diff.new.sectionLabel(position))"
    case .updateSection(let position): "  update section \(position)  \(diff.new.sectionLabel(position))"
    }
  }

  static func counts(_ changes: ChangeSet) -> String {
    counts(changes.deletes.count, changes.inserts.count, changes.moves.count, changes.updates.count)
  }

  static func counts(_ deletes: Int, _ inserts: Int, _ moves: Int, _ updates: Int) -> String {
    "\(deletes) deleted, \(inserts) inserted, \(moves) moved, \(updates) updated"
  }

  /// Where the rows of each section begin.
  private struct Bases {
    private var bases: [Int] = [0]

    init(_ file: ListFile) {
      for count in file.sections?.counts ?? [] { bases.append(bases[bases.count - 1] + count) }
    }

    func row(_ path: ItemPath) -> Int { bases[path.section] + path.item }
  }
}
