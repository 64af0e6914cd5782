import MinervaWire

/// Reads the words of a command line by a ``CommandDefinition``.
///
/// Options of the root are understood everywhere, `--` ends options, `--name=value` equals `--name value`; an option is taken from
/// the command line before the environment before its default.
package struct CommandParser: Sendable {
  package let root: CommandDefinition
  package let environment: [String: String]

  package init(_ root: CommandDefinition, environment: [String: String] = [:]) {
    self.root = root
    self.environment = environment
  }

  /// Parses the words after the program's name.
  package func parse(_ words: [String]) throws(UsageError) -> ParsedCommand {
    var run = Run(root: root)
    var index = words.startIndex
    while index < words.endIndex {
      let word = words[index]
      index += 1
      if run.optionsEnded {
        try run.take(word)
      } else if word == "--" {
        run.endOptions()
      } else if word.utf8.count > 1, word.hasPrefix("-"), Int(word) == nil, !run.isArgument(word) {
        try run.option(word, words, &index)
      } else {
        try run.take(word)
      }
    }
    return try run.finish(environment)
  }
}

extension CommandParser {
  /// One parse under way.
  private struct Run {
    let root: CommandDefinition
    var command: CommandDefinition
    var result: ParsedCommand
    var words: [String] = []
    var optionsEnded = false

    init(root: CommandDefinition) {
      self.root = root
      command = root
      result = ParsedCommand(path: [root.name])
    }

    var spelled: String { result.path.joined(separator: " ") }
    var isVerbatim: Bool { command.trailing == .verbatim }
    var known: [OptionDefinition] { isVerbatim ? root.options : command.options + (command.name == root.name ? [] : root.options) }

    func fail(_ message: String) -> UsageError { UsageError(message, command: spelled) }

    /// Whether a word that looks like an option is an argument by its length.
    func isArgument(_ word: String) -> Bool {
      guard command.arguments.contains(where: { $0.dashedLength == word.utf8.count }) else { return false }
      let name = word.drop { $0 == "-" }.prefix { $0 != "=" }
      return !known.contains { $0.name == name }
    }

    mutating func endOptions() {
      optionsEnded = true
      if isVerbatim { result.rest.append("--") }
    }

    mutating func take(_ word: String) throws(UsageError) {
      if isVerbatim { return result.rest.append(word) }
      if !optionsEnded, !command.subcommands.isEmpty, words.isEmpty {
        if let next = command.subcommand(word) {
          command = next
          result.path.append(next.name)
          return
        }
        if word == "help", command.arguments.isEmpty { return result.request = .help }
        if command.arguments.isEmpty {
          let hint = Suggestion.nearest(to: word, among: command.subcommands.map(\.name)).map { "; did you mean \($0)?" } ?? ""
          throw fail("no command \"\(Escaping.visible(word))\"\(hint)")
        }
      }
      words.append(word)
    }

    mutating func option(_ word: String, _ all: [String], _ index: inout Int) throws(UsageError) {
      let isLong = word.hasPrefix("--")
      let body = word.drop { $0 == "-" }
      let name = String(isLong ? body.prefix { $0 != "=" } : body.prefix(1))
      var attached: String?
      if isLong, let equals = body.firstIndex(of: "=") {
        attached = String(body[body.index(after: equals)...])
      } else if !isLong, body.count > 1 {
        attached = String(body.dropFirst())
      }
      let candidates = known
      guard let option = candidates.first(where: { isLong ? $0.name == name : $0.short.map(String.init) == name }) else {
        if isVerbatim { return try verbatim(word) }
        if name == "help" || word == "-h" { return result.request = .help }
        if name == "version" { return result.request = .version }
        let hint =
          Suggestion.nearest(to: name, among: candidates.map(\.name) + ["help", "version"]).map { "; did you mean --\($0)?" } ?? ""
        throw fail("no option \(Escaping.visible(word))\(hint)")
      }
      guard let kind = option.value else {
        guard attached == nil else { throw fail("--\(option.name) takes no value") }
        result.options[option.name] = [""]
        return
      }
      let text: String
      if let attached {
        text = attached
      } else if index < all.endIndex {
        text = all[index]
        index += 1
      } else {
        throw fail("--\(option.name) needs a value: \(option.synopsis)")
      }
      if let complaint = kind.complaint(about: text) { throw fail("--\(option.name): \(complaint)") }
      if !option.repeats, result.options[option.name] != nil { throw fail("--\(option.name) is given twice") }
      result.options[option.name, default: []].append(text)
    }

    private mutating func verbatim(_ word: String) throws(UsageError) {
      // Help of a verb is asked before anything of it is typed; later words belong to the verb.
      if word == "--help" || word == "-h", result.rest.isEmpty { return result.request = .help }
      result.rest.append(word)
    }

    mutating func finish(_ environment: [String: String]) throws(UsageError) -> ParsedCommand {
      guard result.request == .run else { return result }
      for option in known where result.options[option.name] == nil {
        if let variable = option.environment, let text = environment[variable], !text.isEmpty {
          if let complaint = option.value?.complaint(about: text) { throw fail("\(variable): \(complaint)") }
          result.options[option.name] = [text]
          result.fromEnvironment.insert(option.name)
        } else if let fallback = option.fallback, option.value != nil {
          result.options[option.name] = [fallback]
        }
      }
      guard !isVerbatim else { return result }
      if command.arguments.isEmpty, !command.subcommands.isEmpty { throw fail("which command? \(spelled) --help lists them") }
      try bindArguments()
      return result
    }

    private mutating func bindArguments() throws(UsageError) {
      var left = words[...]
      for argument in command.arguments {
        let taken = argument.repeats ? left : left.prefix(1)
        left = left.dropFirst(taken.count)
        if taken.isEmpty {
          guard !argument.isRequired else { throw fail("\(argument.name) is missing: \(HelpText.usage(of: command, path: result.path))") }
          continue
        }
        for word in taken {
          if let complaint = argument.kind.complaint(about: word) { throw fail("\(argument.name): \(complaint)") }
        }
        result.arguments[argument.name] = Array(taken)
      }
      guard let extra = left.first else { return }
      throw fail("unexpected \"\(Escaping.visible(extra))\": \(HelpText.usage(of: command, path: result.path))")
    }
  }
}
