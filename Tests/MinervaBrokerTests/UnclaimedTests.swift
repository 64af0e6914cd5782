@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

/// Screens whose modules nobody offers: after a restart they stay as placeholders (P2), in life they leave (K3).
@Suite("Screens that nobody claims")
struct UnclaimedTests {
  private func opened() -> Machine {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    machine.settle()
    machine.open("Detail", txn: "b")
    machine.settle()
    machine.open("Home", txn: "c")
    machine.settle()
    return machine
  }

  private func report(_ machine: Machine, _ screen: UInt32) -> ScreenReport? {
    machine.broker.scenes["main"]?.state.screen(ScreenID(screen))
  }

  private func unclaimed(_ machine: Machine) -> [UInt32] {
    (machine.broker.scenes["main"]?.state.coordinators ?? []).filter(\.isUnclaimed).map(\.summary.screen.number)
  }

  private func removals(_ machine: Machine) -> [String] {
    machine.actions.compactMap { action -> String? in
      guard case .publish(let event, _) = action, case .navigation(let navigation) = event.kind,
        case .removed(let summary, let reason, _, _, _) = navigation.kind
      else { return nil }
      return "\(summary.screen) \(reason.rawValue)"
    }
  }

  @Test("P2: after a restart whatever nobody offers is a placeholder, in the middle of a stack and as root; it can be removed")
  func restarted() throws {
    var machine = try Machine(restarting: opened(), epoch: 2)
    machine.register("shop-2", modules: ["Other"])
    machine.settle()
    for _ in 0..<20 {
      machine.wait(1_000)
      machine.settle()
    }
    #expect(machine.stack == ["Home", "Detail", "Home"])
    #expect(unclaimed(machine) == [1, 2, 3])
    #expect(removals(machine) == [])
    #expect(machine.broker.scenes["main"].map(machine.broker.isSettled) == true)
    #expect(machine.broker.nextAlarm == nil, "nothing is tried again for ever")
    let tapped = machine.request(.act(.id(ScreenID(3)), .tap(row: "r", action: nil)), txn: "d")
    machine.settle()
    #expect(machine.refusal(of: tapped) == "link.no_endpoint")
    machine.request(.close([.id(ScreenID(2))]), txn: "e")
    machine.settle()
    #expect(removals(machine) == ["s3 popped", "s2 popped"])
    machine.open("Other", txn: "f", via: .root)
    machine.settle()
    #expect(machine.stack == ["Other"])
    #expect(removals(machine) == ["s3 popped", "s2 popped", "s1 replaced"])
  }

  @Test("P2: placeholders go on under their own names when a host comes that offers their modules, however late")
  func late() throws {
    var machine = try Machine(restarting: opened(), epoch: 2)
    machine.wait(60_000)
    machine.settle()
    #expect(unclaimed(machine) == [1, 2, 3])
    machine.register("shop-7", modules: ["Detail"])
    machine.settle()
    #expect(unclaimed(machine) == [1, 3])
    #expect(report(machine, 2)?.summary.host == "shop-7")
    machine.register("shop-1")
    machine.settle()
    #expect(unclaimed(machine) == [])
    #expect(machine.stack == ["Home", "Detail", "Home"])
    #expect(report(machine, 2)?.summary.host == "shop-7")
    #expect(removals(machine) == [])
  }

  @Test("P2: a host that was too slow for a placeholder once is asked again while it is there, and not for ever")
  func tooSlow() throws {
    var machine = try Machine(restarting: opened(), epoch: 2)
    machine.wait(60_000)
    machine.settle()
    machine.register("shop-7", modules: ["Detail"])
    machine.commit()
    func asked() -> [ResumeOrder] { machine.actions.compactMap { if case .resume("shop-7", let order) = $0 { order } else { nil } } }
    /// The host says nothing until its time is over.
    func miss() throws {
      let order = try #require(asked().last)
      for _ in 0..<15 {
        machine.wait(1_000)
        machine.commit()
      }
      #expect(unclaimed(machine) == [1, 2, 3])
      machine.take(machine.broker.resumed(order, at: "shop-7", nil, now: machine.now))
      machine.commit()
    }
    try miss()
    #expect(asked().count == 2)
    #expect(unclaimed(machine) == [1, 3], "it is being made again")
    for _ in 0..<8 { try miss() }
    #expect(asked().count == 6)
    machine.register("shop-8", modules: ["Detail"])
    machine.settle()
    #expect(unclaimed(machine) == [1, 3])
  }

  @Test("P2: a host that comes back after a restart without a module leaves that one alone as a placeholder")
  func withoutOne() throws {
    var machine = try Machine(restarting: opened(), epoch: 2)
    machine.register("shop-1", incarnation: 2, modules: ["Home"])
    machine.settle()
    machine.wait(60_000)
    machine.settle()
    #expect(unclaimed(machine) == [2])
    #expect(report(machine, 1)?.isSuspended == false && report(machine, 3)?.isSuspended == false)
    #expect(removals(machine) == [])
    // It lives again, and dies: now that is a death in life.
    machine.take(machine.broker.lost("shop-1", incarnation: 2, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    machine.wait(3_001)
    machine.settle()
    machine.wait(1_000)
    machine.settle()
    #expect(removals(machine).filter { $0.hasPrefix("s3") } == ["s3 hostLost"])
  }

  @Test("P2: what was suspended when the broker restarted is awaited anew, and is a placeholder then")
  func suspendedBefore() throws {
    var first = opened()
    first.take(first.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: first.now))
    first.settle()
    first.wait(2_900)
    first.settle()
    var machine = try Machine(restarting: first, epoch: 2)
    for _ in 0..<20 {
      machine.wait(500)
      machine.settle()
    }
    #expect(removals(machine) == [])
    #expect(unclaimed(machine) == [1, 2, 3])
    machine.register("shop-1", incarnation: 2)
    machine.settle()
    #expect(unclaimed(machine) == [])
    #expect(machine.stack == ["Home", "Detail", "Home"])
  }
}
