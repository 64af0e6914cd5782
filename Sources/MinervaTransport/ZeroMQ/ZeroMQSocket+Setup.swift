import CZeroMQ
import Glibc
import MinervaWire

extension ZeroMQSocket {
  /// Sets the bounds every socket of calls has, before it binds or connects.
  func apply(_ settings: TransportSettings) throws(ZeroMQFailure) {
    try set(ZMQ_SNDHWM, settings.highWaterMark)
    try set(ZMQ_RCVHWM, settings.highWaterMark)
    try set(ZMQ_HANDSHAKE_IVL, Int32(clamping: settings.handshakeTimeout))
    // A larger message disconnects its sender before memory is taken for it; senders of ours check before they send.
    try set(ZMQ_MAXMSGSIZE, wide: Int64(settings.limits.largest))
    try set(ZMQ_IPV6, 1)
  }

  /// Makes a socket that listens demand authorized keys; true when it does.
  ///
  /// - Throws: `bus.unauthorized` for tcp without keys, unless it is loopback and explicitly insecure.
  func secure(listening endpoint: Endpoint, domain: String, _ security: BusSecurity) throws -> Bool {
    guard case .tcp = endpoint else { return false }
    if let keys = security.keys {
      try set(ZMQ_CURVE_SERVER, 1)
      try set(ZMQ_CURVE_SECRETKEY, bytes: Array(keys.secretKey.utf8))
      try set(ZMQ_ZAP_DOMAIN, bytes: Array(domain.utf8))
      // Without this an unreachable handler would mean that every key passes.
      try set(ZMQ_ZAP_ENFORCE_DOMAIN, 1)
      return true
    }
    try Self.allowInsecure(endpoint, security)
    return false
  }

  /// Pins the key of the server that a socket dials.
  ///
  /// - Parameters:
  ///   - known: The server's key where somebody vouched for it, before what the settings say.
  ///   - spare: Our keys for such a server where the settings have none.
  func secure(dialling endpoint: Endpoint, _ security: BusSecurity, known: String? = nil, spare: CurveKeyPair? = nil) throws {
    guard case .tcp = endpoint else { return }
    guard let server = known ?? security.servers[endpoint.description] ?? security.server else {
      try Self.allowInsecure(endpoint, security)
      return
    }
    guard let keys = security.keys ?? (known == nil ? nil : spare) else {
      throw MinervaError(.unauthorized, "\(endpoint): a key pair of our own is needed (minerva keys new NAME makes one)")
    }
    guard CurveKeyPair.isKey(server) else { throw MinervaError(.unauthorized, "\(endpoint): the server's key has 40 characters of Z85") }
    try set(ZMQ_CURVE_SERVERKEY, bytes: Array(server.utf8))
    try set(ZMQ_CURVE_PUBLICKEY, bytes: Array(keys.publicKey.utf8))
    try set(ZMQ_CURVE_SECRETKEY, bytes: Array(keys.secretKey.utf8))
  }

  private static func allowInsecure(_ endpoint: Endpoint, _ security: BusSecurity) throws {
    guard security.allowsInsecureLoopback, endpoint.isLoopback else {
      throw MinervaError(
        .unauthorized, "\(endpoint): tcp needs keys, --key FILE and --server-key KEY; without them only loopback with --insecure is allowed"
      )
    }
  }

  /// Binds and returns the endpoint with the port the system chose.
  ///
  /// A stale socket file is replaced; a file of any other kind is never touched (C04). Whether a socket file is live is decided by the lock
  /// file that the caller holds: libzmq itself would steal a live path.
  func listen(on endpoint: Endpoint) throws -> Endpoint {
    if case .ipc(let path) = endpoint {
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
        throw MinervaError(.endpointTaken, "\(path) is no socket and is left alone; choose another path or remove it yourself")
      }
    }
    do {
      try bind(endpoint.description.replacing(portZero: endpoint))
    } catch {
      throw MinervaError(error.number == EADDRINUSE ? .endpointTaken : .endpointInvalid, "\(endpoint): \(error)")
    }
    if case .tcp(let host, 0) = endpoint, let chosen = try? Endpoint(lastEndpoint), case .tcp(_, let port) = chosen {
      return .tcp(host: host, port: port)
    }
    return endpoint
  }
}

extension String {
  /// libzmq writes "any port" as a star.
  fileprivate func replacing(portZero endpoint: Endpoint) -> String {
    if case .tcp(let host, 0) = endpoint { "tcp://\(host):*" } else { self }
  }
}

/// Removes a socket file of ours; a file of another kind is left alone.
func removeSocketFile(_ path: String) {
  var status = stat()
  if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
}
