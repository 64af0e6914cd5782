import Glibc
import MinervaActors
import MinervaTransport
import MinervaWire

/// Two buses of one process with a link between them, and what becomes of them after the test.
struct Pair {
  let server: BusSystem
  let client: BusSystem
  let endpoint: Endpoint

  /// How the two reach each other.
  enum Way: String, CaseIterable, Sendable {
    case ipc, inProcess, tcp
  }

  static func directory() -> String {
    var template = Array("/tmp/minerva-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return "/tmp" }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Runs a test on a linked pair and closes both, also when it fails.
  static func with<Result: Sendable>(
    _ way: Way = .ipc, server configure: (inout BusSettings) -> Void = { _ in },
    client configureClient: (inout BusSettings) -> Void = { _ in },
    _ body: (Pair) async throws -> Result
  ) async throws -> Result {
    let hub = InProcessHub()
    let directory = directory()
    defer {
      unlink("\(directory)/bus")
      rmdir(directory)
    }
    var settings = BusSettings(node: "server", kind: "broker", heartbeat: .milliseconds(500), deadline: .seconds(20), hub: hub)
    settings.security.allowsInsecureLoopback = true
    var clientSettings = settings
    clientSettings.node = "client"
    clientSettings.kind = "shell"
    configure(&settings)
    configureClient(&clientSettings)
    let server = BusSystem(settings)
    let client = BusSystem(clientSettings)
    let wanted: Endpoint =
      switch way {
      case .ipc: try Endpoint("ipc://\(directory)/bus")
      case .inProcess: .inProcess(name: "server")
      case .tcp: .tcp(host: "127.0.0.1", port: 0)
      }
    let outcome: Swift.Result<Result, any Error>
    do {
      let endpoint = try await server.listen(on: wanted)
      outcome = .success(try await body(Pair(server: server, client: client, endpoint: endpoint)))
    } catch {
      outcome = .failure(error)
    }
    await client.close(grace: .zero)
    await server.close(grace: .zero)
    return try outcome.get()
  }

  /// The stub of an actor of the server.
  func echo(_ name: String = "echo") throws -> $Echo { try $Echo.resolve(id: ActorAddress(node: "server", name: name), using: client) }
}

/// The error a call ended with; nothing when it did not fail.
func failure(_ body: () async throws -> Void) async -> MinervaError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? MinervaError ?? MinervaError("test.other", "\(error)")
  }
}
