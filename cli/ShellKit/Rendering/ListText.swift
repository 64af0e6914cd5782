import CommandKit
package import Minerva
import MinervaInterfaces
package import MinervaNavigation

/// The sections and rows of a screen as lines, with the ids that `tap` and `enter` take, and what the last change set did to them.
package enum ListText {
  package static func lines(
    _ rendering: ScreenRendering?, of screen: SceneTree.Screen, _ stamp: ListStamp? = nil, width: Int
  ) -> [String] {
    guard let rendering else { return ["\(TreeText.screen(screen)) shows nothing"] }
    let version = stamp.map { "  v\($0.version)" } ?? ""
    let rows = rendering.count == 1 ? "1 row" : "\(rendering.count) rows"
    var lines = ["\(TreeText.screen(screen))  \"\(Escaping.visible(rendering.title))\"  \(rows)\(version)"]
    for button in rendering.buttons ?? [] {
      lines.append("  [\(Escaping.visible(button.id))]  \(Escaping.visible(button.title))\(button.isEnabled ? "" : "  disabled")")
    }
    for answer in rendering.alert?.answers ?? [] { lines.append("  [\(Escaping.visible(answer.id))]  \(Escaping.visible(answer.title))") }
    let marks = ChangeMarks(stamp?.change)
    for (place, section) in rendering.sections.enumerated() {
      let mark = marks.section(place) == " " ? "" : "\(marks.section(place)) "
      lines.append("\(mark)\(Escaping.visible(section.id))\(section.header.map { "  \(Escaping.visible($0))" } ?? "")  (\(section.count))")
      let column = min(24, section.rows.map { DisplayWidth.of(Escaping.visible($0.id)) }.max() ?? 0)
      for (item, row) in section.rows.enumerated() {
        let words = DisplayWidth.clipped(Escaping.visible(shown(row)), to: max(20, width - column - 4))
        lines.append("\(marks.row(place, item)) \(DisplayWidth.padded(Escaping.visible(row.id), to: column))  \(words)")
      }
      if let beyond = section.beyond { lines.append("  … and \(beyond) more") }
      if let footer = section.footer { lines.append("  \(Escaping.visible(footer))") }
    }
    if let change = stamp?.change {
      lines.append("last change  \(ChangeText.line(change))")
      if !marks.deleted.isEmpty {
        let rest = marks.deleted.count > 8 ? ", …" : ""
        lines.append("  deleted  \(marks.deleted.prefix(8).joined(separator: ", "))\(rest) of v\(change.from)")
      }
    }
    return lines
  }

  private static func shown(_ row: CellContent) -> String {
    var words = [row.type.rawValue == "label" ? nil : "<\(row.type.rawValue)>", row.text, row.detail].compactMap { $0 }.filter {
      !$0.isEmpty
    }
    if row.type.takesValue { words.append("= \(row.secret == true ? "•••" : row.value ?? "")") }
    if let options = row.options { words.append("of \(options.joined(separator: "|"))") }
    if row.marked == true { words.append("*") }
    if row.traits?.contains(.choice) == true { words.append(row.traits?.contains(.chosen) == true ? "(chosen)" : "(not chosen)") }
    if row.disabled == true { words.append("(disabled)") }
    if !row.isSelectable, !row.type.isDecoration { words.append("(takes no tap)") }
    if let actions = row.actions { words.append("‹\(actions.joined(separator: "|"))›") }
    if row.traits?.contains(.reorderable) == true { words.append("↕") }
    if let cells = row.cells { words.append(cells.map { "\($0.id): \(shown($0))" }.joined(separator: ", ")) }
    return words.joined(separator: "  ")
  }

  /// One object a row, or one for a screen without rows, and one for the last change where it is known.
  package static func json(_ rendering: ScreenRendering?, of screen: SceneTree.Screen, _ stamp: ListStamp? = nil) -> [String] {
    let head: [(String, JSONLine.Value)] = [("screen", .text(screen.id.description)), ("module", .text(screen.module))]
    guard let rendering else { return [JSONLine(head).text] }
    let rows = rendering.sections.flatMap { section in
      section.rows.map { row -> String in
        var members =
          head + [("section", .text(section.id)), ("row", .text(row.id)), ("type", .text(row.type.rawValue)), ("text", .text(row.text))]
        if let detail = row.detail { members.append(("detail", .text(detail))) }
        if let value = row.value, row.secret != true { members.append(("value", .text(value))) }
        if let options = row.options { members.append(("options", .array(options.map { .text($0) }))) }
        if let actions = row.actions { members.append(("actions", .array(actions.map { .text($0) }))) }
        if row.marked == true { members.append(("marked", .flag(true))) }
        if row.traits?.contains(.chosen) == true { members.append(("chosen", .flag(true))) }
        if row.traits?.contains(.reorderable) == true { members.append(("reorderable", .flag(true))) }
        if row.disabled == true { members.append(("disabled", .flag(true))) }
        return JSONLine(members).text
      }
    }
    let lines = rows.isEmpty ? [JSONLine(head + [("title", .text(rendering.title))]).text] : rows
    guard let change = stamp?.change else { return lines }
    return lines + [JSONLine(head + [("change", .object(ChangeMarks.members(change)))]).text]
  }

  package static func commands(_ rendering: ScreenRendering?, isJSON: Bool) -> [String] {
    let commands = rendering?.commands ?? []
    if isJSON {
      return commands.map {
        JSONLine([("command", .text($0.name)), ("enabled", .flag($0.isEnabled)), ("executing", .flag($0.isExecuting))]).text
      }
    }
    if commands.isEmpty { return ["no commands"] }
    return commands.map {
      "\(Escaping.visible($0.name))  \($0.isExecuting ? "executing" : $0.isEnabled ? "enabled" : "disabled")"
    }
  }
}
