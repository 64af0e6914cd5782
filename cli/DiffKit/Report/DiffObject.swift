package import ListDiff
import MinervaWire

/// A diff of files as one JSON object on one line, complete.
package struct DiffObject {
  private var text: String

  /// - Parameter form: `batch`, `steps` or `staged`.
  package init(_ diff: FileDiff, _ changes: FileChanges, form: String) {
    text = "{\"diff\":\"\(form)\",\"old\":\(JSONValue.string(diff.old.path).text),\"new\":\(JSONValue.string(diff.new.path).text)"
    text += ",\"old_count\":\(diff.old.rows.count),\"new_count\":\(diff.new.rows.count)"
    switch changes {
    case .flat(let changes):
      count(changes.deletes.count, changes.inserts.count, changes.moves.count, changes.updates.count)
    case .sectioned(let changes):
      let items = changes.items
      count(items.deletes.count, items.inserts.count, items.moves.count, items.updates.count)
      let sections = changes.sections
      text += ",\"sections\":{\"old_count\":\(sections.oldCount),\"new_count\":\(sections.newCount)"
      count(sections.deletes.count, sections.inserts.count, sections.moves.count, sections.updates.count)
      text += "}"
    }
  }

  private mutating func count(_ deletes: Int, _ inserts: Int, _ moves: Int, _ updates: Int) {
    text += ",\"deletes\":\(deletes),\"inserts\":\(inserts),\"moves\":\(moves),\"updates\":\(updates)"
  }

  package mutating func add(_ changes: FileChanges) { text += ",\"changes\":\(changes.json)" }

  package mutating func add(_ stages: FileStages) { text += ",\"stages\":[\(stages.changes.map(\.json).joined(separator: ","))]" }

  /// Steps as `["delete",4]`, `["move",7,2]`, `["insert",3]`, `["update",5]`.
  package mutating func add(_ steps: [ChangeSet.Step]) {
    text += ",\"steps\":["
    for (index, step) in steps.enumerated() {
      if index > 0 { text += "," }
      switch step {
      case .delete(let position): text += "[\"delete\",\(position)]"
      case .move(let from, let to): text += "[\"move\",\(from),\(to)]"
      case .insert(let position): text += "[\"insert\",\(position)]"
      case .update(let position): text += "[\"update\",\(position)]"
      }
    }
    text += "]"
  }

  package mutating func addCheck() { text += ",\"checked\":true" }

  package var line: String { text + "}" }
}

extension FileChanges {
  package var json: String {
    switch self {
    case .flat(let changes): changes.json
    case .sectioned(let changes): changes.json
    }
  }
}
