import ListDiff
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

  /// Steps as `["delete",4]`, `["move",7,2]`, `["insert",3]`, `["update",5]`; with sections the places are paths, as in
  /// `["move",[0,7],[1,2]]`, and those of a section itself are called `["delete_section",4]` and so on.
  package mutating func add(_ steps: FileSteps) {
    text += ",\"steps\":["
    switch steps {
    case .flat(let steps): add(steps) { $0.words }
    case .sectioned(let steps): add(steps) { $0.words }
    }
    text += "]"
  }

  private mutating func add<Step>(_ steps: [Step], _ words: (Step) -> (name: String, from: String?, to: String)) {
    for (index, step) in steps.enumerated() {
      let (name, from, to) = words(step)
      text += index > 0 ? ",[" : "["
      text += "\"\(name)\",\(from.map { "\($0)," } ?? "")\(to)]"
    }
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

extension ChangeSet.Step {
  /// What is done, and where, as JSON.
  fileprivate var words: (name: String, from: String?, to: String) {
    switch self {
    case .delete(let position): ("delete", nil, "\(position)")
    case .move(let from, let to): ("move", "\(from)", "\(to)")
    case .insert(let position): ("insert", nil, "\(position)")
    case .update(let position): ("update", nil, "\(position)")
    }
  }
}

extension SectionedChangeSet.Step {
  fileprivate var words: (name: String, from: String?, to: String) {
    func pair(_ path: ItemPath) -> String { "[\(path.section),\(path.item)]" }
    return switch self {
    case .deleteItem(let path): ("delete", nil, pair(path))
    case .moveItem(let from, let to): ("move", pair(from), pair(to))
    case .insertItem(let path): ("insert", nil, pair(path))
    case .updateItem(let path): ("update", nil, pair(path))
    case .deleteSection(let position): ("delete_section", nil, "\(position)")
    case .moveSection(let from, let to): ("move_section", "\(from)", "\(to)")
    case .insertSection(let position): ("insert_section", nil, "\(position)")
    case .updateSection(let position): ("update_section", nil, "\(position)")
    }
  }
}
