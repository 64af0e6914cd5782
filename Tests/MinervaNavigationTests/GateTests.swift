import MinervaNavigation
import SceneModels
import Testing

@Suite("Presentation gates")
struct GateTests {
  /// Executes a command of a coordinator that opens a module.
  private func execute(_ gate: String, _ module: String, _ stage: inout Stage, origin: ScreenID? = 1, txn: String) {
    stage.feed(
      .command(Command(txn: txn, caller: "me", origin: origin, action: opening(module, .modal(.sheet)), gate: gate)))
  }

  private func changes(_ stage: Stage) -> [String] {
    stage.events.compactMap {
      if case .gate(let name, _, _, let isEnabled) = $0.kind { "\(name) \(isEnabled ? "on" : "off")" } else { nil }
    }
  }

  private func refusal(_ stage: Stage, _ txn: String) -> String? {
    stage.answers.last { $0.txn == txn }?.resolution.refusal?.code
  }

  @Test("C1: disabled from admission until the presented screen is removed, not merely starting to leave")
  func untilRemoved() {
    var stage = Stage()
    stage.open("Home")
    stage.feed(.renderer(.attached(renderer: "phone", takesOver: false)))
    execute("edit", "Edit", &stage, txn: "a")
    #expect(changes(stage) == ["edit off"], "from admission on")
    execute("edit", "Edit", &stage, txn: "b")
    #expect(refusal(stage, "b") == "command.disabled")
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 1)))
    stage.ask(.dismiss(nil))
    #expect(stage.state.takenGates(of: 1) == ["edit"])
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 2)))
    #expect(changes(stage) == ["edit off", "edit on"])
    #expect(stage.state.takenGates(of: 1) == [])
  }

  @Test("C2: executing what is disabled does nothing and leaves no record")
  func disabled() {
    var stage = Stage()
    stage.open("Home")
    execute("edit", "Edit", &stage, txn: "a")
    let state = stage.state
    execute("edit", "Edit", &stage, txn: "b")
    #expect(refusal(stage, "b") == "command.disabled")
    #expect(stage.state == state)
    execute("edit", "Edit", &stage, origin: 2, txn: "c")
    #expect(refusal(stage, "c") == nil, "another coordinator's command of the same name is another command")
  }

  @Test("C4, A12: of two that share a gate one runs; every kind of end enables both again, with one change each")
  func sharedGate() {
    var stage = Stage()
    stage.open("Home")
    stage.catalog["Bad"] = .refused(Refusal(code: "module.factory_failed", message: "no"))
    execute("answer", "Bad", &stage, txn: "fails")
    execute("answer", "Accept", &stage, txn: "accept")
    execute("answer", "Decline", &stage, txn: "decline")
    #expect(refusal(stage, "decline") == "command.disabled")
    stage.ask(.finish(.id(3), [1]))
    execute("answer", "Decline", &stage, txn: "again")
    stage.ask(.cancel(.id(4)))
    execute("answer", "Slow", &stage, txn: "slow")
    stage.ask(.close([.id(5)]))
    #expect(changes(stage) == [String](repeating: "answer off", count: 4).flatMap { [$0, "answer on"] })
  }

  @Test("C1: a gate is freed when its holder dies, or its request times out")
  func holderDies() {
    var stage = Stage()
    stage.open("Home")
    stage.open("List")
    execute("edit", "Edit", &stage, origin: 2, txn: "a")
    stage.ask(.close([.id(2)]))
    #expect(stage.state.takenGates(of: 2) == [])
    stage.plays = false
    execute("edit", "Edit", &stage, origin: nil, txn: "b")
    stage.advance(2000)
    #expect(refusal(stage, "b") == "link.timeout")
    #expect(stage.state.takenGates(of: nil) == [])
    #expect(changes(stage).count == 4)
  }

  @Test("C1, N3: a command that joins another's open is disabled until the shared screen is removed, or its deadline")
  func joins() {
    func join(_ txn: String, _ caller: String, _ stage: inout Stage, deadline: UInt32? = nil) {
      stage.feed(
        .command(
          Command(txn: txn, caller: caller, action: opening("Edit", .modal(.sheet)), policy: .join, deadline: deadline, gate: "edit")))
    }
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    join("first", "me", &stage)
    join("second", "you", &stage)
    join("short", "they", &stage, deadline: 10)
    #expect(stage.state.takenGates(of: nil).count == 3)
    stage.advance(20)
    #expect(refusal(stage, "short") == "nav.timeout")
    #expect(stage.state.takenGates(of: nil).count == 2)
    stage.feed(.link(LinkReport(screen: 2, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    #expect(stage.answers.filter { ["first", "second"].contains($0.txn) }.map { $0.resolution.outcome?.screen } == [2, 2])
    for caller in ["me", "you"] {
      join("again of \(caller)", caller, &stage)
      #expect(refusal(stage, "again of \(caller)") == "command.disabled")
    }
    stage.ask(.dismiss(nil))
    #expect(stage.state.takenGates(of: nil) == [])
    #expect(changes(stage).count == 6)
  }

  @Test("C4: a gate that a gesture took is free when the gesture ends, either way", arguments: [.commit, .cancel] as [Command.GestureStep])
  func gestures(end: Command.GestureStep) {
    var stage = Stage()
    stage.open("Home")
    stage.open("List")
    stage.feed(.command(Command(txn: "g", caller: "me", action: .gesture(.back, .begin), gate: "edit")))
    #expect(stage.state.takenGates(of: nil) == ["edit"])
    stage.ask(.gesture(.back, end))
    #expect(changes(stage) == ["edit off", "edit on"])
    #expect(stage.state.takenGates(of: nil) == [])
  }

  @Test("C1, K3: whoever makes a coordinator again is told which of its commands are under way, and what frees each")
  func heldGates() {
    var stage = Stage()
    stage.open("Home")
    stage.feed(
      .turn(
        TurnReport(
          screen: 1, lease: 1, number: 1, handled: nil,
          requests: [
            TurnRequest(opening("Edit", .modal(.sheet)), gate: "edit"), TurnRequest(opening("Slow", .push), gate: "answer"),
          ])))
    #expect(stage.state.takenGates(of: 1).contains("edit"))
    stage.plays = false
    stage.feed(
      .turn(
        TurnReport(
          screen: 1, lease: 1, number: stage.state.screen(1).map { $0.turns + 1 } ?? 0, handled: nil,
          requests: [TurnRequest(opening("Late", .modal(.sheet)), gate: "late")])))
    let key = RequestKey(screen: 1, turn: stage.state.screen(1)?.turns ?? 0, index: 0)
    stage.feed(.hostLost(host: "shop-1"))
    let effects = stage.feed(.hostBack(HostReturn(host: "shop-1", kept: false, resuming: [1])))
    let gates = effects.compactMap { if case .resume(let resumption) = $0 { resumption.gates } else { nil } }.first
    #expect(gates?.first { $0.name == "edit" }?.screen == 2)
    #expect(gates?.first { $0.name == "late" }?.request == key)
    // Executed again meanwhile, it is refused here, whatever its host believes.
    #expect(stage.state.takenGates(of: 1).filter { $0 == "edit" }.count == 1)
  }
}
