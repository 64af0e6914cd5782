package import MinervaWire

/// Where a host or a worker takes calls over tcp, and what it tells others of it.
package struct Listening: Hashable, Sendable {
  /// What it listens on.
  package let endpoint: Endpoint
  /// Where others reach it, when that is not where it listens; port 0 stands for the port it got.
  package let advertised: Endpoint?

  /// A socket file.
  package init(socket endpoint: Endpoint) {
    self.endpoint = endpoint
    advertised = nil
  }

  /// Reads what people wrote behind `--listen` and `--advertise`.
  ///
  /// - Throws: `bus.endpoint_invalid` for what nobody can dial; `bus.unauthorized` for tcp without a key.
  package init(tcp text: String, advertise: String?, _ security: BusSecurity) throws(MinervaError) {
    endpoint = try Self.read(text, "--listen")
    advertised = if let advertise { try Self.read(advertise, "--advertise") } else { nil }
    if advertised == nil, Self.isAnywhere(endpoint) {
      throw MinervaError(
        .endpointInvalid, "\(endpoint): nobody can dial that; --advertise tcp://HOST:PORT says where others reach this process")
    }
    if let advertised, Self.isAnywhere(advertised) {
      throw MinervaError(.endpointInvalid, "\(advertised): nobody can dial that; name the address that others reach")
    }
    guard security.keys != nil || security.allowsInsecureLoopback else {
      throw MinervaError(
        .unauthorized,
        "--listen \(endpoint) needs a key: minerva keys new NAME makes one, --key FILE gives it, and minerva keys allow KEY --role admin at the broker lets it in"
      )
    }
  }

  /// Whether an endpoint stands for every address of a machine.
  private static func isAnywhere(_ endpoint: Endpoint) -> Bool {
    guard case .tcp(let host, _) = endpoint else { return false }
    return ["0.0.0.0", "*", "[::]", "::"].contains(host)
  }

  private static func read(_ text: String, _ option: String) throws(MinervaError) -> Endpoint {
    let endpoint: Endpoint
    do throws(EndpointError) { endpoint = try Endpoint(text) } catch { throw MinervaError(.endpointInvalid, error.description) }
    guard case .tcp = endpoint else {
      throw MinervaError(.endpointInvalid, "\(text): \(option) takes a tcp endpoint; without it the socket is in the runtime directory")
    }
    return endpoint
  }
}
