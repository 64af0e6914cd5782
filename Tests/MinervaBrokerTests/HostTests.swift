@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

/// Hosts that are lost, come back, or stay away.
@Suite("The broker and its hosts")
struct HostTests {
  private func opened(hosts: [String] = ["shop-1"]) -> Machine {
    var machine = Machine()
    for host in hosts { machine.register(host) }
    machine.open("Home", txn: "a")
    machine.settle()
    return machine
  }

  private func report(_ machine: Machine, _ screen: UInt32 = 1) -> ScreenReport? {
    machine.broker.scenes["main"]?.state.screen(ScreenID(screen))
  }

  @Test("K3: a lost host's screens are suspended, and resumed with their state when it is back")
  func lostHostsAreResumed() {
    var machine = opened()
    _ = machine.turn(ScreenID(1), 1, handled: nil, state: Array("{\"half\":1}".utf8))
    machine.settle()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.commit()
    #expect(report(machine)?.isSuspended == true)
    machine.wait(500)
    machine.register("shop-1", incarnation: 2)
    machine.commit()
    let resumed = machine.actions.compactMap { if case .resume(let host, let order) = $0 { (host, order.resumption) } else { nil } }
    #expect(resumed.map(\.0) == ["shop-1"])
    #expect(resumed.first?.1.state == Array("{\"half\":1}".utf8))
    machine.settle()
    #expect(report(machine)?.isSuspended == false)
    #expect(machine.processes == ["joined shop-1", "suspended shop-1", "resumed shop-1"])
  }

