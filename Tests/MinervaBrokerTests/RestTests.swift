@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

extension Machine {
  /// Everything that waits to be read from the journal is read.
  mutating func read() {
    while let index = actions.firstIndex(where: { if case .load = $0 { true } else { false } }) {
      guard case .load(let key, let number) = actions.remove(at: index), let name = SceneIdentity(key)?.name else { continue }
      take(broker.loaded(number, name, restored(key), now: now))
    }
  }

  /// A scene as what was handed to the journal makes it.
  private func restored(_ key: String) -> RestoredScene? {
    let snapshot = actions.compactMap { if case .snapshot(let snapshot) = $0, snapshot.scene == key { snapshot } else { nil } }.last
    let records = journaled.filter { $0.scene == key && $0.sequence > snapshot?.sequence ?? 0 }
    do {
      return try RestoredScene(JournaledScene(scene: key, snapshot: snapshot, records: records), settings: broker.sceneSettings)
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  /// The scenes as the journal lists them.
  var heads: [JournaledHead] {
    var heads: [String: JournaledHead] = [:]
    for entry in journaled { heads[entry.scene] = JournaledHead(scene: entry.scene, sequence: entry.sequence, snapshotSequence: 0) }
    for case .rest(let rest) in actions where heads[rest.scene]?.sequence == rest.sequence { heads[rest.scene]?.rest = rest.note }
    return heads.values.sorted { $0.scene < $1.scene }
  }

  /// A machine that was started from the list of another's journal; what is at rest it has not read.
  init(surveying other: Machine, epoch: UInt64) {
    self.init(epoch: epoch)
    now = other.now + 50
    journaled = other.journaled
    actions = other.actions.filter {
      switch $0 {
      case .rest, .snapshot: true
      default: false
      }
    }
    _ = broker.survey(other.heads, now: now)
    take(broker.recovered(epoch: epoch, now: now))
  }

  /// Wants to let go of a scene.
  mutating func rests(
    _ expected: Bool, _ why: Comment? = nil, scene: String = "main", at location: SourceLocation = #_sourceLocation
  ) {
    take(broker.rest(scene, now: now))
    #expect((broker.scenes[scene] == nil) == expected, why, sourceLocation: location)
  }

  var isReading: Bool { actions.contains { if case .load = $0 { true } else { false } } }
}

@Suite("P2: scenes that nobody touches leave memory and come back when they are touched")
struct RestTests {
  /// A scene with two screens of shop-1, at rest in memory.
  func opened() -> Machine {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    machine.settle()
    machine.open("Detail", txn: "b")
    machine.settle()
    for _ in 0..<2 { machine.settle() }
    return machine
  }

  @Test("P3: a scene that is over is noted so, once; a number of which the journal keeps nothing is not given again")
  func endsAreNoted() {
    var machine = opened()
    machine.request(.end, txn: "end")
    machine.settle()
    func ends(_ machine: Machine) -> [UInt64?] { machine.actions.compactMap { if case .rest(let rest) = $0 { rest.over } else { nil } } }
    #expect(ends(machine) == [1])
    // An earlier version has left the note alone.
    var heads = machine.heads
    var again = Machine(epoch: 2)
    #expect(again.broker.survey(heads, forgotten: 41, now: again.now).isEmpty)
    again.take(again.broker.recovered(epoch: 2, now: again.now))
    #expect(ends(again) == [1])
    again.register("shop-1")
    again.open("Home", txn: "a")
    again.settle()
    #expect(again.identity.incarnation == 42)
    for index in heads.indices { heads[index].isOver = true }
    var third = Machine(epoch: 3)
    #expect(third.broker.survey(heads, now: third.now).isEmpty)
    third.take(third.broker.recovered(epoch: 3, now: third.now))
    #expect(ends(third).isEmpty)
    third.register("shop-1")
    third.open("Home", txn: "a")
    third.settle()
    #expect(third.identity.incarnation == 2)
  }

  func asleep() -> Machine {
    var machine = opened()
    machine.rests(true)
    return machine
  }

  func ghost(_ machine: inout Machine, _ scene: String, txn: String = "g") {
    machine.request(.open(Command.Opening(ModuleAddress(name: "Ghost"), unhosted: true)), txn: txn, scene: scene)
    machine.commit()
  }

  @Test("After its time a scene is let go of and noted; the next look gets the same tree, state and time")
  func goesAndComesBack() throws {
    var machine = opened()
    let before = try #require(machine.broker.scenes["main"]?.state)
    let due = try #require(machine.broker.nextRest)
    machine.now = due
    machine.take(machine.broker.tidyScenes(now: due))
    #expect(machine.broker.scenes.isEmpty, "N2: nothing of it stays in memory, its answers among it")
    #expect(machine.broker.openScenes == [SceneIdentity(name: "main", app: "shop", incarnation: 1)])
    #expect(machine.heads.first?.rest != nil)
    machine.now = machine.now + 5_000
    let look = machine.look()
    #expect(machine.reply(to: look) == nil)
    #expect(machine.isReading)
    machine.read()
    guard case .looked(let snapshot) = machine.reply(to: look) else {
      Issue.record("no snapshot")
      return
    }
    #expect(snapshot.tree == before.tree)
    #expect(machine.broker.scenes["main"]?.state == before)
    #expect(snapshot.at == (machine.now - Moment(milliseconds: 1_000)), "its time went on")
  }

  @Test("N2: a repeated txn gets the first answer when its scene was not in memory, and nothing is recorded")
  func repeatedTxns() {
    var machine = asleep()
    let count = machine.journaled.count
    let token = machine.open("Detail", txn: "b")
    machine.read()
    machine.settle()
    guard case .answered(let answer) = machine.reply(to: token) else {
      Issue.record("no answer")
      return
    }
    #expect(answer.outcome.presented.map(\.module) == ["Detail"])
    #expect(machine.journaled.count == count)
    #expect(machine.stack == ["Home", "Detail"])
  }

  @Test("What is touched stays: time since the last touch counts, and more scenes than there is room for leave sooner")
  func timesAndRoom() throws {
    var machine = Machine()
    machine.register("shop-1")
    machine.commit()
    for scene in ["a", "b", "c"] { ghost(&machine, scene) }
    machine.now = machine.now + 29_000
    _ = machine.look("b")
    machine.now = machine.now + 1_000
    machine.take(machine.broker.tidyScenes(now: machine.now))
    #expect(machine.broker.scenes.keys.sorted() == ["b"])
    machine.now = machine.now + 29_000
    machine.take(machine.broker.tidyScenes(now: machine.now))
    #expect(machine.broker.scenes.isEmpty)
    #expect(machine.broker.nextRest == nil)

    var settings = BrokerStateMachine.Settings()
    settings.awake = 2
    machine.broker = BrokerStateMachine(settings: settings, epoch: 1, now: machine.now)
    machine.register("shop-1")
    for scene in ["d", "e", "f", "g"] { ghost(&machine, scene) }
    machine.now = machine.now + 1_000
    machine.take(machine.broker.tidyScenes(now: machine.now))
    #expect(machine.broker.scenes.count == 2, "the oldest make room")
    #expect(machine.broker.dormant.names { _ in true } == ["d", "e"])
  }

  @Test("A scene in which something is under way stays in memory")
  func pendingStays() {
    var machine = opened()
    machine.open("Detail", txn: "c")
    machine.rests(false, "a request that is not durable")
    machine.commit()
    machine.rests(false, "a link that waits for its host")
    machine.settle()
    machine.rests(true)

    machine = opened()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Ghost"), unhosted: true)), txn: "u")
    machine.rests(false, "nothing is under way, and the record is not durable")
    machine.commit()
    machine.rests(true)

    machine = opened()
    machine.request(.send(.top, Array("{}".utf8)), txn: "d")
    machine.commit()
    machine.rests(false, "a message that nobody has handled")

    machine = opened()
    _ = machine.turn(ScreenID(2), 1, handled: nil, rendering: true)
    machine.commit()
    machine.rests(false, "a rendering that was announced")

    machine = opened()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "gone", pid: 1, now: machine.now))
    machine.commit()
    machine.rests(false, "screens that wait for their host")

    machine = opened()
    machine.take(
      machine.broker.renderer(
        SceneAddress(name: "main"), report: .attached(renderer: "phone", takesOver: false), token: 99, node: "phone", now: machine.now))
    machine.commit()
    machine.rests(false, "a renderer that is attached")

    machine = Machine()
    machine.register("shop-1")
    _ = machine.look("fresh")
    machine.rests(false, "a scene that the journal knows nothing of", scene: "fresh")
  }

