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
  /// The jobs whose requests are not answered yet.
  var asked: Set<Int> = []
  /// How those ended that nobody answers any more.
  var ends: [Int: MinervaError] = [:]
  /// Whether the conversation has ended: nobody is told of anything any more.
  var isOver = false
  /// Whether whoever talks is on the way out, and waits for nothing longer than a moment.
  var isLeaving = false
  /// The record after which the session looks at the scene; nil: now.
  var viewed: UInt64?
  var recording: RunningRecording?
  var script: RecordedScript?
  /// The requests behind jobs, by the jobs' numbers.
  var jobNames: [Int: String] = [:]
  private var pump: Task<Void, Never>?
  /// Tells of a broker that is away, once it is asked for.
  private var announcing: Task<Void, Never>?
  private var isBrokerAway = false

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
    await untilBegun()
  }

  /// Ends the conversation within two seconds, whatever the broker does (C01); jobs are cancelled.
  ///
  /// - Returns: The requests in the background that were not answered, and what a recording lacks.
  @discardableResult
  package func close() async -> Unfinished {
    // Whatever was recorded is whole, also when nobody said stop.
    var cut: MinervaError?
    do throws(MinervaError) { _ = try await endRecording(within: .milliseconds(300)) } catch { cut = error }
    var unfinished = await endJobs()
    unfinished.recording = cut?.message
    pump?.cancel()
    announcing?.cancel()
    if renderer.pace != .off {
      let (target, name) = (target, rendererName)
      _ = await withDeadline(.milliseconds(300)) { try? await target.render(.lost(renderer: name)) }
    }
    await target.close()
    return unfinished
  }

  /// What is still asked for is on the way out: a broker that does not answer holds it up for a moment alone (C01).
  package func leave() { isLeaving = true }

  /// The prompt, `main:main/orders> `.
  package var prompt: String {
    guard let lastLook, !isBrokerAway else { return "minerva> " }
    let moment = viewed.map { "@#\($0)" } ?? ""
    return "\(Escaping.visible(lastLook.scene))\(moment):\(lastLook.tree.activePath)> "
  }

  /// Tells from now on when the broker is away, and when it is back: each once.
  package func announceBroker() async {
    let notices = await target.notices()
    announcing = Task { [weak self] in
      for await notice in notices { await self?.take(notice) }
    }
  }

  private func take(_ notice: ClientNotice) async {
    switch notice {
    case .brokerLost(let reason):
      guard !isBrokerAway else { return }
      isBrokerAway = true
      await notify(["\(Escaping.visible(reason)); waiting for the broker to come back"])
    case .brokerBack:
      guard isBrokerAway else { return }
      isBrokerAway = false
      await notify(["the broker is back"])
    }
  }

  /// Looks at the scene again if events have come since it was looked at, for at most this long.
  package func lookAgain(within time: Duration) async {
    guard !isBrokerAway, let seen = lastLook else { return }
    guard viewed == nil, await log.number(of: seen.scene) > seen.event else { return }
    _ = await withDeadline(time) { await self.refresh() != nil }
  }

  /// Carries out a statement; lines are emitted as they come, and an error is emitted too.
  package func execute(_ statement: Statement, emit: @escaping Emit) async -> Execution {
    let start = clock.now()
    let before = await beforeScripted(statement)
    do {
      let isQuit = try await carryOut(statement, emit)
      try noteInScript(statement, nil, before)
      if !statement.request.isPassive { lastError = nil }
      if showsTimings, !statement.isJSON { await emit(["       took \(DurationText.describe(clock.now() - start))"]) }
      return Execution(error: nil, isQuit: isQuit)
    } catch {
      var stated = Self.stated(error)
      // Waiting and looking ask for nothing that could still happen.
      if error is CancellationError, statement.request.isPassive { stated.message = "interrupted" }
      lastError = stated
      try? noteInScript(statement, stated, before)
      // Ctrl-C is how a watch ends: no error to tell.
      if !(error is CancellationError && statement.request.isWatch) {
        await emit(statement.isJSON ? [ReplyJSON.error(stated)] : ReplyText.error(stated))
      }
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

  func carryOutHere(_ statement: Statement, _ told: @escaping Emit) async throws -> Bool {
    // What has no fields of its own tells its lines in an object.
    let isWrapped = statement.isJSON && !statement.request.writesJSON
    let emit: Emit = isWrapped ? { @Sendable lines in await told([ReplyJSON.done(statement, lines)]) } : told
    switch statement.request {
    case .action(let make): try await act(make, statement, emit)
    case .lab(.kill(let process)):
      try requirePresent()
      mark = await log.end
      await emit(try await kill(process))
    case .look(let look): try await show(look, statement.call, emit)
    case .wait(let wait):
      let timeout = statement.call.option("timeout").flatMap(DurationText.parse)
      try await waitFor(wait, timeout, isBackground: statement.call.isBackground, emit)
    case .expect(let expectation):
      let timeout = statement.call.option("timeout").flatMap(DurationText.parse)
      let reason = await failure(of: expectation, within: timeout ?? .seconds(5), decidesWhenQuiet: timeout == nil)
      // Ctrl-C decides nothing.
      if reason != nil { try Task.checkCancellation() }
      if let reason { throw MinervaError(.expectFailed, reason) }
      await emit(["ok"])
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
    let (target, isJSON) = (target, statement.isJSON)
    if statement.call.isBackground {
      return await background(emit, conditions.txn, isJSON: isJSON) { standing throws(MinervaError) in
        await self.answered(try await target.perform(action, conditions, standing: standing), action, alias, isJSON: isJSON)
      }
    }
    let reply = try await driving(conditions.txn) { () throws(MinervaError) in
      try await telling(emit, isJSON: isJSON) { standing throws(MinervaError) in
        try await target.perform(action, conditions, standing: standing)
      }
    }
    await emit(await answered(reply, action, alias, isJSON: isJSON))
  }

  /// On a virtual clock a request has its name from here.
  func named(_ conditions: RequestConditions) -> RequestConditions {
    guard isVirtual, conditions.txn == nil else { return conditions }
    named += 1
    var conditions = conditions
    conditions.txn = "\(rendererName).\(named)"
    return conditions
  }

  /// Runs a request and tells where it stands until it is answered; of one that is not waited for any more, what became of it.
  func telling<Reply: Sendable>(
    _ emit: @escaping Emit, isJSON: Bool, _ ask: (@escaping @Sendable (Admission) -> Void) async throws(MinervaError) -> Reply
  ) async throws(MinervaError) -> Reply {
    let standings = Standings()
    let telling = Task { () -> Admission? in
      var last: Admission?
      for await admission in standings.stream {
        last = admission
        // Running is no news: its answer follows.
        if admission.standing != .running { await emit([isJSON ? ReplyJSON.standing(admission) : ReplyText.standing(admission)]) }
      }
      return last
    }
    let result: Result<Reply, MinervaError>
    do throws(MinervaError) {
      result = .success(try await ask { standings.tell($0) })
    } catch {
      result = .failure(error)
    }
    standings.end()
    let last = await telling.value
    if case .failure(let error) = result, error.code == .cancelled, Task.isCancelled {
      throw MinervaError(.cancelled, await fate(of: last, error), details: error.details)
    }
    return try result.get()
  }

  /// What became of a request that was left: what the feed has said of it so far.
  private func fate(of last: Admission?, _ error: MinervaError) async -> String {
    if error.details[MinervaError.Detail.maybeExecuted] == "false" { return "interrupted before it was sent; nothing was asked" }
    guard let last else { return "interrupted; the scene has not said yet whether it takes it: look at tree" }
    for event in await log.since(mark) {
      guard case .navigation(let navigation) = event.kind else { continue }
      switch navigation.kind {
      case .settled(let request, _) where request.seq == last.seq: return "interrupted; #\(last.seq) was done meanwhile"
      case .refused(let request, let refusal) where request.seq == last.seq:
        return "interrupted; #\(last.seq) was refused meanwhile, \(refusal.code): \(refusal.message)"
      default: continue
      }
    }
    switch last.standing {
    case .running: return "interrupted; #\(last.seq) is under way and goes on: look at tree"
    case .queued(let behind, let because):
      return "interrupted; #\(last.seq) still waits behind #\(behind) (\(because)) and is done in its turn: look at tree"
    case .joined(let other): return "interrupted; #\(other), which it joined, goes on: look at tree"
    case .repeated(let other): return "interrupted; #\(other), sent before, goes on: look at tree"
    }
  }

  func answered(_ reply: SceneReply, _ action: Command.Action, _ alias: String?, isJSON: Bool) async -> [String] {
    if let alias, let screen = reply.outcome.screen ?? reply.outcome.presented.last?.screen { aliases[alias] = screen }
    let look = await refresh()
    var output: [UInt8]?
    if case .output(_, let bytes) = action { output = bytes }
    return isJSON ? [ReplyJSON.reply(reply, output: output)] : ReplyText.lines(reply, tree: look?.tree, output: output)
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
    case .help(let topic): await emit(try ShellHelp.lines(topic, width: width))
    case .note(let text): await emit(["-- \(Escaping.visible(text))"])
    case .scene(let name, let app): try await changeScene(to: name, app: app, emit)
    case .endScene(let name): try await end(scene: name, emit)
    case .option(let name, let value): await emit(try option(name, value))
    case .source(let path): return try await source(path, emit)
    case .record(let path, let first, let last): try await record(path, from: first, upTo: last, emit)
    case .recordScript(let path): try await recordScript(path, emit)
    case .recordStop: try await stopRecording(emit)
    case .replay(let path, let verify): await emit(try Self.replay(path, verify: verify))
    case .save(let path, let overwrites): try await save(into: path, overwrites: overwrites, emit)
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
    let lines = script.steps.flatMap { step in step.statements.map { (number: step.line, statement: $0) } }
    for (index, line) in lines.enumerated() {
      let execution = await execute(line.statement, emit: emit)
      if execution.isQuit { return true }
      guard let error = execution.error else { continue }
      if line.statement.isForgiven(before: index + 1 < lines.count ? lines[index + 1].statement : nil) { continue }
      throw MinervaError(error.code, "\(path):\(line.number): \(error.message)")
    }
    return false
  }
}

extension Statement {
  /// Whether its answer is wanted as JSON.
  var isJSON: Bool { call.flag("json") }
}

extension Request {
  /// Whether what it tells is JSON by itself when that is wanted.
  var writesJSON: Bool {
    switch self {
    case .action, .deeplink, .look: true
    default: false
    }
  }

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
