/// Help of a command, written from its definition.
package enum HelpText {
  /// Writes the whole help of a command, wrapped to a width in display cells.
  package static func render(_ command: CommandDefinition, path: [String], shared: [OptionDefinition] = [], width: Int = 80) -> String {
    var lines = wrap(command.summary + ".", width)
    lines += ["", "usage: " + usage(of: command, path: path)]
    for paragraph in command.discussion.split(separator: "\n", omittingEmptySubsequences: true) {
      lines.append("")
      lines += paragraph.hasPrefix(" ") ? [String(paragraph)] : wrap(String(paragraph), width)
    }
    lines += table("arguments", command.arguments.map { ($0.synopsis, $0.summary) }, width)
    var groups: [String] = []
    for subcommand in command.subcommands where !groups.contains(subcommand.group) { groups.append(subcommand.group) }
    for group in groups {
      let rows = command.subcommands.filter { $0.group == group }.map { ($0.name, $0.summary) }
      lines += table(group.isEmpty ? "commands" : group, rows, width)
    }
    lines += table("options", command.options.map { ($0.synopsis, note(on: $0)) }, width)
    lines += table("options of every command", shared.map { ($0.synopsis, note(on: $0)) }, width)
    lines += table("examples", command.examples.map { ($0.line, $0.meaning) }, width)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Writes the usage line of a command, without the word `usage`.
  package static func usage(of command: CommandDefinition, path: [String]) -> String {
    var words = path
    if !command.options.isEmpty { words.append("[options]") }
    words += command.arguments.map(\.synopsis)
    if !command.subcommands.isEmpty { words.append(command.arguments.isEmpty ? "COMMAND …" : "| COMMAND …") }
    if command.trailing == .verbatim { words.append("…") }
    return words.joined(separator: " ")
  }

  private static func note(on option: OptionDefinition) -> String {
    var text = option.summary
    if option.repeats { text += "; may be repeated" }
    let origins = [option.environment.map { "or \($0)" }, option.fallback.map { "default \($0)" }].compactMap { $0 }
    return origins.isEmpty ? text : "\(text) (\(origins.joined(separator: ", ")))"
  }

  /// Writes a heading and two columns; the second is wrapped under itself.
  package static func table(_ heading: String, _ rows: [(String, String)], _ width: Int) -> [String] {
    guard !rows.isEmpty else { return [] }
    let column = min(rows.map { DisplayWidth.of($0.0) }.max() ?? 0, 32) + 2
    var lines = ["", "\(heading):"]
    for (left, right) in rows {
      let wrapped = wrap(right, max(24, width - column - 2))
      if DisplayWidth.of(left) + 2 > column {
        lines.append("  " + left)
        lines += wrapped.map { "  " + String(repeating: " ", count: column) + $0 }
      } else {
        lines.append("  " + DisplayWidth.padded(left, to: column) + (wrapped.first ?? ""))
        lines += wrapped.dropFirst().map { "  " + String(repeating: " ", count: column) + $0 }
      }
    }
    return lines
  }

  /// Breaks a paragraph at spaces so that no line is wider than it must be.
  package static func wrap(_ text: String, _ width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }
}
