import Distributed
import Glibc
import MinervaActors
import MinervaTransport
import MinervaWire

/// Measures actor calls against a C libzmq echo: two processes each, the same payload each way, in one run.
enum BusBench {
  /// How the two processes are connected.
  enum Way: String, CaseIterable, Codable, Sendable {
    case ipc, tcp
    case curve = "tcp+curve"
  }

  /// One combination to measure.
  struct Case: Hashable, Sendable {
    var way: Way
    /// Bytes of payload each way.
    var size: Int
    /// Calls that wait for an answer at any time.
    var inFlight: Int

    /// How many calls are measured: about the same time for each case.
    var count: Int {
      let base = inFlight == 1 ? 20_000 : 200_000
      return switch size {
      case ...1_024: way == .curve ? base / 2 : base
      case ...65_536: base / 20
      default: max(100, base / 400)
      }
    }
  }

  /// What one case gave: ours, the floor's, and the ratios the goals speak of.
  struct Row: Codable, Sendable {
    var bench = "bus"
    var transport: String
    var size: Int
    var inFlight: Int
    var count: Int
    /// Microseconds a call takes from request to answer, on the average.
    var latencyMicroseconds: Double
    var callsPerSecond: Double
    var floorLatencyMicroseconds: Double
    var floorCallsPerSecond: Double
    /// The floor with up to 32 requests a frame, where more than one is in flight.
    var floorBatchedCallsPerSecond: Double?
    var latencyRatio: Double
    var throughputRatio: Double

    enum CodingKeys: String, CodingKey {
      case bench, transport, size, count
      case inFlight = "in_flight"
      case latencyMicroseconds = "latency_us"
      case callsPerSecond = "calls_per_s"
      case floorLatencyMicroseconds = "floor_latency_us"
      case floorCallsPerSecond = "floor_calls_per_s"
      case floorBatchedCallsPerSecond = "floor_batched_calls_per_s"
      case latencyRatio = "latency_ratio"
      case throughputRatio = "throughput_ratio"
    }
  }

  /// Every case that `minerva bench bus` prints.
  static let cases: [Case] = Way.allCases.flatMap { way in
    [64, 1_024, 65_536, 1_048_576].flatMap { size in
      [1, 64, 1_024].filter { size <= 65_536 || $0 <= 64 }.map { Case(way: way, size: size, inFlight: $0) }
    }
  }

  /// What both sides of the comparison were built and run with, for the head of a table.
  static func flags(rounds: Int) -> String {
    #if DEBUG
      let build = "a debug build, whose figures say nothing"
    #else
      let build = "a release build"
    #endif
    return """
      ours: \(build), allow-list, deadline of 30 s, Codable; floor: C at -O2, one request a frame; \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) processors, \
      \(rounds) round\(rounds == 1 ? "" : "s") a case, the best counts
      """
  }

  /// Measures one case; ours and the floor's take turns three times and the better of each counts, so that a neighbour's burst hurts both alike.
  ///
  /// - Parameters:
  ///   - server: The command that runs ``serve(_:)`` in a process of its own: executable and arguments before the endpoint.
  ///   - floor: The path of `minerva-floor`.
  static func measure(_ wanted: Case, server: [String], floor: String, rounds: Int = 3) async throws -> Row {
    var ours = Double.infinity
    var theirs = Double.infinity
    var batched = Double.infinity
    for round in 0..<max(1, rounds) {
      theirs = min(theirs, try measureFloor(wanted, floor, batch: 1, round))
      ours = min(ours, try await measureActors(wanted, server, round))
      if wanted.inFlight > 1, wanted.size <= 4_096 { batched = min(batched, try measureFloor(wanted, floor, batch: 32, round)) }
    }
    let count = Double(wanted.count)
    return Row(
      transport: wanted.way.rawValue, size: wanted.size, inFlight: wanted.inFlight, count: wanted.count,
      latencyMicroseconds: ours * Double(wanted.inFlight) / count * 1e6, callsPerSecond: count / ours,
      floorLatencyMicroseconds: theirs * Double(wanted.inFlight) / count * 1e6, floorCallsPerSecond: count / theirs,
      floorBatchedCallsPerSecond: batched.isFinite ? count / batched : nil, latencyRatio: ours / theirs, throughputRatio: theirs / ours)
  }

