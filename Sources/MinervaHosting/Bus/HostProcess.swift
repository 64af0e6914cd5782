import Distributed
import Minerva
public import MinervaActors
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaTransport
import MinervaWire

/// A running host: its bus, its coordinators, and its place at the broker.
///
/// When `start` returns the host is registered; it stays so through the broker's restarts, and through pauses of its own, until
/// `close`. What it said meanwhile is said again, what the broker gave to others meanwhile is ended.
public final class HostProcess: Sendable {
  public let bus: BusSystem
  private let runtime: HostRuntime
  private let connection: BrokerConnection
  private let host: ModuleHost
  private let watch: Task<Void, Never>

  /// Starts a host and registers it.
  /// - Parameter modules: Makes the modules; it is given the services that they may need.
  /// - Throws: `bus.*` when the broker cannot be reached, `module.schema_conflict` when it refuses the modules, and what `modules` throws.
  public static func start(
    _ settings: HostSettings, modules: @Sendable (HostServices) async throws -> [ModuleOffer]
  ) async throws -> HostProcess {
    let interfaces = try await FixedInterfaces.learn()
    let log = settings.log
    let bus = BusSystem(
      BusSettings(
        node: settings.node, kind: "host", version: settings.version, interfaces: interfaces.catalogue, security: settings.security,
        listen: (settings.advertised ?? settings.listen)?.statedAtStart, log: { line in log?("\(line.kind): \(line.text)") }))
    do {
      var reached: Endpoint?, key: String?
      if let listen = settings.listen {
        let endpoint = try await bus.listen(on: listen)
        reached = settings.advertised?.withPort(of: endpoint) ?? endpoint
        key = settings.security.listeningKey(at: endpoint)
      }
      // Before the broker knows this host: one that is lost at that moment is lost to it as well.
      let events = bus.peerEvents
      let broker = try await bus.connect(to: settings.broker, patience: settings.patience)
      let connection = try BrokerConnection(bus: bus, broker: broker, log: log)
      let services = HostServices(bus: bus, gateway: connection.gateway, app: settings.app)
      let registry = try ModuleRegistry(await modules(services))
      let differ = LeasedDiff(bus: bus, gateway: connection.gateway, hold: settings.hold)
      let runtime = HostRuntime(name: settings.node, modules: registry, link: connection, differ: differ)
      connection.attach(runtime)
      let host = BusSystem.named(WellKnown.host) { ModuleHost(runtime: runtime, actorSystem: bus) }
      try await bus.expose(host, as: interfaces.host)
      let registrar = Registrar(
        settings: settings, endpoint: reached?.description, key: key, registry: registry, runtime: runtime, connection: connection)
      try await registrar.register()
      let watch = Task { await registrar.follow(events, broker: broker) }
      return HostProcess(bus: bus, runtime: runtime, connection: connection, host: host, watch: watch)
    } catch {
      await bus.close(grace: .zero)
      throw error
    }
  }

  private init(bus: BusSystem, runtime: HostRuntime, connection: BrokerConnection, host: ModuleHost, watch: Task<Void, Never>) {
    self.bus = bus
    self.runtime = runtime
    self.connection = connection
    self.host = host
    self.watch = watch
  }

  /// Ends the coordinators and the bus; when it returns nothing of the host runs.
  /// - Returns: What could not be said any more.
  @discardableResult
  public func close(grace: Duration = .milliseconds(500)) async -> CloseReport {
    watch.cancel()
    connection.standing.close()
    let report = await bus.close(grace: grace)
    await runtime.close()
    return report
  }
}

/// Keeps a host registered.
private struct Registrar: Sendable {
  let settings: HostSettings
  /// Where others reach the host, and the key it has there.
  let endpoint: String?
  let key: String?
  let registry: ModuleRegistry
  let runtime: HostRuntime
  let connection: BrokerConnection

  /// Registers once, with everything that runs here.
  func register() async throws {
    let modules = registry.all.map { offer in
      ModuleDescription(
        name: offer.name, summary: offer.summary, fingerprint: offer.fingerprint, schema: offer.schemaText, slots: offer.slots,
        routes: registry.routes(from: offer.name))
    }
    let registration = HostRegistration(
      app: settings.app, node: settings.node, endpoint: endpoint, modules: modules, services: settings.services,
      start: settings.start, links: settings.links?.scope, running: await runtime.running(), key: key, saysFirst: true)
    // A host may run more than fits into an ordinary message.
    let receipt = try await BusSystem.$carriesLists.withValue(true) { try await connection.gateway.register(registration) }
    // What another has taken over is forgotten before anything is said of it.
    await runtime.registered(receipt)
    connection.standing.set(true)
  }

  /// Registers again whenever the broker is back, or this process was paused for longer than its link lasts; notes what hosts are lost.
  func follow(_ events: AsyncStream<PeerEvent>, broker: String) async {
    for await event in events {
      switch event {
      case .lost(let node, _, let reason) where node == broker:
        connection.standing.set(false)
        settings.log?("the broker is away: \(reason)")
      case .lost(let node, _, _): connection.lost(node)
      case .connected(let peer) where peer.node == broker && !connection.standing.isRegistered:
        await registerPatiently()
      default: break
      }
    }
  }

  private func registerPatiently() async {
    var backoff = Backoff(first: 20, cap: 1_000)
    var random = SystemRandomNumberGenerator()
    while !Task.isCancelled {
      do {
        try await register()
        settings.log?("registered again as \(settings.node)")
        return
      } catch let error as MinervaError where error.code == .unreachable || error.code == .peerLost || error.code == .closed {
        // The link is gone again: its return is the next event.
        return
      } catch {
        settings.log?("could not register: \(error)")
        try? await Task.sleep(for: .milliseconds(backoff.next(using: &random)))
      }
    }
  }
}
