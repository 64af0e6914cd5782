import CommandKit

/// A small tree with one of everything, for the parser, help and completion.
enum Sample {
  static let root = CommandDefinition(
    "sample", "Does sample things",
    options: [
      .value("runtime", .directory, "the runtime directory", environment: "SAMPLE_RUNTIME"),
      .flag("json", "one JSON object a line"),
    ],
    subcommands: [
      CommandDefinition(
        "run", "Runs flow files", group: "everyday",
        options: [
          .value("jobs", .integer(1...64), "how many at once", short: "j", fallback: "1"),
          .value("for", .duration, "how long"),
          .value("host", .text, "a host to start", placeholder: "EXECUTABLE", repeats: true),
          .value("clock", .choice(["virtual", "real"]), "which clock"),
          .flag("keep-going", "do not stop at the first failure"),
        ],
        arguments: [ArgumentDefinition("FILE", "a flow file", .file, repeats: true)],
        examples: [.init("sample run a.flow -j 2", "runs one file")]),
      CommandDefinition("open", "Opens a module", group: "everyday", trailing: .verbatim),
      CommandDefinition(
        "keys", "Makes and allows keys", group: "operations",
        subcommands: [CommandDefinition("new", "Makes a key pair", arguments: [ArgumentDefinition("NAME", "its name")])]),
    ])

  static func parse(_ words: String..., environment: [String: String] = [:]) throws -> ParsedCommand {
    try CommandParser(root, environment: environment).parse(words)
  }

  static func complaint(_ words: String...) -> String? {
    do throws(UsageError) {
      _ = try CommandParser(root).parse(words)
      return nil
    } catch {
      return error.message
    }
  }
}
