public import MinervaActors
public import MinervaInterfaces
public import MinervaNavigation
public import MinervaTransport
import MinervaProtocol
import MinervaWire
import Synchronization

/// A caller of a broker: asks scenes for things, looks at them, watches them.
///
/// It survives the broker: a request carries a `txn`, so it is sent again after a reconnect until its deadline, and done once (N2). Looking is
/// repeated likewise. Every call ends within its time, with a value or a `MinervaError`.
///
/// ```swift
/// let client = try await Client.connect(to: Endpoint("ipc:///run/user/1000/minerva/broker.sock"), name: "checkout-test")
/// let answer = try await client.request(.open(.init(ModuleAddress(name: "Settings"))), in: SceneAddress())
/// print(answer.outcome.presented)
/// ```
public final class Client: Sendable {
  /// The bus underneath, for calls to other processes.
  public let bus: BusSystem
  /// Where the broker was dialled.
  public let endpoint: Endpoint
  /// The broker's node name.
  public let broker: String
  /// Who asks, as the broker's records name it.
  public let name: String

  /// What watchers of this client are made to miss.
  package let losses = EventLosses()

  private let session: ClientSession
  private let peers: Task<Void, Never>
  private let requests = Atomic<UInt64>(0)
  /// Part of every `txn`, so that two lives of a name never share one.
  private let life: String

  private init(bus: BusSystem, endpoint: Endpoint, broker: String, name: String, session: ClientSession, peers: Task<Void, Never>) {
    self.bus = bus
    self.endpoint = endpoint
    self.broker = broker
    self.name = name
    self.session = session
    self.peers = peers
    life = String(bus.incarnation, radix: 36)
  }

  /// Connects to a broker.
  ///
  /// - Parameters:
  ///   - endpoint: Where the broker listens.
  ///   - name: A name for people; the node name adds what makes it unique.
  ///   - version: The caller's own version, for `status`.
  ///   - security: Keys for tcp.
  ///   - patience: For how long a broker that does not answer yet is waited for.
  ///   - hub: Where brokers of this process are, for an endpoint in process.
  /// - Throws: `bus.unreachable`, `bus.unauthorized`, `bus.unsupported` when the broker was built with other interfaces.
  public static func connect(
    to endpoint: Endpoint, name: String = "client", version: String = "0", security: BusSecurity = BusSecurity(),
    hub: InProcessHub? = nil, patience: Duration = .zero
  ) async throws -> Client {
    let interfaces = try await FixedInterfaces.learn()
    let unique = "\(name)-\(String(UInt32.random(in: .min ... .max), radix: 36))"
    var settings = BusSettings(node: unique, kind: "client", version: version, interfaces: interfaces.catalogue, security: security)
    settings.hub = hub
    let bus = BusSystem(settings)
    do {
      let broker = try await bus.connect(to: endpoint, patience: patience)
      let session = try ClientSession(bus: bus, broker: broker, targets: interfaces.broker)
      bus.onAlarm { [weak session] now in session?.assumeIsolated { $0.alarm(at: now) } ?? .max }
      let events = bus.peerEvents
      let peers = Task { for await event in events { await session.peer(event) } }
      return Client(bus: bus, endpoint: endpoint, broker: broker, name: name, session: session, peers: peers)
    } catch {
      await bus.close(grace: .zero)
      throw error
    }
  }

  /// Disconnects; calls that have not ended end with `bus.closed`.
  ///
  /// - Returns: What could not be delivered within the grace; calls that waited for a broker that is away are part of it (C01).
  @discardableResult
  public func close(grace: Duration = .milliseconds(500)) async -> CloseReport {
    let unsent = await session.close()
    peers.cancel()
    var report = await bus.close(grace: grace)
    report.undelivered += unsent
    return report
  }

  /// How many calls wait for the broker to be back.
  package func waitingCalls() async -> Int { await session.unsent }

  /// How many listen for notices.
  package func noticeListeners() async -> Int { await session.listeners }

  /// When the broker is away and when it is back, from now on.
  public func notices() async -> AsyncStream<ClientNotice> {
    let (stream, continuation) = AsyncStream.makeStream(of: ClientNotice.self, bufferingPolicy: .bufferingNewest(64))
    await session.notices(continuation)
    return stream
  }

  // MARK: Requests

