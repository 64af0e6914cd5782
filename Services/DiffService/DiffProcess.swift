import Distributed
public import MinervaActors
import MinervaInterfaces
import MinervaProtocol
public import MinervaTransport
import MinervaWire

/// What a diff worker is started with.
public struct DiffSettings: Sendable {
  /// The worker's own name, `diff-1`.
  public var node: String
  /// Where the broker listens.
  public var broker: Endpoint
  /// Where callers send their jobs.
  public var listen: Endpoint
  /// Where others reach it, when that is not where it listens; port 0 stands for the port it got.
  public var advertised: Endpoint?
  /// How many jobs it takes at the same time.
  public var credit: Int
  public var limits: DiffLimits
  /// Of how many answers one is wrong on purpose; nil: none. For tests of those who check answers.
  public var lie: Int?
  /// How long the broker may take to be there.
  public var patience: Duration
  /// The product version, for people.
  public var version: String
  /// Keys for tcp.
  public var security: BusSecurity
  /// Takes lines for the log.
  public var log: (@Sendable (String) -> Void)?

  public init(
    node: String, broker: Endpoint, listen: Endpoint, advertised: Endpoint? = nil, credit: Int = 4, limits: DiffLimits = DiffLimits(),
    lie: Int? = nil,
    patience: Duration = .seconds(30),
    version: String = "0", security: BusSecurity = BusSecurity(), log: (@Sendable (String) -> Void)? = nil
  ) {
    self.node = node
    self.broker = broker
    self.listen = listen
    self.advertised = advertised
    self.credit = credit
    self.limits = limits
    self.lie = lie
    self.patience = patience
    self.version = version
    self.security = security
    self.log = log
  }
}

/// A running diff worker: jobs come from whoever holds a lease, straight to it.
///
/// When `start` returns the broker gives it work; it offers itself again whenever the broker is back, until `close`.
public final class DiffProcess: Sendable {
  public let bus: BusSystem
  private let worker: DiffWorkerActor
  private let tasks: [Task<Void, Never>]

  /// Starts a worker and offers it to the broker.
  /// - Throws: `bus.*` when an endpoint cannot be bound or the broker cannot be reached.
  public static func start(_ settings: DiffSettings) async throws -> DiffProcess {
    let interfaces = try await FixedInterfaces.learn()
    let log = settings.log
    let bus = BusSystem(
      BusSettings(
        node: settings.node, kind: "diff", version: settings.version, interfaces: interfaces.catalogue, security: settings.security,
        listen: (settings.advertised ?? settings.listen).statedAtStart, log: { line in log?("\(line.kind): \(line.text)") }))
    do {
      let listen = try await bus.listen(on: settings.listen)
      let bench = DiffBench(limits: settings.limits, node: settings.node, lie: settings.lie)
      let worker = BusSystem.named(WellKnown.worker) { DiffWorkerActor(bench: bench, node: settings.node, actorSystem: bus) }
      try await bus.expose(worker, as: interfaces.worker) { table in
        try table.later("diff") { worker, arguments, reply in try worker.begin(arguments.next(), reply) }
      }
      // Before the broker knows this worker: one that is lost at that moment is lost to it as well.
      let (events, callers) = (bus.peerEvents, bus.peerEvents)
      let broker = try await bus.connect(to: settings.broker, patience: settings.patience)
      let gateway = try $BrokerGateway.resolve(id: ActorAddress(node: broker, name: WellKnown.broker), using: bus)
      let reached = settings.advertised?.withPort(of: listen) ?? listen
      let offer = DiffOffer(
        worker: settings.node, endpoint: reached.description, credit: settings.credit, key: settings.security.listeningKey(at: listen))
      try await gateway.offer(offer)
      let watch = Task { await follow(events, broker: broker, offer: offer, gateway, log) }
      let care = Task { await tend(bench, callers) }
      return DiffProcess(bus: bus, worker: worker, tasks: [watch, care])
    } catch {
      await bus.close(grace: .zero)
      throw error
    }
  }

  private init(bus: BusSystem, worker: DiffWorkerActor, tasks: [Task<Void, Never>]) {
    self.bus = bus
    self.worker = worker
    self.tasks = tasks
  }

  /// Drops what belongs to callers that are gone, and what nobody fetches.
  private static func tend(_ bench: DiffBench, _ events: AsyncStream<PeerEvent>) async {
    let sweeping = Task {
      while !Task.isCancelled {
        try? await ContinuousClock().sleep(for: .seconds(5))
        bench.sweep()
      }
    }
    for await case .lost(let node, let incarnation, _) in events { bench.lost(.init(node: node, incarnation: incarnation)) }
    sweeping.cancel()
  }

  /// Offers the worker again to a broker that is back.
  private static func follow(
    _ events: AsyncStream<PeerEvent>, broker: String, offer: DiffOffer, _ gateway: $BrokerGateway, _ log: (@Sendable (String) -> Void)?
  ) async {
    var isAway = false
    var random = SystemRandomNumberGenerator()
    for await event in events {
      switch event {
      case .lost(let node, _, let reason) where node == broker:
        isAway = true
        log?("the broker is away: \(reason)")
      case .connected(let peer) where peer.node == broker && isAway:
        var backoff = Backoff(first: 20, cap: 1_000)
        while !Task.isCancelled {
          do {
            try await gateway.offer(offer)
            isAway = false
            log?("offered again as \(offer.worker)")
            break
          } catch let error as MinervaError where error.code == .unreachable || error.code == .peerLost || error.code == .closed {
            break
          } catch {
            try? await Task.sleep(for: .milliseconds(backoff.next(using: &random)))
          }
        }
      default: break
      }
    }
  }

  /// Ends the worker; when it returns nothing of it runs.
  /// - Returns: What could not be said any more.
  @discardableResult
  public func close(grace: Duration = .milliseconds(500)) async -> CloseReport {
    for task in tasks { task.cancel() }
    return await bus.close(grace: grace)
  }
}
