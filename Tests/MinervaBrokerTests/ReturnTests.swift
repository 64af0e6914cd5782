@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

/// Hosts that come back to a broker that has restarted or is still busy: what the simulation found, step by step.
@Suite("Hosts that come back") struct ReturnTests {
  private static let home = ScreenID(1)

  private func opened(hosts: [String] = ["shop-1"]) -> Machine {
    var machine = Machine()
    for host in hosts { machine.register(host, incarnation: host == "shop-1" ? 1 : 2) }
    machine.open("Home", txn: "a")
    machine.settle()
    return machine
  }

  private func running(_ machine: Machine, lease: UInt32 = 1) -> [RunningCoordinator] {
    [RunningCoordinator(scene: machine.identity, screen: Self.home, handled: 0, lease: lease)]
  }

  private func tap(_ machine: inout Machine, _ txn: String) {
    machine.request(.act(.id(Self.home), .tap(row: "more", action: nil)), txn: txn)
  }

  private func delivered(_ machine: Machine) -> [UInt32] {
    machine.actions.compactMap { if case .order(_, .deliver(_, let delivery, at: _)) = $0 { delivery.message.number } else { nil } }
  }

  @Test("K3, N7: messages that waited for a host come in order, also when the last of them is just becoming durable")
  func messagesStayInOrder() throws {
    var first = opened()
    for txn in ["b", "c", "d"] { tap(&first, txn) }
    first.commit()
    var second = try Machine(restarting: first, epoch: 2)
    tap(&second, "e")
    second.register("shop-1", running: running(second))
    #expect(delivered(second) == [])
    second.commit()
    #expect(delivered(second) == [1, 2, 3, 4])
  }

  @Test("K3: a turn of a stale host and the true one of the same number each get their own verdict")
  func verdictsAreNotMixedUp() {
    var machine = opened(hosts: ["shop-1", "shop-2"])
    let (old, new) = ("shop-1", "shop-2")
    #expect(machine.host(of: Self.home) == old)
    machine.take(machine.broker.lost(old, incarnation: 1, reason: "silent", pid: 1, now: machine.now))
    machine.wait(3_001)
    machine.settle()
    #expect(machine.host(of: Self.home) == new)
    let stale = machine.turn(Self.home, 1, lease: 1, handled: nil, state: [1], by: new)
    let good = machine.turn(Self.home, 1, handled: nil, state: [2], by: new)
    machine.commit()
    guard case .turned(let refused) = machine.reply(to: stale), case .turned(let taken) = machine.reply(to: good) else {
      Issue.record("a turn has no verdict")
      return
    }
    #expect(refused.refusal?.code == "bus.stale_epoch")
    #expect(taken.refusal == nil)
    #expect(machine.broker.scenes["main"]?.state.screen(Self.home)?.state == [2])
  }

  @Test("K3: a host's word about a screen that another runs is refused, whatever lease it names")
  func othersDoNotSpeak() {
    var machine = opened(hosts: ["shop-1", "shop-2"])
    let token = machine.turn(Self.home, 1, handled: nil, state: [9], by: "shop-2")
    machine.commit()
    guard case .turned(let receipt) = machine.reply(to: token) else {
      Issue.record("the turn has no verdict")
      return
    }
    #expect(receipt.refusal?.code == "bus.stale_epoch")
    #expect(machine.broker.scenes["main"]?.state.screen(Self.home)?.state == nil)
    let change = ListEvent(screen: Self.home, from: 0, to: 1, counts: ChangeCounts(), computedBy: "", changes: [])
    let rendering = StampedRendering(screen: Self.home, version: 1, body: [1])
    machine.take(
      machine.broker.rendered(
        RenderingReport(scene: machine.identity, rendering: rendering, change: change, answersTurn: false), node: "shop-2",
        now: machine.now))
    #expect(machine.broker.scenes["main"]?.displays.renderings.isEmpty == true)
  }

