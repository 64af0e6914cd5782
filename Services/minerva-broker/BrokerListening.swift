import CommandKit
import Foundation
import MinervaSupervision
import MinervaTransport
import MinervaWire
import ServiceKit

/// Where a broker listens, and whom it lets in.
struct BrokerListening {
  var endpoints: [Endpoint]
  var events: [Endpoint]
  var security: BusSecurity
  /// The directory of `broker.key` and `authorized`.
  var keys: String

  /// Reads `--listen`, `--keys` and `--insecure`; the sockets of the runtime directory always come first.
  ///
  /// - Throws: `bus.endpoint_invalid`; `bus.unauthorized` when tcp is wanted and a key or the list is missing.
  init(_ command: ParsedCommand, process: ServiceProcess) throws(MinervaError) {
    endpoints = [try process.socket(process.name)]
    events = [try process.socket("events")]
    keys = command.text("keys") ?? process.runtime.path + "/keys"
    security = BusSecurity(allowsInsecureLoopback: command.flag("insecure"))
    for text in command.texts("listen") {
      let endpoint: Endpoint
      do throws(EndpointError) { endpoint = try Endpoint(text) } catch { throw MinervaError(.endpointInvalid, error.description) }
      guard case .tcp(let host, let port) = endpoint else {
        throw MinervaError(.endpointInvalid, "\(text): --listen takes tcp endpoints; the ipc one is in the runtime directory")
      }
      guard port > 0, port < .max else {
        throw MinervaError(.endpointInvalid, "\(text): name a port from 1 to 65534; events are published on the next one")
      }
      endpoints.append(endpoint)
      events.append(.tcp(host: host, port: port + 1))
      guard !security.allowsInsecureLoopback else { continue }
      security.keys = try CurveKeyPair(file: keys + "/broker.key")
      security.authorized = try Self.authorized(in: keys)
    }
  }

  /// Reads the list of keys that may connect.
  static func authorized(in keys: String) throws(MinervaError) -> AuthorizedKeys {
    guard let bytes = FileManager.default.contents(atPath: keys + "/authorized") else {
      throw MinervaError(.unauthorized, "\(keys)/authorized can't be read; minerva keys allow KEY makes it")
    }
    return try AuthorizedKeys(text: String(decoding: bytes, as: UTF8.self))
  }
}
