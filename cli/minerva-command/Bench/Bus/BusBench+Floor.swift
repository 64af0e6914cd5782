import MinervaTransport
import MinervaWire

extension BusBench {
  /// The floor: two processes in C, whose calls are made in slices.
  final class Floor: Subject {
    private let process: BenchProcess

    init(_ wanted: Case, path: String, batch: Int) throws {
      var arguments = [
        path, "--endpoint", try endpoint(wanted.way, "floor-\(batch)").description, "--size", "\(wanted.size)", "--window",
        "\(wanted.inFlight)", "--batch", "\(batch)", "--slices",
      ]
      if wanted.way == .curve { arguments.append("--curve") }
      process = try BenchProcess(arguments, environment: [:])
    }

    func run(_ count: Int) async throws -> Double {
      let line = try await process.answer(to: "\(count)", within: longestSlice)
      guard let seconds = Double(line), seconds > 0 else {
        throw MinervaError(.unreachable, "minerva-floor gave no figure but \"\(line)\"; run it by hand")
      }
      return seconds
    }

    func end() async { process.end() }
  }
}
