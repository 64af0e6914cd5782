import CommandKit
import Minerva
import MinervaInterfaces
import MinervaNavigation
package import MinervaWire

/// One conversation with a scene: aliases, jobs, the events seen, and what the last command did.
///
/// The prompt, `minerva VERB` and scripts all run their statements here, so that a line means the same everywhere.
package actor Session {
  /// Where lines for people go; called in order.
  package typealias Emit = @Sendable ([String]) async -> Void

  /// What became of a statement.
  package struct Execution: Sendable {
    package var error: MinervaError?
    package var isQuit: Bool

    package static let done = Execution(error: nil, isQuit: false)
  }

  let target: any SceneTarget
  let clock: SessionClock
  let log = EventLog()
  let notify: Emit
  /// Names given by `as`.
  var aliases: [String: ScreenID] = [:]
  /// The log's end when the last command began: events behind it are "since the last command".
  var mark = 0
  var lastError: MinervaError?
  /// The scene as last looked at.
  package private(set) var lastLook: SceneLook?
  var isExhaustive = false
  /// Positions of events that an expectation has named.
  var asserted: Set<Int> = []
  /// What this session shows as the scene's renderer, under which name, and of which life of the broker.
  var renderer = ShellRenderer()
  let rendererName = "shell-" + String(UInt64.random(in: .min ... .max), radix: 36)
  var rendererEpoch: UInt64 = 0
  /// How many requests were named here, so that virtual time can tell for which it goes on.
  private var named = 0
  private var showsTimings = false
  package var width: Int
  var jobs: [Int: Task<MinervaError?, Never>] = [:]
  var lastJob = 0
  /// The record after which the session looks at the scene; nil: now.
  var viewed: UInt64?
  var recording: RunningRecording?
  var script: RecordedScript?
  /// The requests behind jobs, by the jobs' numbers.
  var jobNames: [Int: String] = [:]
  private var pump: Task<Void, Never>?

  /// - Parameter notify: Told of jobs that end and of what is not an answer to a statement.
  package init(
    target: any SceneTarget, clock: SessionClock = .continuous(), width: Int = 80, notify: @escaping Emit = { _ in }
  ) {
    self.target = target
    self.clock = clock
    self.width = width
    self.notify = notify
  }

  /// Begins to follow the events; when it returns, none that follows is missed.
  package func start() async throws(MinervaError) {
    let events = try await target.events()
    let log = log
    pump = Task { [weak self] in
      for await event in events {
        await self?.hear(event)
        await log.append(event)
      }
    }
    lastLook = try? await target.look(at: nil)
    // The first use of a scene makes it: what its app begins with is on its way.
    guard let lastLook, !lastLook.isSettled, lastLook.tree.screens.isEmpty else { return }
    _ = await poll(within: .seconds(3)) { await self.refresh()?.isSettled == true ? true : nil }
  }

  /// Ends the conversation; jobs are cancelled.
  package func close() async {
    // Whatever was recorded is whole, also when nobody said stop.
    _ = try? await endRecording()
    for job in jobs.values { job.cancel() }
    pump?.cancel()
    if renderer.pace != .off { try? await target.render(.lost(renderer: rendererName)) }
    await target.close()
  }

  /// The prompt, `main:main/orders> `.
  package var prompt: String {
    guard let lastLook else { return "minerva> " }
    let moment = viewed.map { "@#\($0)" } ?? ""
    return "\(Escaping.visible(lastLook.scene))\(moment):\(lastLook.tree.activePath)> "
  }

  /// Carries out a statement; lines are emitted as they come, and an error is emitted too.
  package func execute(_ statement: Statement, emit: @escaping Emit) async -> Execution {
    let start = clock.now()
    let before = await beforeScripted(statement)
    do {
      let isQuit = try await carryOut(statement, emit)
      try noteInScript(statement, nil, before)
      if !statement.request.isPassive { lastError = nil }
      if showsTimings { await emit(["       took \(DurationText.describe(clock.now() - start))"]) }
      return Execution(error: nil, isQuit: isQuit)
    } catch {
      var stated = Self.stated(error)
      // Waiting and looking ask for nothing that could still happen.
      if error is CancellationError, statement.request.isPassive { stated.message = "interrupted" }
      lastError = stated
      try? noteInScript(statement, stated, before)
      // Ctrl-C is how a watch ends: no error to tell.
      if !(error is CancellationError && statement.request.isWatch) { await emit(ReplyText.error(stated)) }
      return Execution(error: stated, isQuit: false)
    }
  }

  /// Gives every error the one shape.
  package static func stated(_ error: any Error) -> MinervaError {
    switch error {
    case let error as MinervaError: error
    case let error as Refusal: MinervaError(error)
    case let error as ParseError: MinervaError(MinervaError.Code(error.statedCode), error.statement)
    case is CancellationError: MinervaError(.cancelled, "interrupted; what was asked may still happen, look at tree")
    default: MinervaError(.unexpected, String(describing: error))
    }
  }

  private func carryOut(_ statement: Statement, _ emit: @escaping Emit) async throws -> Bool {
    if statement.call.isBackground, statement.request.isWaiting {
      await background(statement, emit)
      return false
    }
    return try await carryOutHere(statement, emit)
  }

  func carryOutHere(_ statement: Statement, _ emit: @escaping Emit) async throws -> Bool {
    switch statement.request {
    case .action(let make): try await act(make, statement, emit)
    case .look(let look): try await show(look, statement.call, emit)
    case .wait(let wait):
      let timeout = statement.call.option("timeout").flatMap(DurationText.parse)
      try await waitFor(wait, timeout, isBackground: statement.call.isBackground, emit)
    case .expect(let expectation):
      let timeout = statement.call.option("timeout").flatMap(DurationText.parse)
      if let reason = await failure(of: expectation, within: timeout ?? .seconds(5)) { throw MinervaError(.expectFailed, reason) }
      await emit([ReplyText.headed("ok", "")].map { $0.trimmingBlanks() })
    case .lab(.goTo(let record)): try await travel(to: record, emit)
    case .lab(.fork(let record, let name)): try await fork(at: record, as: name, emit)
    case .lab(let lab):
      if !lab.isTravel { try requirePresent() }
      mark = await log.end
      switch lab {
      case .repeated(let line, let rate, let span): return try await repeated(line, rate, span, emit)
      case .render(let pace): await emit(try await render(pace))
      case .acknowledge(let seq): await emit(try await acknowledge(request: seq))
      case .advance(let span): await emit(try await advance(by: span))
      default: await emit(try await target.lab(lab))
      }
    case .deeplink(let link):
      try await follow(link, statement, emit)
    case .session(let request): return try await serve(request, emit)
    }
    return false
  }

  /// Takes a look for the last one.
  func see(_ look: SceneLook) { lastLook = look }

  /// Looks again; an unreachable scene leaves what was seen last.
  @discardableResult
  func refresh() async -> SceneLook? {
    guard let look = try? await target.look(at: viewed) else { return nil }
    lastLook = look
    return look
  }
}

