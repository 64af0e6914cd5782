package import CommandKit
package import ListDiff
import MinervaWire

/// `minerva diff`: the changes between two files.
package enum DiffCommand {
  /// Who computes the changes: this process, or a worker.
  package typealias Engine = @Sendable (FileDiff, Differ.Options) async throws -> FileChanges

  package static let inProcess: Engine = { diff, options in try diff.changes(options) }

  package static let definition = CommandDefinition(
    "diff", "Shows what changed between two lists in files, with the fewest moves",
    discussion: """
      A file is a list of lines, of rows in columns between tabs, or of JSON objects one a line. Rows are the same when their identifiers \
      are, byte for byte but for the line's end, LF or CRLF; they are updated when --content differs, without it when anything else in the row does. Columns count from 1, \
      positions in what is printed from 0.
      """,
    group: "everyday",
    options: [
      .value("ids", .text, "where identifiers are: lines, tsv:COL or jsonl:KEY", placeholder: "WHERE", fallback: "lines"),
      .value("section", .text, "rows of one value in this column or key are a section", placeholder: "COL|KEY"),
      .value("content", .text, "an update is a change of this column or key", placeholder: "COL|KEY", repeats: true),
      .flag("header", "the first line names the columns"),
      .value("form", .choice(["batch", "steps", "staged"]), "how changes are told", fallback: "batch"),
      .value("duplicates", .choice(["reject", "occurrence"]), "of an identifier; default occurrence for lines, else reject"),
      .flag("check", "replay the changes and compare with NEW byte for byte"),
      .flag("via-worker", "have a diff worker compare: one of the running set, else one started for it"),
    ],
    arguments: [
      ArgumentDefinition("OLD", "the list before, - for standard input", .file), ArgumentDefinition("NEW", "the list after", .file),
    ],
    examples: [
      .init("minerva diff old.txt new.txt", "lists of lines"),
      .init("minerva diff a.tsv b.tsv --ids tsv:3 --section 1 --header --check", "links under headings"),
      .init("minerva diff a.jsonl b.jsonl --ids jsonl:id --content points --json", "objects by a key"),
    ])

  package static func run(_ command: ParsedCommand, _ console: Console, engine: Engine = inProcess) async throws -> ExitCode {
    let format = try ListFormat(
      ids: command.text("ids") ?? "lines", section: command.text("section"), contents: command.texts("content"),
      hasHeader: command.flag("header"), command: "minerva diff")
    let form = command.text("form") ?? "batch"
    let paths = (command.argument("OLD") ?? "", command.argument("NEW") ?? "")
    guard paths != ("-", "-") else { throw UsageError("standard input can be one of the two files", command: "minerva diff") }
    let diff = FileDiff(old: try ListFile(path: paths.0, format: format), new: try ListFile(path: paths.1, format: format))
    let policy = command.text("duplicates") ?? (format.kind == .lines ? "occurrence" : "reject")
    let changes = try await engine(diff, Differ.Options(duplicates: policy == "reject" ? .reject : .occurrence))
    return try show(diff, changes, form: form, check: command.flag("check"), json: command.flag("json"), console)
  }

  private static func show(
    _ diff: FileDiff, _ changes: FileChanges, form: String, check: Bool, json: Bool, _ console: Console
  ) throws -> ExitCode {
    let report = DiffReport(diff, paint: console.paint)
    let checker = FileCheck(diff)
    var object = DiffObject(diff, changes, form: form)
    var lines = [report.summary(changes)]
    let verdict: String
    do {
      switch form {
      case "steps":
        let steps = FileSteps(changes)
        if check { try checker.steps(steps) }
        if json { object.add(steps) } else { lines += report.steps(steps) }
        verdict = "the \(steps.count) steps give"
      case "staged":
        let stages = try FileStages(changes, of: diff)
        if check { try checker.stages(stages) }
        if json {
          object.add(stages)
        } else {
          for (number, stage) in stages.changes.enumerated() {
            lines += ["stage \(number + 1) of \(stages.count):"] + report.changes(stage)
          }
        }
        verdict = "the stages, each by itself, give"
      default:
        if check { try checker.batch(changes) }
        if json { object.add(changes) } else { lines += report.changes(changes) }
        verdict = "the batch gives"
      }
    } catch let fault as Replay.Fault {
      throw MinervaError(.diffCheckFailed, fault.text)
    } catch let error as DiffError {
      throw diff.stated(error)
    }
    if json {
      if check { object.addCheck() }
      try console.out.line(object.line)
    } else {
      if check {
        let name = Escaping.visible(diff.new.path)
        lines.append("checked: \(verdict) \(name), \(diff.new.rows.count) rows byte for byte, line ends aside")
      }
      try console.out.lines(lines)
    }
    return .done
  }
}
