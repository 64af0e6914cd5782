import CommandKit
package import Minerva
package import MinervaNavigation

/// The sections and rows of a screen as lines, with the ids that `tap` and `enter` take.
package enum ListText {
  package static func lines(_ rendering: ScreenRendering?, of screen: SceneTree.Screen, width: Int) -> [String] {
    guard let rendering else { return ["\(TreeText.screen(screen)) shows nothing"] }
    var lines = ["\(TreeText.screen(screen))  \"\(Escaping.visible(rendering.title))\"  \(rendering.count) rows"]
    for button in rendering.buttons ?? [] {
      lines.append("  [\(Escaping.visible(button.id))]  \(Escaping.visible(button.title))\(button.isEnabled ? "" : "  disabled")")
    }
    for answer in rendering.alert?.answers ?? [] { lines.append("  [\(Escaping.visible(answer.id))]  \(Escaping.visible(answer.title))") }
    for section in rendering.sections {
      lines.append("\(Escaping.visible(section.id))\(section.header.map { "  \(Escaping.visible($0))" } ?? "")  (\(section.count))")
      let column = min(24, section.rows.map { DisplayWidth.of(Escaping.visible($0.id)) }.max() ?? 0)
      for row in section.rows {
        let words = DisplayWidth.clipped(Escaping.visible(shown(row)), to: max(20, width - column - 4))
        lines.append("  \(DisplayWidth.padded(Escaping.visible(row.id), to: column))  \(words)")
      }
      if let beyond = section.beyond { lines.append("  … and \(beyond) more") }
      if let footer = section.footer { lines.append("  \(Escaping.visible(footer))") }
    }
    return lines
  }

  private static func shown(_ row: CellContent) -> String {
    var words = [row.type.rawValue == "label" ? nil : "<\(row.type.rawValue)>", row.text, row.detail].compactMap { $0 }.filter {
      !$0.isEmpty
    }
    if row.type.takesValue { words.append("= \(row.secret == true ? "•••" : row.value ?? "")") }
    if row.marked == true { words.append("*") }
    if row.disabled == true { words.append("(disabled)") }
    if let actions = row.actions { words.append("‹\(actions.joined(separator: "|"))›") }
    return words.joined(separator: "  ")
  }

  /// One object a row, and one for a screen without rows.
  package static func json(_ rendering: ScreenRendering?, of screen: SceneTree.Screen) -> [String] {
    let head: [(String, JSONLine.Value)] = [("screen", .text(screen.id.description)), ("module", .text(screen.module))]
    guard let rendering else { return [JSONLine(head).text] }
    let rows = rendering.sections.flatMap { section in
      section.rows.map { row -> String in
        var members =
          head + [("section", .text(section.id)), ("row", .text(row.id)), ("type", .text(row.type.rawValue)), ("text", .text(row.text))]
        if let detail = row.detail { members.append(("detail", .text(detail))) }
        if let value = row.value, row.secret != true { members.append(("value", .text(value))) }
        if row.marked == true { members.append(("marked", .flag(true))) }
        if row.disabled == true { members.append(("disabled", .flag(true))) }
        return JSONLine(members).text
      }
    }
    return rows.isEmpty ? [JSONLine(head + [("title", .text(rendering.title))]).text] : rows
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