  /// Asks a scene for something.
  ///
  /// - Parameters:
  ///   - action: What is wanted.
  ///   - scene: The scene; without one the main scene of the only app.
  ///   - txn: The request's own name; the same again gets the first answer. Without it one is made.
  ///   - policy: What happens when the place is busy (N3).
  ///   - ifTop: The screen that must be on top for the request to be carried out (N4).
  ///   - instant: Whether the transition settles without waiting for a renderer.
  ///   - gate: The presentation command that this executes: another request of this client with the same gate is `command.disabled` until what
  ///     was opened is gone (C1).
  ///   - time: How long it may take, also over a restart of the broker.
  /// - Throws: The refusal's code and text; `bus.deadline` when nothing was heard in time.
  public func request(
    _ action: Command.Action, in scene: SceneAddress = SceneAddress(), txn: String? = nil, policy: Policy = .queue, ifTop: ScreenRef? = nil,
    instant: Bool = false, gate: String? = nil, within time: Duration = .seconds(5)
  ) async throws -> SceneAnswer {
    let milliseconds = UInt32(clamping: time.milliseconds)
    let command = Command(
      txn: txn ?? nextTxn(), caller: name + "." + life, action: action, policy: policy, ifTop: ifTop, instant: instant,
      deadline: milliseconds, gate: gate)
    // The scene's own deadline comes first and says what is known; the session's is for a broker that stays away.
    return try await session.request(SceneRequest(scene: scene, command: command), within: time + .seconds(2))
  }

  /// Goes where a link leads (R2): what is open on the way stays, the rest is opened as one transaction.
  ///
  /// - Parameters:
  ///   - link: The link as text; the broker reads it.
  ///   - context: What is given with the link, a JSON object in UTF-8.
  ///   - isDryRun: Whether only the plan is wanted; then the reply has no answer.
  ///   - resets: Whether everything above the scene's root goes first.
  ///   - keepsPrefix: Whether what matched stays when the rest fails.
  ///   - scene: Where the link is followed; `main` of the one app unless given.
  ///   - txn: What the request is known by when it is sent again; a new one unless given.
  ///   - policy: What becomes of it while another presentation is on its way.
  ///   - ifTop: The screen that must still be on top when its turn comes.
  ///   - instant: Whether renderers show it without animation.
  ///   - time: How long the answer may take.
  /// - Throws: `route.*` with what matched and what is left (R3), and whatever a request may.
  public func follow(
    _ link: String, context: [UInt8] = [], isDryRun: Bool = false, resets: Bool = false, keepsPrefix: Bool = false,
    in scene: SceneAddress = SceneAddress(), txn: String? = nil, policy: Policy = .queue, ifTop: ScreenRef? = nil, instant: Bool = false,
    within time: Duration = .seconds(5)
  ) async throws -> DeepLinkReply {
    let milliseconds = UInt32(clamping: time.milliseconds)
    let request = DeepLinkRequest(
      scene: scene, link: link, context: context, isDryRun: isDryRun, resets: resets, keepsPrefix: keepsPrefix, txn: txn ?? nextTxn(),
      caller: name + "." + life, policy: policy, ifTop: ifTop, instant: instant, deadline: milliseconds)
    return try await session.call(.keyed, within: time + .seconds(2)) { try await $0.follow(request) }
  }

  /// The links of the apps that are there.
  public func routes() async throws -> [RouteListing] { try await session.call(.pure, within: .seconds(5)) { try await $0.routes() } }

  private func nextTxn() -> String { "\(name).\(life).\(requests.wrappingAdd(1, ordering: .relaxed).newValue)" }

  // MARK: Looking

  /// A scene as it stands; what was answered before is part of it (N16).
  public func snapshot(of scene: SceneAddress = SceneAddress(), renderings: Bool = false, within time: Duration = .seconds(5)) async throws
    -> SceneSnapshot
  {
    try await session.call(.pure, within: time) { gateway in
      try await BusSystem.$carriesLists.withValue(true) { try await gateway.snapshot(scene, renderings: renderings) }
    }
  }

  /// A scene as it stood after one of its records; with its whole state when asked.
  ///
  /// - Throws: `time.out_of_range` when the journal does not reach back that far, or the scene has not come that far.
  public func past(of scene: SceneAddress = SceneAddress(), at record: UInt64, image: Bool = false) async throws -> ScenePast {
    try await session.call(.pure, within: .seconds(10)) { gateway in
      try await BusSystem.$carriesLists.withValue(true) { try await gateway.past(scene, at: record, image: image) }
    }
  }

