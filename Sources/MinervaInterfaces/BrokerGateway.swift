public import Distributed
public import MinervaActors
public import MinervaNavigation

/// What a broker does for the processes around it. Its actor is named `broker`.
///
/// Every method ends within the caller's deadline: with a value, or with a `MinervaError`. What needs the journal is answered when it is
/// durable (N16). Names and argument types of these methods are the wire contract.
@Resolvable
public protocol BrokerGateway: DistributedActor where ActorSystem == BusSystem {
  /// Asks a scene for something; answered once. The same `txn` again gets the first answer (N2).
  distributed func request(_ request: SceneRequest) async throws -> SceneAnswer

  /// Follows a link, or says what following it would do; answered once, as a request is (R2).
  distributed func follow(_ request: DeepLinkRequest) async throws -> DeepLinkReply

  /// The links of the apps that are there.
  distributed func routes() async throws -> [RouteListing]

  /// A scene as it stands; with what its screens show, when asked.
  distributed func snapshot(_ scene: SceneAddress, renderings: Bool) async throws -> SceneSnapshot

  /// A scene as it stood after one of its durable records, with its whole state when asked; `time.out_of_range` when the journal does not
  /// reach back that far, or the scene has not come that far.
  distributed func past(_ scene: SceneAddress, at record: UInt64, image: Bool) async throws -> ScenePast

  /// The durable records of a scene behind one of them, a page at a time; also of a scene that has ended.
  distributed func records(of scene: SceneIdentity, after record: UInt64) async throws -> RecordPage

  /// Begins a scene as another one stood after one of its records (D2): with its tree and names, its coordinators resumed by hosts. Under
  /// a name of its own when none is given; `scene.exists` when there is one of that name.
  distributed func fork(_ scene: SceneAddress, at record: UInt64, as name: String?) async throws -> SceneIdentity

  /// Begins a scene as a saved one stood (D2): `image` is the state that `past` gives, of a scene in which nothing is under way. Under the
  /// name it had when none is given and that is free; `recording.damaged` when no scene can stand so.
  distributed func restore(_ image: [UInt8], as name: String?) async throws -> SceneIdentity

  /// What one screen shows.
  distributed func rendering(_ scene: SceneAddress, screen: ScreenID) async throws -> StampedRendering

  /// What is known of each open coordinator of a scene, in the order of their opening.
  distributed func coordinators(_ scene: SceneAddress) async throws -> [ScreenReport]

  /// What outlives its screen in a scene, or in all of them, those that are over included (K4).
  distributed func leaks(_ scene: SceneAddress?) async throws -> LeakReport

  /// The scenes that are open, by name.
  distributed func scenes() async throws -> [SceneIdentity]

  /// The modules that can be opened now, by app and name.
  distributed func modules() async throws -> [ModuleListing]

  /// A caller has configured the module it opened under this `txn`, or failed to (L1).
  distributed func configured(_ scene: SceneAddress, txn: String, failure: Refusal?) async throws

  /// Who shows the scene reports (attached, lost, acknowledged).
  distributed func renderer(_ scene: SceneAddress, report: RendererReport) async throws

  /// Lets a virtual clock go on to the next moment at which something is due (D3); `clock.real` where there is none.
  distributed func advance(_ step: ClockStep) async throws -> ClockReading

  /// A host joins, or joins again.
  distributed func register(_ registration: HostRegistration) async throws -> HostReceipt

  /// A coordinator's turn ended; answered when it is durable (K3).
  distributed func turn(_ submission: TurnSubmission) async throws -> TurnReceipt

  /// A screen shows something new.
  distributed func rendered(_ report: RenderingReport) async throws

  /// Where a named service of an app lives.
  distributed func service(_ name: String, app: String) async throws -> ServiceLocation

  /// Where the coordinator of a screen runs (K7).
  distributed func location(of screen: ScreenID, scene: SceneAddress) async throws -> ServiceLocation

  /// A diff worker says where it listens and how many jobs it wants.
  distributed func offer(_ offer: DiffOffer) async throws

  /// Waits for a worker for a job; `bus.backpressure` when too many wait, `diff.poison` after three lost workers.
  distributed func lease(_ request: DiffLeaseRequest) async throws -> DiffLease

  /// A job ended at its caller: the worker is free again.
  distributed func endLease(job: String) async throws

  /// What the broker says of itself and its peers.
  distributed func status() async throws -> BrokerStatus
}

/// A module with the hosts that offer it.
public struct ModuleListing: Codable, Sendable {
  public var app: String
  public var module: ModuleDescription
  public var hosts: [String]

  public init(app: String, module: ModuleDescription, hosts: [String]) {
    self.app = app
    self.module = module
    self.hosts = hosts
  }
}

/// The names under which the fixed actors are found at their nodes.
public enum WellKnown {
  public static let broker = "broker"
  public static let host = "host"
  public static let worker = "worker"
  public static let supervisor = "supervisor"
}
