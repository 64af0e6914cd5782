@testable import BenchKit
import CommandKit
import MinervaTesting
import MinervaWire
import Testing

@Suite("The broker's bench reads its options and its readers")
struct BrokerBenchPlanTests {
  private func plan(_ words: String...) throws -> BrokerBenchPlan {
    let root = CommandDefinition(
      "minerva", "", subcommands: [CommandDefinition("bench", "", subcommands: [BrokerBenchCommand.definition])])
    return BrokerBenchPlan(try CommandParser(root).parse(["bench", "broker"] + words))
  }

  @Test("Without options everything is measured; options leave parts out")
  func parts() throws {
    let whole = try plan()
    #expect(whole.transitions.count == 12)
    #expect(whole.transitions.filter(\.isHosted).count == 6)
    #expect(whole.subscribers == [1, 10, 100])
    #expect(whole.openScenes == 100_000)
    #expect(whole.restarts == [.init(records: 1_000_000, scenes: 1), .init(records: 1_000_000, scenes: 100_000)])
    let one = try plan("--only", "transitions", "--scenes", "64", "--in-flight", "256", "--hosted", "no", "--for", "250ms")
    #expect(one.transitions == [TransitionLoad.Settings(scenes: 64, inFlight: 256, isHosted: false)])
    #expect((one.subscribers, one.openScenes, one.restarts) == ([], nil, []))
    #expect(one.duration == .milliseconds(250))
    let some = try plan("--quick", "--only", "restart", "--only", "memory", "--records", "5000")
    #expect((some.transitions, some.openScenes) == ([], 2_000))
    #expect(some.restarts == [.init(records: 5_000, scenes: 1), .init(records: 5_000, scenes: 500)])
  }

  @Test("Readers report when all have the same event, and count what one of them missed")
  func readers() {
    var progress = EventReaders.Progress(readers: 2)
    #expect(progress.take(5, reader: 0) == nil, "the other has nothing yet")
    #expect(progress.take(5, reader: 1)?.all == 5)
    #expect(progress.take(6, reader: 0) == nil)
    #expect(progress.take(9, reader: 0) == nil)
    let report = progress.take(9, reader: 1)
    #expect(report?.all == 9)
    #expect(report?.missed == 2 + 3, "7 and 8 for one, 6 to 8 for the other")
    #expect(EventReaders.Report("9 5") == report)
    for line in ["", "9", "9 5 1", "x 5", "9 y"] { #expect(EventReaders.Report(Substring(line)) == nil) }
  }

  @Test("A file system in memory, or one that nothing is known of, is not durable")
  func fileSystems() throws {
    #expect(FileSystem(magic: 0xEF53) == FileSystem(name: "ext4", isDurable: true))
    #expect(FileSystem(magic: 0x0102_1994) == FileSystem(name: "tmpfs", isDurable: false))
    #expect(FileSystem(magic: 0x1234) == FileSystem(name: "0x1234", isDurable: false))
    #expect(try FileSystem(of: "/proc").isDurable == false)
    #expect(throws: MinervaError.self) { try FileSystem(of: "/nowhere/at/all") }
  }

  @Test("A goal counts as met by durable transitions alone")
  func goals() {
    var row = BrokerRow.Transitions(
      scenes: 64, inFlight: 64, hosted: false, durable: true, fileSystem: "ext4", transitions: 1, transitionsPerSecond: 40_000, p50: 1,
      p99: 1, p999: 1, brokerMicroseconds: 1, callerMicroseconds: 1, verified: true)
    var goals = BrokerGoals()
    goals.add(row)
    row.durable = false
    goals.add(row)
    row.inFlight = 256
    goals.add(row)
    #expect(goals.verdicts.map(\.isMet) == [true, false])
  }
}

@Suite("A real bench of the broker", .serialized, .timeLimit(.minutes(2)))
struct BrokerBenchProcessTests {
  private func rows(_ words: String...) throws -> [JSONValue] {
    let run = try ProcessSet.Once.run("minerva", ["bench", "broker", "--quick", "--json"] + words, within: .seconds(90))
    #expect(run.status == 0, "\(run.errors)")
    return try run.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }

  @Test("Processes: each part of a bench gives its rows, every tree is as the answers say")
  func everyPart() throws {
    let transitions = try rows("--only", "transitions", "--in-flight", "8", "--scenes", "3", "--for", "200ms")
    #expect(transitions.count == 2)
    for (row, isHosted) in zip(transitions, [false, true]) {
      #expect(row["bench"] == .string("broker"))
      #expect(row["hosted"] == .bool(isHosted))
      #expect(row["verified"] == .bool(true))
      for key in ["durable", "file_system", "transitions_per_s", "p50_us", "p99_us", "p999_us"] { #expect(row[key] != nil, "\(key)") }
    }
    let others = try rows(
      "--only", "restart", "--records", "2048", "--only", "memory", "--open", "100", "--only", "events", "--readers", "3", "--for", "100ms")
    try #require(
      others.map { $0["bench"] }
        == ["broker-events", "broker-events", "broker-memory", "broker-restart", "broker-restart"].map { .string($0) })
    #expect(others[0]["missed"] == .integer(0))
    #expect(others[1]["missed"] == .integer(0), "a stopped subscriber costs the others nothing")
    #expect(others[3]["records"] == .integer(2_048 + 1_023))
    #expect(others[4]["scenes"] == .integer(204))
  }
}
