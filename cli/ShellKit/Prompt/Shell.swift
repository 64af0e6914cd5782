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
    /// Whether somebody is being asked for what completion offers.
    var isLearning = false
  }

  /// What became of a line.
  private enum End {
    case quit
    case done
    case failed(Failure)
    /// It failed, unless the next line expects the error.
    case open(Failure)
  }

  /// A line that failed.
  private struct Failure {
    var code: ExitCode
    /// Its number among those that came; nil when its error has said that.
    var line: Int?
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
  package func complete(_ text: String) -> Completion {
    let completion = state.withLock(\.completer).complete(text)
    // Of what is shown by now the next Tab knows.
    if completion.candidates.isEmpty { Task { await self.glance() } }
    return completion
  }

  /// Lets completion know the scene as it is now.
  private func glance() async {
    guard let look = await session.glance() else { return }
    state.withLock { $0.completer.look = look }
  }

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
    var open: Failure?
    func fail(_ end: Failure) {
      failure = failure ?? end.code
      // Of a person's own lines everybody knows which it was.
      guard let source = reader.source, let line = end.line else { return }
      console.notice("  at line \(line) of \(source)")
    }
    var text = ""
    // The lines that came, and the one that the text began with.
    var (count, first) = (0, 1)
    if reader.isInteractive { await session.announceBroker() }
    while true {
      if reader.isInteractive { await learn() }
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
        if !text.isEmpty, !reader.isInteractive {
          let (end, passed) = try await carryOut(text, from: first, reader, open)
          if let passed { fail(passed) }
          open = nil
          switch end {
          case .quit, .done: break
          case .failed(let last), .open(let last): fail(last)
          }
        }
        if let open { fail(open) }
        return failure ?? .done
      case .line(let line):
        count += 1
        if text.isEmpty { first = count }
        text += text.isEmpty ? line : "\n" + line
        // A pipe is a script: only a bracket goes on in the next line.
        if reader.isInteractive ? Lexer.isIncomplete(text) : Lexer.hasOpenBracket(text) { continue }
        defer { text = "" }
        let (end, passed) = try await carryOut(text, from: first, reader, open)
        open = nil
        if let passed { fail(passed) }
        if case .quit = end { return failure ?? .done }
        if state.withLock(\.isInterrupted) { return .interrupted }
        guard !reader.isInteractive else { continue }
        if case .failed(let last) = end { fail(last) }
        if let failure, !keepsGoing { return failure }
        if case .open(let last) = end { open = last }
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

  /// Carries out a line.
  ///
  /// - Parameters:
  ///   - first: The number of its line among those that came.
  ///   - open: How the line before failed unless this one expects it.
  /// - Returns: What became of it, and that failure before it, which nobody has expected.
  private func carryOut(
    _ text: String, from first: Int, _ reader: any LineReader, _ open: Failure?
  ) async throws -> (End, passed: Failure?) {
    let statements: [Statement]
    do throws(ParseError) {
      let place = reader.source.map { SourcePosition(file: $0, line: first) } ?? SourcePosition()
      statements = try Statement.parse(text, at: place)
    } catch {
      // What cannot be read may hold anything.
      reader.remember(text, in: .session)
      try tell(ErrorWords.lines(for: error), to: reader)
      return (.failed(Failure(code: .usage)), open)
    }
    // A line without a statement leaves the one before as it is.
    guard let start = statements.first else { return (open.map(End.open) ?? .done, nil) }
    let passed = start.expectsError ? nil : open
    // A line that expects nothing of the one before is not carried out behind its failure.
    if passed != nil, !keepsGoing { return (.done, passed) }
    // What comes from a pipe is kept nowhere.
    if reader.isInteractive { reader.remember(text, in: await session.memory(for: statements, within: .milliseconds(500))) }
    for (index, statement) in statements.enumerated() {
      let execution = await run(statement)
      try console.out.flush()
      if execution.isQuit { return (.quit, passed) }
      guard let error = execution.error else { continue }
      let next = index + 1 < statements.count ? statements[index + 1] : nil
      if statement.isForgiven(before: next) { continue }
      let failure = Failure(code: ExitCode(errorCode: error.code.rawValue), line: first)
      return (next == nil && statement.isAnswerable ? .open(failure) : .failed(failure), passed)
    }
    return (.done, passed)
  }

  private func run(_ statement: Statement) async -> Session.Execution {
    let (session, console) = (session, console)
    let task = Task {
      await session.execute(statement) { lines in
        try? console.out.lines(lines)
        // What comes bit by bit is wanted as it comes.
        if statement.request.isWatch { try? console.out.flush() }
      }
    }
    state.withLock { $0.running = task }
    defer { state.withLock { $0.running = nil } }
    let reading = statement.request.isWatch ? console.out.whenReaderLeaves { task.cancel() } : nil
    defer { reading?.cancel() }
    return await task.value
  }

  /// Brings the prompt and what completion knows up to date: what the session knows at once, what others must be asked in the background,
  /// so that a broker that does not answer holds up no prompt.
  private func learn() async {
    await session.lookAgain(within: .milliseconds(250))
    let (look, aliases) = (await session.lastLook, await session.aliases)
    let isFree = state.withLock { state in
      (state.completer.look, state.completer.aliases) = (look, aliases)
      defer { state.isLearning = true }
      return !state.isLearning
    }
    guard isFree else { return }
    Task {
      let completer = await self.session.completer()
      self.state.withLock { state in
        (state.completer, state.isLearning) = (completer, false)
      }
      // A screen that was just opened is drawn a moment behind its answer.
      guard completer.look?.isSettled == false, await self.session.settles(within: .seconds(2)) else { return }
      await self.glance()
    }
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
    let modules = (try? await target.modules()) ?? []
    let routes = (try? await target.routes()) ?? nil
    let scenes = (try? await target.scenes()) ?? []
    return Completer(look: lastLook, aliases: aliases, modules: modules, processes: processes, routes: routes, scenes: scenes)
  }

  /// How long a line may be kept; one of which that is not known in time is not written anywhere.
  func memory(for statements: [Statement], within time: Duration) async -> LineMemory {
    let known = await withDeadline(time) { await self.memory(for: statements) }
    return known ?? (statements.contains { $0.verb.name == "enter" } ? .none : .session)
  }
}
