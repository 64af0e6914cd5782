package import CommandKit
import Foundation
import Glibc
import MinervaJournal
import MinervaSupervision
import MinervaWire
import ServiceKit
import ShellKit

/// `minerva journal`: looks at a journal, checks it, writes it out and reads it in, without a broker.
package enum JournalCommand {
  private static let file = ArgumentDefinition(
    "FILE", "the journal; without it the one of the data or runtime directory", .file, isRequired: false)
  private static let data: OptionDefinition = .value(
    "data", .directory, "the directory of the journal; without it the runtime directory", placeholder: "DIR", environment: "MINERVA_DATA")

  package static let definition = CommandDefinition(
    "journal", "Looks at a journal, checks it, writes it out and reads it in",
    discussion: "A broker may have the journal open, except for import.", group: "operations",
    subcommands: [
      CommandDefinition(
        "verify", "Checks structure, sums and order; 1 when anything is not as it was written", options: [data], arguments: [file],
        examples: [.init("minerva journal verify", "of the runtime directory")]),
      CommandDefinition(
        "export", "Prints snapshots and records, one JSON object a line",
        discussion: """
          The first line says what follows and in which format, the last one how many lines there were. Bodies are the stored bytes in base64.
          """,
        options: [
          data, .value("scene", .text, "only this scene, APP/NAME#INCARNATION", placeholder: "NAME"),
          .flag("aside", "what was set aside because it could not be used, with the reason"),
        ],
        arguments: [file], examples: [.init("minerva journal export > journal.jsonl", "the whole")]),
      CommandDefinition(
        "import", "Makes a journal of an export, whole or not at all",
        discussion: "A journal that is there is never overwritten. The epoch begins anew and goes on from there.",
        options: [data], arguments: [ArgumentDefinition("EXPORT", "what export printed, - for standard input", .file), file],
        examples: [.init("minerva journal import journal.jsonl new/journal.sqlite", "beside another")]),
      CommandDefinition(
        "stats", "Prints its size and extent", options: [data], arguments: [file],
        examples: [.init("minerva journal stats --json", "one object")]),
    ])

  package static func run(_ command: ParsedCommand, _ console: Console) throws -> ExitCode {
    let path = path(command)
    switch command.name {
    case "verify": return try verify(path, command, console)
    case "export": return try export(path, command, console)
    case "import": return try readIn(command.argument("EXPORT") ?? "-", path, command, console)
    case "stats": return try stats(path, command, console)
    default: throw UsageError("say what: verify, export, import or stats", command: "minerva journal")
    }
  }

  private static func path(_ command: ParsedCommand) -> String {
    if let file = command.argument("FILE") { return file }
    if let directory = command.text("data") { return "\(directory)/journal.sqlite" }
    let runtime = RuntimeDirectory.choose(option: command.text("runtime"))
    // A set that runs with a data directory has its journal there.
    return "\(runtime.argument("--data", of: "broker") ?? runtime.path)/journal.sqlite"
  }

  private static func verify(_ path: String, _ command: ParsedCommand, _ console: Console) throws -> ExitCode {
    let found = try SQLiteJournal.verify(path)
    if command.flag("json") {
      try console.out.line(
        JSONLine([
          ("file", .text(path)), ("whole", .flag(found.isWhole)), ("records", .number(found.recordsChecked)),
          ("snapshots", .number(found.snapshotsChecked)), ("problems", .array(found.problems.map { .text($0) })),
        ]).text)
    } else {
      for problem in found.problems { try console.out.line("\(console.paint(.red, "FAIL")) \(Escaping.visible(problem))") }
      let count = "\(found.recordsChecked) records and \(found.snapshotsChecked) snapshots"
      try console.out.line(
        found.isWhole
          ? "\(console.paint(.green, "ok  ")) \(count) are as they were written"
          : "\(count) were read; a broker keeps the file aside and goes on with what is whole")
    }
    return found.isWhole ? .done : .refused
  }

  private static func export(_ path: String, _ command: ParsedCommand, _ console: Console) throws -> ExitCode {
    let isAside = command.flag("aside")
    var end: OutputEnd?
    func begin(_ format: Int, _ forgotten: UInt64) -> Bool {
      let head = JournalText.head(format: format, forgotten: forgotten, version: ProductVersion.text, isAside: isAside)
      do throws(OutputEnd) { try console.out.line(head) } catch { end = error }
      return end == nil
    }
    var count = 0
    func print(_ text: String) -> Bool {
      do throws(OutputEnd) { try console.out.line(text) } catch { end = error }
      count += 1
      return end == nil
    }
    if isAside {
      if begin(try SQLiteJournal.statistics(of: path).format, 0) {
        try SQLiteJournal.exportAside(path, scene: command.text("scene")) { print(JournalText.line($0, reason: $1)) }
      }
    } else {
      try SQLiteJournal.export(path, scene: command.text("scene"), begin: begin) { print(JournalText.line($0)) }
    }
    if let end { throw end }
    try console.out.line(JournalText.end(count))
    return .done
  }

  private static func readIn(_ source: String, _ path: String, _ command: ParsedCommand, _ console: Console) throws -> ExitCode {
    var lines = try FileLines(source)
    defer { lines.end() }
    guard let first = try lines.next() else { throw JournalText.fault(1, source, "is missing: the file is empty") }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    guard folder.isEmpty || access(folder, F_OK) == 0 else {
      throw AdvisedError(MinervaError(.journalFile, "\(folder): there is no such directory"), remedy: "make it first, or name another")
    }
    let target = try JournalImport(path, forgotten: try JournalText.checkHead(first, file: source))
    defer { target.discard() }
    var number = 1
    var isWhole = false
    while let line = try lines.next() {
      number += 1
      guard !isWhole else { throw JournalText.fault(number, source, "comes behind the end") }
      switch try JournalText.read(line, at: number, file: source) {
      case .item(let item):
        do throws(MinervaError) { try target.add(item) } catch {
          throw MinervaError(error.code, "\(source): line \(number): \(error.message)")
        }
      case .end(let count):
        guard count == number - 2 else { throw JournalText.fault(number, source, "tells of \(count) lines, there are \(number - 2)") }
        isWhole = true
      }
    }
    guard isWhole else { throw JournalText.fault(number + 1, source, "is missing: the export is cut off") }
    let made = try target.finish()
    if command.flag("json") {
      try console.out.line(
        JSONLine([
          ("file", .text(path)), ("scenes", .number(made.scenes)), ("records", .number(made.records)),
          ("snapshots", .number(made.snapshots)),
        ]).text)
    } else {
      try console.out.line("\(path): \(made.scenes) scenes, \(made.records) records, \(made.snapshots) snapshots")
    }
    return .done
  }

  private static func stats(_ path: String, _ command: ParsedCommand, _ console: Console) throws -> ExitCode {
    let found = try SQLiteJournal.statistics(of: path)
    if command.flag("json") {
      func moment(_ value: Int64?) -> JSONLine.Value { value.map { .number(Int($0)) } ?? .null }
      try console.out.line(
        JSONLine([
          ("file", .text(path)), ("format", .number(found.format)), ("epoch", .unsigned(found.epoch)), ("scenes", .number(found.scenes)),
          ("records", .number(found.records)), ("snapshots", .number(found.snapshots)), ("record_bytes", .number(found.recordBytes)),
          ("snapshot_bytes", .number(found.snapshotBytes)), ("aside", .number(found.aside)), ("file_bytes", .number(found.fileBytes)),
          ("oldest", moment(found.oldest)), ("newest", moment(found.newest)),
        ]).text)
      return .done
    }
    try console.out.lines([
      "\(path): format \(found.format), epoch \(found.epoch), \(size(found.fileBytes))",
      "scenes     \(found.scenes)",
      "records    \(found.records), \(size(found.recordBytes))",
      "snapshots  \(found.snapshots), \(size(found.snapshotBytes))",
    ])
    if let oldest = found.oldest, let newest = found.newest { try console.out.line("written    \(date(oldest)) to \(date(newest))") }
    if found.aside > 0 {
      try console.out.line("aside      \(found.aside) that could not be used; minerva journal export --aside shows them")
    }
    return .done
  }

  private static func date(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
  }

  private static func size(_ bytes: Int) -> String {
    if bytes >= 1 << 30 { return "\(bytes >> 30).\((bytes >> 20) % 1024 * 10 / 1024) GiB" }
    return bytes >= 1 << 20 ? "\(bytes >> 20) MiB" : bytes >= 1 << 10 ? "\(bytes >> 10) KiB" : "\(bytes) bytes"
  }
}
