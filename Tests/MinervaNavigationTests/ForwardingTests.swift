import MinervaNavigation
import SceneModels
import Testing

/// Links that containers hand on to their active leaf (L4), and layers that go with those who presented them (K6).
@Suite("Containers forward the link (L4)")
struct ForwardingTests {
  /// A stage with a home screen; `Shell` has tabs, the first of which is a split of `List` and `Empty`.
  private func stage() -> Stage {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("pair", "orders")
    stage.catalog["Pair"] = .split("List", "Empty")
    stage.open("Home")
    return stage
  }

  private func opening(_ inputs: (String, [UInt8])...) -> Command.Action {
    var opening = Command.Opening(address("Shell"))
    opening.configuration = inputs.map { Command.ModuleInput(module: $0.0, input: $0.1) }
    return .open(opening)
  }

  private func inputs(_ stage: Stage, _ id: ScreenID) -> [[UInt8]] {
    stage.messages(to: id).compactMap { if case .input(let bytes) = $0.body { bytes } else { nil } }
  }

  @Test("L1, L4: inputs reach the module that is meant, on the way to the active leaf, before the container is presented")
  func inputsForwarded() {
    var stage = stage()
    let place = stage.said.count
    let done = stage.ask(opening(("Empty", [1]), ("Shell", [2]), ("Empty", [3]), ("Pair", [4])))
    #expect(done?.outcome?.screen == 2)
    #expect(stage.state.screen(5)?.module.name == "Empty", "the detail is the active leaf")
    #expect(inputs(stage, 5) == [[1], [3]])
    #expect(inputs(stage, 2) == [[2]])
    #expect(inputs(stage, 3) == [[4]])
    let names = stage.names(since: place)
    let handled = names.lastIndex(of: "screen.turned") ?? .max
    #expect(handled < names.firstIndex(of: "screen.presented") ?? 0, "configured before presented: \(names)")
    #expect(stage.state.isSettled)
  }

  @Test("L3, L4: an input that is refused, or meant for nobody on the way, rolls all back")
  func refused() {
    var stage = stage()
    let hash = stage.state.treeHash
    let nobody = stage.ask(opening(("Orders", [1])))?.refusal
    #expect(nobody?.code == "link.no_endpoint" && nobody?.message.contains("Shell, Pair, Empty") == true)
    stage.plays = false
    stage.feed(.command(Command(txn: "x", caller: "me", action: opening(("Empty", [1]), ("Shell", [2])))))
    let first = stage.state.coordinators.last?.summary.screen.number ?? 0
    func made(_ screen: UInt32) {
      let id = ScreenID(screen)
      let verdict = stage.catalog[stage.state.screen(id)?.module.name ?? ""] ?? .accepted(Acceptance(host: "shop-1"))
      stage.feed(.link(LinkReport(screen: id, lease: 1, verdict: verdict)))
    }
    for screen in first...first + 3 { made(screen) }
    #expect(stage.answers.allSatisfy { $0.txn != "x" }, "it waits until both have been handled")
    let leaf = ScreenID(first + 3)
    let number = stage.messages(to: leaf).last?.number ?? 0
    var turn = TurnReport(screen: leaf, lease: 1, number: 1, handled: number)
    turn.reply = .refused(Refusal(code: "input.invalid", message: "Empty.id: expected integer"))
    stage.feed(.turn(turn))
    #expect(stage.answers.last?.resolution.refusal?.code == "input.invalid")
    #expect(stage.state.treeHash == hash && stage.state.coordinatorCount == 1)
    #expect(stage.state.isSettled)
  }

