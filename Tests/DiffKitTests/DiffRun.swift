import CommandKit
import CommandRuns
import DiffKit

/// Runs `minerva diff` in this process; the files of the folder are called by their names in what it prints.
func runDiff(_ words: [String], in folder: TestFolder? = nil) async throws -> CommandRun {
  let root = CommandDefinition(
    "minerva", "Test", options: [.flag("json", "one JSON object a line")], subcommands: [DiffCommand.definition])
  var run = try await CommandRun(["diff"] + words, of: root) { try await DiffCommand.run($0, $1) }
  if let folder { run.out = run.out.replacing(folder.path + "/", with: "") }
  return run
}
