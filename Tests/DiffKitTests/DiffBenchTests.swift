import CommandKit
import CommandRuns
import MinervaWire
import Testing

@testable import DiffKit

@Suite("The bench of the differ")
struct DiffBenchTests {
  /// The rows of a run as objects.
  private func rows(_ words: [String]) throws -> [JSONValue] {
    let root = CommandDefinition(
      "minerva", "Test", options: [.flag("json", "one JSON object a line")], subcommands: [DiffBenchCommand.definition])
    let run = try CommandRun(["diff", "--json"] + words, of: root) { try DiffBenchCommand.run($0, $1) }
    #expect(run.code == .done, "\(run.out)")
    return try run.out.split(separator: "\n").filter { $0.hasPrefix("{") }.map { try JSONValue(parsing: String($0)) }
  }

  @Test("What is hunted has a row like any other: against plain Heckel and the hash floor, and verified")
  func hunted() throws {
    let rows = try rows(["--hunt", "--quick", "--ids", "int", "--n", "200", "--seed", "3"])
    let hunted = rows.filter { $0["workload"] == "hunted1" || $0["workload"] == "hunted2" }
    #expect(hunted.map { $0["workload"] } == ["hunted1", "hunted2"])
    for row in hunted {
      #expect(row["n"] == 200 && row["verified"] == true && row["moves_minimal"]?.kind == "integer")
      for key in ["ns_per_element", "ratio_heckel", "ratio_floor"] {
        guard case .number(let value)? = row[key], value > 0 else {
          Issue.record("\(key) is \(row[key]?.summary ?? "missing")")
          continue
        }
      }
    }
  }
}
