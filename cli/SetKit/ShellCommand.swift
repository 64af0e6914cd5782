package import CommandKit
import Glibc
import MinervaInterfaces
package import MinervaSupervision
import MinervaWire
import ServiceKit
package import ShellKit

/// `minerva shell`, and `minerva-shell` alike.
package enum ShellCommand {
  package static let options: [OptionDefinition] =
    SetOptions.scene + [.flag("keep-going", "with input from a pipe: go on behind a line that fails")]

  /// Runs a shell on the set that is reached, or on a private one that serves the Shop app.
  package static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let signals = try TerminationSignals()
    let reach = try Reach(command)
    let scene = SceneAddress(name: command.text("scene") ?? "main", app: command.text("app"))
    guard !reach.isRemote, !reach.isBrokerThere else {
      return try await converse(try await reach.target(name: "shell", scene: scene), command, console, signals)
    }
    var plan = SetPlan()
    plan.apps = [.shop]
    plan.diffWorkers = 1
    let runtime = try RuntimeDirectory.makePrivate()
    defer { runtime.remove() }
    console.notice("nothing is running: starting a private set that serves the Shop app; it ends with this shell")
    let set = try await RunningSet.start(plan, in: runtime, unless: signals)
    let own = Reach(runtime: runtime, connection: ConnectionSettings(endpoint: try set.endpoint))
    console.notice("try: tree, or open Settings {\"section\":\"privacy\"}")
    do {
      let code = try await converse(try await own.target(name: "shell", scene: scene, control: set), command, console, signals)
      await set.stop()
      return code
    } catch {
      await set.stop()
      throw error
    }
  }

  /// Talks with one scene until the input ends.
  ///
  /// - Parameter signals: Ctrl-C ends what runs, the others the shell.
  /// - Throws: `bus.closed` when requests in the background were not answered, with their number (C01).
  package static func converse(
    _ target: any SceneTarget, _ command: ParsedCommand, _ console: Console, _ signals: TerminationSignals
  ) async throws -> ExitCode {
    let notices = NoticeLine()
    let session = Session(target: target, width: console.terminal.width) { await notices.tell($0, console) }
    let shell = Shell(session: session, console: console, keepsGoing: command.flag("keep-going"))
    let history = HistoryFile(path: historyPath(console.environment))
    let editing = console.terminal.isTerminal ? EditLineReader(history: history) { shell.complete($0) } : nil
    let reader: any LineReader = editing ?? PipeLineReader(console)
    await notices.use(reader)
    signals.onSignal { signal in
      if signal == .interrupt { return shell.interrupt(reader) }
      reader.close()
      shell.interrupt(reader)
    }
    let (ended, unfinished): (ExitCode, Session.Unfinished)
    do {
      try await session.start()
      if editing != nil, let greeting = await session.greeting { console.notice(greeting) }
      let code = try await shell.run(reader)
      reader.close()
      unfinished = await session.close()
      ended = code
    } catch {
      reader.close()
      // What was left is counted also when the conversation fails (C01).
      if let left = await session.close().error { for line in ErrorWords.lines(for: left) { console.notice(line) } }
      throw error
    }
    guard let error = unfinished.error else { return ended }
    // What failed before is the reason that a caller wants.
    guard ended == .done else {
      for line in ErrorWords.lines(for: error) { console.notice(line) }
      return ended
    }
    throw error
  }

  /// `$XDG_DATA_HOME/minerva/history`, made private where it is missing.
  private static func historyPath(_ environment: [String: String]) -> String {
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.local/share"
    for path in ["\(home)/.local", data, "\(data)/minerva"] { mkdir(path, 0o700) }
    return "\(data)/minerva/history"
  }
}

/// Notices of a session on their way to the reader, which is made later than the session.
private actor NoticeLine {
  private var reader: (any LineReader)?

  func use(_ reader: any LineReader) { self.reader = reader }

  func tell(_ lines: [String], _ console: Console) {
    if let reader { reader.notice(lines) } else { try? console.out.lines(lines) }
  }
}
