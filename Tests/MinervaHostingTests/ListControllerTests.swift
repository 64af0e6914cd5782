import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization
import TestSupport
import Testing

/// A differ that computes when its test says so.
private final class HeldDiffer: DiffComputing {
  private let inner = InProcessDiff()
  private let gates: Mutex<[Gate]>
  let asked: AsyncStream<Int>
  private let askedIn: AsyncStream<Int>.Continuation

  init(_ gates: [Gate]) {
    self.gates = Mutex(gates)
    (asked, askedIn) = AsyncStream.makeStream()
  }

  func changes(from old: DiffRows, to new: DiffRows, list: String) async throws -> ComputedChanges {
    let gate = gates.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    askedIn.yield(new.count)
    await gate?.wait()
    return try await inner.changes(from: old, to: new, list: list)
  }
}

private struct NoDiffer: DiffComputing {
  func changes(from old: DiffRows, to new: DiffRows, list: String) async throws -> ComputedChanges {
    throw MinervaError(.unreachable, "nobody computes")
  }
}

@Suite("The list controller")
struct ListControllerTests {
  private func update(_ ids: [Int], title: String = "List") throws -> ListUpdate {
    try ListUpdate(Screen(title) { ListSection("rows", cells: ids.map { Label("\($0)", "row \($0)") }) })
  }

  private func controller(_ differ: any DiffComputing) -> (ListController, FakeBroker) {
    let broker = FakeBroker()
    let scene = SceneIdentity(name: "main", app: "test", incarnation: 1)
    return (ListController(scene: scene, screen: ScreenID(1), link: broker, differ: differ), broker)
  }

  @Test("What answers a turn is told before what answers the next, however slow the broker is")
  func wordsInOrder() async throws {
    let (list, broker) = controller(InProcessDiff())
    var reports = broker.renderings.makeAsyncIterator()
    _ = await list.update(try update([1]))
    #expect(await reports.next()?.rendering.version == 1)
    let away = Gate()
    broker.holdRenderings(away)
    await list.setVisible(false)
    // The first turn's rendering is not seen; the second one's is.
    await list.announce()
    await list.enqueue(try update([1, 2]), state: nil, answersTurn: true)
    #expect(await reports.next()?.rendering.version == 0)
    await list.setVisible(true)
    await list.announce()
    await list.enqueue(try update([1, 2, 3]), state: nil, answersTurn: true)
    try await until("the second answer is there to be told") { await list.untoldCount > 0 }
    // Whoever would tell it meanwhile has asked for the list before this does.
    #expect(await list.untoldCount > 0)
    #expect(broker.said.count == 2, "the answer to the first turn is under way")
    away.open()
    var last = await reports.next()
    while let report = last, !report.answersTurn { last = await reports.next() }
    #expect(last?.rendering.version ?? 0 > 1)
  }

  @Test("While one update is in flight newer values replace each other, yet every caller gets its answer")
  func superseded() async throws {
    let gate = Gate()
    let differ = HeldDiffer([gate])
    let (list, broker) = controller(differ)
    let first = Task { await list.update(try update([1])) }
    _ = await differ.asked.first(1)
    let second = Task { await list.update(try update([1, 2])) }
    try await until { !(await list.waitingCount < 1) }
    let third = Task { await list.update(try update([1, 2, 3])) }
    try await until { !(await list.waitingCount < 2) }
    gate.open()
    #expect(try await first.value == .applied(version: 1))
    #expect(try await second.value == .superseded(by: 2))
    #expect(try await third.value == .applied(version: 2))
    let reports = await broker.renderings.first(2)
    #expect(reports.map(\.change.from) == [0, 1] && reports.map(\.change.to) == [1, 2])
    #expect(reports[1].change.counts == ChangeCounts(inserts: 2) && reports[1].change.computedBy == "in process")
  }

  @Test("A changed row is one update, a changed header one section update, a changed title no change of rows")
  func counts() async throws {
    let (list, broker) = controller(InProcessDiff())
    func screen(_ title: String, header: String, text: String) throws -> ListUpdate {
      try ListUpdate(
        Screen(title) {
          ListSection("rows", header: header) {
            Label("1", text); Label("2", "b")
          }
        })
    }
    for value in [
      try screen("A", header: "h", text: "a"), try screen("A", header: "h", text: "x"), try screen("A", header: "i", text: "x"),
      try screen("B", header: "i", text: "x"),
    ] {
      _ = await list.update(value)
    }
    let reports = await broker.renderings.first(4)
    #expect(reports.map(\.change.counts) == [ChangeCounts(sectionInserts: 1), ChangeCounts(updates: 1), ChangeCounts(), ChangeCounts()])
    #expect(try ScreenRendering(encoded: reports[3].rendering.body).title == "B")
  }

  @Test("A row with another type is another row")
  func types() async throws {
    let (list, broker) = controller(InProcessDiff())
    _ = await list.update(try ListUpdate(Screen("A") { ListSection("rows") { Label("1", "a") } }))
    _ = await list.update(try ListUpdate(Screen("A") { ListSection("rows") { Button("1", "a") } }))
    #expect(await broker.renderings.first(2)[1].change.counts == ChangeCounts(inserts: 1, deletes: 1))
  }

  @Test("When nobody computes, the list is replaced as a whole")
  func replaced() async throws {
    let (list, broker) = controller(NoDiffer())
    _ = await list.update(try update([1, 2]))
    _ = await list.update(try update([3]))
    let change = await broker.renderings.first(2)[1].change
    #expect(change.changes.isEmpty && change.counts == ChangeCounts(inserts: 1, deletes: 2))
  }

  @Test("After the end of the screen everybody is told, and nothing is shown")
  func closed() async throws {
    let gate = Gate()
    let differ = HeldDiffer([gate])
    let (list, broker) = controller(differ)
    let first = Task { await list.update(try update([1])) }
    _ = await differ.asked.first(1)
    let second = Task { await list.update(try update([2])) }
    try await until { !(await list.waitingCount < 1) }
    await list.close()
    gate.open()
    #expect(try await first.value == .closed)
    #expect(try await second.value == .closed)
    #expect(await list.update(try update([3])) == .closed)
    #expect(broker.said.isEmpty)
  }

  @Test("Only the last rendering answers the turns that announced one")
  func answers() async throws {
    let gate = Gate()
    let host = try TestHost([.counter], differ: HeldDiffer([gate]))
    await host.open("Counter", #"{"start":1}"#, as: 1)
    _ = await host.broker.turns.first(1)
    await host.tap("more", on: 1)
    await host.tap("more", on: 1)
    let turns = await host.broker.turns.first(2)
    #expect(turns.map(\.rendering) == [true, true])
    gate.open()
    let shown = await host.broker.renderings.first(2)
    #expect(shown.map(\.answersTurn) == [false, true])
    #expect(try ScreenRendering(encoded: shown[1].rendering.body).row("count")?.text == "3")
  }
}
