import CommandKit
import MinervaInterfaces
import MinervaSupervision
import MinervaWire
import SetKit
import ShellKit

/// A verb of the shell as a command: one statement, one exit code.
enum VerbCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    var words = [command.name] + command.rest
    if command.flag("json") { words.append("--json") }
    let (scene, app) = (take("--scene", from: &words), command.name == "scene" ? nil : take("--app", from: &words))
    let statement = try Statement.parse(arguments: words)
    // Help and mistakes need nobody at the other end.
    if case .session(.help(let topic)) = statement.request {
      try console.out.lines(ShellHelp.lines(topic, width: min(console.terminal.width, 100)))
      return .done
    }
    let target = try await Reach(command).target(name: "command", scene: SceneAddress(name: scene ?? "main", app: app))
    return try await carryOut(statement, on: target, console)
  }

  /// Takes an option of ours out of a verb's words.
  private static func take(_ option: String, from words: inout [String]) -> String? {
    guard let index = words.firstIndex(of: option), index + 1 < words.count else { return nil }
    defer { words.removeSubrange(index...(index + 1)) }
    return words[index + 1]
  }

  private static func carryOut(_ statement: Statement, on target: any SceneTarget, _ console: Console) async throws -> ExitCode {
    let session = Session(target: target, width: console.terminal.width) { try? console.out.lines($0) }
    try await session.start()
    let task = Task {
      await session.execute(statement) { lines in
        // An error is no data.
        let isError = lines.first?.hasPrefix("error ") ?? false
        if isError, Task.isCancelled, case .look(.watch) = statement.request { return }
        for line in lines { if isError { console.notice(line) } else { try? console.out.line(line) } }
        try? console.out.flush()
      }
    }
    let signals = try TerminationSignals([.interrupt, .terminate])
    signals.onSignal { _ in task.cancel() }
    let execution = await task.value
    await session.close()
    // Ctrl-C is how watching ends.
    if case .look(.watch) = statement.request, task.isCancelled { return .interrupted }
    // A reader that has left ends the command quietly (D01).
    try console.out.flush()
    return execution.error.map { ExitCode(errorCode: $0.code.rawValue) } ?? .done
  }
}
