package import Minerva
package import MinervaInterfaces
package import MinervaNavigation
package import MinervaWire

/// What a session talks to: a scene of a running set, or a fake in a test.
///
/// Calls may come from any task. Everything that is not there throws ``MinervaError`` with a code; `bus.unsupported` says that a target
/// does not offer it at all.
package protocol SceneTarget: Sendable {
  /// The scene that requests go to.
  var scene: SceneAddress { get async }

  /// Asks for an action; returns when it is answered. `standing` is told where the request stands if it is not answered at once.
  func perform(_ action: Command.Action, _ conditions: RequestConditions, standing: @escaping @Sendable (Admission) -> Void)
    async throws(MinervaError) -> SceneReply

  /// Returns the scene as it stands; contains whatever was answered before (N16).
  func look(at record: UInt64?) async throws(MinervaError) -> SceneLook

  /// The scene as it stood after a durable record; with its whole state when asked.
  func past(at record: UInt64, image: Bool) async throws(MinervaError) -> ScenePast

  /// The durable records of a scene behind one of them, a page at a time.
  func records(of scene: SceneIdentity, after record: UInt64) async throws(MinervaError) -> RecordPage

  /// Begins a scene as this one was after a record.
  func fork(at record: UInt64, as name: String?) async throws(MinervaError) -> SceneIdentity
  /// Begins a scene as a saved state has it.
  func restore(_ image: [UInt8], as name: String?) async throws(MinervaError) -> SceneIdentity

  /// Every event of the scene and of processes from now on, in order, without gaps; ends when the task that reads it does.
  func events() async throws(MinervaError) -> AsyncStream<SceneEvent>

  /// When the broker is away and when it is back, from now on; ends at once where nobody can say.
  func notices() async -> AsyncStream<ClientNotice>

  /// The modules that hosts offer.
  func modules() async throws(MinervaError) -> [ModuleListing]

  /// Processes, connections and counters.
  func status() async throws(MinervaError) -> StatusReport

  /// The process that a name means: its own, or of a pattern such as `diff-*` the first that holds a job.
  func process(_ name: String) async throws(MinervaError) -> ProcessReport

  /// What outlives its screen in the scene, or in all.
  func leaks(all: Bool) async throws(MinervaError) -> LeakReport

  /// Does what only a laboratory does; returns what to tell.
  func lab(_ request: Lab) async throws(MinervaError) -> [String]

  /// Lets a virtual clock go on by one step; `clock.real` where time is the machine's.
  func step(_ step: ClockStep) async throws(MinervaError) -> ClockReading

  /// Reports as the one who shows the scene.
  func render(_ report: RendererReport) async throws(MinervaError)

  /// Follows a link; a dry run returns the plan.
  func follow(
    _ link: DeepLink, _ conditions: RequestConditions, standing: @escaping @Sendable (Admission) -> Void
  ) async throws(MinervaError) -> DeepLinkReply

  /// The links of the scene's app; nil when it has none.
  func routes() async throws(MinervaError) -> RouteListing?

  /// The links that wait.
  func plans() async throws(MinervaError) -> [PlanReport]

  /// Changes to another scene, or shows the scenes.
  func change(to scene: String?, app: String?) async throws(MinervaError) -> [String]

  /// Ends a scene: each of its screens leaves.
  func end(scene: String) async throws(MinervaError) -> Outcome

  /// The names of the scenes that are open.
  func scenes() async throws(MinervaError) -> [String]

  /// Ends the connection.
  func close() async
}

/// The conditions of a request, from its options.
package struct RequestConditions: Sendable, Hashable {
  package var policy: Policy
  package var ifTop: ScreenRef?
  package var isInstant: Bool
  package var timeout: Duration?
  package var txn: String?

  package init(policy: Policy = .queue, ifTop: ScreenRef? = nil, isInstant: Bool = false, timeout: Duration? = nil, txn: String? = nil) {
    self.policy = policy
    self.ifTop = ifTop
    self.isInstant = isInstant
    self.timeout = timeout
    self.txn = txn
  }
}

/// The answer to a request that was done.
package struct SceneReply: Sendable, Hashable {
  /// The position of its record, `#12`; nil when there was nothing to record.
  package var record: UInt64?
  package var outcome: Outcome

  package init(record: UInt64?, outcome: Outcome) {
    self.record = record
    self.outcome = outcome
  }
}