  @Test("L3: what a host was making goes on there after a restart; whoever else has it forgets it")
  func makersStayTheSame() throws {
    for holder in ["shop-1", "shop-2"] {
      var first = Machine()
      first.register("shop-1")
      first.open("Home", txn: "a")
      first.commit()
      // Its verdict is lost with the broker; the host whose name comes first is not the one that has it.
      var second = try Machine(restarting: first, epoch: 2)
      let other = holder == "shop-1" ? "shop-2" : "shop-1"
      let tokens = [
        second.register(other, incarnation: 8), second.register(holder, incarnation: 9, running: running(second)),
      ]
      second.commit()
      let asked = second.actions.compactMap { if case .connect(let host, _) = $0 { host } else { nil } }
      let forgotten = tokens.flatMap { token in
        if case .registered(let receipt) = second.reply(to: token) { receipt.forgotten.map(\.screen) } else { [] }
      }
      #expect(asked.count == 1)
      // Never two that have it under the same lease.
      #expect((asked == [holder]) == forgotten.isEmpty)
    }
  }

  @Test("K3: a turn that waited for its link's verdict when its host died is not the next life's")
  func deadTurnsAreNotTaken() throws {
    var first = Machine()
    first.register("shop-1")
    first.open("Home", txn: "a")
    first.commit()
    var second = try Machine(restarting: first, epoch: 2)
    second.register("shop-1", running: running(second))
    let dead = second.turn(Self.home, 1, handled: nil, state: [1], by: "shop-1")
    second.take(second.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: second.now))
    #expect(second.refusal(of: dead) == "bus.peer_lost")
    second.register("shop-1", incarnation: 2)
    second.settle()
    #expect(second.stack == ["Home"])
    let living = second.turn(Self.home, 1, handled: nil, state: [2])
    second.commit()
    #expect(second.broker.scenes["main"]?.state.screen(Self.home)?.state == [2])
    guard case .turned(let receipt) = second.reply(to: living) else {
      Issue.record("the turn has no verdict")
      return
    }
    #expect(receipt.refusal == nil)
  }

  @Test("N7: a host that died before it was asked to resume a screen: its next life is not asked for it before it has joined")
  func nextLivesAreAskedThemselves() {
    var machine = opened()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.commit()
    machine.register("shop-1", incarnation: 2)
    machine.take(machine.broker.lost("shop-1", incarnation: 2, reason: "killed", pid: 1, now: machine.now))
    machine.commit()
    #expect(!machine.actions.contains { if case .resume = $0 { true } else { false } })
    machine.register("shop-1", incarnation: 3)
    machine.settle()
    let home = machine.broker.scenes["main"]?.state.screen(Self.home)
    #expect(home?.isSuspended == false)
    #expect(home?.summary.host == "shop-1")
  }

  @Test("N15: a renderer whose process is lost keeps nothing waiting, before and after a restart")
  func lostRenderers() throws {
    var first = opened()
    first.take(
      first.broker.renderer(
        SceneAddress(name: "main"), report: .attached(renderer: "phone", takesOver: false), token: 90, node: "phone-1", now: first.now))
    first.settle()
    #expect(first.broker.scenes["main"]?.state.primaryRenderer == "phone")
    var second = try Machine(restarting: first, epoch: 2)
    first.take(first.broker.lost("phone-1", incarnation: 7, reason: "killed", pid: 1, now: first.now))
    #expect(first.broker.scenes["main"]?.state.primaryRenderer == nil)

    second.wait(900)
    #expect(second.broker.scenes["main"]?.state.primaryRenderer == "phone")
    second.wait(200)
    #expect(second.broker.scenes["main"]?.state.primaryRenderer == nil)
  }

  @Test("K3: a host that has lost one of its coordinators keeps the others as they were", arguments: [false, true])
  func siblingsStay(isSuspended: Bool) {
    var machine = opened()
    tap(&machine, "t")
    machine.commit()
    for txn in ["b", "c"] {
      machine.open("Detail", txn: txn)
      machine.settle()
    }
    if isSuspended { machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "cut", pid: 1, now: machine.now)) }
    machine.commit()
    machine.actions = []
    let running = [1, 3].map { RunningCoordinator(scene: machine.identity, screen: ScreenID($0), handled: 0, lease: 1) }
    machine.register("shop-1", running: running)
    machine.commit()
    let resumed = machine.actions.compactMap { if case .resume(_, let order) = $0 { order.resumption.screen } else { nil } }
    #expect(resumed == [ScreenID(2)])
    #expect(delivered(machine) == [1], "what was on its way to one that is there comes again")
    machine.settle()
    let reports = machine.broker.scenes["main"]?.state.coordinators ?? []
    #expect(reports.map(\.lease) == [1, 2, 1])
    #expect(reports.allSatisfy { !$0.isSuspended })
    #expect(machine.stack == ["Home", "Detail", "Detail"])
  }
}
