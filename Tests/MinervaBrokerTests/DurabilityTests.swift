@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaRecording
import MinervaWire
import Testing

/// What waits for the journal, and what survives it.
@Suite("The broker and its journal")
struct DurabilityTests {
  private func opened() -> Machine {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    machine.settle()
    return machine
  }

  @Test("N16: nothing is answered, published or told to a host before its record is durable")
  func nothingLeavesBeforeItsRecordIsDurable() {
    var machine = Machine()
    machine.register("shop-1")
    machine.commit()
    machine.actions = []
    let token = machine.open("Home", txn: "a")
    #expect(!machine.journaled.isEmpty)
    #expect(machine.actions.isEmpty)
    machine.commit()
    #expect(machine.actions.contains { if case .connect = $0 { true } else { false } })
    #expect(machine.reply(to: token) == nil)
    machine.settle()
    guard case .answered(let answer) = machine.reply(to: token) else {
      Issue.record("no answer")
      return
    }
    #expect(answer.epoch == 1)
    #expect(answer.outcome.presented.map(\.module) == ["Home"])
  }

  @Test("N16: a look waits for the records that it shows")
  func looksWaitForWhatTheyShow() {
    var machine = opened()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Ghost"), unhosted: true)), txn: "b")
    let look = machine.look()
    #expect(machine.reply(to: look) == nil)
    machine.commit()
    guard case .looked(let snapshot) = machine.reply(to: look) else {
      Issue.record("no snapshot")
      return
    }
    #expect(snapshot.tree.layers[0].stack.map(\.module) == ["Home", "Ghost"])
  }

  @Test("N2, P1: after a restart the tree is as answered, and a repeated txn gets the first answer")
  func restartsKeepTreesAndAnswers() throws {
    var first = opened()
    first.open("Detail", txn: "b")
    first.settle()
    #expect(first.stack == ["Home", "Detail"])

    var second = try Machine(restarting: first, epoch: 2)
    #expect(second.stack == ["Home", "Detail"])
    let records = second.journaled.count
    let token = second.open("Detail", txn: "b")
    second.settle()
    guard case .answered(let answer) = second.reply(to: token) else {
      Issue.record("no answer")
      return
    }
    #expect(answer.epoch == 2)
    #expect(answer.outcome.presented.map(\.module) == ["Detail"])
    #expect(second.stack == ["Home", "Detail"])
    #expect(second.journaled.count == records)
  }

  @Test("P1: an answer that was not released before a crash is not invented after it")
  func unansweredRequestsGoOnAfterARestart() throws {
    var first = opened()
    first.open("Detail", txn: "b")
    // The record is durable, the host was asked, and then the broker dies.
    first.commit()
    var second = try Machine(restarting: first, epoch: 2)
    #expect(second.stack == ["Home"])
    second.register("shop-1", running: [RunningCoordinator(scene: second.identity, screen: ScreenID(1), handled: 0)])
    let token = second.open("Detail", txn: "b")
    second.settle()
    guard case .answered = second.reply(to: token) else {
      Issue.record("no answer")
      return
    }
    #expect(second.stack == ["Home", "Detail"])
  }

  @Test("P1: a failed commit answers journal.unavailable and discards what was not durable")
  func failedCommitsAreAnswered() throws {
    var machine = opened()
    let before = machine.journaled
    machine.actions = []
    let token = machine.open("Detail", txn: "b")
    machine.take(machine.broker.commitFailed(MinervaError(.journalUnavailable, "the disk is full", retryable: true)))
    #expect(machine.refusal(of: token) == "journal.unavailable")
    #expect(machine.actions.contains { if case .reopen = $0 { true } else { false } })
    let refused = machine.open("Detail", txn: "c")
    guard case .refused(let error)? = machine.reply(to: refused) else {
      Issue.record("not refused")
      return
    }
    #expect(error.code == .journalUnavailable && error.message.contains("the disk is full"), "\(error)")

    try machine.broker.restore(JournaledScene(scene: "shop/main#1", snapshot: nil, records: before), now: machine.now)
    machine.take(machine.broker.recovered(epoch: 2, now: machine.now))
    #expect(machine.broker.failure == nil)
    let again = machine.open("Detail", txn: "b")
    machine.settle()
    guard case .answered(let answer) = machine.reply(to: again) else {
      Issue.record("no answer")
      return
    }
    #expect(answer.epoch == 2)
  }

