import CommandKit
import Glibc
import MinervaSupervision
import MinervaWire
import ShellKit

/// `minerva logs`: the last lines of each process's log by their times, and with `--follow` what is added.
enum LogsCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let runtime = RuntimeDirectory.choose(option: command.text("runtime"))
    let names = try names(in: runtime, only: command.argument("NAME"))
    var places: [String: Int] = [:]
    var logs: [(process: String, lines: [ProcessLog.Line])] = []
    for name in names {
      let bytes = try FileBytes.read(runtime.logPath(name), limit: 1 << 30)
      places[name] = bytes.count
      logs.append((name, LogText.tail(lines(bytes[...]), command.integer("lines") ?? 40)))
    }
    let entries = LogText.merged(logs)
    let text = LogText(names: names, oldest: entries.lazy.compactMap(\.line.time).first, isJSON: command.flag("json"))
    for entry in entries { try console.out.line(text.text(entry)) }
    guard command.flag("follow") else { return .done }
    try console.out.flush()
    let signals = try TerminationSignals([.interrupt, .terminate])
    let following = Task {
      while !Task.isCancelled {
        var news: [(process: String, lines: [ProcessLog.Line])] = []
        for name in names {
          let bytes = (try? FileBytes.read(runtime.logPath(name), limit: 1 << 30)) ?? []
          // A log that became shorter was begun anew.
          let from = bytes.count < places[name, default: 0] ? 0 : places[name, default: 0]
          guard let end = bytes[from...].lastIndex(of: 0x0A) else { continue }
          places[name] = end + 1
          news.append((name, lines(bytes[from...end])))
        }
        for entry in LogText.merged(news) { try console.out.line(text.text(entry)) }
        try console.out.flush()
        try await ContinuousClock().sleep(for: .milliseconds(200))
      }
    }
    signals.onSignal { _ in following.cancel() }
    try await following.value
    return .interrupted
  }

  private static func lines(_ bytes: ArraySlice<UInt8>) -> [ProcessLog.Line] {
    bytes.split(separator: 0x0A).map { ProcessLog.Line(String(decoding: $0, as: UTF8.self)) }
  }

  private static func names(in runtime: RuntimeDirectory, only name: String?) throws -> [String] {
    var found: [String] = []
    if let stream = opendir(runtime.logDirectory) {
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let file = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if file.hasSuffix(".log") { found.append(String(file.dropLast(4))) }
      }
    }
    guard let name else {
      if found.isEmpty { throw MinervaError(.unreachable, "no logs in \(runtime.logDirectory); minerva up writes them") }
      return found.sorted()
    }
    guard found.contains(name) else {
      let hint = Suggestion.nearest(to: name, among: found.sorted()).map { "; did you mean \($0)?" } ?? ""
      throw MinervaError(.processUnknown, "no log of \(name) in \(runtime.logDirectory)\(hint)")
    }
    return [name]
  }
}