  @Test("What is asked while a scene is read waits, in the order of asking; each is answered once")
  func callsWaitInOrder() {
    var machine = asleep()
    let first = machine.request(.open(Command.Opening(ModuleAddress(name: "Ghost"), unhosted: true)), txn: "c")
    let second = machine.look()
    let third = machine.request(.back(count: 1, in: nil), txn: "d")
    let loads = machine.actions.count { if case .load = $0 { true } else { false } }
    #expect(loads == 1)
    machine.read()
    machine.settle()
    guard case .answered(let opened) = machine.reply(to: first), case .looked(let look) = machine.reply(to: second),
      case .answered(let left) = machine.reply(to: third)
    else {
      Issue.record("not all are answered")
      return
    }
    #expect(look.tree.layers[0].stack.map(\.module) == ["Home", "Detail", "Ghost"])
    #expect(left.outcome.removed.map(\.screen) == opened.outcome.presented.map(\.screen))
    #expect(left.seq.map { $0 > opened.seq ?? .max } == true)
  }

  @Test("N15: a call whose scene cannot be read in time ends with its deadline, and is not done later")
  func readingHasADeadline() {
    var machine = asleep()
    let token = machine.request(.back(count: 1, in: nil), txn: "c")
    machine.wait(4_999)
    #expect(machine.reply(to: token) == nil)
    machine.wait(1)
    #expect(machine.refusal(of: token) == "bus.deadline")
    machine.read()
    machine.settle()
    #expect(machine.stack == ["Home", "Detail"])
    #expect(machine.actions.count { if case .answer(token, _) = $0 { true } else { false } } == 1)
  }

