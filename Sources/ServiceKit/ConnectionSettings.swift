package import CommandKit
import Glibc
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
  ///
  /// A key's plain name that is no file here is that of one in the runtime directory's `keys`, where `minerva keys new` writes it.
  /// - Throws: `bus.endpoint_invalid`; `bus.unauthorized` when a key cannot be read, or tcp has one of the two keys alone.
  package init(_ command: ParsedCommand, runtime: RuntimeDirectory) throws(MinervaError) {
    let text: String
    if let given = command.text("connect") { text = given } else { text = try runtime.endpoint("broker") }
    do throws(EndpointError) {
      endpoint = try Endpoint(text)
    } catch {
      throw MinervaError(.endpointInvalid, error.description)
    }
    security = BusSecurity(allowsInsecureLoopback: command.flag("insecure"))
    if let file = command.text("key") { security.keys = try CurveKeyPair(file: Self.keyFile(file, in: runtime)) }
    if let key = command.text("server-key") {
      guard CurveKeyPair.isKey(key) else { throw MinervaError(.unauthorized, "--server-key is no key of 40 characters of Z85") }
      security.server = key
    }
    guard case .tcp = endpoint, !security.allowsInsecureLoopback, security.keys == nil || security.server == nil else { return }
    if security.keys != nil {
      throw MinervaError(.unauthorized, "--server-key is missing: the broker's public key, which minerva keys show broker prints there")
    }
    if security.server != nil {
      throw MinervaError(.unauthorized, "--key is missing: the file of a secret key of our own, which minerva keys new NAME makes")
    }
  }

  /// The file of a key: as named, or in the runtime directory where `keys new` puts it, with or without its ending.
  ///
  /// - Throws: `bus.unauthorized` when there is none.
  private static func keyFile(_ name: String, in runtime: RuntimeDirectory) throws(MinervaError) -> String {
    guard access(name, F_OK) != 0, !name.contains("/") else { return name }
    let keys = "\(runtime.path)/keys"
    for file in ["\(keys)/\(name)", "\(keys)/\(name).key"] where access(file, F_OK) == 0 { return file }
    throw MinervaError(.unauthorized, "\(name): there is no such key here or in \(keys); minerva keys new NAME makes one")
  }
}
