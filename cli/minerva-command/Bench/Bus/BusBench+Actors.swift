import Distributed
import Glibc
import MinervaActors
import MinervaTransport
import MinervaWire

extension BusBench {
  /// The names by which the two processes of a bench tell each other their keys.
  private static let serverSecret = "MINERVA_BENCH_SERVER_SECRET"
  private static let clientKey = "MINERVA_BENCH_CLIENT_KEY"

  /// The server process: echoes until its standard input ends, which is when its parent has gone.
  static func serve(_ endpoint: Endpoint) async throws {
    let targets = try await EchoServer.targets()
    var settings = BusSettings(node: "bench-server", kind: "bench", interfaces: InterfaceCatalogue(number: 1, names: targets.names))
    settings.security.allowsInsecureLoopback = true
    if let secret = getenv(serverSecret).map({ String(cString: $0) }), let key = getenv(clientKey).map({ String(cString: $0) }) {
      settings.security.keys = try CurveKeyPair(secretKey: secret)
      settings.security.authorized = AuthorizedKeys([key: AuthorizedKeys.Entry(grant: PeerGrant(role: .navigate))])
    }
    let bus = BusSystem(settings)
    let server = BusSystem.named("echo") { EchoServer(actorSystem: bus) }
    try await bus.expose(server, as: targets) { table in try table.direct("echo") { me, arguments in try me.echo(arguments.next()) } }
    try await bus.listen(on: endpoint)
    // A blocking read, on a thread of its own.
    await withUnsafeContinuation { continuation in
      let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 {}
        if let argument { Unmanaged<ThreadEnd>.fromOpaque(argument).takeRetainedValue().continuation.resume() }
        return nil
      }
      var thread = pthread_t()
      pthread_create(&thread, nil, body, Unmanaged.passRetained(ThreadEnd(continuation)).toOpaque())
    }
    await bus.close(grace: .zero)
  }

  private final class ThreadEnd: Sendable {
    let continuation: UnsafeContinuation<Void, Never>
    init(_ continuation: UnsafeContinuation<Void, Never>) { self.continuation = continuation }
  }

  /// Ours: a bus in this process and one in another, whose calls are made in slices.
  final class Actors: Subject {
    private let process: BenchProcess
    private let bus: BusSystem
    private let echo: $EchoEndpoint
    private let payload: [UInt8]
    private let inFlight: Int

    init(_ wanted: Case, server: [String]) async throws {
      var environment: [String: String] = [:]
      var security = BusSecurity(allowsInsecureLoopback: true)
      if wanted.way == .curve {
        let serverKeys = try CurveKeyPair()
        let clientKeys = try CurveKeyPair()
        environment = [serverSecret: serverKeys.secretKey, clientKey: clientKeys.publicKey]
        security.keys = clientKeys
        security.server = serverKeys.publicKey
      }
      let endpoint = try endpoint(wanted.way, "bus")
      process = try BenchProcess(server + [endpoint.description], environment: environment)
      let targets = try await EchoServer.targets()
      bus = BusSystem(
        BusSettings(
          node: "bench-client", kind: "bench", interfaces: InterfaceCatalogue(number: 1, names: targets.names), deadline: .seconds(30),
          security: security))
      payload = [UInt8](repeating: 7, count: wanted.size)
      inFlight = wanted.inFlight
      do {
        let node = try await bus.connect(to: endpoint, patience: .seconds(10))
        echo = try $EchoEndpoint.resolve(id: ActorAddress(node: node, name: "echo"), using: bus)
      } catch {
        await bus.close(grace: .zero)
        throw error
      }
    }

    /// Makes `count` calls from as many tasks as are in flight, each waiting for its answer before the next.
    func run(_ count: Int) async throws -> Double {
      let (echo, payload, bus, inFlight) = (echo, payload, bus, inFlight)
      let start = ContinuousClock.now
      let until = start + longestSlice
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<inFlight {
          let share = count / inFlight + (index < count % inFlight ? 1 : 0)
          group.addTask(executorPreference: bus.taskExecutor) {
            var left = share
            while left > 0 {
              do {
                let answer = try await echo.echo(payload)
                guard answer.count == payload.count else { throw MinervaError.badMessage("the echo has \(answer.count) bytes") }
                left -= 1
              } catch let error as MinervaError where error.code == .backpressure && ContinuousClock.now < until {
                // A full queue is met as a caller meets it, by waiting for as long as the error says.
                try await Task.sleep(for: .milliseconds(error.retryAfterMilliseconds ?? 20))
              }
            }
          }
        }
        try await group.waitForAll()
      }
      return (ContinuousClock.now - start).inSeconds
    }

    func end() async {
      await bus.close(grace: .zero)
      process.end()
    }
  }
}

extension Duration {
  fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