  @Test("N15: what a call has waited for its scene to be read counts against its one deadline", arguments: [1_000, nil] as [UInt32?])
  func readingCounts(deadline: UInt32?) {
    var machine = asleep()
    machine.request(.act(.id(ScreenID(2)), .tap(row: "slow", action: nil)), txn: "c", deadline: deadline)
    let token = machine.request(.act(.id(ScreenID(2)), .tap(row: "slow", action: nil)), txn: "d", deadline: deadline)
    let all = Int64(deadline ?? 5_000)
    machine.wait(all - 400)
    machine.read()
    machine.commit()
    machine.wait(399)
    machine.commit()
    #expect(machine.reply(to: token) == nil)
    machine.wait(1)
    machine.commit()
    #expect(machine.refusal(of: token) == "nav.timeout")
  }

  @Test("N15: a scene that comes in the moment after a call's deadline does nothing for it, although its alarm is still to come")
  func readingIsTooLate() {
    var machine = asleep()
    let late = machine.request(.back(count: 1, in: nil), txn: "c", deadline: 1_000)
    machine.now = machine.now + 1_000
    machine.read()
    machine.settle()
    #expect(machine.refusal(of: late) == "bus.deadline")
    #expect(machine.stack == ["Home", "Detail"])
  }

  @Test("P1: a journal that cannot read a scene is opened anew; who waits is told")
  func readingFails() {
    var machine = asleep()
    let token = machine.look()
    guard case .load(_, let number)? = machine.actions.first(where: { if case .load = $0 { true } else { false } }) else {
      Issue.record("nothing is read")
      return
    }
    machine.take(machine.broker.loadFailed(number + 1, "main", MinervaError(.journalCorrupt, "not the one")))
    #expect(machine.broker.isServing)
    machine.take(machine.broker.loadFailed(number, "main", MinervaError(.journalCorrupt, "a sum differs")))
    #expect(machine.refusal(of: token) == "journal.corrupt")
    #expect(machine.actions.contains { if case .reopen = $0 { true } else { false } })
    // It was durable and at rest: the journal's list is enough to have it back.
    let heads = machine.heads
    let unknown = machine.broker.survey(heads, now: machine.now)
    #expect(unknown.isEmpty)
    machine.take(machine.broker.recovered(epoch: 2, now: machine.now))
    machine.read()
    let again = machine.look()
    machine.read()
    guard case .looked(let snapshot) = machine.reply(to: again) else {
      Issue.record("no snapshot")
      return
    }
    #expect(snapshot.tree.layers[0].stack.map(\.module) == ["Home", "Detail"])
    #expect(!machine.actions.contains { if case .order(_, .end) = $0 { true } else { false } }, "its host keeps what it has")
  }

  @Test("What screens show, and the numbers of events, outlive a scene's absence")
  func renderingsAndEventsStay() {
    var machine = opened()
    let rendering = StampedRendering(screen: ScreenID(2), version: 1, body: [1, 2, 3])
    machine.take(
      machine.broker.rendered(
        RenderingReport(
          scene: machine.identity, rendering: rendering,
          change: ListEvent(screen: ScreenID(2), from: 0, to: 1, counts: ChangeCounts(), computedBy: "", changes: []),
          answersTurn: false), node: "shop-1", now: machine.now))
    let last = machine.broker.scenes["main"]?.events ?? 0
    machine.rests(true)
    #expect(machine.broker.rendering(of: ScreenID(2), in: "main")?.body == [1, 2, 3])
    let look = machine.look()
    machine.read()
    guard case .looked(let snapshot) = machine.reply(to: look) else {
      Issue.record("no snapshot")
      return
    }
    #expect(snapshot.event == last)
    #expect(snapshot.renderings.map(\.body) == [[1, 2, 3]])
    let recent = machine.look(renderings: false)
    guard case .looked(let missed) = machine.reply(to: recent) else {
      Issue.record("no events")
      return
    }
    #expect(missed.recent?.last?.number == last, "a watcher that missed some still gets them")
  }