/// A scene as a person may look at it.
package struct SceneLook: Sendable {
  package var scene: String
  /// The last record and the last event that are part of it.
  package var record: UInt64
  package var event: UInt64
  package var tree: SceneTree
  package var renderings: [ScreenID: ScreenRendering]
  /// The version of each list, and the change set that led to it where it is known.
  package var lists: [ScreenID: ListStamp]
  /// Whether no request, message or rendering is under way.
  package var isSettled: Bool
  /// Whether it is the past: what screens showed is not known.
  package var isPast = false
  /// Scene time in milliseconds, and whether it is a virtual clock's.
  package var at: Int64 = 0
  package var isVirtual = false

  package init(
    scene: String, record: UInt64, event: UInt64, tree: SceneTree, renderings: [ScreenID: ScreenRendering],
    lists: [ScreenID: ListStamp] = [:], isSettled: Bool
  ) {
    self.scene = scene
    self.record = record
    self.event = event
    self.tree = tree
    self.renderings = renderings
    self.lists = lists
    self.isSettled = isSettled
  }
}

extension SceneLook {
  /// The past as it can be looked at.
  package init(_ past: ScenePast) {
    self.init(scene: past.scene.name, record: past.record, event: 0, tree: past.tree, renderings: [:], isSettled: past.settled)
    isPast = true
  }
}

/// The version of a list that is shown.
package struct ListStamp: Sendable {
  package var version: UInt64
  /// The change set that led to it, unless the list was said as a whole.
  package var change: ListEvent?

  package init(version: UInt64, change: ListEvent? = nil) {
    self.version = version
    self.change = change
  }
}

/// What `status` shows.
package struct StatusReport: Sendable {
  /// Nil while it cannot be reached.
  package var broker: BrokerStatus?
  /// Empty when nobody supervises.
  package var processes: [ProcessReport]

  package init(broker: BrokerStatus?, processes: [ProcessReport]) {
    self.broker = broker
    self.processes = processes
  }
}

extension SceneTarget {
  private func unsupported(_ what: String) -> MinervaError {
    MinervaError(.unsupported, "\(what) is not offered here")
  }

  package func past(at record: UInt64, image: Bool) async throws(MinervaError) -> ScenePast { throw unsupported("the past") }
  package func fork(at record: UInt64, as name: String?) async throws(MinervaError) -> SceneIdentity { throw unsupported("fork") }
  package func restore(_ image: [UInt8], as name: String?) async throws(MinervaError) -> SceneIdentity { throw unsupported("restore") }
  package func records(of scene: SceneIdentity, after record: UInt64) async throws(MinervaError) -> RecordPage {
    throw unsupported("recording")
  }
  package func notices() async -> AsyncStream<ClientNotice> { AsyncStream { $0.finish() } }
  package func modules() async throws(MinervaError) -> [ModuleListing] { throw unsupported("modules") }
  package func status() async throws(MinervaError) -> StatusReport { throw unsupported("status") }
  package func leaks(all: Bool) async throws(MinervaError) -> LeakReport { throw unsupported("leaks") }
  package func process(_ name: String) async throws(MinervaError) -> ProcessReport {
    let reports = try await status().processes
    if let report = reports.first(where: { $0.name == name }) { return report }
    throw MinervaError(.processUnknown, "no process \"\(name)\"; there are \(reports.map(\.name).joined(separator: ", "))")
  }
  package func lab(_ request: Lab) async throws(MinervaError) -> [String] { throw unsupported("this fault") }
  package func step(_ step: ClockStep) async throws(MinervaError) -> ClockReading {
    throw MinervaError(.clockReal, "this scene runs on the machine's clock")
  }
  package func render(_ report: RendererReport) async throws(MinervaError) { throw unsupported("render") }
  package func follow(
    _ link: DeepLink, _ conditions: RequestConditions, standing: @escaping @Sendable (Admission) -> Void
  ) async throws(MinervaError) -> DeepLinkReply { throw unsupported("deeplink") }
  package func routes() async throws(MinervaError) -> RouteListing? { throw unsupported("routes") }
  package func plans() async throws(MinervaError) -> [PlanReport] { throw unsupported("plans") }
  package func change(to scene: String?, app: String?) async throws(MinervaError) -> [String] { throw unsupported("changing the scene") }
  package func end(scene: String) async throws(MinervaError) -> Outcome { throw unsupported("ending a scene") }
  package func scenes() async throws(MinervaError) -> [String] { throw unsupported("other scenes") }
  package func close() async {}
}
