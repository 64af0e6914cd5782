public import Minerva
public import MinervaTransport

/// What a host is started with.
public struct HostSettings: Sendable {
  /// The app whose modules it offers.
  public var app: String
  /// The host's own name, `shop-1`.
  public var node: String
  /// Where the broker listens.
  public var broker: Endpoint
  /// Where the host listens for other hosts and services; `nil` when it takes calls through the broker's link alone.
  public var listen: Endpoint?
  /// Where others reach it, when that is not where it listens; port 0 stands for the port it got.
  public var advertised: Endpoint?
  /// The module that a new scene of the app begins with.
  public var start: String?
  /// What the app's links begin with.
  public var links: AppLinks?
  /// The names of the distributed actors that other processes of the app may look up here.
  public var services: [String]
  /// How long the broker may take to be there.
  public var patience: Duration
  /// Set to make workers take their time with long lists.
  public var hold: DiffHold?
  /// The product version, for people.
  public var version: String
  /// Keys for tcp.
  public var security: BusSecurity
  /// Takes lines for the log.
  public var log: (@Sendable (String) -> Void)?

  public init(
    app: String, node: String, broker: Endpoint, listen: Endpoint? = nil, advertised: Endpoint? = nil, start: String? = nil,
    links: AppLinks? = nil,
    services: [String] = [],
    patience: Duration = .seconds(30), hold: DiffHold? = nil, version: String = "0", security: BusSecurity = BusSecurity(),
    log: (@Sendable (String) -> Void)? = nil
  ) {
    self.app = app
    self.node = node
    self.broker = broker
    self.listen = listen
    self.advertised = advertised
    self.start = start
    self.links = links
    self.services = services
    self.patience = patience
    self.hold = hold
    self.version = version
    self.security = security
    self.log = log
  }
}