  @Test("After a restart a scene at rest is known without being read; its lost host's screens become placeholders in time")
  func restartsReadNothing() {
    var machine = asleep()
    ghost(&machine, "other")
    machine = Machine(surveying: machine, epoch: 2)
    #expect(machine.broker.scenes.isEmpty)
    #expect(machine.broker.openScenes.map(\.name).sorted() == ["main", "other"])
    #expect(machine.broker.unknownScenes == ["other"], "what was not at rest is read for its own sake")
    machine.wait(3_000)
    #expect(machine.isReading, "nobody came back for it")
    machine.read()
    machine.commit()
    machine.wait(3_300)
    machine.commit()
    #expect(machine.broker.scenes["main"]?.state.screen(ScreenID(2))?.isUnclaimed == true, "placeholders, as after any restart")
    machine.rests(false, "whoever offers the module makes them again")
    machine.register("shop-2")
    machine.settle()
    #expect(machine.broker.scenes["main"]?.state.screen(ScreenID(2))?.summary.host == "shop-2")
  }

  @Test("A scene that is over is not read again, and its name begins anew")
  func endedScenesStayOver() {
    var machine = opened()
    machine.request(.end, txn: "z")
    machine.settle()
    #expect(machine.broker.openScenes.isEmpty)
    machine = Machine(surveying: machine, epoch: 2)
    #expect(machine.broker.openScenes.isEmpty)
    #expect(machine.broker.unknownScenes.isEmpty)
    machine.register("shop-1")
    machine.open("Home", txn: "y")
    machine.settle()
    #expect(machine.identity.incarnation == 2)
  }

  @Test("A record after the note makes the note worthless")
  func oldNotesDoNotCount() {
    var machine = asleep()
    let look = machine.look()
    machine.read()
    #expect(machine.reply(to: look) != nil)
    machine.open("Detail", txn: "c")
    machine.commit()
    #expect(machine.heads.first?.rest == nil)
    machine = Machine(surveying: machine, epoch: 2)
    #expect(machine.broker.unknownScenes == ["main"])
  }

  @Test(
    "A note that this broker does not understand is none",
    arguments: [[], [9], [1], [1, 0], [1, 0, 2, 0], [1, 0, 0, 9], [1, 0, 0, 0, 0]])
  func strangeNotes(_ bytes: [UInt8]) {
    #expect(RestNote(bytes) == nil)
    let note = RestNote(at: 77, hosts: ["a", "b"])
    #expect(RestNote(note.bytes) == note)
    #expect(RestNote(RestNote(at: .max, hasEnded: true).bytes)?.hasEnded == true)
  }

  @Test("A scene that another broker took is not read for those who wait, who are told so")
  func disownedWhileRead() {
    var machine = asleep()
    let token = machine.look()
    machine.take(machine.broker.disown(["main"], now: machine.now))
    #expect(machine.refusal(of: token) == "bus.not_owner")
    machine.read()
    #expect(machine.broker.openScenes.isEmpty)
  }

  @Test("A long tail becomes a snapshot when its scene goes, and is what it comes back from")
  func longTailsAreSaved() throws {
    var machine = Machine()
    machine.register("shop-1")
    machine.commit()
    ghost(&machine, "main")
    for number in 0..<10 {
      machine.request(.open(Command.Opening(ModuleAddress(name: "Ghost"), unhosted: true)), txn: "g\(number)")
      machine.request(.back(count: 1, in: nil), txn: "h\(number)")
    }
    machine.settle()
    let before = try #require(machine.broker.scenes["main"]?.state)
    machine.rests(true)
    let snapshots = machine.actions.compactMap { if case .snapshot(let snapshot) = $0 { snapshot } else { nil } }
    #expect(snapshots.map(\.sequence) == [before.seq])
    _ = machine.look()
    machine.read()
    #expect(machine.broker.scenes["main"]?.state == before)
    machine.rests(true, "what has not changed is not written again")
    #expect(machine.actions.count { if case .rest = $0 { true } else { false } } == 1)
  }
}
