import MinervaNavigation
import SceneModels
import Testing

@Suite("Coordinators")
struct CoordinatorTests {
  @Test("K1: a parent lists its children in order; each has one parent, an older one")
  func children() {
    var stage = Stage()
    stage.ask(.launch(module: address("Start"), input: []))
    let home = stage.open("Home", origin: 1)
    let a = stage.open("A", origin: home)
    let sheet = stage.open("Sheet", via: .modal(.sheet), origin: home)
    #expect(stage.state.screen(1)?.children == [home])
    #expect(stage.state.screen(home)?.children == [a, sheet])
    #expect(stage.state.screen(1)?.isScreenless == true)
    #expect(stage.stack() == "s2 s3")
    for report in stage.state.coordinators { #expect(report.summary.parent ?? 0 < report.summary.screen) }
  }

  @Test("a module opened in place of its opener becomes the child of who remains")
  func adoptiveParent() {
    var stage = Stage()
    stage.ask(.launch(module: address("Start"), input: []))
    let welcome = stage.open("Welcome", origin: 1)
    let user = stage.open("User", via: .root, origin: welcome)
    #expect(stage.state.screen(user)?.summary.parent == 1)
    let next = stage.open("Next", via: .root)
    #expect(stage.state.screen(next)?.summary.parent == 1, "from the shell: the launched coordinator")
  }

  @Test("K2: removing is recursive, leaf first, and a coordinator is ended before its removal is published")
  func recursive() {
    var stage = Stage()
    stage.open("Home")
    let flow = stage.open("Flow")
    stage.ask(.launch(module: address("Helper"), input: []), origin: flow)
    stage.ask(.launch(module: address("Leaf"), input: []), origin: 3)
    let place = stage.said.count
    stage.ask(.close([.id(flow)]))
    #expect(stage.removals == ["s4 parentRemoved", "s3 parentRemoved", "s2 popped"])
    var ended: Set<ScreenID> = []
    for effect in stage.said[place...] {
      switch effect {
      case .end(let departure): ended.insert(departure.screen)
      case .event(let event):
        if case .removed(let summary, _, _, _, _) = event.kind { #expect(ended.contains(summary.screen)) }
      default: break
      }
    }
  }

  @Test("a coordinator without screen that ends takes along what it opened, but never the scene's root")
  func flowEnds() {
    var stage = Stage()
    stage.open("Home")
    stage.ask(.launch(module: address("Flow"), input: []), origin: 1)
    stage.open("One", origin: 2)
    stage.open("Two", origin: 2)
    stage.ask(.finish(.id(2), [1]))
    #expect(stage.removals == ["s4 parentRemoved", "s3 parentRemoved", "s2 finished"])
    stage.ask(.launch(module: address("Flow"), input: []))
    stage.open("Root", via: .root, origin: 5)
    #expect(stage.ask(.finish(.id(5), nil))?.refusal?.code == "nav.root_protected")
  }

  @Test("K2: what a coordinator without screen has opened leaves with it when its parent leaves, wherever it stands")
  func flowLeaves() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.open("Shell")
    let flow = stage.open("Flow")
    stage.ask(.launch(module: address("Helper"), input: []), origin: flow)
    let helper = ScreenID(4)
    #expect(stage.state.screen(helper)?.isScreenless == true)
    stage.ask(.selectTab(name: "orders", of: nil, reset: false))
    let far = stage.open("Far", into: NavPath("main/orders"), origin: helper)
    stage.ask(.close([.id(flow)]))
    #expect(stage.stack("main/orders") == "s5")
    #expect(stage.removals == ["\(far) parentRemoved", "\(helper) parentRemoved", "\(flow) popped"], "children before parents (N8)")
    #expect(stage.state.coordinatorCount == 3)
  }

  /// A coordinator without screen, and what it has opened elsewhere: s1 with tabs, s2 and s3 their roots, s4 the flow, s5 the helper, s6.
  private func helped(_ flow: Presentation, _ via: Presentation, into: String?) -> Stage {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.open("Shell")
    stage.ask(.selectTab(name: "orders", of: nil, reset: false))
    stage.ask(.selectTab(name: "home", of: nil, reset: false))
    stage.open("Flow", via: flow)
    stage.ask(.launch(module: address("Helper"), input: []), origin: 4)
    if flow == .push { stage.ask(.selectTab(name: "orders", of: nil, reset: false)) }
    stage.open("Far", via: via, into: into.flatMap(NavPath.init), origin: 5)
    return stage
  }

  @Test("K2, N4: what goes along stands elsewhere, and does not count for what is on top")
  func flowOnTop() {
    var stage = helped(.modal(.sheet), .push, into: "main/orders")
    #expect(stage.stack("main/orders") == "s3 s6")
    #expect(stage.ask(.dismiss(nil), ifTop: .id(4))?.outcome?.changed == true)
    #expect(stage.stack("main/orders") == "s3")
  }

  @Test("K2: a layer stays when the request pushes into it")
  func flowKeepsLayer() {
    var stage = helped(.push, .modal(.sheet), into: nil)
    #expect(stage.stack("modal[1]") == "s6")
    #expect(stage.ask(opening("Over", .push, into: "modal[1]", popTo: .id(2)), origin: 3)?.outcome?.screen == 7)
    #expect(stage.stack("modal[1]") == "s6 s7" && stage.stack("main/home") == "s2", "\(stage.removals)")
  }

  @Test("K2: what the request itself builds on stays, whoever has opened it")
  func flowKeeps() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.open("Shell")
    stage.open("Flow")
    stage.ask(.launch(module: address("Helper"), input: []), origin: 3)
    stage.ask(.selectTab(name: "orders", of: nil, reset: false))
    stage.open("Far", into: NavPath("main/orders"), origin: 4)
    let outcome = stage.ask(opening("Over", .push, popTo: .id(2)), origin: 6)?.outcome
    #expect(outcome?.removed.map(\.screen) == [4, 3], "s6 asked for it")
    #expect(stage.stack("main/home") == "s2 s7" && stage.stack("main/orders") == "s5 s6")
  }