extension Session {
  /// Sends an action and tells its answer.
  private func act(
    _ make: @Sendable (any InvocationContext) async throws -> Command.Action, _ statement: Statement, _ emit: @escaping Emit
  ) async throws {
    try requirePresent()
    if let forgotten = await unasserted() { throw MinervaError(.expectFailed, forgotten) }
    mark = await log.end
    asserted = []
    let action = try await make(self)
    let conditions = try await named(conditions(statement.call))
    let alias = statement.call.text("alias").map { String($0.dropFirst()) }
    let target = target
    if statement.call.isBackground {
      return await background(emit, conditions.txn) { standing throws(MinervaError) in
        await self.answered(try await target.perform(action, conditions, standing: standing), action, alias)
      }
    }
    let reply = try await driving(conditions.txn) { () throws(MinervaError) in
      try await telling(emit) { standing throws(MinervaError) in try await target.perform(action, conditions, standing: standing) }
    }
    await emit(await answered(reply, action, alias))
  }

  /// On a virtual clock a request has its name from here.
  private func named(_ conditions: RequestConditions) -> RequestConditions {
    guard isVirtual, conditions.txn == nil else { return conditions }
    named += 1
    var conditions = conditions
    conditions.txn = "\(rendererName).\(named)"
    return conditions
  }

  /// Runs a request and tells where it stands until it is answered.
  private func telling<Reply: Sendable>(
    _ emit: @escaping Emit, _ ask: (@escaping @Sendable (Admission) -> Void) async throws(MinervaError) -> Reply
  ) async throws(MinervaError) -> Reply {
    let standings = Standings()
    let telling = Task {
      // Running is no news: its answer follows.
      for await admission in standings.stream where admission.standing != .running { await emit([ReplyText.standing(admission)]) }
    }
    let result: Result<Reply, MinervaError>
    do throws(MinervaError) {
      result = .success(try await ask { standings.tell($0) })
    } catch {
      result = .failure(error)
    }
    standings.end()
    await telling.value
    return try result.get()
  }

  /// Follows a link, or tells its plan.
  private func follow(_ link: DeepLink, _ statement: Statement, _ emit: @escaping Emit) async throws {
    try requirePresent()
    if let forgotten = await unasserted() { throw MinervaError(.expectFailed, forgotten) }
    mark = await log.end
    asserted = []
    let (target, conditions) = (target, named(try await conditions(statement.call)))
    if statement.call.isBackground {
      return await background(emit, conditions.txn) { standing throws(MinervaError) in
        await self.answered(try await target.follow(link, conditions, standing: standing))
      }
    }
    let reply = try await driving(conditions.txn) { () throws(MinervaError) in
      try await telling(emit) { standing throws(MinervaError) in try await target.follow(link, conditions, standing: standing) }
    }
    await emit(await answered(reply))
  }

  private func answered(_ reply: LinkReply) async -> [String] {
    guard let answer = reply.answer else { return LinkText.plan(reply) }
    return ReplyText.lines(SceneReply(record: answer.seq, outcome: answer.outcome), tree: await refresh()?.tree)
  }