  // MARK: Ours

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

  /// The seconds that the case's calls take.
  private static func measureActors(_ wanted: Case, _ server: [String], _ round: Int) async throws -> Double {
    var environment: [String: String] = [:]
    var security = BusSecurity(allowsInsecureLoopback: true)
    if wanted.way == .curve {
      let serverKeys = try CurveKeyPair()
      let clientKeys = try CurveKeyPair()
      environment = [serverSecret: serverKeys.secretKey, clientKey: clientKeys.publicKey]
      security.keys = clientKeys
      security.server = serverKeys.publicKey
    }
    let endpoint = try endpoint(wanted.way, "bus", round)
    let process = try BenchProcess(server + [endpoint.description], environment: environment)
    defer { process.end() }
    let targets = try await EchoServer.targets()
    let bus = BusSystem(
      BusSettings(
        node: "bench-client", kind: "bench", interfaces: InterfaceCatalogue(number: 1, names: targets.names), deadline: .seconds(30),
        security: security))
    do {
      let node = try await bus.connect(to: endpoint, patience: .seconds(10))
      let echo = try $EchoEndpoint.resolve(id: ActorAddress(node: node, name: "echo"), using: bus)
      let payload = [UInt8](repeating: 7, count: wanted.size)
      _ = try await call(echo, payload, wanted.count / 10, wanted.inFlight, bus)
      let seconds = try await call(echo, payload, wanted.count, wanted.inFlight, bus)
      await bus.close(grace: .zero)
      return seconds
    } catch {
      await bus.close(grace: .zero)
      throw error
    }
  }

  /// Makes `count` calls from `inFlight` tasks, each waiting for its answer before the next.
  private static func call(_ echo: $EchoEndpoint, _ payload: [UInt8], _ count: Int, _ inFlight: Int, _ bus: BusSystem) async throws
    -> Double
  {
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<inFlight {
        let share = count / inFlight + (index < count % inFlight ? 1 : 0)
        group.addTask(executorPreference: bus.taskExecutor) {
          for _ in 0..<share {
            let answer = try await echo.echo(payload)
            guard answer.count == payload.count else { throw MinervaError.badMessage("the echo has \(answer.count) bytes") }
          }
        }
      }
      try await group.waitForAll()
    }
    let elapsed = ContinuousClock.now - start
    return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
  }

  // MARK: The floor

  private static func measureFloor(_ wanted: Case, _ path: String, batch: Int, _ round: Int) throws -> Double {
    var arguments = [
      path, "--endpoint", try endpoint(wanted.way, "floor", round).description, "--size", "\(wanted.size)", "--window",
      "\(wanted.inFlight)",
      "--count", "\(wanted.count)", "--batch", "\(batch)",
    ]
    if wanted.way == .curve { arguments.append("--curve") }
    let process = try BenchProcess(arguments, environment: [:])
    let line = try process.outputToEnd(within: 60)
    for word in line.split(separator: " ") where word.hasPrefix("calls_per_s=") {
      if let rate = Double(word.dropFirst("calls_per_s=".count).prefix { $0 != "\n" }), rate > 0 { return Double(wanted.count) / rate }
    }
    throw MinervaError(.unreachable, "\(path) gave no figure; build minerva-floor and run it by hand")
  }

  private static func endpoint(_ way: Way, _ name: String, _ round: Int) throws -> Endpoint {
    if way == .ipc { return try Endpoint("ipc:///tmp/minerva-bench-\(getpid())-\(name)-\(round)") }
    return .tcp(host: "127.0.0.1", port: UInt16.random(in: 20_000...30_000))
  }
}
