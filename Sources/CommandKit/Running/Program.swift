import Glibc

/// The frame of an executable: arguments in, one exit code out.
package enum Program {
  /// Parses the command line, answers `--help` and `--version` itself, else runs the body; turns whatever is thrown into words and a code.
  package static func run(
    _ root: CommandDefinition,
    version: String,
    arguments: [String] = Array(CommandLine.arguments.dropFirst()),
    environment: [String: String] = environmentVariables(),
    body: @Sendable (ParsedCommand, Console) async throws -> ExitCode
  ) async -> ExitCode {
    signal(SIGPIPE, SIG_IGN)
    // A bound on the size of files is met like a full disk: by an error, not by death.
    signal(SIGXFSZ, SIG_IGN)
    let console = Console.standard(environment: environment)
    var code = ExitCode.done
    do {
      let command = try CommandParser(root, environment: environment).parse(arguments)
      switch command.request {
      case .version: try console.out.line("\(root.name) \(version)")
      case .help: try console.out.write(help(root, for: command.path, width: console.terminal.width))
      case .run: code = try await body(command, console)
      }
      try console.out.flush()
    } catch {
      try? console.out.flush()
      // What does not understand its words may still have been asked for JSON.
      let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
      for line in isJSON ? ErrorWords.json(for: error) : ErrorWords.lines(for: error) { console.notice(line) }
      code = ErrorWords.exitCode(for: error)
    }
    return code
  }

  /// Runs and leaves the process.
  package static func main(
    _ root: CommandDefinition, version: String, body: @Sendable (ParsedCommand, Console) async throws -> ExitCode
  ) async -> Never {
    exit(await run(root, version: version, body: body).rawValue)
  }

  /// Writes the help of the command that a path names.
  package static func help(_ root: CommandDefinition, for path: [String], width: Int) -> String {
    var command = root
    for name in path.dropFirst() { command = command.subcommand(name) ?? command }
    return HelpText.render(command, path: path, shared: path.count > 1 ? root.options : [], width: min(width, 100))
  }

  /// The environment as a dictionary; of a name given twice, the first counts, as for `getenv`.
  package static func environmentVariables() -> [String: String] {
    var result: [String: String] = [:]
    for (name, value) in EnvironmentBlock.entries() where result[name] == nil { result[name] = value }
    return result
  }
}