  @Test("P1: after a failed commit hosts end what did not come back, a screen or a whole scene, and keep the rest")
  func rolledBackLinks() throws {
    var machine = opened()
    let before = machine.journaled
    machine.open("Detail", txn: "b")
    machine.settle()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Home"), via: .push)), txn: "c", scene: "other")
    machine.settle()
    machine.actions = []
    machine.take(machine.broker.commitFailed(MinervaError(.journalUnavailable, "the disk is full", retryable: true)))
    try machine.broker.restore(JournaledScene(scene: "shop/main#1", snapshot: nil, records: before), now: machine.now)
    machine.take(machine.broker.recovered(epoch: 2, now: machine.now))
    machine.settle()
    let ended = machine.actions.compactMap { action -> String? in
      guard case .order(let host, .end(let scene, let departure)) = action, departure.reason == .rolledBack else { return nil }
      return "\(host) \(scene.name) \(departure.screen.number)"
    }
    #expect(ended == ["shop-1 main 2", "shop-1 other 1"])
    #expect(machine.stack == ["Home"])
    #expect(machine.broker.scenes["main"]?.state.screen(ScreenID(1))?.lease == 1, "it was not made again")
  }

  @Test("N16: a record that cannot be encoded is a failed commit: refused, nothing of it happens, and the journal's state comes back")
  func unencodableRecordsAreFailedCommits() throws {
    var machine = opened()
    let before = machine.journaled
    machine.actions = []
    struct NoBytes: Error {}
    machine.broker.encode = { _ in throw NoBytes() }
    let token = machine.open("Detail", txn: "b")
    machine.commit()
    #expect(machine.refusal(of: token) == "journal.unavailable")
    #expect(machine.journaled == before)
    #expect(machine.actions.contains { if case .reopen = $0 { true } else { false } })
    #expect(!machine.actions.contains { if case .connect = $0 { true } else { false } })

    machine.broker.encode = { try $0.encoded() }
    try machine.broker.restore(JournaledScene(scene: "shop/main#1", snapshot: nil, records: before), now: machine.now)
    machine.take(machine.broker.recovered(epoch: 2, now: machine.now))
    #expect(machine.stack == ["Home"])
    machine.open("Detail", txn: "b")
    machine.settle()
    #expect(machine.stack == ["Home", "Detail"])
  }

  @Test("A snapshot is written after so many records and a restart from it gives the same tree")
  func snapshotsStandForTheirRecords() throws {
    var machine = opened()
    for number in 0..<1_100 {
      machine.request(.open(Command.Opening(ModuleAddress(name: "Ghost"), unhosted: true)), txn: "g\(number)")
      machine.request(.back(count: 1, in: nil), txn: "h\(number)")
      machine.commit()
    }
    let written = machine.actions.compactMap { if case .snapshot(let snapshot) = $0 { snapshot } else { nil } }
    let snapshot = try #require(written.last)
    var restarted = Machine(epoch: 2)
    let records = machine.journaled.filter { $0.sequence > snapshot.sequence }
    try restarted.broker.restore(JournaledScene(scene: snapshot.scene, snapshot: snapshot, records: records), now: restarted.now)
    #expect(restarted.broker.scenes["main"]?.state == machine.broker.scenes["main"]?.state)
  }

  @Test("A scene's first use asks for its app, and a name that cannot be is refused")
  func scenesAreBegunByTheirFirstUse() {
    var machine = Machine()
    let early = machine.open("Home", txn: "a")
    #expect(machine.refusal(of: early) == "scene.app_required")
    machine.register("shop-1")
    let bad = machine.request(.dismissAll, txn: "b", scene: "a/b")
    #expect(machine.refusal(of: bad) == "scene.bad_name")
    let unknown = machine.open("Hom", txn: "c")
    machine.settle()
    guard case .refused(let error) = machine.reply(to: unknown) else {
      Issue.record("no refusal")
      return
    }
    #expect(error.code == .moduleUnknown)
    #expect(error.message == "no module \"Hom\"; did you mean Home (shop-1)?")
  }

  @Test("C06: what a screen shows is refused while the journal is opened again, so that its host says it again")
  func renderingsDuringRecovery() {
    var machine = opened()
    #expect(throws: Never.self) { try machine.broker.requireServing() }
    machine.take(machine.broker.commitFailed(MinervaError(.journalUnavailable, "full")))
    let error = #expect(throws: MinervaError.self) { try machine.broker.requireServing() }
    #expect(error?.code == .journalUnavailable && error?.retryable == true)
  }

  @Test("P3: the last snapshot of a scene that is over holds none of its answers: nobody can ask for them")
  func snapshotsOfEndedScenes() throws {
    var machine = opened()
    #expect(machine.broker.scenes["main"]?.state.knows("a") == true)
    machine.request(.end, txn: "e")
    machine.settle()
    let last = machine.actions.compactMap { if case .snapshot(let snapshot) = $0 { snapshot } else { nil } }.last
    let snapshot = try #require(last)
    let state = try CBOR.decode(SceneImage.self, from: snapshot.bytes).state
    #expect(state.hasEnded && state.seq == snapshot.sequence)
    #expect(!state.knows("a") && !state.knows("e"))
  }
}
