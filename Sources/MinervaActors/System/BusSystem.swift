public import Distributed
public import MinervaTransport
import MinervaWire
import Glibc
import Synchronization

/// The distributed actor system: calls between processes over links that keep themselves up.
///
/// One thread, ``loop``, owns every socket and every piece of state here; calls from it cost no thread hop. Calls go both ways over a link,
/// whoever dialled it. What is promised: at most once, in order per caller and actor, and every call ends within its deadline by a value, a typed
/// error or a cancellation. Errors are ``MinervaError``: `bus.unreachable`, `bus.peer_lost` (`maybeExecuted`), `bus.deadline`, `bus.cancelled`,
/// `bus.backpressure`, `bus.too_large`, `bus.no_such_actor`, `bus.not_exposed`, `bus.unauthorized`, `bus.closed`, or what the actor threw.
///
/// ```swift
/// let bus = BusSystem(BusSettings(node: "server", interfaces: catalogue))
/// let greeter = BusSystem.named("greeter") { Greeter(actorSystem: bus) }
/// try await bus.expose(greeter, as: targets)
/// try await bus.listen(on: Endpoint("ipc:///run/user/1000/minerva/bus.sock"))
/// …
/// let name = try await other.connect(to: Endpoint("ipc:///run/user/1000/minerva/bus.sock"))
/// let remote = try $Greeting.resolve(id: ActorAddress(node: name, name: "greeter"), using: other)
/// ```
public final class BusSystem: DistributedActorSystem, @unchecked Sendable {
  // Everything below `confined` belongs to the loop's thread; the registry has its own lock.
  public typealias ActorID = ActorAddress
  public typealias InvocationEncoder = BusInvocationEncoder
  public typealias InvocationDecoder = BusInvocationDecoder
  public typealias ResultHandler = BusResultHandler
  public typealias SerializationRequirement = any Codable

  public let settings: BusSettings
  /// The random number of this life of the process.
  public let incarnation: UInt64

  package let transport: Transport
  let exposedNames: ExposedNames
  let supplies: CallSupplies
  let registry = ActorRegistry()
  let tokens = Atomic<UInt64>(0)
  let isRecorder: Bool
  let defaultBudget: Int64
  /// The public key with which this process dials peers that somebody vouched for.
  public let publicKey: String?

  // MARK: Confined to the loop

  var nodes: [String: Node] = [:]
  /// The port that the last call went out on, kept alive by its node; forgotten whenever a link rises or falls.
  @exclusivity(unchecked) var lastPort: Unmanaged<CallPort>?
  var dialled: [Endpoint: Dialled] = [:]
  var exposed: [String: ExposedActor] = [:]
  @exclusivity(unchecked) var lastExposed: ExposedActor?
  var eventSinks: [UInt64: AsyncStream<PeerEvent>.Continuation] = [:]
  /// What peers subscribed to over their links, by topic; what we did, by node and topic; who may not.
  var lanes: [String: [EventLane]] = [:]
  var hearings: [String: [String: Hearing]] = [:]
  var objection: ((PeerIdentity, String) -> MinervaError?)?
  @exclusivity(unchecked) var closing: Closing?
  var hasClosed = false
  /// What an actor on the loop wants done at a time of its own; returns when to be called next.
  var alarm: ((Int64) -> Int64)?
  private(set) var loopBackPort: CallPort!

  /// Starts the bus's thread. It runs until ``close(grace:)``.
  public convenience init(_ settings: BusSettings) {
    self.init(settings, isRecorder: false)
    transport.delegate = self
    transport.onSweep = { [unowned self] in self.sweep(at: $0) }
    transport.start(keeping: self)
  }

  private init(_ settings: BusSettings, isRecorder: Bool) {
    self.settings = settings
    self.isRecorder = isRecorder
    defaultBudget = settings.deadline.millisecondsRoundedUp
    incarnation = UInt64.random(in: 1...UInt64.max)
    exposedNames = settings.interfaces.exposed
    supplies = CallSupplies(exposedNames)
    // Whoever reaches us through a directory knows this key to be ours, and can have others let it in.
    let spare = settings.security.keys == nil && settings.hub == nil && !isRecorder ? try? CurveKeyPair() : nil
    publicKey = (settings.security.keys ?? spare)?.publicKey
    let introduction = Introduction(
      node: settings.node, incarnation: incarnation, kind: settings.kind, pid: getpid(), version: settings.version,
      capabilities: settings.capabilities, limits: settings.limits, heartbeat: settings.heartbeat.millisecondsRoundedUp,
      listen: settings.listen, key: publicKey)
    var transportSettings = TransportSettings(introduction: introduction, api: exposedNames.version)
    transportSettings.handshakeTimeout = settings.handshakeTimeout.millisecondsRoundedUp
    transportSettings.missLimit = Int64(max(1, settings.missLimit))
    transportSettings.security = settings.security
    transportSettings.spareKeys = spare
    transportSettings.hub = settings.hub
    transportSettings.log = settings.log
    transport = Transport(transportSettings)
    loop = transport.loop
    let own = PeerIdentity(node: settings.node, incarnation: incarnation, kind: settings.kind, grant: .local)
    loopBackPort = CallPort(nil, own, on: self)
  }

