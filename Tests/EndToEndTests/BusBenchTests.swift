import Foundation
import MinervaTesting
import Testing

/// `minerva bench bus` with one small case.
@Suite("A real bench of the bus", .serialized, .oneAtATime)
struct BusBenchTests {
  @Test("Processes: one case of bench bus ends with one object of all its keys, each a figure")
  func oneCase() throws {
    let run = try ProcessSet.Once.run("minerva", ["bench", "bus", "--only", "ipc/64/1", "--quick", "--json"], within: .seconds(60))
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 1)
    let row = try #require(try JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any])
    let figures = [
      "latency_us", "calls_per_s", "floor_latency_us", "floor_calls_per_s", "latency_ratio", "throughput_ratio", "throughput_ratio_low",
      "throughput_ratio_high",
    ]
    // One call in flight is never batched.
    #expect(row.keys.sorted() == (figures + ["bench", "in_flight", "pairs", "size", "transport"]).sorted())
    #expect((row["bench"] as? String, row["transport"] as? String) == ("bus", "ipc"))
    #expect((row["size"] as? Int, row["in_flight"] as? Int) == (64, 1))
    #expect((row["pairs"] as? Int ?? 0) >= 3)
    for figure in figures { #expect((row[figure] as? Double ?? 0) > 0, "\(figure)") }
    let low = row["throughput_ratio_low"] as? Double ?? 2, high = row["throughput_ratio_high"] as? Double ?? 1
    #expect(low <= high)

    let unknown = try ProcessSet.Once.run("minerva", ["bench", "bus", "--only", "ipc/65/1"])
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("no case \"ipc/65/1\""), "\(unknown.errors)")
  }
}
