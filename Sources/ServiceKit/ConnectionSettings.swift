package import CommandKit
package import MinervaSupervision
package import MinervaTransport
package import MinervaWire

/// How a process reaches its broker: the endpoint, and what it proves itself with.
package struct ConnectionSettings: Sendable {
  package var endpoint: Endpoint
  package var security: BusSecurity

  package init(endpoint: Endpoint, security: BusSecurity = BusSecurity()) {
    self.endpoint = endpoint
    self.security = security
  }

  /// Reads `--connect`, `--key`, `--server-key` and `--insecure`; without `--connect` it is the broker of the runtime directory.
  package init(_ command: ParsedCommand, runtime: RuntimeDirectory) throws(MinervaError) {
    let text: String
    if let given = command.text("connect") { text = given } else { text = try runtime.endpoint("broker") }
    do throws(EndpointError) {
      endpoint = try Endpoint(text)
    } catch {
      throw MinervaError(.endpointInvalid, error.description)
    }
    security = BusSecurity(allowsInsecureLoopback: command.flag("insecure"))
    if let file = command.text("key") { security.keys = try CurveKeyPair(file: file) }
    if let key = command.text("server-key") {
      guard CurveKeyPair.isKey(key) else { throw MinervaError(.unauthorized, "--server-key is no key of 40 characters of Z85") }
      security.server = key
    }
  }
}
