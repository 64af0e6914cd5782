public import MinervaActors
import MinervaNavigation

/// The four interfaces that cross processes, with the exact names of their methods on the wire.
///
/// Learned once at the start of a process: both ends of a link compare the fingerprint of the names before anything else is said.
public struct FixedInterfaces: Sendable {
  public let broker: InterfaceTargets<$BrokerGateway>
  public let host: InterfaceTargets<$ModuleEndpoint>
  public let worker: InterfaceTargets<$DiffWorker>
  public let supervisor: InterfaceTargets<$Supervisor>

  /// Raised by hand when a method means something else under the same name.
  public static let version = 2

  /// What a bus is started with.
  public var catalogue: InterfaceCatalogue {
    InterfaceCatalogue(number: Self.version, names: broker.names + host.names + worker.names + supervisor.names)
  }

  /// Calls each method once on a recording stub.
  public static func learn() async throws -> FixedInterfaces {
    FixedInterfaces(
      broker: try await learnBroker(), host: try await learnHost(), worker: try await learnWorker(), supervisor: try await learnSupervisor()
    )
  }

  private static func learnBroker() async throws -> InterfaceTargets<$BrokerGateway> {
    let scene = SceneAddress()
    let screen = ScreenID(1)
    let identity = SceneIdentity(name: "", app: "", incarnation: 1)
    let command = Command(txn: "", caller: "", action: .dismissAll)
    let registration = HostRegistration(app: "", node: "", endpoint: nil, modules: [])
    let turn = TurnReport(screen: screen, lease: 1, number: 1, handled: nil)
    let rendering = RenderingReport(
      scene: identity, rendering: StampedRendering(screen: screen, version: 0, body: []),
      change: ListEvent(screen: screen, from: 0, to: 0, counts: ChangeCounts(), computedBy: "", changes: []), answersTurn: false)
    return try await InterfaceTargets.learn($BrokerGateway.self) { probe in
      try await probe("request") { _ = try await $0.request(SceneRequest(scene: scene, command: command)) }
      try await probe("follow") { _ = try await $0.follow(DeepLinkRequest(scene: scene, link: "", txn: "", caller: "")) }
      try await probe("routes") { _ = try await $0.routes() }
      try await probe("snapshot") { _ = try await $0.snapshot(scene, renderings: false) }
      try await probe("past") { _ = try await $0.past(scene, at: 0, image: false) }
      try await probe("records") { _ = try await $0.records(of: identity, after: 0) }
      try await probe("fork") { _ = try await $0.fork(scene, at: 0, as: nil) }
      try await probe("restore") { _ = try await $0.restore([], as: nil) }
      try await probe("rendering") { _ = try await $0.rendering(scene, screen: screen) }
      try await probe("coordinators") { _ = try await $0.coordinators(scene) }
      try await probe("leaks") { _ = try await $0.leaks(nil) }
      try await probe("scenes") { _ = try await $0.scenes() }
      try await probe("modules") { _ = try await $0.modules() }
      try await probe("configured") { try await $0.configured(scene, txn: "", failure: nil) }
      try await probe("renderer") { try await $0.renderer(scene, report: .lost(renderer: "")) }
      try await probe("advance") { _ = try await $0.advance(ClockStep(scene: scene, event: 0)) }
      try await probe("register") { _ = try await $0.register(registration) }
      try await probe("turn") { _ = try await $0.turn(TurnSubmission(scene: identity, report: turn, rendering: false)) }
      try await probe("rendered") { try await $0.rendered(rendering) }
      try await probe("service") { _ = try await $0.service("", app: "") }
      try await probe("location") { _ = try await $0.location(of: screen, scene: scene) }
      try await probe("offer") { try await $0.offer(DiffOffer(worker: "", endpoint: "", credit: 0)) }
      try await probe("lease") { _ = try await $0.lease(DiffLeaseRequest(job: "", rows: 0)) }
      try await probe("endLease") { try await $0.endLease(job: "") }
      try await probe("status") { _ = try await $0.status() }
    }
  }

  private static func learnHost() async throws -> InterfaceTargets<$ModuleEndpoint> {
    let identity = SceneIdentity(name: "", app: "", incarnation: 1)
    let module = ModuleAddress(name: "")
    let connection = Connection(
      screen: ScreenID(1), lease: 1, module: module, input: [], via: nil, parent: nil, parentHost: nil, seq: 0, txn: "", deadline: .zero)
    let resumption = Resumption(
      screen: ScreenID(1), lease: 1, module: module, host: "", input: [], state: nil, nextTurn: 1, parent: nil, children: [],
      deadline: .zero)
    let question = RouteQuestion(module: "", pattern: .any, values: [])
    return try await InterfaceTargets.learn($ModuleEndpoint.self) { probe in
      try await probe("connect") { _ = try await $0.connect(ConnectOrder(scene: identity, connection: connection)) }
      try await probe("resume") { _ = try await $0.resume(ResumeOrder(scene: identity, resumption: resumption)) }
      try await probe("accept") { try await $0.accept([]) }
      try await probe("resolve") { _ = try await $0.resolve(RouteInquiry(scene: identity, question: question, context: [])) }
      try await probe("inspect") { _ = try await $0.inspect(nil) }
      try await probe("admit") { try await $0.admit(AdmittedKeys()) }
      try await probe("call") { _ = try await $0.call(CoordinatorCall(scene: identity, screen: ScreenID(1), method: "", argument: [])) }
    }
  }

  private static func learnWorker() async throws -> InterfaceTargets<$DiffWorker> {
    try await InterfaceTargets.learn($DiffWorker.self) { probe in
      try await probe("diff") { _ = try await $0.diff(DiffJob(id: "", old: DiffRows(), new: DiffRows())) }
      try await probe("take") { try await $0.take(DiffPiece(job: "", side: .old, number: 0, rows: DiffRows())) }
      try await probe("rest") { _ = try await $0.rest(of: "", from: 0) }
      try await probe("progress") { _ = try await $0.progress(of: "") }
      try await probe("cancel") { try await $0.cancel(job: "") }
      try await probe("forget") { try await $0.forget(list: "") }
      try await probe("admit") { try await $0.admit(AdmittedKeys()) }
      try await probe("status") { _ = try await $0.status() }
    }
  }

  private static func learnSupervisor() async throws -> InterfaceTargets<$Supervisor> {
    try await InterfaceTargets.learn($Supervisor.self) { probe in
      try await probe("processes") { _ = try await $0.processes() }
      try await probe("signal") { try await $0.signal("", number: 0) }
      try await probe("stop") { try await $0.stop() }
    }
  }
}