  @Test("K3: when the lease is over another host that offers the module takes over")
  func othersTakeOver() {
    var machine = opened(hosts: ["shop-1", "shop-2"])
    let host = report(machine)?.summary.host ?? ""
    let other = host == "shop-1" ? "shop-2" : "shop-1"
    machine.take(machine.broker.lost(host, incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    #expect(report(machine)?.isSuspended == true)
    machine.wait(3_001)
    machine.settle()
    #expect(report(machine)?.summary.host == other)
    #expect(report(machine)?.isSuspended == false)
  }

  @Test("N7: a screen that leaves while another host makes it anew: that host is told too, its verdict comes too late")
  func takesOverTooSlowly() {
    var machine = opened(hosts: ["shop-1", "shop-2"])
    machine.open("Detail", txn: "b")
    machine.settle()
    let host = machine.host(of: ScreenID(2))
    let other = host == "shop-1" ? "shop-2" : "shop-1"
    machine.take(machine.broker.lost(host, incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    machine.wait(3_001)
    machine.commit()
    machine.wait(3_000)
    machine.commit()
    let told = machine.actions.compactMap { action -> String? in
      if case .order(let host, .end(_, let departure)) = action { "\(host) \(departure.screen)" } else { nil }
    }
    #expect(told.contains("\(other) s2"), "\(told)")
  }

  @Test("N7: a screen that nobody takes over leaves once, with hostLost")
  func nobodyTakesOver() {
    var machine = opened()
    machine.open("Detail", txn: "b")
    machine.settle()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    machine.wait(3_001)
    machine.settle()
    machine.wait(1_000)
    machine.settle()
    let removed = machine.actions.compactMap { action -> String? in
      guard case .publish(let event, _) = action, case .navigation(let navigation) = event.kind,
        case .removed(let summary, let reason, _, _, _) = navigation.kind
      else { return nil }
      return "\(summary.screen) \(reason.rawValue)"
    }
    #expect(removed.filter { $0.hasPrefix("s2") } == ["s2 hostLost"])
  }

  @Test("A host that kept running through the broker's restart keeps its screens and gets what was on its way again")
  func hostsOutliveTheBroker() throws {
    var first = opened()
    first.request(.act(.id(ScreenID(1)), .tap(row: "more", action: nil)), txn: "t")
    first.commit()
    var second = try Machine(restarting: first, epoch: 2)
    second.register("shop-1", running: [RunningCoordinator(scene: second.identity, screen: ScreenID(1), handled: 0)])
    second.commit()
    let delivered = second.actions.compactMap { action -> UInt32? in
      guard case .order("shop-1", .deliver(_, let delivery, at: _)) = action else { return nil }
      return delivery.message.number
    }
    #expect(delivered.count == 1)
    #expect(!second.actions.contains { if case .resume = $0 { true } else { false } })
    let token = second.turn(ScreenID(1), 1, handled: delivered.first)
    second.settle()
    guard case .turned(let receipt) = second.reply(to: token) else {
      Issue.record("the turn was not taken")
      return
    }
    #expect(receipt.refusal == nil)
  }

  @Test("A host that restarted together with the broker is given its screens again")
  func hostAndBrokerRestart() throws {
    let first = opened()
    var second = try Machine(restarting: first, epoch: 2)
    second.register("shop-1", incarnation: 9)
    second.settle()
    #expect(report(second)?.isSuspended == false)
    #expect(report(second)?.lease == 2)
  }

  @Test("A scene in which nothing is under way says so, while another's records are on their way to the journal")
  func idleBesideOthers() {
    var machine = Machine()
    machine.register("shop-1")
    machine.commit()
    func ghost(_ scene: String) -> CallToken {
      machine.request(.open(Command.Opening(ModuleAddress(name: "Ghost"), unhosted: true)), txn: scene, scene: scene)
    }
    let quiet = ghost("quiet")
    let last = machine.broker.held.last
    let busy = ghost("busy")
    func idle(_ scene: String) -> Int {
      machine.actions.count { if case .publish(let event, _) = $0, event.scene == scene, case .idle = event.kind { true } else { false } }
    }
    machine.take(machine.broker.committed(upTo: last, now: machine.now))
    #expect(machine.reply(to: quiet) != nil && machine.reply(to: busy) == nil)
    #expect(idle("quiet") == 1 && idle("busy") == 0)
    machine.commit()
    #expect(idle("quiet") == 1 && idle("busy") == 1)
  }

  @Test("C07: a host that slept through its lease is told what it holds in vain, and its old turns are refused")
  func sleepersAreToldSo() {
    var machine = opened(hosts: ["shop-1", "shop-2"])
    let host = report(machine)?.summary.host ?? ""
    machine.take(machine.broker.lost(host, incarnation: 1, reason: "silent", pid: 1, now: machine.now))
    machine.wait(3_001)
    machine.settle()
    let stale = TurnReport(screen: ScreenID(1), lease: 1, number: 1, handled: nil)
    machine.take(
      machine.broker.turn(
        TurnSubmission(scene: machine.identity, report: stale, rendering: false), token: 999, node: host, now: machine.now))
    machine.settle()
    guard case .turned(let receipt) = machine.reply(to: 999) else {
      Issue.record("no receipt")
      return
    }
    #expect(receipt.refusal != nil)
    let token = machine.register(
      host, incarnation: 1, running: [RunningCoordinator(scene: machine.identity, screen: ScreenID(1), handled: 0)])
    machine.commit()
    guard case .registered(let forgotten) = machine.reply(to: token) else {
      Issue.record("not registered")
      return
    }
    #expect(forgotten.forgotten.map(\.screen) == [ScreenID(1)])
  }

  @Test("A turn that overtakes its link's verdict waits for it")
  func turnsWaitForTheirVerdict() {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    machine.commit()
    let token = machine.turn(ScreenID(1), 1, handled: nil, state: [1])
    machine.commit()
    #expect(machine.reply(to: token) == nil)
    machine.settle()
    guard case .turned(let receipt) = machine.reply(to: token) else {
      Issue.record("the turn was not taken")
      return
    }
    #expect(receipt.refusal == nil)
    #expect(report(machine)?.state == [1])
  }

  @Test("A turn that comes after its screen was rolled back leaves the scene settled: no rendering follows it")
  func lateTurnsUnsettleNothing() {
    var machine = opened()
    machine.open("Detail", txn: "late")
    machine.commit()
    machine.wait(10_000)
    machine.settle()
    #expect(machine.stack == ["Home"])
    let token = machine.turn(ScreenID(2), 1, handled: nil, state: [1], rendering: true)
    machine.settle()
    guard case .turned(let receipt) = machine.reply(to: token) else {
      Issue.record("the turn was not answered")
      return
    }
    #expect(receipt.refusal?.code == "nav.stale_ref")
    #expect(machine.broker.scenes["main"]?.isSettled == true)
  }

  @Test("Two hosts that offer a module with different schemas cannot both join")
  func schemasMustAgree() {
    var machine = opened()
    let registration = HostRegistration(
      app: "shop", node: "shop-2", endpoint: nil, modules: [ModuleDescription(name: "Home", fingerprint: 7)])
    machine.take(machine.broker.register(registration, incarnation: 1, pid: 1, token: 50, now: machine.now))
    #expect(machine.refusal(of: 50) == "module.schema_conflict")
  }

  @Test("K3: a module of another app comes back with its own host, and no host of the scene's app makes what has the same name")
  func modulesOfOtherApps() throws {
    var machine = opened()
    machine.register("bank-1", app: "bank", incarnation: 2, modules: ["Home"])
    machine.request(.open(Command.Opening(ModuleAddress(app: "bank", name: "Home"))), txn: "b")
    machine.settle()
    #expect(report(machine, 2)?.summary.host == "bank-1")
    machine.take(machine.broker.lost("bank-1", incarnation: 2, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    machine.wait(500)
    machine.register("bank-1", app: "bank", incarnation: 3, modules: ["Home"])
    machine.settle()
    #expect(report(machine, 2)?.isSuspended == false)
    machine.request(.act(.id(ScreenID(2)), .tap(row: "more", action: nil)), txn: "t")
    machine.settle()

    // After the broker's restart what is on its way to it comes again.
    var second = try Machine(restarting: machine, epoch: 2)
    second.register(
      "bank-1", app: "bank", incarnation: 3, modules: ["Home"],
      running: [RunningCoordinator(scene: second.identity, screen: ScreenID(2), handled: 0, lease: 2)])
    second.commit()
    let delivered = second.actions.compactMap { if case .order("bank-1", .deliver(_, let it, at: _)) = $0 { it.screen } else { nil } }
    #expect(delivered == [ScreenID(2)])

    machine.take(machine.broker.lost("bank-1", incarnation: 3, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    machine.wait(3_001)
    machine.settle()
    #expect(report(machine, 2)?.isSuspended != false)
  }

  @Test("K3: when a host's next life is refused, another takes over what the last one ran")
  func refusedLives() {
    var machine = opened(hosts: ["shop-1", "shop-2"])
    #expect(report(machine)?.summary.host == "shop-1")
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    let registration = HostRegistration(
      app: "shop", node: "shop-1", endpoint: nil, modules: [ModuleDescription(name: "Home", fingerprint: 7)])
    machine.take(machine.broker.register(registration, incarnation: 5, pid: 1, token: 50, now: machine.now))
    #expect(machine.refusal(of: 50) == "module.schema_conflict")
    machine.settle()
    #expect(report(machine)?.summary.host == "shop-2")
    #expect(report(machine)?.isSuspended == false)
  }

  @Test("The news that a life is gone is of no concern to the next one")
  func livesAreToldApart() {
    var machine = opened()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.register("shop-1", incarnation: 2)
    let (old, new) = (machine.broker.isCurrent("shop-1", incarnation: 1), machine.broker.isCurrent("shop-1", incarnation: 2))
    #expect(new && !old)
    let stranger = machine.broker.isCurrent("shell", incarnation: 9)
    #expect(stranger, "of others no life is known")
  }

  /// Reports a list of a screen.
  private func show(_ machine: inout Machine, from: UInt64, to version: UInt64) -> Int {
    let screen = ScreenID(1)
    let change = ListEvent(screen: screen, from: from, to: version, counts: ChangeCounts(), computedBy: "in process", changes: [])
    let before = machine.actions.count
    machine.take(
      machine.broker.rendered(
        RenderingReport(
          scene: machine.identity,
          rendering: StampedRendering(screen: screen, version: version, body: [UInt8(truncatingIfNeeded: version)]), change: change,
          answersTurn: false, shown: ShownList(version: version, digest: 7, rows: 2, state: [3])),
        node: machine.host(of: screen), now: machine.now))
    return machine.actions[before...].count { if case .publish(let event, _) = $0, case .list = event.kind { true } else { false } }
  }

  @Test("K3: whoever resumes a screen is told which version of its list viewers have")
  func resumedFromWhatIsShown() {
    var machine = opened(hosts: ["shop-1"])
    #expect(show(&machine, from: 0, to: 1) == 1)
    #expect(show(&machine, from: 1, to: 2) == 1)
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.commit()
    machine.register("shop-1", incarnation: 2)
    machine.commit()
    let orders = machine.actions.compactMap { action -> ResumeOrder? in
      if case .resume(_, let order) = action { order } else { nil }
    }
    #expect(orders.map(\.shown) == [ShownList(version: 2, digest: 7, rows: 2, state: [3])])
  }

  @Test("A list that is reported again neither goes back nor changes twice")
  func repeatedReports() {
    var machine = opened(hosts: ["shop-1"])
    #expect(show(&machine, from: 0, to: 1) == 1)
    #expect(show(&machine, from: 1, to: 2) == 1)
    #expect(show(&machine, from: 1, to: 2) == 0)
    #expect(show(&machine, from: 0, to: 1) == 0)
    #expect(machine.broker.scenes["main"]?.displays.renderings[ScreenID(1)]?.version == 2)
    #expect(show(&machine, from: 0, to: 2) == 1)
  }

  @Test("A scene is settled only when an announced rendering has come")
  func announcedRenderingsAreWaitedFor() {
    var machine = opened()
    _ = machine.turn(ScreenID(1), 1, handled: nil, rendering: true)
    machine.settle()
    #expect(machine.broker.scenes["main"]?.isSettled == false)
    let change = ListEvent(screen: ScreenID(1), from: 0, to: 1, counts: ChangeCounts(inserts: 2), computedBy: "in process", changes: [])
    machine.take(
      machine.broker.rendered(
        RenderingReport(
          scene: machine.identity, rendering: StampedRendering(screen: ScreenID(1), version: 1, body: [1]), change: change,
          answersTurn: true),
        node: machine.host(of: ScreenID(1)), now: machine.now))
    #expect(machine.broker.scenes["main"]?.isSettled == true)
    #expect(machine.actions.contains { if case .publish(let event, _) = $0, case .idle = event.kind { true } else { false } })
  }

  @Test("A scene is not settled before a coordinator that was made has said what it shows: its first turn may ask for something")
  func firstTurnsAreWaitedFor() {
    var machine = Machine()
    machine.register("shop-1", saysFirst: true)
    machine.request(.launch(module: ModuleAddress(name: "Home"), input: []), txn: "a")
    machine.settle()
    #expect(machine.broker.scenes["main"]?.isSettled == false)
    let isIdle = { (action: BrokerAction) in if case .publish(let event, _) = action, case .idle = event.kind { true } else { false } }
    #expect(!machine.actions.contains(where: isIdle))
    machine.take(
      machine.broker.rendered(
        RenderingReport(
          scene: machine.identity, rendering: StampedRendering(screen: ScreenID(1), version: 1, body: []),
          change: ListEvent(screen: ScreenID(1), from: 0, to: 1, counts: ChangeCounts(), computedBy: "in process", changes: []),
          answersTurn: true),
        node: "shop-1", now: machine.now))
    #expect(machine.broker.scenes["main"]?.isSettled == true)
    #expect(machine.actions.contains(where: isIdle))
    // What is opened by a request of its own is there when that is answered.
    machine.open("Detail", txn: "b")
    machine.settle()
    #expect(machine.broker.scenes["main"]?.isSettled == true)
    // One that has left before it has spoken is not waited for.
    machine.request(.launch(module: ModuleAddress(name: "Home"), input: []), txn: "c")
    machine.settle()
    #expect(machine.broker.scenes["main"]?.isSettled == false)
    machine.request(.end, txn: "d")
    machine.settle()
    #expect(machine.broker.scenes["main"] == nil)
  }

  @Test("A snapshot brings the last events along, without a gap, for watchers that missed them (C06)")
  func snapshotsBringRecentEvents() throws {
    var machine = opened(hosts: ["shop-1"])
    for version in 1...400 { _ = show(&machine, from: UInt64(version - 1), to: UInt64(version)) }
    let look = machine.look(renderings: false)
    machine.settle()
    guard case .looked(let snapshot) = machine.reply(to: look) else {
      Issue.record("no snapshot came")
      return
    }
    let recent = try #require(snapshot.recent)
    #expect(recent.count >= 128 && recent.count <= 256)
    #expect(recent.last?.number == snapshot.event)
    #expect(zip(recent, recent.dropFirst()).allSatisfy { $0.number + 1 == $1.number && $1.epoch == snapshot.epoch })
  }

  @Test("The last events of all scenes together are bounded, the oldest going first")
  func recentEventsAreBounded() throws {
    var recents = RecentEvents()
    let slots = (0..<3).map { number in
      SceneSlot(
        identity: SceneIdentity(name: "s\(number)", app: "a", incarnation: 1), state: SceneState(scene: "s", app: "a"),
        now: Moment(milliseconds: 0))
    }
    func keep(_ number: UInt64, _ slot: Int) {
      recents.keep(SceneEvent(scene: "s\(slot)", epoch: 1, number: number, record: 0, at: 0, kind: .idle), of: slots[slot])
    }
    for number in 1...10 as ClosedRange<UInt64> { keep(number, 0) }
    for number in 1...600 as ClosedRange<UInt64> { keep(number, 1) }
    #expect(slots[0].recent.events.map(\.number) == Array(1...10))
    #expect(slots[1].recent.events.map(\.number) == Array(345...600))
    for number in 1...UInt64(RecentEvents.limit - 605) { keep(number, 2) }
    #expect(slots[0].recent.events.map(\.number) == Array(6...10), "five too many of all")
    #expect(slots[1].recent.count == 256)
    for number in 1...700 as ClosedRange<UInt64> { keep(number, 2) }
    #expect(slots[0].recent.events.isEmpty)
    #expect(slots[1].recent.events.isEmpty)
    #expect(slots[2].recent.count == 256)
  }

  @Test("A host whose lease is over is forgotten; what is secret in its modules stays known")
  func lostHostsAreForgotten() {
    var machine = Machine()
    for number in 1...50 {
      machine.register("shop-\(number)", incarnation: UInt64(number))
      machine.commit()
      machine.take(machine.broker.lost("shop-\(number)", incarnation: UInt64(number), reason: "killed", pid: 1, now: machine.now))
      machine.wait(3_001)
      machine.settle()
    }
    #expect(machine.broker.registry.hosts.isEmpty)
    #expect(machine.broker.registry.knows("shop"))
  }
}