  /// The system on which interfaces are learned: it records calls and has no thread.
  static let recorder = BusSystem(BusSettings(node: "recorder"), isRecorder: true)

  /// A bus whose endpoints may be names in a hub of this process: the same links and frames, no socket.
  public static func inProcess(_ hub: InProcessHub, settings: BusSettings) -> BusSystem {
    var settings = settings
    settings.hub = hub
    return BusSystem(settings)
  }

  /// The thread of the bus, as an executor.
  ///
  /// A short, non-blocking actor may run on it: `nonisolated var unownedExecutor: UnownedSerialExecutor { actorSystem.loop.asUnownedSerialExecutor() }`.
  public let loop: EventLoop

  /// The same thread for tasks: a caller that prefers it, `Task(executorPreference: bus.taskExecutor) { … }`, makes calls without a thread hop.
  public var taskExecutor: LoopTaskExecutor { transport.taskExecutor }

  // MARK: What code around a call can know

  /// How long calls of the current task may take; without it what is left of the served call's time, else the settings' default.
  @TaskLocal public static var deadline: Duration?

  /// Whether calls of the current task carry lists, which may be larger than other messages.
  @TaskLocal public static var carriesLists = false

  /// Who called the distributed method that runs now; nothing outside of a served call.
  public static var currentCaller: PeerIdentity? { DirectCaller.current ?? CallContext.current?.caller }

  /// Starts work that is not the served call's, though it begins in one: neither the call's deadline nor its caller goes along.
  ///
  /// Every task that may outlive the call is started in here; one that inherited the deadline could say nothing any more once it is over.
  package static func onOwnBehalf<R>(_ start: () throws -> R) rethrows -> R {
    if CallContext.current == nil { return try start() }
    return try CallContext.$current.withValue(nil, operation: start)
  }

  /// The same for work that is awaited, and starts tasks that are not.
  package static func onOwnBehalf<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R { try await CallContext.$current.withValue(nil, operation: body) }

  @TaskLocal static var nextName: String?

  /// Gives the actor made in `make` a name by which others can call it.
  public static func named<Made>(_ name: String, _ make: () throws -> Made) rethrows -> Made {
    try $nextName.withValue(name) { try make() }
  }

  // MARK: DistributedActorSystem

  public func assignID<Actor: DistributedActor>(_ type: Actor.Type) -> ActorAddress where Actor.ID == ActorAddress {
    ActorAddress(node: settings.node, name: registry.reserve(Self.nextName, kind: "\(type)"))
  }

  public func actorReady<Actor: DistributedActor>(_ actor: Actor) where Actor.ID == ActorAddress { registry.add(actor, actor.id.name) }

  public func resignID(_ id: ActorAddress) { registry.remove(id.name) }

  public func resolve<Actor: DistributedActor>(id: ActorAddress, as type: Actor.Type) throws -> Actor? where Actor.ID == ActorAddress {
    guard id.node == settings.node, !isRecorder else { return nil }
    guard let actor = registry[id.name] else { throw MinervaError(.noSuchActor, "nobody is called \(id.name) in \(id.node)") }
    // A stub of an interface is another type than the actor behind it: it becomes a proxy whose calls loop back.
    return actor as? Actor
  }

  public func makeInvocationEncoder() -> BusInvocationEncoder {
    loop.isCurrent ? BusInvocationEncoder(supplies.encoders.take()) : BusInvocationEncoder()
  }

  // Inlined into the stub's own code: called across modules, each of these generic functions looks its conformances up in the runtime.

  @inlinable @inline(__always) public nonisolated(nonsending) func remoteCall<Actor, Failure, Success>(
    on actor: Actor, target: RemoteCallTarget, invocation: inout BusInvocationEncoder, throwing: Failure.Type, returning: Success.Type
  ) async throws -> Success where Actor: DistributedActor, Actor.ID == ActorAddress, Failure: Error, Success: Codable {
    let terms = try terms(of: target.identifier, invocation)
    let answer = try await withUnsafeThrowingContinuation { continuation in
      begin(actor.id, target.identifier, invocation, terms, continuation)
    }
    return try decode(answer, as: Success.self)
  }

  @inlinable @inline(__always) public nonisolated(nonsending) func remoteCallVoid<Actor, Failure>(
    on actor: Actor, target: RemoteCallTarget, invocation: inout BusInvocationEncoder, throwing: Failure.Type
  ) async throws where Actor: DistributedActor, Actor.ID == ActorAddress, Failure: Error {
    let terms = try terms(of: target.identifier, invocation)
    _ = try await withUnsafeThrowingContinuation { continuation in
      begin(actor.id, target.identifier, invocation, terms, continuation)
    }
  }
}
