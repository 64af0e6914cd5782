import CommandKit
import CommandRuns
import JournalKit

extension TestFolder {
  private static let root = CommandDefinition(
    "minerva", "Test",
    options: [.value("runtime", .directory, "the directory of sockets, locks and logs"), .flag("json", "one JSON object a line")],
    subcommands: [JournalCommand.definition])

  static func help(_ path: [String]) -> String { Program.help(root, for: path, width: 80) }

  /// Runs `minerva journal` in this process; the folder is called DIR in what it prints.
  func journal(_ words: [String]) throws -> CommandRun {
    var run = try CommandRun(["journal"] + words, of: Self.root) { try JournalCommand.run($0, $1) }
    run.out = run.out.replacing(path, with: "DIR")
    return run
  }
}
