public import MinervaTransport
public import MinervaWire

/// What a process says about itself on the bus, and how patient it is. Every value has a default that suits a local set of processes.
public struct BusSettings: Sendable {
  /// The name by which others call this process; unique among the live peers of whoever it connects to.
  public var node: String
  /// `broker`, `host`, `worker`, `shell`, or what an app chose.
  public var kind: String
  /// The product version, for people.
  public var version: String
  public var capabilities: [String]
  /// The interfaces this build was made with; both ends of a link must have the same.
  public var interfaces: InterfaceCatalogue
  /// The bounds of messages, queues and calls in flight; a link keeps the stricter of both ends'.
  public var limits: Limits
  /// How often a sign of life goes out when there is nothing else to say.
  public var heartbeat: Duration
  /// After how many silent heartbeats a peer counts as lost.
  public var missLimit: Int
  /// How long a connection and its handshake may take.
  public var handshakeTimeout: Duration
  /// How long a call may take when its caller says nothing else.
  public var deadline: Duration
  /// Keys for tcp. Over ipc the directory decides.
  public var security: BusSecurity
  /// Where buses of this process find each other without a socket.
  public var hub: InProcessHub?
  /// Where others may dial this process, when it should tell.
  public var listen: String?
  /// Takes lines for the log; at most one a second and kind. Called on the bus's thread: it must not block.
  public var log: (@Sendable (BusLogLine) -> Void)?

  public init(
    node: String, kind: String = "app", version: String = "0", capabilities: [String] = [], interfaces: InterfaceCatalogue = .none,
    limits: Limits = .standard, heartbeat: Duration = .milliseconds(500), missLimit: Int = 3, handshakeTimeout: Duration = .seconds(3),
    deadline: Duration = .seconds(5), security: BusSecurity = BusSecurity(), hub: InProcessHub? = nil, listen: String? = nil,
    log: (@Sendable (BusLogLine) -> Void)? = nil
  ) {
    self.node = node
    self.kind = kind
    self.version = version
    self.capabilities = capabilities
    self.interfaces = interfaces
    self.limits = limits
    self.heartbeat = heartbeat
    self.missLimit = missLimit
    self.handshakeTimeout = handshakeTimeout
    self.deadline = deadline
    self.security = security
    self.hub = hub
    self.listen = listen
    self.log = log
  }
}
