import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// Plays one script against one scene.
package struct FlowRun: Sendable {
  package let script: FlowScript
  package let target: any SceneTarget
  package let reporter: any FlowReporter
  package let clock: SessionClock
  /// Whether lines behind a failing one are carried out.
  package let keepsGoing: Bool
  /// Where a recording of the whole scene goes when the script fails; nil: nowhere.
  package let recording: String?
  /// How long a killed process may take to be there again.
  package let recoveryLimit: Duration

  package init(
    _ script: FlowScript, on target: any SceneTarget, reporter: any FlowReporter, clock: SessionClock = .continuous(),
    keepsGoing: Bool = false, recording: String? = nil, recoveryLimit: Duration = .seconds(15)
  ) {
    self.script = script
    self.target = target
    self.reporter = reporter
    self.clock = clock
    self.keepsGoing = keepsGoing
    self.recording = recording
    self.recoveryLimit = recoveryLimit
  }

  /// Runs to the end, to the first failure, or to the last line with `keepsGoing`. Also returns every event that was seen.
  package func run() async -> (result: FlowResult, events: [EventText]) {
    let start = clock.now()
    var state = State(result: FlowResult(file: script.file, title: script.title))
    await reporter.began(script)
    let collector = LineCollector()
    let session = Session(target: target, clock: clock) { await collector.append($0) }
    do throws(MinervaError) {
      try await session.start()
      await play(session, collector, &state)
    } catch {
      await fail(FlowStep.nowhere(script), error, session, &state)
    }
    state.result.duration = clock.now() - start
    let events = await session.log.since(0).map { EventText($0) }
    if let recording, !state.result.isGood {
      do throws(MinervaError) {
        _ = try await SceneRecording.begin(target, into: recording, from: 1).end()
      } catch {
        state.result.notes.append("no recording: \(error.code): \(error.message)")
      }
      state.result.tree = await session.tree()
    }
    await session.close()
    await reporter.ended(state.result)
    return (state.result, events)
  }

  private struct State {
    var result: FlowResult
    /// The tree before the last command.
    var before: [String] = []
    var pending: Kill?
  }

  /// A kill whose recovery has not been seen yet.
  private struct Kill {
    var report: ProcessReport
    var before: Recovery.State
    var at: Duration
    var process: String { report.name }
    /// A worker holds nothing of a screen but the job, whose answer changes rows: what is compared then is all but those.
    var isOutline: Bool { report.kind == "diff" }
  }

  private func play(_ session: Session, _ collector: LineCollector, _ state: inout State) async {
    let steps = script.steps.flatMap { step in step.statements.map { FlowStep(line: step.line, statement: $0) } }
    for (index, written) in steps.enumerated() {
      var step = written
      if Task.isCancelled { return await fail(step, MinervaError(.cancelled, "interrupted"), session, &state) }
      if !step.statement.request.isPassive {
        await finishRecovery(step, session, &state)
        state.before = await session.tree()
      }
      if case .lab(.kill(let name)) = step.statement.request, let report = try? await target.process(name) {
        // A pattern is resolved once, so that what is killed is what is told.
        step.statement.request = .lab(.kill(process: report.name))
        state.pending = await begun(report, session)
      }
      let from = await session.log.end
      let execution = await session.execute(step.statement) { await collector.append($0) }
      state.result.statements += 1
      let events = await session.log.since(from).map { EventText($0) }
      await reporter.carriedOut(step, lines: await collector.take(), events: events, in: script)
      guard let error = execution.error else {
        if case .expect = step.statement.request { state.result.held += 1 }
        if execution.isQuit { break }
        continue
      }
      // An error is no failure when the next line expects one.
      if step.statement.isForgiven(before: index + 1 < steps.count ? steps[index + 1].statement : nil) { continue }
      await fail(step, error, session, &state)
      guard keepsGoing else { return }
    }
    guard let last = steps.last else { return }
    await finishRecovery(last, session, &state)
    if let reason = await session.unasserted() { await fail(last, MinervaError(.expectFailed, reason), session, &state) }
  }

  private func fail(_ step: FlowStep, _ error: MinervaError, _ session: Session, _ state: inout State) async {
    let failure = FlowFailure(
      file: script.file, line: step.line, source: step.statement.source, code: error.code.rawValue, reason: error.message,
      before: state.before, after: await session.tree())
    state.result.failures.append(failure)
    await reporter.failed(failure, in: script)
  }

  private func begun(_ report: ProcessReport, _ session: Session) async -> Kill {
    // What is lost already, by somebody else's hand, is not what this kill is compared with.
    let settled = await session.poll(within: report.kind == "diff" ? .zero : .seconds(5)) { () -> SceneLook? in
      guard report.kind != "diff", let look = await session.refresh(), look.isSettled else { return nil }
      return look.tree.screens.contains(where: \.isSuspended) ? nil : look
    }
    let look: SceneLook? = if let settled { settled } else { await session.refresh() }
    let before = look.map { Recovery.State($0, isOutline: report.kind == "diff") } ?? Recovery.State(tree: [], screens: [:])
    return Kill(report: report, before: before, at: clock.now())
  }

  /// Waits until a killed process has come back and all is settled, and compares what there is with what there was.
  private func finishRecovery(_ step: FlowStep, _ session: Session, _ state: inout State) async {
    guard let kill = state.pending else { return }
    state.pending = nil
    let (target, old) = (target, kill.report.pid)
    // A process takes its own time: none of the scene's passes for it.
    let found = await session.poll(within: recoveryLimit, drives: false) { () -> (Int32?, SceneLook)? in
      guard let report = try? await target.status(), let process = report.processes.first(where: { $0.name == kill.process }) else {
        return nil
      }
      guard let pid = process.pid, pid != old, let look = await session.refresh(), look.isSettled else { return nil }
      guard !look.tree.screens.contains(where: \.isSuspended) else { return nil }
      return (pid, look)
    }
    guard let (pid, look) = found else {
      let reason = "\(kill.process) did not come back within \(recoveryLimit)"
      return await fail(step, MinervaError(.expectFailed, reason), session, &state)
    }
    let recovery = Recovery(
      process: kill.process, oldPid: old, newPid: pid, before: kill.before,
      after: Recovery.State(look, isOutline: kill.isOutline), duration: clock.now() - kill.at)
    state.result.recoveries.append(recovery)
    await reporter.recovered(recovery, in: script)
  }
}

extension FlowStep {
  /// The place of a failure that no line caused.
  static func nowhere(_ script: FlowScript) -> FlowStep {
    let quit = Verb.quit
    let call = Invocation(verb: quit.name, form: 0, isBackground: false, position: SourcePosition(file: script.file))
    return FlowStep(line: 1, statement: Statement(verb: quit, call: call, request: .session(.quit), source: "(start)"))
  }
}

extension Session {
  /// The tree as last seen, for reports.
  package func tree() async -> [String] {
    let look = await refresh() ?? lastLook
    return look.map { $0.tree.places.map(TreeText.stack) } ?? ["(the scene cannot be reached)"]
  }
}

/// Gathers the lines of a statement.
actor LineCollector {
  private var lines: [String] = []

  func append(_ more: [String]) { lines += more }

  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}
