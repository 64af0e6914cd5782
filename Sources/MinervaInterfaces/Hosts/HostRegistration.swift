public import MinervaNavigation

/// What a host says when it joins a broker, and again after each reconnect.
public struct HostRegistration: Codable, Sendable {
  /// The app whose modules it offers.
  public var app: String
  /// The host's node name, `shop-1`.
  public var node: String
  /// Where it listens for other hosts; `nil` when it takes calls through the broker's link alone.
  public var endpoint: String?
  /// The public key it has there, over tcp.
  public var key: String?
  public var modules: [ModuleDescription]
  /// Named distributed actors that other processes may look up.
  public var services: [String]
  /// The module that a new scene of the app begins with.
  public var start: String?
  /// What the app's links begin with; `nil` for an app without links.
  public var links: DeepLinkScope?
  /// The coordinators that still run in this process, so that the broker resumes only the others.
  public var running: [RunningCoordinator]
  /// Whether it says of every coordinator that a scene or a container starts what that shows first, also when it is nothing: until then
  /// the scene is not settled, for its first turn may still ask for something, as for the app's first screen.
  public var saysFirst: Bool?

  public init(
    app: String, node: String, endpoint: String?, modules: [ModuleDescription], services: [String] = [], start: String? = nil,
    links: DeepLinkScope? = nil, running: [RunningCoordinator] = [], key: String? = nil,
    saysFirst: Bool? = nil
  ) {
    self.app = app
    self.node = node
    self.endpoint = endpoint
    self.modules = modules
    self.services = services
    self.start = start
    self.links = links
    self.running = running
    self.key = key
    self.saysFirst = saysFirst
  }
}

/// A module as its host describes it.
public struct ModuleDescription: Codable, Hashable, Sendable {
  public var name: String
  /// One line for people.
  public var summary: String
  /// A fingerprint over input, output and result; two hosts that offer the module must agree.
  public var fingerprint: UInt64
  /// The input's schema as JSON text, or `nil` of one that needs none: it is taken as it comes, and holds no secret.
  public var schema: String?
  /// The names of its embed slots.
  public var slots: [String]
  /// Where links lead from it.
  public var routes: [Route]

  public init(
    name: String, summary: String = "", fingerprint: UInt64 = 0, schema: String? = nil, slots: [String] = [], routes: [Route] = []
  ) {
    self.name = name
    self.summary = summary
    self.fingerprint = fingerprint
    self.schema = schema
    self.slots = slots
    self.routes = routes
  }
}

/// A coordinator that a re-registering host still holds.
public struct RunningCoordinator: Codable, Hashable, Sendable {
  public var scene: SceneIdentity
  public var screen: ScreenID
  /// The number of the last message its finished turns handled.
  public var handled: UInt64
  /// The lease under which it was made; the host forgets it for a broker that does not know it, unless it was made anew meanwhile.
  public var lease: UInt32?
  /// Whether it shows something, which is reported again after the registration: the scene is not settled before.
  public var shows: Bool?

  public init(scene: SceneIdentity, screen: ScreenID, handled: UInt64, lease: UInt32? = nil, shows: Bool? = nil) {
    self.scene = scene
    self.screen = screen
    self.handled = handled
    self.lease = lease
    self.shows = shows
  }
}

/// The broker's answer to a registration.
public struct HostReceipt: Codable, Sendable {
  /// The owner's epoch; every answer carries it.
  public var epoch: UInt64
  /// How long the screens of a lost host stay suspended, in milliseconds.
  public var lease: Int
  /// Coordinators the host still runs although their screens are gone: it ends them.
  public var forgotten: [RunningCoordinator]

  public init(epoch: UInt64, lease: Int, forgotten: [RunningCoordinator] = []) {
    self.epoch = epoch
    self.lease = lease
    self.forgotten = forgotten
  }
}

/// Where a named service of an app lives.
public struct ServiceLocation: Codable, Hashable, Sendable {
  public var name: String
  public var node: String
  public var endpoint: String?
  /// The public key it has there, over tcp.
  public var key: String?

  public init(name: String, node: String, endpoint: String?, key: String? = nil) {
    self.name = name
    self.node = node
    self.endpoint = endpoint
    self.key = key
  }
}
