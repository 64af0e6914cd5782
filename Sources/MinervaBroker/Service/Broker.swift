import Distributed
import Glibc
package import MinervaActors
import MinervaBrokerCore
package import MinervaInterfaces
package import MinervaJournal
package import MinervaTransport
import MinervaWire

/// What a broker is started with.
package struct BrokerSettings: Sendable {
  /// Where callers, hosts and workers dial it.
  package var endpoints: [Endpoint]
  /// Where its events are published.
  package var events: [Endpoint]
  /// The product version, for people.
  package var version: String
  /// The bus underneath; its node name is the broker's.
  package var bus: BusSettings
  /// Whether its scenes run on a virtual clock, which goes on only when a client asks for it (D3).
  package var hasVirtualClock = false
  /// Hears what the operator should know: damage that was found and what became of it.
  package var log: @Sendable (String) -> Void

  package init(
    endpoints: [Endpoint], events: [Endpoint], version: String, bus: BusSettings,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.endpoints = endpoints
    self.events = events
    self.version = version
    self.bus = bus
    self.log = log
  }
}

/// A broker as a library: owns scenes, admits requests, journals, answers, publishes.
///
/// A process runs it (`minerva-broker`), or a test. When `start` returns it serves; when `close` returns it has ended.
package final class Broker: Sendable {
  package let bus: BusSystem
  private let gateway: Gateway
  private let journal: any Journal
  private let peers: Task<Void, Never>

  private init(bus: BusSystem, gateway: Gateway, journal: any Journal, peers: Task<Void, Never>) {
    self.bus = bus
    self.gateway = gateway
    self.journal = journal
    self.peers = peers
  }

  /// Restores what the journal holds of the scenes that are ours, then listens.
  ///
  /// - Parameter ownership: Asked before a scene's first use; a scene of another broker is answered with `bus.not_owner`.
  /// - Throws: `journal.*` when the journal cannot be read, `bus.endpoint_*` when an endpoint cannot be bound.
  package static func start(
    _ settings: BrokerSettings, journal: any Journal, ownership: any SceneOwnership, epoch: UInt64, interfaces: FixedInterfaces
  ) async throws -> Broker {
    let bus = BusSystem(settings.bus)
    let gateway = BusSystem.named(WellKnown.broker) {
      Gateway(
        journal: journal, ownership: ownership, epoch: epoch, version: settings.version, pid: getpid(),
        hasVirtualClock: settings.hasVirtualClock, log: settings.log, actorSystem: bus)
    }
    do {
      try await Restoration(journal: journal, ownership: ownership, gateway: gateway, log: settings.log)
        .run(epoch: epoch, within: Restoration.patience)
      ownership.onLoss { [weak gateway] names in
        Task { [weak gateway] in await gateway?.whenLocal { $0.disown(names) } }
      }
      bus.onAlarm { [weak gateway] now in gateway?.assumeIsolated { $0.alarm(at: now) } ?? .max }
      bus.onSubscription { [weak gateway] peer, topic in gateway?.assumeIsolated { $0.objection(to: peer, hearing: topic) } }
      try await bus.expose(gateway, as: interfaces.broker, Gateway.direct)
      let peers = Task { [weak gateway] in
        for await event in bus.peerEvents {
          guard let gateway else { return }
          switch event {
          case .connected(let peer): await gateway.whenLocal { $0.connected(peer) }
          case .lost(let node, let incarnation, let reason):
            await gateway.whenLocal { $0.lost(node, incarnation: incarnation, reason: reason) }
          }
        }
      }
      var events: [String] = [], calls: [String] = []
      for endpoint in settings.events { events.append(try await bus.bindEvents(on: endpoint).description) }
      for endpoint in settings.endpoints { calls.append(try await bus.listen(on: endpoint).description) }
      await gateway.whenLocal { [calls, events] in $0.listens(on: calls, events: events) }
      return Broker(bus: bus, gateway: gateway, journal: journal, peers: peers)
    } catch {
      await bus.close(grace: .zero)
      throw error
    }
  }

  /// Replaces the keys that may connect over tcp, here and at every host and worker that listens there.
  package func authorize(_ keys: AuthorizedKeys) async {
    await bus.authorize(keys)
    await gateway.whenLocal { $0.vouches(for: keys) }
  }

  /// Stops serving: what is answered goes out within the grace, the journal is closed after the last commit.
  @discardableResult
  package func close(grace: Duration = .milliseconds(500)) async -> CloseReport {
    let report = await bus.close(grace: grace)
    peers.cancel()
    await journal.close()
    return report
  }
}