  @Test("K3: a turn has effect when it is recorded, once; outputs before requests before the end")
  func turns() {
    var stage = Stage()
    let home = stage.open("Home")
    let form = stage.open("Form", origin: home)
    stage.plays = false
    stage.ask(.act(.id(form), .tap(row: "save", action: nil)), txn: "tap")
    let report = TurnReport(
      screen: form, lease: 1, number: 1, handled: 1, state: [9], outputs: [[1], [2]],
      requests: [TurnRequest(opening("Alert", .modal(.alert)))], ending: .finish([7]))
    let place = stage.said.count
    stage.feed(.turn(report))
    #expect(stage.state.screen(form)?.state == [9])
    #expect(stage.answers.contains { $0.txn == "tap" })
    #expect(
      stage.names(since: place) == [
        "screen.turned", "screen.output", "screen.output", "request.settled", "request.admitted", "screen.connecting",
        "request.queued",
      ])
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    #expect(stage.removals == ["s3 parentRemoved", "s2 finished"], "the end follows what was asked for")
    guard case .turnTaken(form, 1, let refusal?)? = stage.feed(.turn(report)).first else { return #expect(Bool(false)) }
    #expect(refusal.code == "nav.stale_ref")
  }

  @Test("K3: a turn is taken once while the coordinator lives; an old lease and a gap are refused")
  func turnNumbers() {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    let first = TurnReport(screen: 1, lease: 1, number: 1, handled: nil, outputs: [[1]])
    stage.feed(.turn(first))
    let state = stage.state
    #expect(stage.feed(.turn(first)) == [.turnTaken(screen: 1, number: 1, refusal: nil)])
    #expect(stage.state == state)
    for (lease, number, code) in [(UInt32(1), UInt32(3), "nav.turn_gap"), (2, 2, "bus.stale_epoch"), (0, 2, "bus.stale_epoch")] {
      let effects = stage.feed(.turn(TurnReport(screen: 1, lease: lease, number: number, handled: nil)))
      guard case .turnTaken(1, number, let refusal?) = effects.first else { return #expect(Bool(false)) }
      #expect(refusal.code == code)
    }
    #expect(stage.state == state)
  }

  @Test("K3: a message is kept until its turn is recorded, and delivered again when the host is back")
  func redelivery() {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    stage.ask(.send(.id(1), [5]), txn: "send")
    stage.feed(.hostLost(host: "shop-1"))
    #expect(stage.state.screen(1)?.isSuspended == true)
    let effects = stage.feed(.hostBack(HostReturn(host: "shop-1", kept: true)))
    #expect(
      effects.contains(.deliver(Delivery(screen: 1, host: "shop-1", lease: 1, message: Message(number: 1, body: .input([5]))))))
    stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: 1, handled: 1)))
    #expect(stage.answers.last?.txn == "send")
    #expect(stage.state.isSettled)
    #expect(stage.state.wakeTime == nil, "no lease runs any more")
  }

  @Test("N7: a screen whose lease is over and that has to wait for its turn to leave is taken over by nobody")
  func overIsOver() {
    var settings = SceneSettings()
    settings.lease = 500
    var stage = Stage(settings: settings)
    let home = stage.open("Home")
    stage.catalog["Form"] = .accepted(Acceptance(host: "shop-2"))
    let form = stage.open("Form")
    stage.plays = false
    stage.ask(opening("Slow"))
    stage.feed(.hostLost(host: "shop-2"))
    #expect(stage.state.suspended.map(\.summary.screen) == [form])
    stage.advance(600)
    #expect(stage.stack() == "s1 s2", "it leaves when what is being opened over it is there")
    stage.feed(.hostLost(host: "shop-1"))
    #expect(stage.state.suspended.map(\.summary.screen) == [home])
  }

  @Test("K3: a lost host's screens are resumed in another with state and number of turns; the old one's turns are refused")
  func resume() {
    var stage = Stage()
    let home = stage.open("Home")
    stage.catalog["Form"] = .accepted(Acceptance(host: "shop-2"))
    let form = stage.open("Form", origin: home)
    stage.plays = false
    stage.feed(.turn(TurnReport(screen: form, lease: 1, number: 1, handled: nil, state: [1, 2])))
    stage.ask(.send(.id(form), [5]), txn: "send")
    stage.feed(.hostLost(host: "shop-2"))
    #expect(stage.state.suspended.map(\.summary.screen) == [form])
    #expect(stage.state.screen(home)?.isSuspended == false, "other screens do not move")
    let effects = stage.feed(.hostBack(HostReturn(host: "shop-1", kept: false, resuming: [form])))
    guard case .resume(let resumption) = effects.first else { return #expect(Bool(false)) }
    #expect(resumption.state == [1, 2])
    #expect(resumption.nextTurn == 2)
    #expect(resumption.lease == 2)
    stage.feed(.link(LinkReport(screen: form, lease: 2, verdict: .accepted(Acceptance(host: "shop-1")))))
    #expect(stage.state.screen(form)?.summary.host == "shop-1")
    guard case .deliver(let delivery)? = stage.said.last(where: { if case .deliver = $0 { true } else { false } }) else {
      return #expect(Bool(false))
    }
    #expect(delivery.lease == 2)
    let stale = stage.feed(.turn(TurnReport(screen: form, lease: 1, number: 2, handled: 1)))
    guard case .turnTaken(_, _, let refusal?) = stale.first else { return #expect(Bool(false)) }
    #expect(refusal.code == "bus.stale_epoch")
    stage.feed(.turn(TurnReport(screen: form, lease: 2, number: 2, handled: 1)))
    #expect(stage.answers.last?.txn == "send")
  }

  @Test("K3: after the lease the screens of a lost host leave with hostLost, those above popped, a lost root gives way to a placeholder")
  func leaseOver() {
    var stage = Stage()
    stage.catalog["Home"] = .accepted(Acceptance(host: "shop-2"))
    stage.catalog["Form"] = .accepted(Acceptance(host: "shop-2"))
    stage.open("Home")
    stage.open("Form")
    stage.open("Above")
    stage.feed(.hostLost(host: "shop-2"))
    stage.advance(2999)
    #expect(stage.removals == [])
    stage.advance(1)
    #expect(stage.removals == ["s3 popped", "s2 hostLost", "s1 hostLost"])
    #expect(stage.stack() == "s4")
    #expect(stage.state.screen(4)?.summary.host == "")
    #expect(stage.open("Home", via: .root) == 5)
  }

  @Test("K2, K3: a host of the start coordinator and of its root screen that stays away takes both along; a placeholder stands at the root")
  func leaseOverOfAnApp() {
    var stage = Stage()
    stage.catalog["Start"] = .accepted(Acceptance(host: "shop-2"))
    stage.catalog["Home"] = .accepted(Acceptance(host: "shop-2"))
    stage.ask(.launch(module: address("Start"), input: []))
    let root = stage.open("Home", via: .root, origin: 1)
    stage.open("Above")
    stage.feed(.hostLost(host: "shop-2"))
    stage.advance(3000)
    #expect(stage.state.suspended.isEmpty)
    #expect(stage.state.screen(1) == nil && stage.state.screen(root) == nil)
    #expect(stage.removals.contains("\(root) hostLost") && stage.removals.contains("s1 hostLost"), "\(stage.removals)")
    #expect(stage.state.tree.layers[0].stack.count == 1)
  }

  @Test("K3: each loss of a host has its own lease, also while screens of an earlier one still wait")
  func leases() {
    var settings = SceneSettings()
    settings.lease = 1_000
    var stage = Stage(settings: settings)
    stage.open("Home")
    stage.catalog["Form"] = .accepted(Acceptance(host: "shop-2"))
    let forms = [stage.open("Form"), stage.open("Form")]
    stage.plays = false
    stage.feed(.hostLost(host: "shop-2"))
    stage.advance(600)
    stage.feed(.hostBack(HostReturn(host: "shop-2", kept: false, resuming: [forms[0]])))
    stage.feed(.link(LinkReport(screen: forms[0], lease: 2, verdict: .accepted(Acceptance(host: "shop-2")))))
    stage.feed(.hostLost(host: "shop-2"))
    stage.advance(400)
    #expect(stage.removals == ["\(forms[1]) hostLost"])
    stage.advance(599)
    #expect(stage.state.suspended.map(\.summary.screen) == [forms[0]])
    stage.advance(1)
    #expect(stage.removals.last == "\(forms[0]) hostLost")
  }

  @Test("K3: a screen that is being made again keeps its place as long as it is awaited; others of its host do not")
  func awaited() {
    var settings = SceneSettings()
    settings.lease = 1_000
    var stage = Stage(settings: settings)
    stage.open("Home")
    stage.catalog["Form"] = .accepted(Acceptance(host: "shop-2"))
    let forms = [stage.open("Form"), stage.open("Form"), stage.open("Form")]
    stage.plays = false
    stage.feed(.hostLost(host: "shop-2"))
    stage.feed(.hostBack(HostReturn(host: "shop-2", kept: false, resuming: Array(forms.prefix(2)))))
    #expect(stage.state.overdueResumptions(at: SceneTime(milliseconds: stage.state.time.milliseconds + 999)).isEmpty)
    let until = stage.state.time.advanced(by: 1_500)
    #expect(stage.state.overdueResumptions(at: until).map(\.screen) == Array(forms.prefix(2)))
    // Only what this host makes again can be awaited, and never for a shorter time.
    let seq = stage.state.seq
    stage.feed(.hostBack(HostReturn(host: "shop-1", kept: false, awaited: .init(screens: forms, until: .never))))
    stage.feed(.hostBack(HostReturn(host: "shop-2", kept: false, awaited: .init(screens: [forms[0]], until: .zero))))
    #expect(stage.state.seq == seq)
    stage.feed(.hostBack(HostReturn(host: "shop-2", kept: false, awaited: .init(screens: [forms[0], forms[2]], until: until))))
    stage.advance(1_000)
    #expect(
      stage.removals == ["\(forms[2]) popped", "\(forms[1]) hostLost"]
        || stage.removals == ["\(forms[2]) hostLost", "\(forms[1]) hostLost"])
    #expect(stage.state.screen(forms[0])?.isSuspended == true)
    stage.advance(499)
    #expect(stage.state.screen(forms[0])?.isSuspended == true)
    stage.advance(1)
    #expect(stage.removals.last == "\(forms[0]) hostLost")
    #expect(stage.state.wakeTime == nil)
  }

  @Test("P2: a placeholder whose new host never makes it is one again after a lease, and the host is told to end what it has")
  func claimedInVain() {
    var stage = Stage()
    stage.open("Home")
    stage.catalog["Form"] = .accepted(Acceptance(host: "shop-2"))
    let form = stage.open("Form")
    stage.plays = false
    stage.feed(.hostLost(host: "shop-2"))
    stage.feed(.unclaimed(host: "shop-2"))
    stage.feed(.hostBack(HostReturn(host: "shop-3", kept: false, resuming: [form])))
    #expect(stage.state.screen(form)?.isUnclaimed == false)
    let before = stage.said.count
    stage.advance(3_000)
    #expect(stage.state.screen(form)?.isUnclaimed == true)
    let ends = stage.said.dropFirst(before).compactMap { if case .end(let departure) = $0 { departure } else { nil } }
    #expect(ends.map(\.host) == ["shop-3"] && ends.map(\.lease) == [2])
    #expect(stage.state.wakeTime == nil && stage.removals.isEmpty)
  }

  @Test("a host that could not make a screen again leaves it lost at once")
  func resumeRefused() {
    var stage = Stage()
    stage.open("Home")
    stage.catalog["Form"] = .accepted(Acceptance(host: "shop-2"))
    let form = stage.open("Form")
    stage.plays = false
    stage.feed(.hostLost(host: "shop-2"))
    stage.feed(.hostBack(HostReturn(host: "shop-2", kept: false, resuming: [form])))
    stage.feed(.link(LinkReport(screen: form, lease: 2, verdict: .refused(Refusal(code: "module.factory_failed", message: "no")))))
    #expect(stage.removals == ["s2 hostLost"])
    #expect(stage.state.wakeTime == nil)
  }

  @Test("K5: lifecycle messages arrive in order; covered is not removed")
  func lifecycle() {
    var stage = Stage()
    stage.catalog["Home"] = .accepted(Acceptance(host: "h", wantsLifecycle: true))
    stage.open("Home")
    stage.open("List")
    stage.ask(.back(count: 1, in: nil))
    let seen = stage.messages(to: 1).compactMap { message -> Lifecycle? in
      if case .lifecycle(let lifecycle) = message.body { lifecycle } else { nil }
    }
    #expect(
      seen == [.willAppear, .didAppear, .willDisappear, .didDisappear, .willAppear, .didAppear])
  }

  @Test("a coordinator's requests are told their outcome by message; a quiet one only a refusal")
  func requestSettled() {
    var stage = Stage()
    stage.open("Home")
    stage.feed(
      .turn(
        TurnReport(
          screen: 1, lease: 1, number: 1, handled: nil,
          requests: [
            TurnRequest(opening("A")), TurnRequest(opening("B"), quiet: true), TurnRequest(.back(count: 9, in: nil), quiet: true),
          ])))
    let settled = stage.messages(to: 1).compactMap { message -> (String, Bool)? in
      guard case .requestSettled(let key, let resolution) = message.body else { return nil }
      return (key.txn, resolution.outcome != nil)
    }
    #expect(settled.map(\.0) == ["s1.1.0", "s1.1.2"])
    #expect(settled.map(\.1) == [true, false])
    #expect(stage.stack() == "s1 s2 s3")
  }

  @Test("after a restart everything under way is asked for again")
  func outstanding() {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    stage.ask(.send(.id(1), [5]))
    stage.ask(opening("Slow"))
    let kinds = stage.state.outstanding().map { effect in
      switch effect {
      case .deliver: "deliver"
      case .connect: "connect"
      case .wake: "wake"
      case .resolve: "resolve"
      default: "other"
      }
    }
    #expect(kinds == ["deliver", "connect", "wake"])
  }
}