  /// Begins a scene as another one stood after one of its records: hosts resume its coordinators.
  ///
  /// - Parameters:
  ///   - scene: The scene whose past it is.
  ///   - record: The number of the record.
  ///   - name: The new scene's name; without it one is made, `main@12`.
  /// - Throws: `time.out_of_range`, `scene.exists`.
  public func fork(_ scene: SceneAddress = SceneAddress(), at record: UInt64, as name: String? = nil) async throws -> SceneIdentity {
    try await session.call(.never, within: .seconds(10)) { try await $0.fork(scene, at: record, as: name) }
  }

  /// Begins a scene as a saved one stood: hosts resume its coordinators.
  ///
  /// - Parameters:
  ///   - image: What ``past(of:at:image:)`` gave of a scene in which nothing was under way.
  ///   - name: The new scene's name; without it the one that was saved, or, when there is one of that name, one made of it.
  /// - Throws: `recording.damaged`, `scene.exists`.
  public func restore(_ image: [UInt8], as name: String? = nil) async throws -> SceneIdentity {
    try await session.call(.never, within: .seconds(10)) { gateway in
      try await BusSystem.$carriesLists.withValue(true) { try await gateway.restore(image, as: name) }
    }
  }

  /// The durable records of a scene behind one of them, in the journal's bytes, a page at a time.
  public func records(of scene: SceneIdentity, after record: UInt64) async throws -> RecordPage {
    try await session.call(.pure, within: .seconds(10)) { gateway in
      try await BusSystem.$carriesLists.withValue(true) { try await gateway.records(of: scene, after: record) }
    }
  }

  /// What one screen shows.
  public func rendering(of screen: ScreenID, in scene: SceneAddress = SceneAddress()) async throws -> StampedRendering {
    try await session.call(.pure, within: .seconds(5)) { gateway in
      try await BusSystem.$carriesLists.withValue(true) { try await gateway.rendering(scene, screen: screen) }
    }
  }

  /// What is known of each open coordinator, in the order of their opening.
  public func coordinators(of scene: SceneAddress = SceneAddress()) async throws -> [ScreenReport] {
    try await session.call(.pure, within: .seconds(5)) { try await $0.coordinators(scene) }
  }

  /// What outlives its screen in a scene, or in all of them with `nil`; hosts that do not answer in time are named (K4).
  ///
  /// What is seen is looked at again after half a second: what needs a moment to end is no leak.
  public func leaks(in scene: SceneAddress? = SceneAddress()) async throws -> LeakReport {
    try await session.call(.pure, within: .seconds(5)) { try await $0.leaks(scene) }
  }

  /// The scenes that are open.
  public func scenes() async throws -> [SceneIdentity] { try await session.call(.pure, within: .seconds(5)) { try await $0.scenes() } }

  /// The modules that can be opened now.
  public func modules() async throws -> [ModuleListing] { try await session.call(.pure, within: .seconds(5)) { try await $0.modules() } }

  /// What the broker says of itself and its peers.
  public func status(within time: Duration = .seconds(5)) async throws -> BrokerStatus {
    try await session.call(.pure, within: time) { try await $0.status() }
  }

  // MARK: Rendering and configuring

  /// Reports as the one who shows the scene.
  public func renderer(_ report: RendererReport, in scene: SceneAddress = SceneAddress()) async throws {
    try await session.call(.never, within: .seconds(5)) { try await $0.renderer(scene, report: report) }
  }

  /// Lets a virtual clock go on by one step (D3).
  ///
  /// - Throws: `clock.real` where the broker's clock is the machine's.
  public func advance(_ step: ClockStep) async throws -> ClockReading {
    try await session.call(.never, within: .seconds(5)) { try await $0.advance(step) }
  }

  /// Says that the module opened under a `txn` is configured, or could not be (L1); once.
  ///
  /// - Throws: `link.duplicate` when that was said before, `nav.not_waiting` when no opening of that name waits for it. It is not
  ///   repeated by itself: when the broker was lost meanwhile, say it again, and take `link.duplicate` for done.
  public func configured(_ txn: String, failure: Refusal? = nil, in scene: SceneAddress = SceneAddress()) async throws {
    try await session.call(.never, within: .seconds(5)) { try await $0.configured(scene, txn: txn, failure: failure) }
  }

  /// Waits for a diff worker's lease; see `DiffClient`.
  public func lease(_ request: DiffLeaseRequest, within time: Duration = .seconds(60)) async throws -> DiffLease {
    try await session.call(.pure, within: time) { try await $0.lease(request) }
  }

  /// Gives a lease back.
  public func endLease(job: String) async throws { try await session.call(.pure, within: .seconds(5)) { try await $0.endLease(job: job) } }
}
