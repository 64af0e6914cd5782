@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import Testing

/// Hosts that come back with so many screens that making them all again takes longer than the lease.
@Suite("Many screens come back") struct MassReturnTests {
  private typealias Resumed = (host: String, order: ResumeOrder)

  /// Scenes with some screens each, on as many hosts as there are apps.
  private func opened(_ count: Int, scenes: [String] = ["main"]) -> Machine {
    var machine = Machine()
    machine.register("shop-1")
    for number in 0..<count {
      machine.request(
        .open(Command.Opening(ModuleAddress(name: "Detail"), via: .push)), txn: "o\(number)", scene: scenes[number % scenes.count])
      machine.settle()
      machine.actions = []
    }
    return machine
  }

  private func lose(_ machine: inout Machine, _ incarnation: UInt64 = 1) {
    machine.take(machine.broker.lost("shop-1", incarnation: incarnation, reason: "killed", pid: 1, now: machine.now))
    machine.commit()
    machine.actions = []
  }

  /// What hosts are asked to make again and were not asked before.
  private func asked(_ machine: inout Machine) -> [Resumed] {
    machine.commit()
    let orders = machine.actions.compactMap { if case .resume(let host, let order) = $0 { (host, order) } else { nil } }
    machine.actions = []
    return orders
  }

  private func accept(_ machine: inout Machine, _ resumed: Resumed) {
    let verdict = LinkVerdict.accepted(Acceptance(host: resumed.host))
    machine.take(machine.broker.resumed(resumed.order, at: resumed.host, verdict, now: machine.now))
    machine.commit()
  }

  private func reports(_ machine: Machine) -> [ScreenReport] { machine.broker.scenes.values.flatMap { $0.state.coordinators } }

  @Test(
    "K3: 2,100 screens are made again in more than the lease, a window at a time, and none leaves", arguments: [["main"], ["a", "b", "c"]])
  func allComeBack(scenes: [String]) {
    let count = 2_100
    var machine = opened(count, scenes: scenes)
    lose(&machine)
    machine.wait(500)
    machine.register("shop-1", incarnation: 2)
    let begin = machine.now
    var underWay: [Resumed] = []
    var made = 0
    while true {
      underWay += asked(&machine)
      #expect(underWay.count <= ResumeLane.window)
      guard !underWay.isEmpty else { break }
      machine.wait(10)
      accept(&machine, underWay.removeFirst())
      made += 1
    }
    #expect(made == count)
    #expect(machine.now - begin > 3 * 3_250)
    #expect(reports(machine).count == count)
    #expect(reports(machine).allSatisfy { !$0.isSuspended && $0.lease == 2 })
    machine.wait(60_000)
    machine.commit()
    #expect(reports(machine).count == count, "no lease is left over")
  }

  @Test("K3: a host that comes back and hangs loses what it has not made, a lease after its last word and not before")
  func hangs() {
    var machine = opened(400)
    lose(&machine)
    machine.register("shop-1", incarnation: 2)
    let first = asked(&machine)
    for resumed in first.prefix(40) {
      machine.wait(50)
      accept(&machine, resumed)
    }
    _ = asked(&machine)
    machine.wait(2_999)
    machine.settle()
    #expect(reports(machine).count == 400)
    machine.wait(1)
    machine.settle()
    #expect(reports(machine).count == 40)
    #expect(!machine.broker.scenes.values.contains { $0.links.isUnderWay })
    // Whatever it still makes of them, it is told to end.
    machine.actions = []
    accept(&machine, first[40])
    #expect(machine.actions.contains { if case .order("shop-1", .end) = $0 { true } else { false } })
    #expect(asked(&machine).isEmpty)
  }

  @Test("K3: a screen that its host cannot bring to an end leaves, though the host goes on with others")
  func oneHangs() {
    var machine = opened(600)
    lose(&machine)
    machine.register("shop-1", incarnation: 2)
    var underWay = asked(&machine)
    let stuck = underWay.removeLast().order.resumption.screen
    while !underWay.isEmpty {
      machine.wait(20)
      accept(&machine, underWay.removeFirst())
      underWay += asked(&machine)
    }
    #expect(machine.broker.scenes["main"]?.state.screen(stuck)?.isSuspended ?? true)
    // Long before the host has been silent for a lease.
    machine.wait(1_500)
    machine.settle()
    #expect(machine.broker.scenes["main"]?.state.screen(stuck) == nil)
    #expect(reports(machine).allSatisfy { !$0.isSuspended })
  }

  @Test("K3: a host that dies once more while it makes them leaves them the time that they had, and its next life goes on")
  func diesAgain() {
    var machine = opened(500)
    lose(&machine)
    machine.register("shop-1", incarnation: 2)
    var underWay = asked(&machine)
    for _ in 0..<200 {
      machine.wait(20)
      accept(&machine, underWay.removeFirst())
      underWay += asked(&machine)
    }
    #expect(machine.now.milliseconds > 4_000, "the first lease is over")
    lose(&machine, 2)
    // Late words of the life before are nothing to the next.
    machine.register("shop-1", incarnation: 3)
    for resumed in underWay { machine.take(machine.broker.resumed(resumed.order, at: "shop-1", .lost(host: "shop-1"), now: machine.now)) }
    machine.settle()
    #expect(reports(machine).count == 500)
    #expect(reports(machine).allSatisfy { !$0.isSuspended })
  }

  @Test("K3: what nobody makes again leaves at the end of its lease, beside what is being made")
  func othersLeave() {
    var machine = Machine()
    machine.register("shop-1", modules: ["Home", "Detail"])
    for number in 0..<300 {
      machine.open(number % 3 == 0 ? "Home" : "Detail", txn: "o\(number)")
      machine.settle()
      machine.actions = []
    }
    lose(&machine)
    // Its next life offers less: stacks lose what stands above, so those are last.
    machine.register("shop-1", incarnation: 2, modules: ["Home"])
    var underWay = asked(&machine)
    #expect(underWay.allSatisfy { $0.order.resumption.module.name == "Home" })
    machine.wait(3_000)
    accept(&machine, underWay.removeFirst())
    machine.wait(249)
    #expect(reports(machine).count == 300)
    machine.wait(1)
    machine.commit()
    let left = reports(machine)
    #expect(left.allSatisfy { $0.summary.module == "Home" })
    #expect(!left.isEmpty)
  }
}
