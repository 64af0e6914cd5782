@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

extension Machine {
  /// Lets the clock go on by a step, as an asker does who has seen every event.
  mutating func advance(
    due: Int64? = nil, bound: Int64? = nil, txn: String? = nil, passesLeases: Bool = false, isForced: Bool = false, behind: UInt64 = 0
  ) throws -> ClockReading {
    let seen = (broker.scenes["main"]?.events ?? 0) - behind
    let step = ClockStep(
      scene: SceneAddress(), due: due, bound: bound, event: seen, txn: txn, passesLeases: passesLeases, isForced: isForced)
    let (moment, reading, new) = try broker.advance(step, now: now)
    now = moment
    take(new)
    return reading
  }

  mutating func attach(_ renderer: String) {
    take(
      broker.renderer(
        SceneAddress(), report: .attached(renderer: renderer, takesOver: false), token: 9_000, node: "shell", now: now))
  }
}

/// A clock that goes on only when it is let, and never past something that is due (D3).
@Suite("Virtual clocks") struct ClockTests {
  private func started() -> Machine {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    machine.settle()
    return machine
  }

  @Test("D3: time stands still while a module is being made or a record is not durable")
  func standsWhileBusy() throws {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    #expect(try machine.advance() == ClockReading(at: 0, verdict: .busy))
    machine.commit()
    #expect(try machine.advance().verdict == .busy)
    machine.settle()
    #expect(try machine.advance() == ClockReading(at: 0, verdict: .rests))
  }

  @Test("D3: a message that nobody has handled keeps time where it is, unless it is forced on: then the deadline comes (N15)")
  func standsWhileHandled() throws {
    var machine = started()
    let tap = machine.request(.act(.id(ScreenID(1)), .tap(row: "more", action: nil)), txn: "b")
    machine.commit()
    #expect(try machine.advance().verdict == .busy)
    #expect(try machine.advance(isForced: true) == ClockReading(at: 5_000, verdict: .moved))
    machine.commit()
    #expect(machine.refusal(of: tap) == "nav.timeout")
  }

  @Test("D3, N15: time goes to the renderer's second, and to no stale deadline behind it")
  func goesToTheNextTimer() throws {
    var machine = started()
    machine.attach("shell")
    machine.commit()
    let open = machine.open("Detail", txn: "b")
    machine.settle()
    #expect(machine.reply(to: open) == nil)
    #expect(try machine.advance(txn: "b") == ClockReading(at: 1_000, verdict: .moved))
    machine.settle()
    guard case .answered? = machine.reply(to: open) else { Issue.record("not answered"); return }
    // The request's own deadline lies at 5 s, and means nothing any more.
    #expect(try machine.advance() == ClockReading(at: 1_000, verdict: .rests))
    #expect(try machine.advance(txn: "b").verdict == .answered)
  }

  @Test("D3: a scene that is over holds no moment at which the clock stops")
  func endedScenes() throws {
    var machine = started()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Home"), via: .root)), txn: "b", scene: "other")
    machine.commit()
    #expect(machine.broker.scenes["other"]?.state.wakeTime != nil, "a module is being made")
    machine.request(.end, txn: "c", scene: "other")
    machine.settle()
    #expect(machine.broker.scenes["other"] == nil)
    #expect(try machine.advance() == ClockReading(at: 0, verdict: .rests))
  }

  @Test("D3: the asker's own moment comes first when it is earlier, and nothing happens beyond the bound")
  func ownMoments() throws {
    var machine = started()
    machine.attach("shell")
    machine.commit()
    machine.open("Detail", txn: "b")
    machine.settle()
    #expect(try machine.advance(bound: 999) == ClockReading(at: 0, verdict: .rests))
    #expect(try machine.advance(due: 300) == ClockReading(at: 300, verdict: .moved))
    #expect(try machine.advance(due: 2_000) == ClockReading(at: 1_000, verdict: .moved))
    machine.settle()
    #expect(try machine.advance(due: 2_000, bound: 2_000) == ClockReading(at: 2_000, verdict: .moved))
  }

  @Test("D3: whoever has not seen every event does not let time pass")
  func knowsAll() throws {
    var machine = started()
    machine.attach("shell")
    machine.commit()
    machine.open("Detail", txn: "b")
    machine.settle()
    #expect(try machine.advance(behind: 1).verdict == .behind)
  }

  @Test("D3, K3: the lease of a lost host runs out only when time is asked to pass, and then at its moment")
  func leases() throws {
    var machine = started()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "gone", pid: 1, now: machine.now))
    machine.commit()
    #expect(try machine.advance(bound: 60_000).verdict == .busy)
    var reading = try machine.advance(bound: 60_000, passesLeases: true)
    #expect(reading == ClockReading(at: 3_000, verdict: .moved))
    machine.settle()
    reading = try machine.advance(bound: 60_000, passesLeases: true)
    #expect(reading.at == 3_000 + machine.broker.settings.takeover)
    machine.settle()
    #expect(machine.broker.scenes["main"]?.state.waitsForTime(lostHostsAside: false) == true)
    #expect(machine.processes.contains("expired shop-1"))
  }

  @Test("D3, K3: a coordinator is woken at its own moment, once, also by a host that has resumed it meanwhile")
  func wakes() throws {
    var machine = started()
    func wish(_ number: UInt32, _ wakes: [TurnWake], _ machine: inout Machine) {
      let report = TurnReport(screen: ScreenID(1), lease: 1, number: number, handled: nil, wakes: wakes)
      machine.take(
        machine.broker.turn(
          TurnSubmission(scene: machine.identity, report: report, rendering: false), token: 9_100 + UInt64(number), node: "shop-1",
          now: machine.now))
      machine.settle()
    }
    func woken(_ machine: Machine) -> [String] {
      machine.actions.compactMap { action in
        if case .order(_, .deliver(_, let delivery, at: _)) = action, case .timer(let name) = delivery.message.body { name } else { nil }
      }
    }
    wish(1, [TurnWake(name: "late", after: 900), TurnWake(name: "soon", after: 400), TurnWake(name: "never", after: 500)], &machine)
    wish(2, [TurnWake(name: "never", after: nil), TurnWake(name: "late", after: 700)], &machine)
    #expect(try machine.advance() == ClockReading(at: 400, verdict: .moved))
    machine.settle()
    #expect(woken(machine) == ["soon"])
    // Until it has been handled, nothing else is.
    #expect(try machine.advance().verdict == .busy)
    _ = machine.turn(ScreenID(1), 3, handled: 1)
    machine.settle()
    // The broker is killed: the other wish is in its journal.
    var second = try Machine(restarting: machine, epoch: 2)
    second.register("shop-1", running: [RunningCoordinator(scene: second.identity, screen: ScreenID(1), handled: 1, lease: 1)])
    second.settle()
    #expect(try second.advance() == ClockReading(at: 700, verdict: .moved))
    second.settle()
    #expect(woken(second) == ["late"])
  }
}
