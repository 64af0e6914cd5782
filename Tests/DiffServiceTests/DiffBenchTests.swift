@testable import DiffService
import Dispatch
import ListDiff
import MinervaInterfaces
import MinervaWire
import Synchronization
import TestSupport
import Testing

@Suite("The diff worker's bench")
struct DiffBenchTests {
  private let bench = DiffBench(limits: DiffLimits())
  private let anna = Samples.anna
  private let bert = Samples.bert

  private func rows(_ ids: some Sequence<Int>, content: Int = 0) -> DiffRows { Samples.rows(ids, content: content) }

  @Test("It computes what the differ computes, sectioned or not")
  func computes() async throws {
    let flat = try await bench.diff(DiffJob(id: "a", old: rows([1, 2, 3]), new: rows([2, 3, 4, 1])), of: anna)
    #expect(try ChangeCounts(decoding: flat.changes) == ChangeCounts(inserts: 1, moves: 1))
    #expect(try ChangeSet(decoding: flat.changes).apply(to: [1, 2, 3], from: [2, 3, 4, 1]) == [2, 3, 4, 1])
    let old = Samples.sectioned([("A", [1, 2]), ("B", [3, 4])])
    var new = Samples.sectioned([("B", [3, 4])])
    new.sections?.contents[0] = 7
    let answer = try await bench.diff(DiffJob(id: "b", old: old, new: new), of: anna)
    let changes = try SectionedChangeSet(decoding: answer.changes)
    #expect(ChangeCounts(changes) == ChangeCounts(sectionDeletes: 1) && changes.sections.updates.count == 1)
    #expect(bench.status == DiffWorkerStatus(mostBytes: bench.status.mostBytes, limit: 512 << 20))
  }

  @Test("Contents may be bytes: a row is updated when one of them differs, and only then")
  func contentBytes() async throws {
    let old = Samples.withContents(0..<50)
    let new = Samples.withContents(0..<50) { $0 == 7 ? "another" : "content \($0)" }
    let answer = try await bench.diff(DiffJob(id: "bytes", old: old, new: new), of: anna)
    let changes = try ChangeSet(decoding: answer.changes)
    #expect(changes.operationCount == 1 && changes.updates.map(\.new) == [7])
  }

  @Test("Identifiers and sections are bytes: what is no UTF-8 is compared like all else")
  func bytesAreNoText() async throws {
    var old = DiffRows(), new = DiffRows()
    for id: [UInt8] in [[0xff, 0xfe], [0xff], []] { old.append(id, content: 0) }
    for id: [UInt8] in [[], [0xff, 0xfe], [0xff], [0xc0]] { new.append(id, content: 0) }
    old.appendSection([0x80, 0], rows: 3)
    new.appendSection([0x80, 0], rows: 4)
    let answer = try await bench.diff(DiffJob(id: "raw", old: old, new: new), of: anna)
    #expect(try ChangeCounts(decoding: answer.changes) == ChangeCounts(inserts: 1, moves: 1))
  }

