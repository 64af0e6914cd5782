import CommandKit
import Glibc
import MinervaTransport
import MinervaWire
import SetKit
import ShellKit

/// `minerva bench bus`: actor calls against the C floor.
enum BenchCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    if let text = command.text("serve") {
      let endpoint: Endpoint
      do throws(EndpointError) { endpoint = try Endpoint(text) } catch { throw MinervaError(.endpointInvalid, error.description) }
      try await BusBench.serve(endpoint)
      return .done
    }
    let directory = try RunningSet.executables()
    let floor = "\(directory)/minerva-floor"
    guard access(floor, X_OK) == 0 else {
      throw MinervaError(.processStart, "\(floor) is missing; build it: swift build -c release --product minerva-floor")
    }
    let server = ["\(directory)/\(executableName())", "bench", "bus", "--serve"]
    let ways = command.texts("transport").map { $0 == "curve" ? "tcp+curve" : $0 }
    let cases = try cases(command.texts("only"))
    let isJSON = command.flag("json")
    var table = TableText(
      ["transport", "size", "in flight", "latency us", "floor us", "ratio", "calls/s", "floor/s", "ratio", "floor, batched/s", "ratio"],
      rightAligned: Set(1...10))
    let rounds = command.flag("quick") ? 1 : 3
    console.notice(BusBench.flags(rounds: rounds))
    for wanted in cases where ways.isEmpty || ways.contains(wanted.way.rawValue) {
      let row = try await BusBench.measure(wanted, server: server, floor: floor, rounds: rounds)
      if isJSON {
        try console.out.line(try JSONValueEncoder().encode(row).text)
        try console.out.flush()
      } else {
        console.notice(
          "\(row.transport) \(row.size) bytes, \(row.inFlight) in flight: \(text(row.latencyRatio, 2))x latency, \(text(row.throughputRatio, 2))x throughput"
        )
        table.add([
          row.transport, "\(row.size)", "\(row.inFlight)", text(row.latencyMicroseconds, 1), text(row.floorLatencyMicroseconds, 1),
          text(row.latencyRatio, 2), text(row.callsPerSecond, 0), text(row.floorCallsPerSecond, 0), text(row.throughputRatio, 2),
          row.floorBatchedCallsPerSecond.map { text($0, 0) } ?? "-", row.throughputRatioBatched.map { text($0, 2) } ?? "-",
        ])
      }
    }
    if !isJSON { try console.out.lines(table.lines()) }
    return .done
  }

  /// All cases, or those of `--only`.
  private static func cases(_ only: [String]) throws -> [BusBench.Case] {
    guard !only.isEmpty else { return BusBench.cases }
    return try only.map { text in
      let name = text.hasPrefix("curve/") ? "tcp+" + text : text
      guard let found = BusBench.cases.first(where: { "\($0.way.rawValue)/\($0.size)/\($0.inFlight)" == name }) else {
        throw UsageError(
          "--only: no case \"\(text)\"; transports ipc, tcp, curve; bytes 64, 1024, 65536, 1048576; in flight 1, 64, 1024",
          command: "minerva bench bus")
      }
      return found
    }
  }

  /// The name under which this very program lies in its directory.
  private static func executableName() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = max(0, readlink("/proc/self/exe", &buffer, buffer.count - 1))
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.split(separator: "/").last.map(String.init) ?? "minerva"
  }

  /// A number with a fixed count of decimals.
  static func text(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, value < 1e15 else { return "-" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int64((value * scale).rounded())
    guard decimals > 0 else { return "\(scaled)" }
    let digits = String(abs(scaled) % Int64(scale))
    return "\(scaled < 0 ? "-" : "")\(abs(scaled) / Int64(scale)).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
  }
}
