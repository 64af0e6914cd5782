package import MinervaActors
package import MinervaInterfaces
package import MinervaNavigation
import MinervaProtocol
import MinervaTransport
import MinervaWire
import Synchronization

/// A host's way to its broker and to other hosts, over the bus.
package final class BrokerConnection: BrokerLink {
  package let gateway: $BrokerGateway
  let standing = Standing()
  private let bus: BusSystem
  private let local = Mutex<HostRuntime?>(nil)

  private let log: (@Sendable (String) -> Void)?

  /// Makes the connection to the broker of a node that the bus is connected to.
  package init(bus: BusSystem, broker node: String, log: (@Sendable (String) -> Void)? = nil) throws {
    self.bus = bus
    self.log = log
    gateway = try $BrokerGateway.resolve(id: ActorAddress(node: node, name: WellKnown.broker), using: bus)
  }

  /// Notes who answers questions for coordinators of this process.
  func attach(_ runtime: HostRuntime) { local.withLock { $0 = runtime } }

  /// Submits a turn, again and again until it is answered: it is numbered, so the broker takes it once.
  package func submit(_ turn: TurnSubmission) async throws -> TurnReceipt {
    var backoff = Backoff(first: 20, cap: 1_000)
    var random = SystemRandomNumberGenerator()
    while true {
      try await standing.wait()
      do {
        return try await gateway.turn(turn)
      } catch let error as MinervaError {
        try Task.checkCancellation()
        guard Self.passes(error) else { return TurnReceipt(refusal: Refusal(error)) }
      }
      try await Task.sleep(for: .milliseconds(backoff.next(using: &random)))
    }
  }

  package func report(_ rendering: RenderingReport) async {
    var backoff = Backoff(first: 20, cap: 1_000)
    var random = SystemRandomNumberGenerator()
    while true {
      do {
        try await standing.wait()
        return try await BusSystem.$carriesLists.withValue(true) { try await gateway.rendered(rendering) }
      } catch {
        guard let error = error as? MinervaError, Self.passes(error), !Task.isCancelled else { return }
      }
      guard (try? await Task.sleep(for: .milliseconds(backoff.next(using: &random)))) != nil else { return }
    }
  }

  /// Asks a coordinator, host to host: where it is known to run, else where the broker says that it does.
  ///
  /// The broker is asked for a place that is not known, and for one whose host is gone or runs the coordinator no more: so a second
  /// question takes one hop, also while the broker is away. A question changes nothing, so it may be asked again (K7).
  package func ask(_ call: CoordinatorCall) async throws -> [UInt8] {
    if let runtime = local.withLock({ $0 }), await runtime.runs(call.screen, in: call.scene) { return try await runtime.answer(call) }
    let place = KnownPlaces.Place(scene: call.scene, screen: call.screen)
    var failure: MinervaError?
    if let node = places.withLock({ $0.node(of: place) }) {
      do {
        return try await pose(call, to: node)
      } catch let error as MinervaError where [.staleRef, .peerLost, .unreachable].contains(error.code) {
        failure = error
        places.withLock { error.code == .staleRef ? $0.forget(place) : $0.doubt(place) }
      }
    }
    return try await pose(call, to: try await node(of: place, otherwise: failure))
  }

  private func pose(_ call: CoordinatorCall, to node: String) async throws -> [UInt8] {
    try await $ModuleEndpoint.resolve(id: ActorAddress(node: node, name: WellKnown.host), using: bus).call(call)
  }

  package func children(of screen: ScreenID, in scene: SceneIdentity) async throws -> [ScreenID] {
    let reports = try await gateway.coordinators(SceneAddress(name: scene.name, app: scene.app))
    return reports.first { $0.summary.screen == screen }?.children ?? []
  }

  package func note(_ line: String) { log?(line) }

  /// Takes note that a host is gone: where its coordinators are is for the broker to say.
  func lost(_ node: String) { places.withLock { $0.lost(node) } }

  private let places = Mutex(KnownPlaces())

  /// The host of a coordinator: what the broker says, or said last when it is away.
  /// - Parameter failure: What was found there before, and is thrown when nobody knows better.
  private func node(of place: KnownPlaces.Place, otherwise failure: MinervaError?) async throws -> String {
    do {
      let location = try await gateway.location(of: place.screen, scene: SceneAddress(name: place.scene.name, app: place.scene.app))
      if let endpoint = location.endpoint { await bus.route(node: location.node, to: try Endpoint(endpoint), server: location.key) }
      places.withLock { $0.learn(place, at: location.node) }
      return location.node
    } catch let error as MinervaError where Self.passes(error) {
      guard let known = places.withLock({ $0.lastNode(of: place) }) else { throw failure ?? error }
      return known
    }
  }

  /// Whether an error is one of a broker that is away or busy, and comes back.
  static func passes(_ error: MinervaError) -> Bool {
    error.retryable || error.maybeExecuted || [.unreachable, .peerLost, .deadline, .backpressure, .staleEpoch].contains(error.code)
  }
}