  @Test("L3: an input that nobody handles ends the opening when its time is over")
  func unhandled() {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    var opening = Command.Opening(address("Form"))
    opening.configuration = [Command.ModuleInput(module: "Form", input: [1])]
    stage.feed(.command(Command(txn: "x", caller: "me", action: .open(opening))))
    stage.feed(.link(LinkReport(screen: 2, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    stage.advance(2_000)
    let refusal = stage.answers.last?.resolution.refusal
    #expect(refusal?.code == "link.timeout" && refusal?.message.contains("was not handled") == true)
    #expect(stage.state.coordinatorCount == 1)
  }

  @Test("L4: what the active leaf tells is heard by its container and by whoever opened that, once each; what another leaf tells is not")
  func outputsForwarded() {
    var stage = stage()
    stage.open("Shell", origin: 1)
    func tells(_ id: ScreenID) {
      let turns = stage.state.screen(id)?.turns ?? 0
      stage.feed(.turn(TurnReport(screen: id, lease: 1, number: turns + 1, handled: nil, outputs: [[7]])))
    }
    func heard(_ id: ScreenID, of child: ScreenID) -> Int {
      stage.messages(to: id).count { if case .childOutput(child, _, _, _) = $0.body { true } else { false } }
    }
    tells(5)
    #expect([heard(1, of: 5), heard(2, of: 5), heard(3, of: 5)] == [1, 0, 1])
    tells(4)
    #expect([heard(1, of: 4), heard(3, of: 4)] == [0, 1])
    tells(2)
    #expect(heard(1, of: 2) == 1)
  }

  @Test("L4: the tab that is selected now is the active leaf, and what it ends with is heard, too; a hidden one is not")
  func selectedLater() {
    var stage = stage()
    stage.open("Shell", origin: 1)
    stage.ask(.selectTab(name: "orders", of: nil, reset: false))
    let orders = ScreenID(6)
    #expect(stage.state.screen(orders)?.module.name == "Orders")
    func tells(_ id: ScreenID, _ ending: ModuleEnding = .none) {
      let turns = stage.state.screen(id)?.turns ?? 0
      stage.feed(.turn(TurnReport(screen: id, lease: 1, number: turns + 1, handled: nil, outputs: [[7]], ending: ending)))
    }
    func heard(_ id: ScreenID) -> [String] {
      stage.messages(to: id).compactMap { message in
        switch message.body {
        case .childOutput(let child, _, _, _): "\(child) told"
        case .childEnded(let child, _, let reason, let result): "\(child) \(reason.rawValue) \(result ?? [])"
        default: nil
        }
      }
    }
    tells(5)
    #expect(heard(1).isEmpty, "it is hidden")
    tells(orders, .finish([9]))
    #expect(heard(1) == ["s6 told", "s6 finished [9]"])
    #expect(heard(2) == ["s6 told", "s6 finished [9]"])
    stage.ask(.selectTab(name: "pair", of: nil, reset: false))
    tells(5, .finish([8]))
    #expect(heard(1).suffix(2) == ["s5 told", "s5 finished [8]"], "the detail of a split, which is empty then")
  }

  @Test("K6: dismissing all that was presented goes through those who presented in turn, and leaves what others presented below")
  func presented() {
    var stage = Stage()
    stage.open("Home")
    stage.open("Sheet", via: .modal(.sheet), origin: 1)
    let list = stage.open("List")
    let upper = stage.open("Upper", via: .modal(.full), origin: list)
    stage.open("Top", via: .modal(.alert), origin: upper)
    #expect(stage.ask(.dismissPresented(.id(list)))?.outcome?.removed.map(\.reason) == [.dismissed, .dismissed])
    #expect(stage.stack("modal[1]") == "s2 s3")
    #expect(stage.ask(.dismissPresented(.id(list)))?.outcome?.changed == false)
    stage.open("Again", via: .modal(.full), origin: list)
    #expect(stage.ask(.dismissPresented(nil), origin: 1)?.outcome?.removed.count == 3)
    #expect(stage.removals == ["s5 dismissed", "s4 dismissed", "s6 dismissed", "s3 dismissed", "s2 dismissed"])
  }

  @Test("K1: a screen stands in one place, under one parent: named twice it is refused")
  func twice() {
    var stage = Stage()
    stage.open("Home")
    let child = stage.open("List")
    #expect(stage.ask(.setStack(.main, [.screen(.id(1)), .screen(.id(child)), .screen(.id(child))]))?.refusal?.code == "nav.duplicate")
    stage.open("Sheet", via: .modal(.sheet))
    let path = NavPath(layer: 1)
    #expect(stage.ask(.setStack(path, [.screen(.id(3)), .screen(.id(child))]))?.refusal?.code == "nav.target_not_found")
    #expect(stage.state.screen(1)?.children.contains(child) == true)
  }
}
