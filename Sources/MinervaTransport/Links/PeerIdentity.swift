/// What a peer may do, each role including the ones before it.
public enum PeerRole: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// May look.
  case observe
  /// May also open, tap, push and pop.
  case navigate
  /// May also register hosts, end processes, change keys.
  case admin

  public static func < (left: PeerRole, right: PeerRole) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .observe: 0
    case .navigate: 1
    case .admin: 2
    }
  }
}

/// What a key is allowed: a role, narrowed to apps and scenes where the lists are not empty.
public struct PeerGrant: Hashable, Sendable, Codable {
  public var role: PeerRole
  /// Apps the key may touch; empty for all.
  public var apps: [String]
  /// Scenes the key may touch; empty for all.
  public var scenes: [String]

  public init(role: PeerRole, apps: [String] = [], scenes: [String] = []) {
    self.role = role
    self.apps = apps
    self.scenes = scenes
  }

  /// What everyone has who can reach a socket file in our own directory.
  public static let local = PeerGrant(role: .admin)

  /// True when nothing is narrowed: only such a key may read the event socket, which cannot tell scenes apart.
  public var isUnrestricted: Bool { apps.isEmpty && scenes.isEmpty }

  /// Whether it reaches a scene of an app.
  public func covers(_ scene: String, app: String) -> Bool {
    (scenes.isEmpty || scenes.contains(scene)) && (apps.isEmpty || apps.contains(app))
  }

  /// Whether it may come to reach a scene whose app is perhaps not known yet.
  public func mayCover(_ scene: String, app: String?) -> Bool {
    (scenes.isEmpty || scenes.contains(scene)) && (apps.isEmpty || app.map(apps.contains) ?? true)
  }
}

/// Who is at the other end of a link.
public final class PeerIdentity: Sendable, Hashable {
  /// The name by which the peer is called.
  public let node: String
  /// The random number of this life of the peer.
  public let incarnation: UInt64
  /// `broker`, `host`, `worker`, `shell`, or what an app chose.
  public let kind: String
  /// What the peer may do.
  public let grant: PeerGrant
  /// The public CURVE key it proved to hold, in Z85; nothing over ipc and in process.
  public let key: String?
  /// The public key with which a peer that came through our own directory dials over tcp, as it says.
  public let statedKey: String?

  public init(node: String, incarnation: UInt64, kind: String, grant: PeerGrant, key: String? = nil, statedKey: String? = nil) {
    self.node = node
    self.incarnation = incarnation
    self.kind = kind
    self.grant = grant
    self.key = key
    self.statedKey = statedKey
  }

  public var role: PeerRole { grant.role }

  public static func == (left: PeerIdentity, right: PeerIdentity) -> Bool {
    left.node == right.node && left.incarnation == right.incarnation && left.key == right.key
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(node)
    hasher.combine(incarnation)
  }
}
