import CommandKit
package import MinervaWire

/// What `help` says, written from the verbs.
package enum ShellHelp {
  /// Answers `help` with these words; throws `parse.unexpected` when there is nothing of that name.
  package static func lines(_ topic: [String], width: Int = 80) throws(MinervaError) -> [String] {
    switch topic.first {
    case nil: return everyday()
    case "all": return all()
    case "catalog": return catalogue
    case "errors": return try errors(topic.dropFirst().first, width)
    case let name?:
      if let verb = Verb.named(name) { return page(of: verb, width) }
      let hint =
        Suggestion.nearest(to: name, among: Verb.all.map(\.name) + ["all", "catalog", "errors"]).map { "; did you mean \($0)?" } ?? ""
      throw MinervaError(.parseUnexpected, "no help on \"\(Escaping.visible(name))\"\(hint)")
    }
  }

  /// The everyday verbs, at most fifteen lines.
  package static func everyday() -> [String] {
    Verb.all.filter(\.isEveryday).map { row($0.name, $0.summary, 8) } + ["more: help all, help VERB, help errors; Ctrl-D leaves"]
  }

  private static func all() -> [String] {
    var lines: [String] = []
    for group in Verb.Group.allCases {
      let verbs = Verb.all.filter { $0.group == group }
      guard !verbs.isEmpty else { continue }
      if !lines.isEmpty { lines.append("") }
      lines.append("\(group.title):")
      lines += verbs.map { "  " + row($0.name, $0.summary, 9) }
    }
    return lines + ["", "screens: s12, @login, top, root, or a place: main, modal[1], main/orders", "a; b runs both, a & does not wait"]
  }

  /// A name in its column, and what it does.
  package static func row(_ name: String, _ summary: String, _ column: Int) -> String {
    "\(DisplayWidth.padded(name, to: column)) \(summary)"
  }

  /// The page of one verb.
  package static func page(of verb: Verb, _ width: Int = 80) -> [String] {
    var lines = [verb.summary + ".", ""] + verb.usages.map { "  \($0)" }
    if !verb.discussion.isEmpty { lines += [""] + HelpText.wrap(verb.discussion, width) }
    lines += HelpText.table("options", verb.options.map { ($0.synopsis, note($0)) }, width)
    lines += HelpText.table("examples", verb.examples.map { ($0.line, $0.meaning) }, width)
    if !verb.errors.isEmpty { lines += [""] + HelpText.wrap("errors: " + verb.errors.joined(separator: ", "), width) }
    return lines + ["since \(verb.since)"]
  }

  private static func note(_ option: OptionDefinition) -> String {
    option.fallback.map { "\(option.summary) (default \($0))" } ?? option.summary
  }

  /// Codes that are the shell's own, beside the catalogue of the runtime.
  package static let ownErrors: [(code: String, cause: String, remedy: String)] = [
    ("parse.unknown_verb", "no verb of that name", "help all lists them"),
    ("parse.unexpected", "a word does not fit where it stands", "help VERB shows the forms"),
    ("parse.missing", "something that must follow does not", "help VERB shows the forms"),
    ("parse.option", "the verb has no such option, or its value is wrong", "help VERB lists the options"),
    ("parse.payload", "a payload is not strict JSON", "look at the column; keys need quotes"),
    ("parse.unterminated", "a quote or bracket is never closed", "close it"),
    ("parse.header", "a script's header is wrong", "flow, app, catalog, host, clock, seed stand before the first command"),
    ("keys.unknown", "no key begins so or has that name, or more than one", "minerva keys list shows them; write more of the key"),
    ("script.encoding", "a script is not UTF-8 text with LF or CRLF", "save it as UTF-8"),
    ("script.file", "a file cannot be read", "check its name"),
  ]

  private static func errors(_ filter: String?, _ width: Int) throws(MinervaError) -> [String] {
    let known = ErrorCatalogue.entries.map { (code: $0.code.rawValue, cause: $0.cause, remedy: $0.remedy) } + ownErrors
    let chosen = known.filter { filter == nil || $0.code.hasPrefix(filter ?? "") }
    guard !chosen.isEmpty else {
      throw MinervaError(.parseUnexpected, "no code begins with \"\(Escaping.visible(filter ?? ""))\"; help errors lists them all")
    }
    return chosen.flatMap { entry in ["\(entry.code): \(entry.cause)", "  \(entry.remedy)"] }
  }
}