  @Test("Duplicates follow the job's policy; refused ones are named with both places (B01)")
  func duplicates() async throws {
    let (old, new) = (rows([1, 2]), rows([1, 2, 2]))
    func diff(_ policy: DiffDuplicates) async throws -> ChangeCounts {
      let job = DiffJob(id: "\(policy)", old: old, new: new, duplicates: policy)
      return try ChangeCounts(decoding: try await bench.diff(job, of: anna).changes)
    }
    #expect(try await diff(.occurrence) == ChangeCounts(inserts: 1))
    #expect(try await diff(.first) == ChangeCounts())
    await #expect { _ = try await diff(.reject) } throws: { error in
      guard let error = error as? MinervaError else { return false }
      return error.code == .diffDuplicate && error.details == ["id": "row 2", "side": "new", "first": "1", "second": "2"]
    }
    #expect(bench.status.bytes == 0)
  }

  @Test("A job that is given up ends with bus.cancelled, whether by its task or by its caller", arguments: 0..<2)
  func cancelled(way: Int) async throws {
    let job = DiffJob(id: "held", old: rows([1]), new: rows([2]), hold: 10_000)
    let task = Task { try await bench.diff(job, of: anna) }
    try await until { bench.status.jobs == 1 }
    bench.cancel("held", of: bert)
    // The same caller in another life is another caller.
    bench.cancel("held", of: DiffShelf.Owner(node: anna.node, incarnation: anna.incarnation &+ 1))
    #expect(bench.status.jobs == 1, "a job of another caller is not given up")
    if way == 0 { task.cancel() } else { bench.cancel("held", of: anna) }
    #expect(await code { _ = try await task.value } == .cancelled)
    #expect(bench.status.jobs == 0 && bench.status.bytes == 0)
  }

  @Test("A newer job about a list supersedes one under way; lists of other names, and of other callers, are left alone")
  func superseded() async throws {
    func job(_ id: String, _ list: String, hold: Int) -> DiffJob {
      DiffJob(id: id, old: rows([1]), new: rows([2]), list: DiffList(list), hold: hold)
    }
    let first = Task { try await bench.diff(job("1", "users", hold: 10_000), of: anna) }
    let other = Task { try await bench.diff(job("2", "days", hold: 10_000), of: anna) }
    let stranger = Task { try await bench.diff(job("1", "users", hold: 10_000), of: bert) }
    try await until { bench.status.jobs == 3 }
    _ = try await bench.diff(job("3", "users", hold: 0), of: anna)
    #expect(await code { _ = try await first.value } == .diffSuperseded)
    #expect(bench.status.jobs == 2)
    other.cancel()
    stranger.cancel()
    _ = (await other.result, await stranger.result)
  }

  @Test(
    "A newer job about a list supersedes one that has not begun: the older ends at once, and the bench goes on", arguments: [1, 18_000])
  func supersededWhileWaiting(count: Int) async throws {
    let (lanes, gate) = (DiffLanes(width: 1), Gate())
    let bench = DiffBench(limits: DiffLimits(), lanes: lanes)
    let blocking = [10, DiffLanes.longJob].map { rows in Task { await lanes.run(rows: rows) { gate.wait() } } }
    try await until { gate.waiters == 2 }
    func job(_ id: String) -> DiffJob { DiffJob(id: id, old: rows(0..<count), new: rows(1...count), list: DiffList("users")) }
    let (ends, told) = AsyncStream.makeStream(of: (id: String, result: Result<DiffAnswer, any Error>).self)
    for id in ["1", "2"] { bench.start(job(id), of: anna, until: DiffStop()) { told.yield((id, $0)) } }
    var iterator = ends.makeAsyncIterator()
    let first = try #require(await iterator.next())
    #expect(first.id == "1" && code { _ = try first.result.get() } == .diffSuperseded)
    #expect(bench.status.jobs == 1, "the newer one waits")
    for _ in blocking { gate.open() }
    let second = try #require(await iterator.next())
    #expect(second.id == "2")
    #expect(try ChangeCounts(decoding: second.result.get().changes) == ChangeCounts(inserts: 1, deletes: 1))
    #expect(bench.status.jobs == 0)
    for job in blocking { _ = await job.value }
  }

  @Test("A job ends at its deadline, not when it is done")
  func deadline() async throws {
    let job = DiffJob(id: "late", old: rows([1]), new: rows([2]), deadline: 5, hold: 10_000)
    #expect(await code { _ = try await bench.diff(job, of: anna) } == .deadline)
    #expect(bench.status.jobs == 0 && bench.status.bytes == 0)
  }

  @Test("A small job is not stuck behind large ones, and both say how far they are")
  func small() async throws {
    let large = DiffJob(id: "large", old: rows(0..<20_000), new: rows(0..<20_000), hold: 10_000)
    let task = Task { try await bench.diff(large, of: anna) }
    try await until { bench.status.jobs == 1 }
    _ = try await bench.diff(DiffJob(id: "small", old: rows([1]), new: rows([1, 2])), of: anna)
    #expect(bench.status.jobs == 1)
    try await until { (try? bench.progress(of: "large", owner: anna).phase) == .comparing }
    let progress = try bench.progress(of: "large", owner: anna)
    #expect(progress.rows == 40_000 && progress.handled <= 240_000)
    #expect(code { _ = try bench.progress(of: "large", owner: bert) } == .badMessage)
    task.cancel()
    _ = await task.result
    #expect(code { _ = try bench.progress(of: "large", owner: anna) } == .badMessage)
  }

  @Test("While every thread for long jobs is taken, small jobs have theirs")
  func lanes() async throws {
    let lanes = DiffLanes(width: 1)
    let gate = Gate()
    let long = Task { await lanes.run(rows: 1 << 20) { gate.wait() } }
    _ = await lanes.run(rows: 10) {}
    gate.open()
    _ = await long.value
  }

  @Test("A job that is given up while it waits for a thread ends at once, and lets go of its lists")
  func givenUpWhileWaiting() async throws {
    let lanes = DiffLanes(width: 1)
    let gate = Gate()
    let first = Task { await lanes.run(rows: 10) { gate.wait() } }
    try await until { gate.waiters == 1 }
    let stop = DiffStop()
    let left = Left()
    let second = Task { [lists = Held(left)] in await lanes.run(rows: 10, until: stop) { withExtendedLifetime(lists) {} } == nil }
    stop.set(.superseded)
    #expect(await second.value)
    try await until { left.isTrue.load(ordering: .relaxed) }
    // One that was given up before it came never waits.
    #expect(await lanes.run(rows: 10, until: stop) {} == nil)
    gate.open()
    #expect(await first.value != nil)
    #expect(await lanes.run(rows: 10, until: DiffStop()) { 7 } == 7)
  }

  @Test("The limits are kept, and said by name")
  func limits() async throws {
    let bench = DiffBench(limits: DiffLimits(jobBytes: 1_900, bytes: 2_600))
    #expect(await code { _ = try await bench.diff(DiffJob(id: "big", old: rows(0..<200), new: rows([])), of: anna) } == .tooLarge)
    let held = Task { try await bench.diff(DiffJob(id: "one", old: rows(0..<40), new: rows([]), hold: 10_000), of: anna) }
    try await until { bench.status.jobs == 1 }
    await #expect { _ = try await bench.diff(DiffJob(id: "two", old: rows(0..<40), new: rows([])), of: anna) } throws: { error in
      (error as? MinervaError)?.code == .backpressure && ((error as? MinervaError)?.retryAfterMilliseconds ?? 0) > 0
    }
    #expect(bench.status.turnedAway == 1)
    #expect(await code { _ = try await bench.diff(DiffJob(id: "one", old: rows([]), new: rows([])), of: anna) } == .badMessage)
    // Another caller may use the same name.
    _ = try await bench.diff(DiffJob(id: "one", old: rows([1]), new: rows([])), of: bert)
    held.cancel()
    _ = await held.result
    #expect(bench.status.bytes == 0)
  }

  @Test("Columns that do not fit together are refused, never trusted")
  func malformed() async throws {
    let good = rows([1, 2])
    var bad: [String: DiffRows] = [:]
    func spoil(_ name: String, _ rows: DiffRows, _ change: (inout DiffRows) -> Void) {
      var rows = rows
      change(&rows)
      bad[name] = rows
    }
    let parts = Samples.sectioned([("A", [1]), ("B", [2])])
    let bytes = Samples.withContents([1, 2])
    spoil("descending", good) { $0.offsets = [0, 5, 2] }
    spoil("beyond", good) { $0.offsets[2] = 1_000 }
    spoil("no origin", good) { $0.offsets[0] = 1 }
    spoil("no offsets", good) { $0.offsets = [] }
    spoil("too few hashes", good) { $0.contents = .hashes([1]) }
    spoil("contents beyond", bytes) { $0.contents = .bytes([1], offsets: [0, 1, 9]) }
    spoil("too few contents", bytes) { $0.contents = .bytes([1], offsets: [0, 1]) }
    spoil("too many rows", parts) { $0.sections?.rows[0] = 9 }
    spoil("too few rows", parts) { $0.sections?.rows[0] = 0 }
    spoil("a sum beyond 32 bits", parts) { $0.sections?.rows = [.max, 3] }
    spoil("sections without heads", parts) { $0.sections?.offsets = [0] }
    spoil("section contents", parts) { $0.sections?.contents = [] }
    spoil("section names", parts) { $0.sections?.identifiers = [] }
    #expect(bad.count == 13)
    for (name, rows) in bad {
      for (old, new) in [(good, rows), (rows, good)] {
        #expect(await code { _ = try await bench.diff(DiffJob(id: name, old: old, new: new), of: anna) } == .badMessage, "\(name)")
      }
    }
    #expect(bench.status.bytes == 0 && bench.status.jobs == 0)
  }

  @Test("A caller that is gone takes its jobs, pieces, lists and answers along; others keep theirs")
  func callerLost() async throws {
    let list = DiffList("users", version: 1)
    for owner in [anna, bert] {
      _ = try await bench.diff(DiffJob(id: "1", old: rows([]), new: rows(0..<100), list: list), of: owner)
      try bench.take(DiffPiece(job: "2", side: .old, number: 0, rows: rows(0..<10)), of: owner)
    }
    let job = DiffJob(id: "3", old: .held(version: 1), new: .rows(rows(0..<9)), list: DiffList("users", version: 2), hold: 10_000)
    let under = Task { try await bench.diff(job, of: anna) }
    try await until { bench.status.jobs == 1 }
    let before = bench.status
    bench.lost(anna)
    #expect(await code { _ = try await under.value } == .cancelled)
    #expect(bench.status.lists == 1 && before.lists == 2)
    #expect(bench.status.bytes < before.bytes)
    _ = try await bench.diff(DiffJob(id: "4", old: .held(version: 1), new: .rows(rows([1])), list: DiffList("users", version: 2)), of: bert)
    bench.lost(bert)
    #expect(bench.status.bytes == 0 && bench.status.lists == 0)
  }

  @Test("A liar's answers are wrong as often as it was told, in lists of every kind")
  func lies() async throws {
    let liar = DiffBench(limits: DiffLimits(), lie: 2)
    for list in [rows(0..<9), Samples.withContents(0..<9), Samples.sectioned([("A", [1, 2]), ("B", [])])] {
      let honest = try await liar.diff(DiffJob(id: "h", old: list, new: list), of: anna)
      let lie = try await liar.diff(DiffJob(id: "l", old: list, new: list), of: anna)
      #expect(try ChangeCounts(decoding: honest.changes) == ChangeCounts())
      #expect(try ChangeCounts(decoding: lie.changes) == ChangeCounts(deletes: 1))
    }
  }
}

extension DiffLanes {
  /// Runs work, and waits for it.
  fileprivate func run<Value: Sendable>(rows: Int, until stop: DiffStop? = nil, _ work: @escaping @Sendable () -> Value) async -> Value? {
    await withCheckedContinuation { continuation in run(rows: rows, until: stop, work) { continuation.resume(returning: $0) } }
  }
}

/// Whether something was let go.
private final class Left: Sendable { let isTrue = Atomic<Bool>(false) }

/// What a job holds: says when it is let go.
private final class Held: Sendable {
  private let left: Left

  init(_ left: Left) { self.left = left }

  deinit { left.isTrue.store(true, ordering: .relaxed) }
}

/// Lets a thread wait until a test says so.
private final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let waits = Atomic<Int>(0)

  /// How many came to it.
  var waiters: Int { waits.load(ordering: .relaxed) }

  func wait() {
    waits.add(1, ordering: .relaxed)
    semaphore.wait()
  }

  func open() { semaphore.signal() }
}