  func answered(_ reply: SceneReply, _ action: Command.Action, _ alias: String?) async -> [String] {
    if let alias, let screen = reply.outcome.screen ?? reply.outcome.presented.last?.screen { aliases[alias] = screen }
    let look = await refresh()
    var output: [UInt8]?
    if case .output(_, let bytes) = action { output = bytes }
    return ReplyText.lines(reply, tree: look?.tree, output: output)
  }

  /// Runs an operation that ends by itself when cancelled; nil after the deadline.
  func withDeadline<Value: Sendable>(_ timeout: Duration, _ operation: @escaping @Sendable () async -> Value) async -> Value? {
    let clock = clock
    return await withTaskGroup(of: Value?.self) { group in
      let done = OneTime<Value>()
      Task { done.give(await operation()) }
      group.addTask { await done.value() }
      group.addTask {
        try? await clock.sleep(timeout)
        return nil
      }
      let first = await group.next() ?? nil
      done.give(nil)
      group.cancelAll()
      return first
    }
  }

  private func repeated(_ line: String, _ rate: Int, _ span: Duration, _ emit: @escaping Emit) async throws -> Bool {
    let statements = try Statement.parse(line)
    let start = clock.now()
    var (count, refused) = (0, 0)
    let pause = Duration.seconds(1) / rate
    while clock.now() - start < span {
      try Task.checkCancellation()
      for statement in statements {
        let execution = await execute(statement) { _ in }
        if execution.error != nil { refused += 1 }
      }
      count += 1
      let next = start + pause * count
      if next > clock.now() { try await clock.sleep(next - clock.now()) }
    }
    await emit([ReplyText.headed("ok", "\(count) times in \(DurationText.describe(clock.now() - start)), \(refused) refused")])
    return false
  }

  /// Carries out what the session does itself.
  private func serve(_ request: SessionRequest, _ emit: @escaping Emit) async throws -> Bool {
    switch request {
    case .quit: return true
    case .help(let topic): await emit(ShellHelp.lines(topic, width: width))
    case .note(let text): await emit(["-- \(Escaping.visible(text))"])
    case .scene(let name, let app):
      if name != nil, renderer.pace != .off { _ = try await render(.off) }
      await emit(try await target.change(to: name, app: app))
      if name != nil { (aliases, viewed) = ([:], nil) }
      await refresh()
    case .option(let name, let value): await emit(try option(name, value))
    case .source(let path): return try await source(path, emit)
    case .record(let path, let first, let last): try await record(path, from: first, upTo: last, emit)
    case .recordScript(let path): try await recordScript(path, emit)
    case .recordStop: try await stopRecording(emit)
    case .replay(let path, let verify): await emit(try Self.replay(path, verify: verify))
    case .save(let path): try await save(into: path, emit)
    case .restore(let path, let name): try await restore(path, as: name, emit)
    }
    return false
  }

  private func option(_ name: String?, _ value: String?) throws -> [String] {
    switch (name, value) {
    case ("timings", "on"): showsTimings = true
    case ("timings", "off"): showsTimings = false
    case ("width", let text?):
      guard let number = Int(text), (20...1_000).contains(number) else {
        throw MinervaError(.parseUnexpected, "width takes a number from 20 to 1000")
      }
      width = number
    case (nil, _), (_, nil): break
    default: throw MinervaError(.parseUnexpected, "no such value; option shows what there is")
    }
    return ["timings \(showsTimings ? "on" : "off")", "width \(width)"]
  }

  private func source(_ path: String, _ emit: @escaping Emit) async throws -> Bool {
    let script: FlowScript
    do throws(FlowScript.Faults) { script = try FlowScript.read(path) } catch {
      throw MinervaError(MinervaError.Code(error.statedCode), error.statement)
    }
    for step in script.steps {
      for statement in step.statements {
        let execution = await execute(statement, emit: emit)
        if let error = execution.error { throw MinervaError(error.code, "\(path):\(step.line): \(error.message)") }
        if execution.isQuit { return true }
      }
    }
    return false
  }
}

extension Request {
  /// Whether it only looks, so that an error before it is still "the command before".
  var isPassive: Bool {
    switch self {
    case .look, .wait, .expect: true
    default: false
    }
  }

  /// Whether it goes on until something happens, so that it can do so in the background.
  var isWaiting: Bool {
    switch self {
    case .wait: true
    default: isWatch
    }
  }

  /// Whether `&` may follow: it asks for something and need not be waited for.
  var mayRunInBackground: Bool {
    switch self {
    case .action, .deeplink: true
    default: isWaiting
    }
  }

  var isWatch: Bool { if case .look(.watch) = self { true } else { false } }
}

/// Carries what a request's standing is from the target's callback to whoever tells it.
struct Standings: Sendable {
  let stream: AsyncStream<Admission>
  private let continuation: AsyncStream<Admission>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16)) }

  func tell(_ admission: Admission) { continuation.yield(admission) }
  func end() { continuation.finish() }
}
