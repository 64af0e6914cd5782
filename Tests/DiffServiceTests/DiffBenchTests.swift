@testable import DiffService
import ListDiff
import MinervaInterfaces
import MinervaWire
import TestSupport
import Testing

@Suite("The diff worker's bench")
struct DiffBenchTests {
  private func rows(_ ids: some Sequence<Int>, content: Int = 0) -> DiffRows {
    var rows = DiffRows()
    for id in ids { rows.append(Array("row \(id)".utf8), content: content) }
    return rows
  }

  @Test("It computes what the differ computes, sectioned or not")
  func computes() async throws {
    let bench = DiffBench(limits: DiffLimits())
    let bytes = try await bench.changes(of: DiffJob(id: "a", old: rows([1, 2, 3]), new: rows([2, 3, 4, 1])))
    #expect(try ChangeCounts(decoding: bytes) == ChangeCounts(inserts: 1, moves: 1))
    var old = rows([1, 2, 3, 4]), new = rows([3, 4])
    old.sections = [DiffSection(identifier: "A", content: 0, rows: 2), DiffSection(identifier: "B", content: 0, rows: 2)]
    new.sections = [DiffSection(identifier: "B", content: 1, rows: 2)]
    let changes = try SectionedChangeSet(decoding: try await bench.changes(of: DiffJob(id: "b", old: old, new: new)))
    #expect(ChangeCounts(changes) == ChangeCounts(sectionDeletes: 1) && changes.sections.updates.count == 1)
    #expect(bench.running == 0)
  }

  @Test("A job that is given up ends with bus.cancelled, whether it is computed or held", arguments: [true, false])
  func cancelled(byTask: Bool) async throws {
    let bench = DiffBench(limits: DiffLimits())
    let job = DiffJob(id: "held", old: rows([1]), new: rows([2]), hold: 10_000)
    let task = Task { try await bench.changes(of: job) }
    try await until { !(bench.running == 0) }
    if byTask { task.cancel() } else { bench.cancel("held") }
    await #expect { _ = try await task.value } throws: { ($0 as? MinervaError)?.code == .cancelled }
    #expect(bench.running == 0)
  }

  @Test("A small job is not stuck behind a large one that is held")
  func small() async throws {
    let bench = DiffBench(limits: DiffLimits())
    let large = DiffJob(id: "large", old: rows(0..<20_000), new: rows(0..<20_000), hold: 10_000)
    let task = Task { try await bench.changes(of: large) }
    try await until { !(bench.running == 0) }
    _ = try await bench.changes(of: DiffJob(id: "small", old: rows([1]), new: rows([1, 2])))
    #expect(bench.running == 1)
    task.cancel()
  }

  @Test("The limits are kept, and said by name")
  func limits() async throws {
    let bench = DiffBench(limits: DiffLimits(jobBytes: 1_000, bytes: 1_200))
    await #expect { _ = try await bench.changes(of: DiffJob(id: "big", old: rows(0..<100), new: rows([]))) } throws: {
      ($0 as? MinervaError)?.code == .tooLarge
    }
    let held = Task { try await bench.changes(of: DiffJob(id: "one", old: rows(0..<40), new: rows([]), hold: 10_000)) }
    try await until { !(bench.running == 0) }
    await #expect { _ = try await bench.changes(of: DiffJob(id: "two", old: rows(0..<40), new: rows([]))) } throws: {
      ($0 as? MinervaError)?.code == .backpressure
    }
    await #expect { _ = try await bench.changes(of: DiffJob(id: "one", old: rows([]), new: rows([]))) } throws: {
      ($0 as? MinervaError)?.code == .badMessage
    }
    held.cancel()
  }

  @Test("Columns that do not fit together are refused, never trusted")
  func malformed() async throws {
    let bench = DiffBench(limits: DiffLimits())
    let good = rows([1, 2])
    var descending = good, beyond = good, contents = good, sections = good, negative = good
    descending.ends = [5, 2]
    beyond.ends[1] = 1_000
    contents.contents = [1]
    sections.sections = [DiffSection(identifier: "A", content: 0, rows: 3)]
    negative.sections = [DiffSection(identifier: "A", content: 0, rows: -1), DiffSection(identifier: "B", content: 0, rows: 3)]
    for (name, bad) in [
      ("descending", descending), ("beyond", beyond), ("contents", contents), ("sections", sections), ("negative", negative),
    ] {
      await #expect("\(name)") { _ = try await bench.changes(of: DiffJob(id: name, old: good, new: bad)) } throws: {
        ($0 as? MinervaError)?.code == .badMessage
      }
    }
    var minus = good
    minus.ends[0] = -1
    await #expect(throws: MinervaError.self) { _ = try await bench.changes(of: DiffJob(id: "minus", old: minus, new: good)) }
  }
}
