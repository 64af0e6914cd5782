import CommandKit
package import Minerva
package import MinervaInterfaces
package import MinervaNavigation
package import MinervaWire
import Synchronization

/// Who supervises the processes of a set; a session without one only sees what the broker says.
package protocol SetControl: Sendable {
  func processes() async throws -> [ProcessReport]
  func signal(_ process: String, _ number: Int32) async throws
}

/// A scene of a running broker as a session sees it.
package final class ClientTarget: SceneTarget {
  private struct State {
    var scene: SceneAddress
    var feed: AsyncStream<SceneEvent>.Continuation?
    var watching: Task<Void, Never>?
    var processes: Task<Void, Never>?
    /// Who is told where a request stands, by its `txn`.
    var waiting: [String: @Sendable (Admission) -> Void] = [:]
    var requests = 0
    /// The last event that came, of which life of the broker, and since when looks know of later ones.
    var seen: UInt64 = 0
    var epoch: UInt64 = 0
    var behindSince: ContinuousClock.Instant?
  }

  private let client: Client
  private let control: (any SetControl)?
  private let life = String(UInt64.random(in: .min ... .max), radix: 36)
  private let state: Mutex<State>
  private let onClose: @Sendable () async -> Void

  /// - Parameter onClose: Called when the session ends; closes what was opened for it.
  package init(
    _ client: Client, scene: SceneAddress = SceneAddress(), control: (any SetControl)? = nil,
    onClose: @escaping @Sendable () async -> Void = {}
  ) {
    self.client = client
    self.control = control
    self.onClose = onClose
    state = Mutex(State(scene: scene))
  }

  package var scene: SceneAddress { state.withLock(\.scene) }

  package func perform(
    _ action: Command.Action, _ conditions: RequestConditions, standing: @escaping @Sendable (Admission) -> Void
  ) async throws(MinervaError) -> SceneReply {
    let txn = state.withLock { state in
      state.requests += 1
      let txn = conditions.txn ?? "\(client.name).\(life).\(state.requests)"
      state.waiting[txn] = standing
      return txn
    }
    defer { state.withLock { $0.waiting[txn] = nil } }
    let answer = try await stating {
      try await self.client.request(
        action, in: self.scene, txn: txn, policy: conditions.policy, ifTop: conditions.ifTop, instant: conditions.isInstant,
        within: conditions.timeout ?? .seconds(5))
    }
    return SceneReply(record: answer.seq, outcome: answer.outcome)
  }

  package func follow(
    _ link: DeepLink, _ conditions: RequestConditions, standing: @escaping @Sendable (Admission) -> Void
  ) async throws(MinervaError) -> DeepLinkReply {
    let txn = state.withLock { state in
      state.requests += 1
      let txn = conditions.txn ?? "\(client.name).\(life).\(state.requests)"
      state.waiting[txn] = standing
      return txn
    }
    defer { state.withLock { $0.waiting[txn] = nil } }
    return try await stating {
      try await self.client.follow(
        link.url, context: Array((link.context ?? "").utf8), isDryRun: link.isDryRun, resets: link.mode == "reset",
        keepsPrefix: link.keepsPrefix, in: self.scene, txn: txn, policy: conditions.policy, ifTop: conditions.ifTop,
        instant: conditions.isInstant, within: conditions.timeout ?? .seconds(5))
    }
  }

  package func routes() async throws(MinervaError) -> RouteListing? {
    let app = try await stating { try await self.client.snapshot(of: self.scene).scene.app }
    return try await stating { try await self.client.routes() }.first { $0.app == app }
  }

  package func plans() async throws(MinervaError) -> [PlanReport] {
    try await stating { try await self.client.snapshot(of: self.scene).plans }
  }

  package func look(at record: UInt64?) async throws(MinervaError) -> SceneLook {
    if let record { return SceneLook(try await past(at: record, image: false)) }
    let snapshot = try await stating { try await self.client.snapshot(of: self.scene, renderings: true) }
    var renderings: [ScreenID: ScreenRendering] = [:]
    var lists: [ScreenID: ListStamp] = [:]
    for stamped in snapshot.renderings {
      lists[stamped.screen] = ListStamp(version: stamped.version, change: stamped.change)
      renderings[stamped.screen] = try await stating { try ScreenRendering(encoded: stamped.body) }
    }
    await catchUp(snapshot)
    var look = SceneLook(
      scene: snapshot.scene.name, record: snapshot.record, event: snapshot.event, tree: snapshot.tree, renderings: renderings,
      lists: lists, isSettled: snapshot.settled)
    (look.at, look.isVirtual) = (snapshot.at, snapshot.isVirtual ?? false)
    return look
  }

  package func past(at record: UInt64, image: Bool) async throws(MinervaError) -> ScenePast {
    try await stating { try await self.client.past(of: self.scene, at: record, image: image) }
  }

  package func fork(at record: UInt64, as name: String?) async throws(MinervaError) -> SceneIdentity {
    try await stating { try await self.client.fork(self.scene, at: record, as: name) }
  }

  package func restore(_ image: [UInt8], as name: String?) async throws(MinervaError) -> SceneIdentity {
    try await stating { try await self.client.restore(image, as: name) }
  }

  package func records(of scene: SceneIdentity, after record: UInt64) async throws(MinervaError) -> RecordPage {
    try await stating { try await self.client.records(of: scene, after: record) }
  }

  /// A publisher that came back may have spoken before it was heard again, and said nothing since: when looks have known of later events for
  /// a second, those are taken as missed: what the broker still knows of them is told, and the log goes on from there (C06).
  private func catchUp(_ snapshot: SceneSnapshot) async {
    let feed = state.withLock { state -> AsyncStream<SceneEvent>.Continuation? in
      guard snapshot.event > state.seen, let feed = state.feed else {
        state.behindSince = nil
        return nil
      }
      let since = state.behindSince ?? .now
      state.behindSince = since
      guard ContinuousClock.now - since > .seconds(1) else { return nil }
      state.behindSince = nil
      return feed
    }
    guard let feed, let now = try? await client.snapshot(of: scene) else { return }
    await goOn(from: now, to: feed)
  }

  /// Tells what was missed before a snapshot, as far as the broker still knows it, and goes on from there. Nothing before the first one
  /// was missed.
  private func goOn(from snapshot: SceneSnapshot, to feed: AsyncStream<SceneEvent>.Continuation) async {
    if state.withLock({ $0.epoch }) > 0 {
      for event in snapshot.recent ?? [] where event.number <= snapshot.event { await tell(event, to: feed) }
    }
    state.withLock { state in
      guard state.epoch != snapshot.epoch || state.seen < snapshot.event else { return }
      (state.epoch, state.seen) = (snapshot.epoch, snapshot.event)
    }
    await Self.give(Self.marker(snapshot), to: feed)
  }

  /// Hands an event to the session, once it has room: meanwhile the watcher keeps what comes, and knows what it cannot keep.
  private static func give(_ event: SceneEvent, to feed: AsyncStream<SceneEvent>.Continuation) async {
    while case .dropped = feed.yield(event), !Task.isCancelled { try? await ContinuousClock().sleep(for: .milliseconds(20)) }
  }

  /// Tells an event once, from whichever side it comes first.
  private func tell(_ event: SceneEvent, to feed: AsyncStream<SceneEvent>.Continuation) async {
    let isNew = state.withLock { state in
      guard event.epoch > state.epoch || (event.epoch == state.epoch && event.number > state.seen) else { return false }
      (state.epoch, state.seen) = (event.epoch, event.number)
      return true
    }
    guard isNew else { return }
    tell(event)
    await Self.give(event, to: feed)
  }

  /// What the log is told of a snapshot: whatever was missed is part of it.
  private static func marker(_ snapshot: SceneSnapshot) -> SceneEvent {
    SceneEvent(
      scene: snapshot.scene.name, epoch: snapshot.epoch, number: snapshot.event, record: snapshot.record, at: snapshot.at, kind: .idle)
  }

  package func events() async throws(MinervaError) -> AsyncStream<SceneEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: SceneEvent.self, bufferingPolicy: .bufferingOldest(4_096))
    let processes = try await stating { try await self.client.processEvents() }
    let reading = Task { for await event in processes { await Self.give(event, to: continuation) } }
    state.withLock { state in
      state.feed = continuation
      state.processes = reading
    }
    try await watch(continuation)
    continuation.onTermination = { [weak self] _ in self?.stopWatching() }
    return stream
  }

  /// Begins to follow the scene; returns when its state now is known, so that nothing behind it is missed.
  private func watch(_ feed: AsyncStream<SceneEvent>.Continuation) async throws(MinervaError) {
    let scene = scene
    state.withLock { ($0.epoch, $0.seen) = (0, 0) }
    let updates = try await stating { try await self.client.watch(scene) }
    let first = OneTime<Bool>()
    let watching = Task { [weak self] in
      for await update in updates {
        switch update {
        case .snapshot(let snapshot):
          await self?.goOn(from: snapshot, to: feed)
          first.give(true)
        case .event(let event): await self?.tell(event, to: feed)
        }
      }
      first.give(nil)
    }
    state.withLock { state in
      state.watching?.cancel()
      state.watching = watching
    }
    // The watcher asks for as long as it takes, which is right for who watches already; who begins is told why there is no answer.
    let asking = Task { [weak self] in
      let error = await self?.reasonForSilence()
      if error != nil { first.give(nil) }
      return error
    }
    let isThere = await withTaskCancellationHandler {
      await first.value()
    } onCancel: {
      first.give(nil)
    }
    asking.cancel()
    guard isThere == nil else { return }
    watching.cancel()
    if Task.isCancelled { throw MinervaError(.cancelled, "interrupted before the scene could be looked at") }
    if let error = await asking.value { throw error }
    // The stream ends at once when the scene cannot be: looking says why.
    _ = try await look(at: nil)
    throw MinervaError(.closed, "the scene cannot be watched")
  }

  /// Asks for the scene while nothing is heard of it; returns why there is none, once that is certain or has lasted. Nil when cancelled.
  private func reasonForSilence() async -> MinervaError? {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(10)
    while true {
      try? await clock.sleep(for: .milliseconds(200))
      guard !Task.isCancelled else { return nil }
      var reason = MinervaError(.deadline, "the scene \(scene.name) does not answer")
      do {
        _ = try await client.snapshot(of: scene)
      } catch {
        reason = Session.stated(error)
        guard !Task.isCancelled else { return nil }
        // No host brings that app by waiting; what the broker is about to know may be waited for.
        if !reason.retryable || reason.code == .sceneAppUnknown { return reason }
      }
      guard clock.now < deadline else { return reason }
    }
  }

  /// Tells a caller where its request stands, once the feed says so.
  private func tell(_ event: SceneEvent) {
    if case .joined(let admission) = event.kind {
      let teller = state.withLock { $0.waiting[admission.txn] }
      teller?(admission)
      return
    }
    guard case .navigation(let navigation) = event.kind else { return }
    let request: RequestSummary
    let standing: Admission.Standing
    switch navigation.kind {
    case .admitted(let summary): (request, standing) = (summary, .running)
    case .queued(let summary, let behind, let because): (request, standing) = (summary, .queued(behind: behind, because: because))
    default: return
    }
    let teller = state.withLock { $0.waiting[request.txn] }
    teller?(Admission(txn: request.txn, caller: request.caller, seq: request.seq, standing: standing))
  }

  private func stopWatching() {
    let tasks = state.withLock { state in
      defer { state.feed = nil }
      return [state.watching, state.processes]
    }
    for task in tasks { task?.cancel() }
  }

  package func notices() async -> AsyncStream<ClientNotice> { await client.notices() }

  /// Throws `scene.unknown` unless the scene is there; asking begins none.
  package func requireScene() async throws(MinervaError) { try await require(scene) }

  private func require(_ scene: SceneAddress) async throws(MinervaError) {
    do throws(MinervaError) {
      _ = try await stating { try await self.client.rendering(of: ScreenID(1), in: scene) }
    } catch {
      if error.code == .screenNotRendered { return }
      guard error.code == .sceneEnded else { throw error }
      let (name, known) = (scene.name, (try? await client.scenes())?.map(\.name) ?? [])
      let hint = Suggestion.nearest(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
      throw MinervaError(.sceneUnknown, "there is no scene \"\(name)\"\(hint)")
    }
  }

  package func modules() async throws(MinervaError) -> [ModuleListing] { try await stating { try await self.client.modules() } }

  package func leaks(all: Bool) async throws(MinervaError) -> LeakReport {
    try await stating { try await self.client.leaks(in: all ? nil : self.scene) }
  }

  package func status() async throws(MinervaError) -> StatusReport {
    // A broker that is away must not hide the processes.
    async let broker = try? client.status(within: .seconds(1))
    guard let control else { return StatusReport(broker: try await stating { try await self.client.status() }, processes: []) }
    let processes = try await stating { try await control.processes() }
    return StatusReport(broker: await broker, processes: processes)
  }

  package func step(_ step: ClockStep) async throws(MinervaError) -> ClockReading {
    try await stating { try await self.client.advance(step) }
  }

  package func render(_ report: RendererReport) async throws(MinervaError) {
    try await stating { try await self.client.renderer(report, in: self.scene) }
  }

  package func lab(_ request: Lab) async throws(MinervaError) -> [String] {
    if case .drop(let topic, let count) = request {
      let topic = EventPattern.topic(topic)
      client.losses.lose(count) { event in
        let name = EventText(event).name
        return EventPattern.matches(topic, name) || EventPattern.matches("\(topic).*", name)
      }
      return [
        ReplyText.headed(
          "ok", "the next \(count) events of \(Escaping.visible(topic)) do not arrive here; the gap is mended from the broker")
      ]
    }
    guard let control else {
      throw MinervaError(
        .unsupported, "nobody supervises these processes from here; say it where minerva up runs, in the runtime directory of that set")
    }
    switch request {
    case .kill(let name):
      let (process, pid) = try await running(name)
      try await stating { try await control.signal(process, 9) }
      return [ReplyText.headed("ok", "\(process) killed, pid \(pid)")]
    case .stall(let name, let span):
      let (process, pid) = try await running(name)
      try await stating { try await control.signal(process, 19) }
      if let span {
        Task {
          try? await ContinuousClock().sleep(for: span)
          try? await control.signal(process, 18)
        }
      }
      return [ReplyText.headed("ok", "\(process) stopped, pid \(pid)")]
    default: throw MinervaError(.unsupported, "this fault is not offered here")
    }
  }

  private func running(_ name: String) async throws(MinervaError) -> (name: String, pid: Int32) {
    let report = try await process(name)
    guard let pid = report.pid else { throw MinervaError(.processUnknown, "\(report.name) is not running (\(report.state))") }
    return (report.name, pid)
  }

  package func process(_ name: String) async throws(MinervaError) -> ProcessReport {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(5)
    while true {
      let report = try await status()
      if let process = report.processes.first(where: { $0.name == name }) { return process }
      let known = report.processes.map(\.name).joined(separator: ", ")
      guard name.hasSuffix("*") else { throw MinervaError(.processUnknown, "no process \"\(name)\"; there are \(known)") }
      // A job that was just asked for may not have reached its worker yet.
      let busy = Set(report.broker?.pool.busy ?? [])
      if let process = report.processes.first(where: { $0.name.hasPrefix(name.dropLast()) && busy.contains($0.name) }) { return process }
      guard clock.now < deadline else { throw MinervaError(.processUnknown, "no \(name) holds a job; there are \(known)") }
      try? await clock.sleep(for: .milliseconds(10))
    }
  }

  package func change(to name: String?, app: String?) async throws(MinervaError) -> [String] {
    guard let name else {
      let (current, scenes) = (scene.name, try await stating { try await self.client.scenes() })
      return scenes.isEmpty ? ["no scenes yet"] : scenes.map { "\($0.name == current ? "*" : " ") \($0)" }
    }
    let (old, feed) = state.withLock { state in
      defer { state.scene = SceneAddress(name: name, app: app) }
      return (state.scene, state.feed)
    }
    do throws(MinervaError) {
      let look = try await look(at: nil)
      if let feed { try await watch(feed) }
      return [
        ReplyText.headed(
          "ok", "scene \(Escaping.visible(look.scene)), \(look.tree.screens.count) \(look.tree.screens.count == 1 ? "screen" : "screens")")
      ]
    } catch {
      state.withLock { $0.scene = old }
      throw error
    }
  }

  package func scenes() async throws(MinervaError) -> [String] {
    try await stating { try await self.client.scenes().map(\.name) }
  }

  package func end(scene name: String) async throws(MinervaError) -> Outcome {
    let scene = SceneAddress(name: name)
    // Asking would begin a scene that is not there.
    try await require(scene)
    return try await stating { try await self.client.request(.end, in: scene).outcome }
  }

  package func close() async {
    stopWatching()
    await onClose()
  }

  private func stating<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws(MinervaError) -> Value {
    do { return try await body() } catch { throw Session.stated(error) }
  }
}
