@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import Testing

@Suite("Which screens are seen")
struct SightTests {
  private func opened() -> Machine {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    machine.settle()
    return machine
  }

  /// What hosts were told since the last look, `s1-` for a screen that nobody sees, `s1+` for one that is seen, `!` when it is awaited.
  private func told(_ machine: inout Machine) -> [String] {
    defer { machine.actions = [] }
    return machine.actions.compactMap { action in
      guard case .order(_, .seen(_, let screen, let isSeen, let isAwaited)) = action else { return nil }
      return "\(screen)\(isSeen ? "+" : "-")\(isAwaited ? "!" : "")"
    }
  }

  private func report(_ machine: inout Machine, version: UInt64, isBehind: Bool? = nil) {
    let screen = ScreenID(1)
    let body: [UInt8] = isBehind == nil ? [1] : []
    machine.take(
      machine.broker.rendered(
        RenderingReport(
          scene: machine.identity, rendering: StampedRendering(screen: screen, version: version, body: body),
          change: ListEvent(
            screen: screen, from: version - 1, to: version, counts: ChangeCounts(), computedBy: "in process", changes: []),
          answersTurn: true, isBehind: isBehind), node: machine.host(of: screen), now: machine.now))
  }

  @Test("A host hears when a screen of its is covered and when it is seen again; what was never covered is never told of")
  func covered() {
    var machine = opened()
    #expect(told(&machine) == [])
    machine.open("Detail", txn: "b")
    machine.settle()
    #expect(told(&machine) == ["s1-"])
    machine.open("Detail", txn: "c", via: .modal(.full))
    machine.settle()
    #expect(told(&machine) == ["s2-"])
    machine.request(.close([.id(ScreenID(3))]), txn: "d")
    machine.settle()
    #expect(told(&machine) == ["s2+"])
    machine.request(.close([.id(ScreenID(2))]), txn: "e")
    machine.settle()
    #expect(told(&machine) == ["s1+"])
    #expect(machine.broker.scenes["main"]?.announced == [])
  }

  @Test("A list that kept something newer is waited for when it is seen again: the scene is not settled before it")
  func behind() {
    var machine = opened()
    report(&machine, version: 1)
    machine.open("Detail", txn: "b")
    machine.settle()
    _ = machine.turn(ScreenID(1), 1, handled: nil, state: [1], rendering: true)
    machine.settle()
    #expect(machine.broker.scenes["main"]?.announced == [ScreenID(1)])
    report(&machine, version: 2, isBehind: true)
    // Nobody sees it: nothing is under way.
    #expect(machine.broker.scenes["main"]?.announced == [] && machine.broker.scenes["main"]?.isSettled == true)
    _ = told(&machine)
    machine.request(.close([.id(ScreenID(2))]), txn: "c")
    machine.settle()
    #expect(told(&machine) == ["s1+!"])
    #expect(machine.broker.scenes["main"]?.announced == [ScreenID(1)] && machine.broker.scenes["main"]?.isSettled == false)
    report(&machine, version: 2)
    #expect(machine.broker.scenes["main"]?.announced == [] && machine.broker.scenes["main"]?.displays.renderings[ScreenID(1)]?.version == 2)
  }

  @Test("A host that comes back with its coordinators is told of all its screens; one that resumes them is told of those that nobody sees")
  func hostsComeBack() {
    var machine = opened()
    machine.open("Detail", txn: "b")
    machine.settle()
    _ = told(&machine)
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "cut", pid: 1, now: machine.now))
    machine.commit()
    let running = ([1, 2] as [UInt32]).map { RunningCoordinator(scene: machine.identity, screen: ScreenID($0), handled: 0) }
    machine.register("shop-1", running: running)
    machine.settle()
    #expect(Set(told(&machine)) == ["s1-", "s2+"])
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.commit()
    machine.register("shop-1", incarnation: 2)
    machine.settle()
    #expect(told(&machine) == ["s1-"])
  }
}
