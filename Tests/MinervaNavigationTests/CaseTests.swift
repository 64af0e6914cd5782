import MinervaNavigation
import SceneModels
import Testing

/// The A cases: situations that people have reported of navigation elsewhere, each with its whole input.
@Suite("Real cases of navigation")
struct CaseTests {
  /// A stage whose transitions are shown by a renderer, once a screen stands.
  private func shown(_ modules: String...) -> Stage {
    var stage = Stage()
    for module in modules { stage.open(module) }
    stage.feed(.renderer(.attached(renderer: "phone", takesOver: false)))
    return stage
  }

  /// The renderer has shown the transition with this number.
  private func show(_ transition: UInt64, _ stage: inout Stage) {
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: transition)))
  }

  private func detail(_ id: UInt8) -> Command.Action { .open(Command.Opening(address("Detail"), input: [id])) }

  private func inputs(_ stage: Stage) -> [[UInt8]] {
    (stage.state.stack(.main) ?? []).dropFirst().compactMap { stage.state.screen($0)?.input }
  }

  /// What a coordinator was told of its children's ends.
  private func ends(_ stage: Stage, told id: ScreenID) -> [(child: ScreenID, reason: RemovalReason, result: [UInt8]?)] {
    stage.messages(to: id).compactMap { message in
      guard case .childEnded(let child, _, let reason, let result) = message.body else { return nil }
      return (child, reason, result)
    }
  }

  @Test("A01: the same push twice is two wishes, in the order sent; under one key it is one", arguments: [7, 8] as [UInt8])
  func pushTwice(second: UInt8) {
    var stage = shown("Home")
    stage.ask(detail(7), txn: "a")
    stage.time = stage.time.advanced(by: 5)
    stage.ask(detail(second), txn: "b")
    show(1, &stage)
    show(2, &stage)
    #expect(inputs(stage) == [[7], [second]])

    var keyed = shown("Home")
    keyed.ask(detail(7), txn: "a")
    keyed.ask(detail(7), txn: "a")
    show(1, &keyed)
    let again = keyed.ask(detail(7), txn: "a")
    #expect(inputs(keyed) == [[7]])
    #expect(again?.outcome?.screen == 2)
    let seqs = keyed.answers.filter { $0.txn == "a" }.map(\.seq)
    #expect(seqs.count == 2 && Set(seqs).count == 1)
  }

  @Test(
    "A02: a pop sent before the push has settled follows it; the stack read after each call shows it",
    arguments: 0...3 as ClosedRange<UInt64>)
  func popBeforeSettled(pause: UInt64) {
    var stage = shown("Main")
    stage.ask(opening("List"))
    #expect(stage.stack() == "s1 s2")
    stage.advance(pause)
    stage.ask(.back(count: 1, in: nil), txn: "pop")
    show(1, &stage)
    #expect(stage.stack() == "s1")
    show(2, &stage)
    #expect(stage.removals == ["s2 popped"])
    #expect(stage.answers.last?.txn == "pop")
    #expect(stage.answers.allSatisfy { $0.resolution.refusal == nil })

    let turns = stage.state.screen(1)?.turns ?? 0
    stage.feed(
      .turn(
        TurnReport(
          screen: 1, lease: 1, number: turns + 1, handled: nil, requests: [TurnRequest(opening("One")), TurnRequest(opening("Two"))])))
    for transition in 3...4 as ClosedRange<UInt64> { show(transition, &stage) }
    #expect(stage.stack() == "s1 s3 s4")
  }

  @Test("A03: a flow whose last screen is removed by the navigator is told so and released, 1,000 times; so is what a link rebuilds")
  func removedByTheNavigator() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    let home = stage.open("Shell")
    let before = stage.state.coordinatorCount
    for _ in 0..<1_000 {
      let flow = stage.open("Flow", origin: home)
      stage.ask(.back(count: 1, in: nil))
      #expect(stage.ask(.send(.id(flow), []))?.refusal?.code == "nav.stale_ref")
    }
    #expect(stage.state.coordinatorCount == before)
    #expect(ends(stage, told: home).count == 1_000)
    for number in 0..<1_000 {
      let order = RouteStep(address("Order"), input: [UInt8(number % 2)])
      stage.ask(.follow([RouteStep(address("Orders"), via: .tab("orders")), order]))
    }
    #expect(stage.state.coordinatorCount == before + 2)
    #expect(stage.state.isSettled && stage.state.wakeTime == nil)
    let removed = stage.removals.map { $0.split(separator: " ")[0] }
    #expect(removed.count == 1_999 && Set(removed).count == 1_999)
  }

  @Test("A06: a link to another tab while a modal is up dismisses it, top down; a link to what is covered makes it visible")
  func linkOverModal() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.open("Shell")
    let account = RouteStep(address("Account"), via: .modal(.sheet))
    stage.ask(.follow([account]))
    let profile = stage.open("Profile")
    stage.ask(.follow([account]))
    #expect(stage.removals == ["\(profile) popped"])
    #expect(stage.state.isVisibleTop(3))
    stage.open("Profile")
    stage.ask(.follow([RouteStep(address("Orders"), via: .tab("orders")), RouteStep(address("A"), input: [42])]))
    #expect(stage.removals.dropFirst() == ["s5 dismissed", "s3 dismissed"])
    #expect(stage.state.tree.layers.count == 1)
    #expect(stage.state.activePath.description == "main/orders")
    #expect(stage.state.screen(7)?.input == [42])
  }

  @Test("A07: whoever awaits a screen hears its end once, whatever removes it", arguments: ["set", "replace", "root", "tab"])
  func awaitedScreens(how: String) {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    let home = stage.open("Home")
    let shell = how == "tab" ? stage.open("Shell", origin: home) : home
    let picker = stage.open("Picker", into: how == "tab" ? NavPath("main/home") : nil, origin: home)
    let expected: RemovalReason
    switch how {
    case "set":
      stage.ask(.setStack(.main, [.screen(.id(home)), .module(address("Other"), input: [])]))
      expected = .replaced
    case "replace":
      let second = stage.open("Picker2", via: .replace)
      stage.ask(.finish(.id(second), [5]))
      // One rule: the wait ends at the replacement, and the second picker's result is its own.
      #expect(ends(stage, told: home).map(\.result) == [nil, [5]])
      expected = .replaced
    case "root":
      stage.ask(.backRoot(in: nil))
      expected = .popped
    default:
      stage.ask(.close([.id(shell)]))
      #expect(ends(stage, told: home).map(\.child) == [picker, shell])
      expected = .parentRemoved
    }
    let told = ends(stage, told: home).filter { $0.child == picker }
    #expect(told.map(\.reason) == [expected])
    #expect(told.allSatisfy { $0.result == nil })
  }

  @Test("A09: the root is never removed; what left is named as left, and nothing changes")
  func removingWhatIsNotThere() {
    var stage = Stage()
    stage.open("Root")
    #expect(stage.ask(.dismiss(nil))?.refusal?.code == "nav.not_modal")
    #expect(stage.ask(.back(count: 1, in: nil))?.refusal?.code == "nav.root_protected")
    stage.open("B")
    let last = stage.open("C")
    stage.ask(.back(count: 2, in: nil))
    let state = stage.state
    let refusal = stage.ask(.backTo(.id(last)))?.refusal
    #expect(refusal?.code == "nav.stale_ref")
    #expect(refusal?.details.contains(Refusal.Detail(name: "reason", value: "popped")) == true)
    // `seq` is what an answer itself is recorded as.
    #expect(refusal?.details.map(\.name) == ["screen", "removed", "reason"])
    #expect(stage.state == state)
    #expect(stage.stack() == "s1")
  }

  @Test("A09, P2: what nobody offers after a restart stays, root included, as a placeholder that can be removed; it is said, once")
  func restoredWithoutModule() {
    var stage = Stage()
    stage.catalog["Renamed"] = .accepted(Acceptance(host: "shop-2"))
    stage.open("Renamed")
    stage.open("Home")
    stage.open("Renamed")
    stage.open("Above")
    stage.feed(.hostLost(host: "shop-2"))
    stage.feed(.unclaimed(host: "shop-2"))
    stage.feed(.unclaimed(host: "shop-2"))
    stage.advance(60_000)
    #expect(stage.stack() == "s1 s2 s3 s4")
    #expect(stage.removals == [])
    #expect(stage.said.filter { if case .event(let event) = $0, case .unclaimed = event.kind { true } else { false } }.count == 2)
    #expect([1, 3].map { stage.state.screen(ScreenID($0))?.isUnclaimed } == [true, true])
    #expect(stage.state.screen(1)?.module.name == "Renamed")
    #expect(stage.state.wakeTime == nil, "nothing is tried again for ever")
    #expect(stage.state.isSettled)
    let told = stage.ask(.send(.id(3), Array("{}".utf8)))?.refusal
    #expect(told?.code == "link.no_endpoint" && told?.message.contains("Renamed again since the restart") == true)
    #expect(stage.ask(.close([.id(3)]))?.outcome?.removed.map(\.reason) == [.popped, .popped])
    #expect(stage.open("Home", via: .root) == 5)
    #expect(stage.removals == ["s4 popped", "s3 popped", "s2 replaced", "s1 replaced"])
  }

  @Test("P2: a placeholder goes on under its own name when somebody offers its module, and hears then what it was told meanwhile")
  func claimedLater() {
    var stage = Stage()
    stage.open("Home")
    stage.catalog["Form"] = .accepted(Acceptance(host: "shop-2"))
    let form = stage.open("Form")
    let child = stage.open("Detail", origin: form)
    stage.feed(.turn(TurnReport(screen: form, lease: 1, number: (stage.state.screen(form)?.turns ?? 0) + 1, handled: nil, state: [7])))
    stage.plays = false
    stage.feed(.command(Command(txn: "tap", caller: "test", action: .send(.id(form), []))))
    stage.feed(.hostLost(host: "shop-2"))
    stage.feed(.unclaimed(host: "shop-2"))
    #expect(stage.answers.last?.resolution.refusal?.code == "link.no_endpoint", "who waits is answered")
    #expect(stage.state.isSettled)
    stage.plays = true
    stage.ask(.close([.id(child)]))
    #expect(stage.state.isSettled, "nobody waits for a placeholder")
    stage.plays = false
    let effects = stage.feed(.hostBack(HostReturn(host: "shop-3", kept: false, resuming: [form])))
    guard case .resume(let resumption)? = effects.first else { return #expect(Bool(false)) }
    #expect(resumption.screen == form && resumption.state == [7] && resumption.lease == 2)
    // A host that dies over it leaves the placeholder as it was.
    stage.feed(.hostLost(host: "shop-3"))
    stage.advance(60_000)
    #expect(stage.state.screen(form)?.isUnclaimed == true)
    stage.feed(.hostBack(HostReturn(host: "shop-3", kept: false, resuming: [form])))
    stage.feed(.link(LinkReport(screen: form, lease: 3, verdict: .accepted(Acceptance(host: "shop-3")))))
    #expect(stage.state.screen(form)?.summary.host == "shop-3")
    #expect(stage.state.screen(form)?.isUnclaimed == false)
    guard let told = stage.messages(to: form).last, case .childEnded(child, _, .popped, _) = told.body else { return #expect(Bool(false)) }
    #expect(stage.removals == ["\(child) popped"])
  }

  @Test("A10: a tab selected again changes nothing, with reset it pops to its root; a pop meant for a hidden tab stays there")
  func tabs() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("a", "b")
    stage.open("Shell")
    stage.open("A1")
    let a2 = stage.open("A2")
    let tab = { (name: String, reset: Bool) in Command.Action.selectTab(name: name, of: nil, reset: reset) }
    #expect(stage.ask(tab("a", false))?.outcome?.changed == false)
    stage.ask(tab("b", false))
    stage.open("B1")
    stage.ask(tab("a", false))
    stage.ask(tab("b", false))
    #expect(stage.stack("main/a") == "s2 s3 s4")
    #expect(stage.stack("main/b") == "s5 s6")
    // A2's own wish, while B is shown.
    let turns = stage.state.screen(a2)?.turns ?? 0
    stage.feed(
      .turn(TurnReport(screen: a2, lease: 1, number: turns + 1, handled: nil, requests: [TurnRequest(.back(count: 1, in: nil))])))
    #expect(stage.removals == ["s4 popped"])
    #expect(stage.stack("main/b") == "s5 s6")
    #expect(stage.state.activePath.description == "main/b")
    stage.ask(tab("a", false))
    stage.open("A3")
    #expect(stage.ask(tab("a", true))?.outcome?.removed.map(\.reason) == [.popped, .popped])
  }

  @Test(
    "A12: of two commands that share a gate one runs; each kind of end enables both again with one change",
    arguments: ["value", "error", "cancellation", "host"])
  func sharedGate(end: String) {
    var stage = Stage()
    stage.open("Home")
    func run(_ module: String, _ txn: String) {
      stage.feed(.command(Command(txn: txn, caller: "me", origin: 1, action: opening(module, .modal(.sheet)), gate: "idle")))
    }
    stage.catalog["Accept"] = .accepted(Acceptance(host: "shop-2"))
    if end == "error" { stage.plays = false }
    run("Accept", "accept")
    stage.time = stage.time.advanced(by: 1)
    run("Decline", "decline")
    #expect(stage.answers.first { $0.txn == "decline" }?.resolution.refusal?.code == "command.disabled")
    switch end {
    case "value": stage.ask(.finish(.id(2), [1]))
    case "cancellation": stage.ask(.cancel(.id(2)))
    case "error":
      stage.feed(.link(LinkReport(screen: 2, lease: 1, verdict: .refused(Refusal(code: "module.factory_failed", message: "no")))))
      stage.plays = true
    default:
      stage.feed(.hostLost(host: "shop-2"))
      stage.advance(3_000)
    }
    let changes = stage.events.compactMap { event -> Bool? in
      if case .gate(_, _, _, let isEnabled) = event.kind { isEnabled } else { nil }
    }
    #expect(changes == [false, true])
    run("Decline", "again")
    #expect(stage.answers.first { $0.txn == "again" }?.resolution.outcome?.changed == true)
  }
}

extension SceneState {
  /// Whether a screen is what a person sees on top.
  fileprivate func isVisibleTop(_ id: ScreenID) -> Bool { stack(activePath)?.last == id }
}
