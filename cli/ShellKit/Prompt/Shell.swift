package import CommandKit
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization

/// The loop of a shell: reads lines, carries them out, tells what became of them.
package final class Shell: Sendable {
  private struct State {
    var running: Task<Session.Execution, Never>?
    var completer = Completer()
    var isInterrupted = false
  }

  private let session: Session
  private let console: Console
  private let keepsGoing: Bool
  private let state = Mutex(State())

  /// - Parameter keepsGoing: For pipes: whether lines behind a failing one are carried out. At a prompt they always are.
  package init(session: Session, console: Console, keepsGoing: Bool = false) {
    self.session = session
    self.console = console
    self.keepsGoing = keepsGoing
  }

  /// What completion asks, on the reading thread.
  package func complete(_ text: String) -> Completion { state.withLock(\.completer).complete(text) }

  /// Ctrl-C: cancels what runs, else drops what is typed; in a pipe it ends everything. Callable from any thread.
  package func interrupt(_ reader: any LineReader) {
    let running = state.withLock { state in
      if !reader.isInteractive { state.isInterrupted = true }
      return state.running
    }
    if let running { running.cancel() } else { reader.interrupt() }
  }

  /// Runs until the input ends or `quit`; 0, or for a pipe the code of the first line that failed.
  package func run(_ reader: any LineReader) async throws -> ExitCode {
    var failure: ExitCode?
    var text = ""
    await learn()
    while true {
      let prompt = reader.isInteractive ? (text.isEmpty ? await session.prompt : "... ") : ""
      let input: LineInput
      do throws(ParseError) {
        input = try await reader.read(prompt: prompt)
      } catch {
        try tell(ErrorWords.lines(for: error), to: reader)
        return .usage
      }
      switch input {
      case .interrupted: text = ""
      case .end:
        guard !text.isEmpty, !reader.isInteractive else { return failure ?? .done }
        let code = try await carryOut(text, reader)
        return failure ?? code ?? .done
      case .line(let line):
        text += text.isEmpty ? line : "\n" + line
        // A pipe is a script: only a bracket goes on in the next line.
        if reader.isInteractive ? Lexer.isIncomplete(text) : Lexer.hasOpenBracket(text) { continue }
        defer { text = "" }
        guard let code = try await carryOut(text, reader) else { return failure ?? .done }
        if state.withLock(\.isInterrupted) { return .interrupted }
        if code != .done, !reader.isInteractive {
          failure = failure ?? code
          if !keepsGoing { return code }
        }
      }
    }
  }

  private func tell(_ lines: [String], to reader: any LineReader) throws {
    if reader.isInteractive {
      reader.notice(lines)
    } else {
      for line in lines { console.notice(line) }
    }
  }

  /// Carries out a line; the code of what failed, or nil for `quit`.
  private func carryOut(_ text: String, _ reader: any LineReader) async throws -> ExitCode? {
    let statements: [Statement]
    do throws(ParseError) {
      statements = try Statement.parse(text)
    } catch {
      // What cannot be read may hold anything.
      reader.remember(text, in: .session)
      try tell(ErrorWords.lines(for: error), to: reader)
      return .usage
    }
    reader.remember(text, in: await session.memory(for: statements))
    for statement in statements {
      let execution = await run(statement)
      try console.out.flush()
      if execution.isQuit { return nil }
      if let error = execution.error { return ExitCode(errorCode: error.code.rawValue) }
    }
    await learn()
    return .done
  }

  private func run(_ statement: Statement) async -> Session.Execution {
    let (session, console) = (session, console)
    let task = Task { await session.execute(statement) { try? console.out.lines($0) } }
    state.withLock { $0.running = task }
    defer { state.withLock { $0.running = nil } }
    return await task.value
  }

  /// Refreshes what completion knows.
  private func learn() async {
    let completer = await session.completer()
    state.withLock { $0.completer = completer }
  }
}

extension Lexer {
  /// Says whether a text ends inside a bracket.
  package static func hasOpenBracket(_ text: String) -> Bool {
    do {
      _ = try items(of: text)
      return false
    } catch {
      return error.isOpenBracket
    }
  }
}

extension Session {
  /// What completion may offer now.
  package func completer() async -> Completer {
    let processes = (try? await target.status())?.processes.map(\.name) ?? []
    return Completer(look: lastLook, aliases: Array(aliases.keys), modules: (try? await target.modules()) ?? [], processes: processes)
  }
}
