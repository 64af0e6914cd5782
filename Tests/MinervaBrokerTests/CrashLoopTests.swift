@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Testing

/// A message that takes its host down each time is not delivered for ever.
@Suite("Handlers that take their host down")
struct CrashLoopTests {
  private var machine = Machine()

  init() {
    machine.register("shop-1")
    machine.open("Home", txn: "a", via: .root)
    machine.settle()
    machine.open("Detail", txn: "b")
    machine.settle()
  }

  private mutating func tap(_ screen: UInt32, _ txn: String) -> CallToken {
    let token = machine.request(.act(.id(ScreenID(screen)), .tap(row: "more", action: nil)), txn: txn)
    machine.settle()
    return token
  }

  private mutating func die(_ incarnation: UInt64) {
    machine.take(machine.broker.lost("shop-1", incarnation: incarnation, reason: "signal 5", pid: 1, now: machine.now))
    machine.settle()
    machine.register("shop-1", incarnation: incarnation + 1)
    machine.settle()
  }

  @Test("N15, K3: a request in hand when its host dies for the third time is refused, and the coordinator goes on without it")
  mutating func refused() {
    let token = tap(2, "c")
    for incarnation in 1...2 as ClosedRange<UInt64> {
      die(incarnation)
      #expect(machine.reply(to: token) == nil, "it is delivered again")
    }
    die(3)
    #expect(machine.refusal(of: token) == "app.crashed")
    #expect(machine.stack == ["Home", "Detail"])
    #expect(machine.broker.scenes["main"]?.state.coordinators.allSatisfy { !$0.isSuspended && $0.unhandled == 0 } == true)
    // What it does next is counted anew.
    let next = tap(2, "d")
    die(4)
    #expect(machine.reply(to: next) == nil)
    _ = machine.turn(ScreenID(2), 1, handled: 2)
    machine.settle()
    guard case .answered? = machine.reply(to: next) else {
      Issue.record("the next request is not answered")
      return
    }
  }

  /// The host's link is lost five times, and the same life is back each time.
  private mutating func loseLinks(awaiting token: CallToken) {
    for _ in 1...5 {
      machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "silent", pid: 1, now: machine.now))
      machine.settle()
      machine.register("shop-1", running: [1, 2].map { RunningCoordinator(scene: machine.identity, screen: ScreenID($0), handled: 0) })
      machine.settle()
      #expect(machine.reply(to: token) == nil)
    }
  }

  @Test("N15, K3: a host that is back with its handler at work was not dead, however often its link was lost: the handler's turn counts")
  mutating func linkLost() {
    let token = tap(2, "c")
    loseLinks(awaiting: token)
    _ = machine.turn(ScreenID(2), 1, handled: 1, state: [7])
    machine.settle()
    guard case .answered? = machine.reply(to: token) else {
      Issue.record("the request is not answered")
      return
    }
    #expect(machine.broker.scenes["main"]?.state.screen(ScreenID(2))?.state == [7])
    // Nor do such losses count when it dies later.
    let next = tap(2, "d")
    loseLinks(awaiting: next)
    for incarnation in 1...2 as ClosedRange<UInt64> { die(incarnation) }
    #expect(machine.reply(to: next) == nil)
  }

  @Test("N15: the third death counts as well when another host takes the screen over")
  mutating func takenOver() {
    let token = tap(2, "c")
    for incarnation in 1...2 as ClosedRange<UInt64> { die(incarnation) }
    machine.register("shop-2", incarnation: 50)
    machine.settle()
    machine.take(machine.broker.lost("shop-1", incarnation: 3, reason: "signal 5", pid: 1, now: machine.now))
    machine.settle()
    #expect(machine.reply(to: token) == nil, "it may be back")
    machine.wait(3_001)
    machine.settle()
    #expect(machine.refusal(of: token) == "app.crashed")
    #expect(machine.broker.scenes["main"]?.state.screen(ScreenID(2))?.summary.host == "shop-2")
  }

  @Test("N15: a request that is handled between two deaths starts the count again")
  mutating func handledBetween() {
    for round in 1...6 as ClosedRange<UInt64> {
      let token = tap(2, "t\(round)")
      die(round)
      #expect(machine.reply(to: token) == nil)
      _ = machine.turn(ScreenID(2), UInt32(round), handled: UInt32(round))
      machine.settle()
      guard case .answered? = machine.reply(to: token) else {
        Issue.record("round \(round) is not answered")
        return
      }
    }
  }

  @Test("N7: what a coordinator is told of its children is delivered however often its host dies")
  mutating func children() {
    machine.request(.back(count: 1, in: nil), txn: "c")
    machine.settle()
    let unhandled = machine.broker.scenes["main"]?.state.coordinators.first?.unhandled
    for incarnation in 1...6 as ClosedRange<UInt64> { die(incarnation) }
    #expect(unhandled ?? 0 > 0)
    #expect(machine.broker.scenes["main"]?.state.coordinators.first?.unhandled == unhandled)
  }
}
