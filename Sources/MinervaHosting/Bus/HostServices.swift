public import MinervaActors
import MinervaInterfaces
import MinervaProtocol
import MinervaTransport
import MinervaWire

/// What a host offers to the modules it makes: its bus, and where the app's other services are.
public struct HostServices: Sendable {
  /// The host's bus; an author's own distributed actors live on it.
  public let bus: BusSystem
  private let gateway: $BrokerGateway
  private let app: String

  init(bus: BusSystem, gateway: $BrokerGateway, app: String) {
    self.bus = bus
    self.gateway = gateway
    self.app = app
  }

  /// The node where a named service of the app lives, with its address in the bus's book.
  /// - Parameter patience: How long the service may take to register.
  /// - Throws: `app.no_service` when nobody offers it by then.
  public func node(of service: String, patience: Duration = .seconds(10)) async throws -> String {
    let clock = ContinuousClock()
    let until = clock.now + patience
    var backoff = Backoff(first: 20, cap: 500)
    var random = SystemRandomNumberGenerator()
    while true {
      do {
        let location = try await gateway.service(service, app: app)
        if let endpoint = location.endpoint { await bus.route(node: location.node, to: try Endpoint(endpoint), server: location.key) }
        return location.node
      } catch let error as MinervaError {
        guard clock.now < until else {
          throw MinervaError(.appNoService, "nobody offers \(service) for \(app); start it, then this host (\(error.message))")
        }
      }
      try await Task.sleep(for: .milliseconds(backoff.next(using: &random)))
    }
  }
}
