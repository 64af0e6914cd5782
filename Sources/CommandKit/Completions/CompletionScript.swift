/// Completion scripts for shells, written from the command definitions.
package enum CompletionScript {
  package enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
  }

  package static func text(for root: CommandDefinition, shell: Shell) -> String {
    switch shell {
    case .bash: bash(root)
    case .zsh: zsh(root)
    case .fish: fish(root)
    }
  }

  /// A command with the names that lead to it.
  private struct Place {
    var path: [String]
    var command: CommandDefinition
  }

  private static func places(_ command: CommandDefinition, _ path: [String]) -> [Place] {
    [Place(path: path, command: command)] + command.subcommands.flatMap { places($0, path + [$0.name]) }
  }

  private static func options(_ place: Place, _ root: CommandDefinition) -> [OptionDefinition] {
    let own = place.command.options
    return place.path.isEmpty ? own : own + root.options.filter { shared in !own.contains { $0.name == shared.name } }
  }

  private static func identifier(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  private static func choices(_ kind: ValueKind?) -> [String] {
    if case .choice(let values) = kind { values } else { [] }
  }

  private static func takesFile(_ kind: ValueKind?) -> Bool { kind == .file || kind == .directory }

  // MARK: bash

  private static func bash(_ root: CommandDefinition) -> String {
    let function = "_\(identifier(root.name))_completion"
    var lines = [
      "# bash completion for \(root.name); install: \(root.name) completions bash > ~/.local/share/bash-completion/completions/\(root.name)",
      "\(function)() {",
      "  local word previous path= index",
      "  word=\"${COMP_WORDS[COMP_CWORD]}\"",
      "  previous=\"${COMP_WORDS[COMP_CWORD-1]}\"",
      "  COMPREPLY=()",
      "  for ((index = 1; index < COMP_CWORD; index++)); do",
      "    case \"$path/${COMP_WORDS[index]}\" in",
    ]
    let all = places(root, [])
    let paths = all.filter { !$0.path.isEmpty }.map { "/" + $0.path.joined(separator: "/") }
    if !paths.isEmpty { lines.append("      \(paths.joined(separator: "|"))) path=\"$path/${COMP_WORDS[index]}\" ;;") }
    lines += ["    esac", "  done", "  case \"$path:$previous\" in"]
    for place in all {
      let path = place.path.isEmpty ? "" : "/" + place.path.joined(separator: "/")
      for option in options(place, root) {
        guard let kind = option.value else { continue }
        let names = [option.short.map { "\(path):-\($0)" }, "\(path):--\(option.name)"].compactMap { $0 }.joined(separator: "|")
        let values = choices(kind)
        if !values.isEmpty {
          lines.append("    \(names)) COMPREPLY=($(compgen -W \"\(values.joined(separator: " "))\" -- \"$word\")); return ;;")
        } else if takesFile(kind) {
          lines.append("    \(names)) COMPREPLY=($(compgen \(kind == .directory ? "-d" : "-f") -- \"$word\")); return ;;")
        } else {
          lines.append("    \(names)) return ;;")
        }
      }
    }
    lines += ["  esac", "  case \"$path\" in"]
    for place in all {
      let path = place.path.isEmpty ? "" : "/" + place.path.joined(separator: "/")
      let words =
        place.command.subcommands.map(\.name) + place.command.arguments.flatMap { choices($0.kind) }
        + options(place, root).map { "--\($0.name)" } + ["--help"]
      let files = place.command.arguments.contains { takesFile($0.kind) } ? " $(compgen -f -- \"$word\")" : ""
      lines.append("    \"\(path)\") COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\")\(files)) ;;")
    }
    lines += ["  esac", "}", "complete -F \(function) \(root.name)", ""]
    return lines.joined(separator: "\n")
  }

  // MARK: zsh

  private static func zsh(_ root: CommandDefinition) -> String {
    var lines = ["#compdef \(root.name)", "# zsh completion for \(root.name); install into a directory of $fpath as _\(root.name)"]
    for place in places(root, []).reversed() {
      let function = "_" + ([root.name] + place.path).map(identifier).joined(separator: "_")
      lines += ["", "\(function)() {"]
      if !place.command.subcommands.isEmpty {
        lines += ["  local -a commands", "  commands=("]
        lines += place.command.subcommands.map { "    \(quoted("\($0.name):\($0.summary)"))" }
        lines.append("  )")
      }
      var specs = options(place, root).map { option -> String in
        let help = "[\(zshEscaped(option.summary))]"
        guard let kind = option.value else { return quoted("--\(option.name)\(help)") }
        let star = option.repeats ? "*" : ""
        return quoted("\(star)--\(option.name)=\(help):\(zshEscaped(option.placeholder)):\(zshAction(kind))")
      }
      specs.append(quoted("--help[show help]"))
      if place.command.subcommands.isEmpty {
        specs += place.command.arguments.map { argument in
          quoted("\(argument.repeats ? "*" : ""):\(zshEscaped(argument.name)):\(zshAction(argument.kind))")
        }
        lines.append("  _arguments \\")
        lines += specs.enumerated().map { "    \($1)\($0 == specs.count - 1 ? "" : " \\")" }
      } else {
        specs += ["'1:command:->command'", "'*::argument:->argument'"]
        lines.append("  local state")
        lines.append("  _arguments -C \\")
        lines += specs.enumerated().map { "    \($1)\($0 == specs.count - 1 ? "" : " \\")" }
        lines += ["  case $state in", "    command) _describe command commands ;;", "    argument)", "      case $words[1] in"]
        for subcommand in place.command.subcommands {
          lines.append("        \(subcommand.name)) \(function)_\(identifier(subcommand.name)) ;;")
        }
        lines += ["      esac", "      ;;", "  esac"]
      }
      lines.append("}")
    }
    lines += ["", "_\(identifier(root.name)) \"$@\"", ""]
    return lines.joined(separator: "\n")
  }

  private static func zshEscaped(_ text: String) -> String {
    String(text.flatMap { ["[", "]", ":", "\\"].contains($0) ? ["\\", $0] : [$0] })
  }

  private static func zshAction(_ kind: ValueKind) -> String {
    switch kind {
    case .file: "_files"
    case .directory: "_files -/"
    case .choice(let values): "(\(values.joined(separator: " ")))"
    default: " "
    }
  }

  // MARK: fish

  private static func fish(_ root: CommandDefinition) -> String {
    var lines = [
      "# fish completion for \(root.name); install: \(root.name) completions fish > ~/.config/fish/completions/\(root.name).fish",
      "complete -c \(root.name) -f",
    ]
    for place in places(root, []) {
      let condition = fishCondition(place)
      for subcommand in place.command.subcommands {
        lines.append("complete -c \(root.name) -n \(quoted(condition)) -a \(subcommand.name) -d \(quoted(subcommand.summary))")
      }
      let own = place.path.isEmpty ? root.options : place.command.options
      for option in own {
        var line = "complete -c \(root.name)"
        if !place.path.isEmpty { line += " -n \(quoted(condition))" }
        if let short = option.short { line += " -s \(short)" }
        line += " -l \(option.name) -d \(quoted(option.summary))"
        if let kind = option.value {
          let values = choices(kind)
          line += takesFile(kind) ? " -r -F" : (values.isEmpty ? " -x" : " -x -a \(quoted(values.joined(separator: " ")))")
        }
        lines.append(line)
      }
      for argument in place.command.arguments {
        let values = choices(argument.kind)
        if takesFile(argument.kind) { lines.append("complete -c \(root.name) -n \(quoted(condition)) -F") }
        if !values.isEmpty {
          lines.append("complete -c \(root.name) -n \(quoted(condition)) -a \(quoted(values.joined(separator: " ")))")
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func fishCondition(_ place: Place) -> String {
    var parts = place.path.map { "__fish_seen_subcommand_from \($0)" }
    if !place.command.subcommands.isEmpty {
      let names = place.command.subcommands.map(\.name).joined(separator: " ")
      parts.append("not __fish_seen_subcommand_from \(names)")
    }
    return parts.isEmpty ? "true" : parts.joined(separator: "; and ")
  }
}
