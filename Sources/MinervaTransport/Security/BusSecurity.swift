/// How a bus proves who it is over tcp and whom it believes. Over ipc the directory's mode decides instead.
public struct BusSecurity: Sendable {
  /// Our own key pair; needed for every tcp endpoint that is not insecure.
  public var keys: CurveKeyPair?
  /// Who may connect to our tcp endpoints.
  public var authorized: AuthorizedKeys
  /// The public keys of the servers we dial, by endpoint as text.
  public var servers: [String: String]
  /// The public key of servers that `servers` does not name.
  public var server: String?
  /// Allows tcp without keys, on loopback alone.
  public var allowsInsecureLoopback: Bool

  public init(
    keys: CurveKeyPair? = nil, authorized: AuthorizedKeys = AuthorizedKeys(), servers: [String: String] = [:], server: String? = nil,
    allowsInsecureLoopback: Bool = false
  ) {
    self.keys = keys
    self.authorized = authorized
    self.servers = servers
    self.server = server
    self.allowsInsecureLoopback = allowsInsecureLoopback
  }

  /// The public key that callers of an endpoint of ours meet there; nothing where no keys are used.
  package func listeningKey(at endpoint: Endpoint) -> String? { if case .tcp = endpoint { keys?.publicKey } else { nil } }
}
