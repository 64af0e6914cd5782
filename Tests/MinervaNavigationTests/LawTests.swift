import MinervaNavigation
import SceneModels
import Testing

@Suite("The transition law")
struct LawTests {
  /// A stage on which nothing is answered by itself and a renderer shows every transition.
  private func shown(_ modules: String...) -> Stage {
    var stage = Stage()
    for module in modules { stage.open(module) }
    stage.feed(.renderer(.attached(renderer: "phone", takesOver: false)))
    return stage
  }

  /// The numbers of the transitions that a renderer was given.
  private func transitions(_ stage: Stage) -> [UInt64] {
    stage.said.compactMap { if case .render(let transition) = $0 { transition.number } else { nil } }
  }

  @Test("N1, N6: the phases of a screen are published in one order, removed is the last")
  func phases() {
    var stage = shown("Home")
    let place = stage.said.count
    stage.ask(opening("List"))
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 1)))
    stage.ask(.back(count: 1, in: nil))
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 2)))
    #expect(
      stage.names(since: place).filter { $0 != "screen.turned" } == [
        "request.admitted", "screen.connecting", "screen.presenting", "screen.presented", "request.settled",
        "request.admitted", "screen.dismissing", "screen.removed", "request.settled",
      ])
    #expect(stage.events.map(\.number) == Array(1...UInt64(stage.events.count)))
  }

  @Test("N2, A01: the same txn again gives the first answer and does nothing else")
  func txn() {
    var stage = Stage()
    stage.open("Home")
    let first = stage.ask(opening("Detail"), txn: "x")
    let state = stage.state
    let second = stage.ask(opening("Detail"), txn: "x")
    #expect(first == second)
    #expect(stage.state == state)
    #expect(stage.stack() == "s1 s2")
  }

  @Test("N2: a txn in flight is answered once; one refused before it started may be tried again")
  func txnInFlight() {
    var stage = Stage()
    stage.plays = false
    #expect(stage.ask(opening("Detail"), txn: "x") == nil)
    let place = stage.said.count
    #expect(stage.ask(opening("Detail"), txn: "x") == nil)
    #expect(stage.said.count == place + 1)
    stage.feed(.link(LinkReport(screen: 1, lease: 1, verdict: .accepted(Acceptance(host: "h")))))
    #expect(stage.answers.filter { $0.txn == "x" }.count == 1)
    #expect(stage.ask(.back(count: 1, in: nil), txn: "y")?.refusal?.code == "nav.root_protected")
    stage.plays = true
    stage.open("More")
    #expect(stage.ask(.back(count: 1, in: nil), txn: "y")?.outcome?.changed == true)
  }

  @Test("N2: memory is bounded by number and age, and keeps at least the last few")
  func memory() {
    var settings = SceneSettings()
    settings.remembered = 8
    settings.rememberedAlways = 4
    settings.memory = 1000
    var stage = Stage(settings: settings)
    stage.open("Home")
    for number in 0..<20 { stage.ask(opening("A", .replace), txn: "a\(number)") }
    #expect(stage.state.answer(to: "a11") == nil)
    #expect(stage.state.answer(to: "a12") != nil)
    stage.time = stage.time.advanced(by: 5000)
    stage.ask(opening("A", .replace), txn: "late")
    #expect(stage.state.answer(to: "a16") == nil)
    #expect(stage.state.answer(to: "a17") != nil)
  }

  @Test("N3, A01: two requests without a shared txn are two wishes, in the order of arrival")
  func twoWishes() {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    stage.ask(opening("Detail"))
    stage.ask(opening("Detail"))
    #expect(stage.state.requests.map(\.isRunning) == [true, false])
    stage.feed(.link(LinkReport(screen: 2, lease: 1, verdict: .accepted(Acceptance(host: "h")))))
    #expect(stage.state.requests.map(\.isRunning) == [true])
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: .accepted(Acceptance(host: "h")))))
    #expect(stage.stack() == "s1 s2 s3")
  }

  @Test("N3: join shares screen and outcome, reject is refused, supersede drops what waits")
  func policies() {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    stage.ask(opening("Detail"), txn: "first")
    stage.ask(opening("Detail"), txn: "joiner", policy: .join)
    #expect(stage.ask(opening("Other"), policy: .reject)?.refusal?.code == "nav.busy")
    stage.ask(opening("Second"), txn: "waiting")
    stage.ask(opening("Foreign"), txn: "foreign", caller: "you")
    stage.ask(opening("Third"), txn: "third", policy: .supersede)
    let superseded = stage.answers.first { $0.txn == "waiting" }
    #expect(superseded?.resolution.refusal?.code == "nav.superseded")
    stage.plays = true
    stage.feed(.link(LinkReport(screen: 2, lease: 1, verdict: .accepted(Acceptance(host: "h")))))
    let outcomes = stage.answers.filter { ["first", "joiner"].contains($0.txn) }.map { $0.resolution.outcome?.screen }
    #expect(outcomes == [2, 2])
    #expect(stage.stack() == "s1 s2 s3 s4")
    #expect(stage.state.screen(3)?.summary.module == "Foreign")
  }

  @Test("N3: over 256 waiting is back-pressure, and leaves no record")
  func backpressure() {
    var stage = Stage()
    stage.plays = false
    for _ in 0..<256 { stage.ask(opening("A")) }
    let seq = stage.state.seq
    #expect(stage.ask(opening("A"))?.refusal?.code == "bus.backpressure")
    #expect(stage.state.seq == seq)
  }

  @Test("N4: preconditions are checked when a request starts; if-top holds what the caller saw")
  func preconditions() {
    var stage = shown("Home", "List")
    stage.ask(.back(count: 1, in: nil))
    stage.ask(.back(count: 1, in: nil), txn: "second")
    #expect(stage.answers.allSatisfy { $0.txn != "second" })
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 1)))
    #expect(stage.answers.last { $0.txn == "second" }?.resolution.refusal?.code == "nav.root_protected")
    #expect(stage.ask(opening("A"), ifTop: .id(2), instant: true)?.refusal?.code == "nav.not_top")
    #expect(stage.ask(opening("A"), ifTop: .id(1), instant: true)?.outcome?.screen == 3)
    #expect(stage.ask(opening("B"), ifTop: .id(1), instant: true)?.refusal?.code == "nav.not_top", "it stands, but below")
  }

  @Test("N5: sibling tabs go on in parallel, a modal locks only its layer and those above")
  func locks() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.open("Shell")
    stage.ask(.selectTab(name: "orders", of: nil, reset: false))
    stage.plays = false
    stage.ask(opening("A", into: "main/home"))
    stage.ask(opening("B", into: "main/orders"))
    stage.ask(opening("C", .modal(.sheet)), origin: 2)
    stage.ask(opening("D", into: "main/home"))
    stage.ask(opening("E", into: "main"))
    #expect(stage.state.requests.map(\.isRunning) == [true, true, true, false, false])
  }

  @Test("N5: one that waits for the place a person is at when its turn comes waits there for a later one that runs")
  func placesChange() {
    var stage = Stage()
    stage.catalog["Home"] = .accepted(Acceptance(host: "shop-1", slots: ["hero"]))
    for module in ["Root", "Home"] { stage.open(module) }
    stage.open("Sheet", via: .modal(.sheet))
    stage.open("Form")
    stage.plays = false
    stage.ask(opening("Slow"), txn: "slow")
    stage.ask(.dismiss(nil), txn: "dismiss")
    stage.ask(opening("Next", .replace), txn: "replace")
    stage.ask(opening("Panel", .embed("hero")), txn: "embed", origin: 2)
    #expect(stage.state.requests.map(\.isRunning) == [true, false, false, true], "behind the sheet one goes on")
    stage.feed(.link(LinkReport(screen: 5, lease: 1, verdict: .refused(Refusal(code: "module.factory_failed", message: "no")))))
    #expect(stage.stack() == "s1 s2", "the sheet is gone, and whoever sees Home sees what is to be replaced")
    #expect(stage.state.requests.map(\.isRunning) == [false, true], "but it is being filled")
    let accepted = LinkVerdict.accepted(Acceptance(host: "shop-1"))
    stage.feed(.link(LinkReport(screen: 6, lease: 1, verdict: accepted)))
    stage.feed(.link(LinkReport(screen: 7, lease: 1, verdict: accepted)))
    #expect(stage.removals.suffix(2) == ["s6 parentRemoved", "s2 replaced"])
    #expect(stage.stack() == "s1 s7")
  }

  @Test("N5, N6: a presenter that leaves while its layer is being shown takes the layer along: it is there before it goes, and locked")
  func overtaken() {
    var stage = shown("Home", "List")
    stage.plays = false
    // The pop of the presenter waits for a link while the layer comes up.
    stage.ask(opening("Next", popTo: .id(2), inclusive: true), txn: "pop")
    stage.ask(opening("Sheet", .modal(.sheet)), txn: "sheet", origin: 2)
    #expect(stage.state.requests.map(\.isRunning) == [true, true])
    let accepted = LinkVerdict.accepted(Acceptance(host: "shop-1"))
    stage.feed(.link(LinkReport(screen: 4, lease: 1, verdict: accepted)))
    stage.ask(opening("More", into: "modal[1]"), txn: "more")
    #expect(stage.state.requests.map(\.isRunning) == [true, true, false], "nothing else begins in the layer")
    let place = stage.said.count
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: accepted)))
    #expect(
      stage.names(since: place).filter { $0.hasPrefix("screen.") } == [
        "screen.presented", "screen.dismissing", "screen.dismissing", "screen.presenting",
      ])
    #expect(stage.answers.last?.txn == "sheet")
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: transitions(stage).last ?? 0)))
    #expect(stage.removals == ["s4 parentRemoved", "s2 popped"])
    #expect(stage.stack() == "s1 s3")
    #expect(stage.answers.last { $0.txn == "more" }?.resolution.refusal != nil)
  }

  @Test("N7: every way out says exactly one reason; coordinator and parent are told once")
  func oneTerminalEvent() {
    var stage = Stage()
    let home = stage.open("Home")
    for number in 0..<20 {
      let id = stage.open("Step", origin: home)
      if number % 2 == 0 { stage.ask(.back(count: 1, in: nil)) } else { stage.ask(.finish(.id(id), nil)) }
    }
    let ids = stage.removals.map { $0.split(separator: " ")[0] }
    #expect(Set(ids).count == 20)
    #expect(ids.count == 20)
    let ends = stage.said.filter { if case .end = $0 { true } else { false } }
    #expect(ends.count == 20)
    let told = Set(
      stage.messages(to: home).compactMap { message -> ScreenID? in
        if case .childEnded(let child, _, _, _) = message.body { child } else { nil }
      })
    #expect(told.count == 20)
    #expect(stage.state.coordinatorCount == 1, "A03: the live count returns to the starting value")
  }

  @Test("N9: what is there already settles at once without change, also with a renderer")
  func noChange() {
    var stage = shown("Home")
    #expect(stage.ask(.backTo(.id(1)))?.outcome?.changed == false)
    #expect(stage.ask(.backRoot(in: nil))?.outcome?.changed == false)
    #expect(stage.ask(.setStack(.main, [.screen(.id(1))]))?.outcome?.changed == false)
    #expect(transitions(stage).isEmpty)
  }

  @Test("N10: a cancelled gesture removes nothing and the next request works at once")
  func gestureCancelled() {
    var stage = shown("Home", "List")
    #expect(stage.ask(.gesture(.back, .begin))?.outcome?.held == [2])
    stage.ask(opening("Later"), txn: "later")
    #expect(stage.state.requests.count == 2)
    let outcome = stage.ask(.gesture(.back, .cancel))?.outcome
    #expect(outcome?.cancelled == true)
    #expect(outcome?.removed == [])
    #expect(stage.stack() == "s1 s2 s3", "the one that waited has started")
    #expect(stage.removals == [])
    #expect(stage.ask(.gesture(.back, .cancel))?.refusal?.code == "nav.no_gesture")
  }

  @Test("N10: a gesture that is never ended is cancelled by its deadline; committed, it says gesture")
  func gestureEnds() {
    var stage = shown("Home", "List")
    stage.ask(.gesture(.back, .begin))
    stage.advance(5000)
    #expect(stage.state.requests.isEmpty)
    #expect(stage.stack() == "s1 s2")
    stage.ask(.gesture(.back, .begin))
    #expect(stage.ask(.gesture(.back, .commit))?.outcome?.removed.map(\.reason) == [.gesture])
    #expect(stage.stack() == "s1")
  }

  @Test("a finger does not wait behind a transition")
  func gestureIsBusy() {
    var stage = shown("Home", "List")
    stage.ask(opening("Next"))
    #expect(stage.ask(.gesture(.back, .begin))?.refusal?.code == "nav.busy")
  }

  @Test("a veto holds gestures, and gestures only")
  func veto() {
    var stage = Stage()
    stage.catalog["Form"] = .accepted(Acceptance(host: "h", vetoes: [.back, .dismiss]))
    stage.open("Home")
    stage.open("Form")
    #expect(stage.ask(.gesture(.back, .begin))?.refusal?.code == "nav.vetoed")
    #expect(stage.ask(.back(count: 1, in: nil))?.outcome?.changed == true)
    stage.open("Form", via: .modal(.sheet))
    #expect(stage.ask(.gesture(.dismiss, .begin))?.refusal?.code == "nav.vetoed")
  }

  @Test("N11: a request from inside a removal handler queues behind, and is not lost")
  func fromHandler() {
    var stage = shown("Home")
    let list = stage.open("List", origin: 1)
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 1)))
    _ = list
    stage.ask(.back(count: 1, in: nil))
    // The screen that is leaving, and the one beneath it, ask while the removal is being shown.
    let turns = stage.state.screen(1)?.turns ?? 0
    stage.feed(
      .turn(TurnReport(screen: 1, lease: 1, number: turns + 1, handled: nil, requests: [TurnRequest(opening("Next"))])))
    #expect(stage.state.requests.map(\.isRunning) == [true, false])
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 2)))
    #expect(stage.stack() == "s1 s3")
  }

  @Test("N12: opening during a dismissal waits, then opens from the deepest survivor; without presenter it is orphaned")
  func orphaned() {
    var stage = shown("Home", "Login")
    stage.ask(.back(count: 1, in: nil))
    stage.ask(opening("Alert", .modal(.alert)), txn: "shell")
    stage.ask(opening("Alert", .modal(.alert)), txn: "login", origin: 2)
    #expect(stage.state.requests.count == 3)
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 1)))
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 2)))
    #expect(stage.answers.last { $0.txn == "shell" }?.resolution.outcome?.screen == 3)
    #expect(stage.state.tree.layers.last?.presentedBy == 1)
    #expect(stage.answers.last { $0.txn == "login" }?.resolution.refusal?.code == "nav.orphaned")
  }

  @Test("N13: what is asked of a removed screen tells when and why it left")
  func staleReference() {
    var stage = Stage()
    stage.open("Home")
    stage.open("Login", via: .modal(.sheet))
    stage.ask(.dismiss(nil))
    let seq = stage.state.seq
    for action: Command.Action in [
      .send(.id(2), []), .close([.id(2)]), .backTo(.id(2)), .finish(.id(2), nil), .act(.id(2), .tap(row: "r", action: nil)),
      .output(.id(2), []), .setStack(.main, [.screen(.id(2))]), opening("A", popTo: .id(2)),
    ] {
      let refusal = stage.ask(action)?.refusal
      #expect(refusal?.code == "nav.stale_ref")
      #expect(refusal?.message == "s2 Login, removed at #\(seq - 1) (dismissed)" || refusal?.message.contains("(dismissed)") == true)
    }
  }

  @Test("N14: what fails in the middle leaves nothing behind")
  func rollBack() {
    var stage = Stage()
    for name in ["A", "B", "C"] { stage.open(name) }
    stage.catalog["Bad"] = .refused(Refusal(code: "module.factory_failed", message: "no"))
    let hash = stage.state.treeHash
    stage.ask(.setStack(.main, [.module(address("X"), input: []), .module(address("Bad"), input: [])]))
    #expect(stage.state.treeHash == hash)
    stage.ask(opening("Bad", popTo: .id(1)))
    #expect(stage.state.treeHash == hash)
    #expect(stage.answers.suffix(2).map { $0.resolution.refusal?.code } == ["module.factory_failed", "module.factory_failed"])
    #expect(stage.removals == ["s5 rolledBack", "s4 rolledBack", "s6 rolledBack"])
    #expect(stage.state.coordinatorCount == 3)
  }

  @Test("N15: whatever dies, a request is answered: link, renderer, handler, queue")
  func deadlines() {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    stage.ask(opening("Slow"), txn: "slow")
    stage.ask(opening("Behind"), txn: "behind", deadline: 1000)
    stage.advance(1000)
    #expect(stage.answers.last?.resolution.refusal?.code == "nav.timeout")
    stage.advance(1000)
    #expect(stage.answers.last { $0.txn == "slow" }?.resolution.refusal?.code == "link.timeout")
    stage.ask(.act(.top, .tap(row: "a", action: nil)), txn: "tap")
    stage.advance(5000)
    #expect(stage.answers.last { $0.txn == "tap" }?.resolution.refusal?.code == "nav.timeout")
    stage.feed(.renderer(.attached(renderer: "phone", takesOver: false)))
    stage.plays = true
    stage.ask(opening("Shown"), txn: "shown")
    stage.advance(1000)
    #expect(stage.answers.last { $0.txn == "shown" }?.resolution.outcome?.changed == true)
    stage.ask(opening("Quick"), txn: "quick", deadline: 400)
    stage.advance(400)
    let text = stage.answers.last { $0.txn == "quick" }?.resolution.refusal?.message ?? ""
    #expect(text.hasPrefix("timeout (#") && text.hasSuffix("still presenting s4)"), "\(text)")
    stage.advance(600)
    #expect(stage.state.requests.isEmpty)
    #expect(stage.state.wakeTime == nil)
    #expect(Set(stage.answers.map(\.txn)).count == stage.answers.count, "each once")
  }

  @Test("N16, A02: the stack read after a call already shows it")
  func readYourWrites() {
    var stage = shown("Home")
    stage.ask(opening("List"))
    #expect(stage.stack() == "s1 s2")
    stage.feed(.renderer(.acknowledged(renderer: "phone", transition: 1)))
    stage.ask(.back(count: 1, in: nil))
    #expect(stage.stack() == "s1")
  }

  @Test("a second renderer is refused unless it takes over; the loss of the primary settles what is in flight")
  func renderers() {
    var stage = shown("Home")
    let refused = stage.feed(.renderer(.attached(renderer: "tablet", takesOver: false)))
    guard case .renderer("tablet", let refusal?) = refused.first else { return #expect(Bool(false)) }
    #expect(refusal.code == "nav.renderer_taken")
    stage.ask(opening("List"), txn: "push")
    stage.feed(.renderer(.acknowledged(renderer: "tablet", transition: 1)))
    #expect(stage.answers.allSatisfy { $0.txn != "push" })
    stage.feed(.renderer(.lost(renderer: "phone")))
    #expect(stage.answers.contains { $0.txn == "push" })
  }
}
