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
      // Commands that are no verbs have pages of their own.
      if let name = topic.first, Verb.named(name) == nil, CommandTree.root.subcommand(name) != nil {
        try console.out.write(Program.help(CommandTree.root, for: [command.path[0]] + topic, width: console.terminal.width))
        return .done
      }
      let lines =
        switch topic {
        case []: CommandTree.help()
        case ["all"]: try CommandTree.helpOfAll()
        default: try ShellHelp.lines(topic, width: min(console.terminal.width, 100))
        }
      try console.out.lines(statement.call.flag("json") ? [ReplyJSON.done(statement, lines)] : lines)
      return .done
    }
    if case .session(.replay(let path, let verify)) = statement.request {
      let lines: [String]
      do throws(MinervaError) { lines = try Session.replay(path, verify: verify) } catch {
        for line in statement.call.flag("json") ? [ReplyJSON.error(error)] : ReplyText.error(error) { console.notice(line) }
        return ExitCode(errorCode: error.code.rawValue)
      }
      try console.out.lines(statement.call.flag("json") ? [ReplyJSON.done(statement, lines)] : lines)
      return .done
    }
    if let refusal = statement.refusalAlone { throw refusal }
    let target = try await Reach(command).target(name: "command", scene: SceneAddress(name: scene ?? "main", app: app))
    // A look at a scene that is not there begins none: its name is mistyped more often than meant.
    if scene != nil, app == nil, case .look = statement.request {
      do throws(MinervaError) { try await target.requireScene() } catch {
        await target.close()
        throw error
      }
    }
    return try await carryOut(statement, on: target, console)
  }

  /// Takes an option of ours out of a verb's words.
  private static func take(_ option: String, from words: inout [String]) -> String? {
    guard let index = words.firstIndex(of: option), index + 1 < words.count else { return nil }
    defer { words.removeSubrange(index...(index + 1)) }
    return words[index + 1]
  }

  private static func carryOut(_ statement: Statement, on target: any SceneTarget, _ console: Console) async throws -> ExitCode {
    let isWatch = if case .look(.watch) = statement.request { true } else { false }
    let session = Session(target: target, width: console.terminal.width) { lines in
      if isWatch { for line in lines { console.notice(line) } } else { try? console.out.lines(lines) }
    }
    try await session.start()
    // Who watches is told that nothing more comes for now.
    if isWatch { await session.announceBroker() }
    let task = Task {
      await session.execute(statement) { lines in
        // An error is no data.
        let isError = ReplyText.isError(lines)
        if isError, Task.isCancelled, case .look(.watch) = statement.request { return }
        for line in lines { if isError { console.notice(line) } else { try? console.out.line(line) } }
        try? console.out.flush()
      }
    }
    // A recording goes on until it is interrupted; its end is no failure.
    let recording = statement.isOpenRecording ? AsyncStream.makeStream(of: Void.self) : nil
    let signals = try TerminationSignals([.interrupt, .terminate])
    signals.onSignal { _ in
      recording?.continuation.finish()
      if recording == nil { task.cancel() }
    }
    let reading = console.out.whenReaderLeaves { task.cancel() }
    let execution = await task.value
    reading.cancel()
    if let recording, execution.error == nil {
      for await _ in recording.stream {}
      await session.leave()
      let end = await session.execute(try Statement.parse(arguments: ["record", "stop"])) { lines in
        let isError = ReplyText.isError(lines)
        for line in lines { if isError { console.notice(line) } else { try? console.out.line(line) } }
      }
      if let error = end.error {
        await session.close()
        return ExitCode(errorCode: error.code.rawValue)
      }
    }
    let unfinished = await session.close()
    if execution.error == nil, let hint = statement.endsWithCommand { console.notice(hint) }
    // A reader that has left ends the command quietly (D01).
    try console.out.flush()
    // Ctrl-C is how watching ends.
    if case .look(.watch) = statement.request, task.isCancelled { return .interrupted }
    if let error = execution.error { return ExitCode(errorCode: error.code.rawValue) }
    if let error = unfinished.error { throw error }
    return .done
  }
}

extension Statement {
  /// Whether it begins something that goes on until it is ended.
  fileprivate var isOpenRecording: Bool {
    switch request {
    case .session(.record(_, _, let last)): last == nil
    default: false
    }
  }
}
