import Glibc
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
  }

  /// One side of the comparison: two processes that stay, and stand still while another side is measured.
  protocol Subject {
    /// Makes that many calls; the seconds they took.
    func run(_ count: Int) async throws -> Double
    func end() async
  }

  /// What one case gave: ours, the floor's, and the ratios the goals speak of.
  struct Row: Codable, Sendable {
    var bench = "bus"
    var transport: String
    var size: Int
    var inFlight: Int
    /// How many pairs of slices the medians are taken of.
    var pairs: Int
    /// Microseconds a call takes from request to answer, on the average.
    var latencyMicroseconds: Double
    var callsPerSecond: Double
    var floorLatencyMicroseconds: Double
    var floorCallsPerSecond: Double
    /// The floor with up to 32 requests a frame, where more than one is in flight and they are small.
    var floorBatchedCallsPerSecond: Double?
    /// To the floor without batching: one request a frame.
    var latencyRatio: Double
    var throughputRatio: Double
    /// The quartiles of the pairs' throughput ratios.
    var throughputRatioLow: Double
    var throughputRatioHigh: Double
    /// To the floor with batching.
    var throughputRatioBatched: Double?

    enum CodingKeys: String, CodingKey {
      case bench, transport, size, pairs
      case inFlight = "in_flight"
      case latencyMicroseconds = "latency_us"
      case callsPerSecond = "calls_per_s"
      case floorLatencyMicroseconds = "floor_latency_us"
      case floorCallsPerSecond = "floor_calls_per_s"
      case floorBatchedCallsPerSecond = "floor_batched_calls_per_s"
      case latencyRatio = "latency_ratio"
      case throughputRatio = "throughput_ratio"
      case throughputRatioLow = "throughput_ratio_low"
      case throughputRatioHigh = "throughput_ratio_high"
      case throughputRatioBatched = "throughput_ratio_batched"
    }
  }

  /// Every case that `minerva bench bus` prints.
  static let cases: [Case] = Way.allCases.flatMap { way in
    [64, 1_024, 65_536, 1_048_576].flatMap { size in [1, 64, 1_024].map { Case(way: way, size: size, inFlight: $0) } }
  }

  /// What both sides of the comparison were built and run with, for the head of a table.
  static func flags(rounds: Int) -> String {
    #if DEBUG
      let build = "a debug build, whose figures say nothing"
    #else
      let build = "a release build"
    #endif
    return """
      ours: \(build), allow-list, deadline of 30 s, Codable; floor: C at -O2, ratios to one request a frame, absolutes also with 32 a frame; \
      \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) processors, \(rounds) round\(rounds == 1 ? "" : "s") a case, medians of slices that take turns
      """
  }

  /// How long one slice takes, about; how long a round goes on; how long a slice may take before something is wrong.
  private static let slice = 0.05
  private static let roundSeconds = 0.8
  static let longestSlice = Duration.seconds(60)

  /// Measures one case.
  ///
  /// Ours and the floor's take turns in short slices, the first of a pair changing, and the ratios are medians over the pairs: what else happens
  /// on the machine hurts both alike. Each round has processes of its own.
  /// - Parameters:
  ///   - server: The command that runs ``serve(_:)`` in a process of its own: executable and arguments before the endpoint.
  ///   - floor: The path of `minerva-floor`.
  static func measure(_ wanted: Case, server: [String], floor: String, rounds: Int = 3) async throws -> Row {
    var pairs: [Pair] = []
    for _ in 0..<max(1, rounds) {
      var subjects: [any Subject] = []
      do {
        subjects.append(try await Actors(wanted, server: server))
        subjects.append(try Floor(wanted, path: floor, batch: 1))
        if wanted.inFlight > 1, wanted.size <= 4_096 { subjects.append(try Floor(wanted, path: floor, batch: 32)) }
        pairs += try await round(wanted, subjects)
      } catch {
        for subject in subjects { await subject.end() }
        throw error
      }
      for subject in subjects { await subject.end() }
    }
    return row(wanted, pairs)
  }

  /// Seconds a call took in slices that followed each other.
  private struct Pair {
    var ours: Double
    var floor: Double
    var batched: Double?
  }

  private static func round(_ wanted: Case, _ subjects: [any Subject]) async throws -> [Pair] {
    // Warm, and counted so that slices are of like length; a slice is never so short that filling and emptying the window is most of it.
    let least = wanted.inFlight * (wanted.size < 65_536 ? 8 : 1)
    var counts: [Int] = []
    for subject in subjects {
      var seconds = try await subject.run(least)
      if seconds < slice { seconds = try await subject.run(least) }
      counts.append(max(least, Int(slice / seconds * Double(least))))
    }
    var pairs: [Pair] = []
    let start = ContinuousClock.now
    while pairs.count < 3 || ContinuousClock.now - start < .seconds(roundSeconds) {
      var perCall = [Double](repeating: 0, count: subjects.count)
      for index in pairs.count.isMultiple(of: 2) ? Array(subjects.indices) : subjects.indices.reversed() {
        perCall[index] = try await subjects[index].run(counts[index]) / Double(counts[index])
      }
      pairs.append(Pair(ours: perCall[0], floor: perCall[1], batched: perCall.count > 2 ? perCall[2] : nil))
    }
    return pairs
  }

  private static func row(_ wanted: Case, _ pairs: [Pair]) -> Row {
    let ours = quantile(0.5, pairs.map(\.ours))
    let floor = quantile(0.5, pairs.map(\.floor))
    let batched = pairs.compactMap(\.batched)
    let ratios = pairs.map { $0.floor / $0.ours }
    let window = Double(wanted.inFlight)
    return Row(
      transport: wanted.way.rawValue, size: wanted.size, inFlight: wanted.inFlight, pairs: pairs.count,
      latencyMicroseconds: ours * window * 1e6, callsPerSecond: 1 / ours, floorLatencyMicroseconds: floor * window * 1e6,
      floorCallsPerSecond: 1 / floor, floorBatchedCallsPerSecond: batched.isEmpty ? nil : 1 / quantile(0.5, batched),
      latencyRatio: quantile(0.5, pairs.map { $0.ours / $0.floor }), throughputRatio: quantile(0.5, ratios),
      throughputRatioLow: quantile(0.25, ratios), throughputRatioHigh: quantile(0.75, ratios),
      throughputRatioBatched: batched.isEmpty ? nil : quantile(0.5, pairs.compactMap { pair in pair.batched.map { $0 / pair.ours } }))
  }

  private static func quantile(_ part: Double, _ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
  }

  static func endpoint(_ way: Way, _ name: String) throws -> Endpoint {
    if way == .ipc { return try Endpoint("ipc:///tmp/minerva-bench-\(getpid())-\(name)-\(UInt32.random(in: .min ... .max))") }
    return .tcp(host: "127.0.0.1", port: UInt16.random(in: 20_000...30_000))
  }
}
