import Glibc
import Minerva
import MinervaTesting
import MinervaTransport
import MinervaWire
import Testing

/// A broker on tcp, the keys it lets in, and processes that reach it as from another machine: each has a runtime directory of its own.
final class KeyedPlace {
  let set: ProcessSet
  let endpoint: Endpoint
  /// The broker's public key.
  let server: String
  private var keys: [String: CurveKeyPair] = [:]
  private var entries: [String: AuthorizedKeys.Entry] = [:]
  private var machines: [ProcessSet] = []

  init(_ grants: [String: PeerGrant]) throws {
    set = try ProcessSet()
    mkdir(set.directory + "/keys", 0o700)
    let broker = try CurveKeyPair()
    try broker.write(file: set.directory + "/keys/broker.key")
    server = broker.publicKey
    endpoint = .tcp(host: "127.0.0.1", port: try FreePorts.pair())
    for (name, grant) in grants {
      let pair = try CurveKeyPair()
      try pair.write(file: "\(set.directory)/keys/\(name).key")
      keys[name] = pair
      entries[pair.publicKey] = AuthorizedKeys.Entry(grant: grant, name: name)
    }
    try writeList()
    try set.start("broker", "minerva-broker", ["--listen", endpoint.description])
  }

  private func writeList() throws {
    let list = try #require(fopen(set.directory + "/keys/authorized", "w"))
    fputs(AuthorizedKeys(entries).text, list)
    fclose(list)
  }

  /// Strikes a key out and has the broker read its list again.
  func revoke(_ name: String) throws {
    entries[keys[name]?.publicKey ?? ""] = nil
    try writeList()
    set.signal("broker", SIGHUP)
  }

  func security(_ name: String, server: String? = nil) -> BusSecurity { BusSecurity(keys: keys[name], server: server ?? self.server) }

  /// The public key of a name.
  func key(_ name: String) -> String { keys[name]?.publicKey ?? "" }

  /// Connects as the holder of a key.
  func client(_ name: String) async throws -> Client {
    try await Client.connect(to: endpoint, name: name, security: security(name), patience: .seconds(10))
  }

  /// How a command says whose key it has.
  func words(_ name: String) -> [String] {
    ["--connect", endpoint.description, "--key", "\(set.directory)/keys/\(name).key", "--server-key", server]
  }

  /// Starts a service on a machine of its own, called like its key, which takes calls over tcp.
  func startElsewhere(_ name: String, _ executable: String, _ arguments: [String] = []) throws -> ProcessSet {
    let machine = try ProcessSet()
    machines.append(machine)
    try machine.start(name, executable, words(name) + ["--listen", "tcp://127.0.0.1:0"] + arguments)
    return machine
  }

  func end() {
    for machine in machines { machine.end() }
    set.end()
  }
}
