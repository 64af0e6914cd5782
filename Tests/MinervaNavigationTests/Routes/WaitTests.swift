import MinervaNavigation
import SceneModels
import Testing

@Suite("Links that wait, and links into what is not there yet")
struct WaitTests {
  private let login = RouteStep(address("Login"), via: .modal(.sheet))
  private let order = RouteStep(address("Order"), input: [57])
  private let item = RouteStep(address("Item"), input: [52])
  private let orders = RouteStep(address("Orders"), via: .tab("orders"))

  private func home() -> Stage {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.open("Home")
    return stage
  }

  private func waiting(_ link: String = "app://shop/account") -> Stage {
    var stage = home()
    stage.ask(.follow(Following([login], link: link, context: [1], waits: true)))
    return stage
  }

  private func asked(_ stage: Stage) -> [PlanReport] {
    stage.said.compactMap { if case .resolve(let plan) = $0 { plan } else { nil } }
  }

  private func plans(_ stage: Stage) -> [String] { stage.events.map(\.kind.name).filter { $0.hasPrefix("plan.") } }

  private func ending(_ stage: Stage) -> Refusal? {
    for event in stage.events.reversed() { if case .plan(_, .ended(let refusal)) = event.kind { return refusal } }
    return nil
  }

  @Test("R4: a link that waits answers which plan waits for which screen, and holds no lock")
  func waits() {
    var stage = home()
    let outcome = stage.ask(.follow(Following([login], link: "app://shop/account", waits: true)))?.outcome
    #expect(outcome?.plan?.id.description == "p1")
    #expect(outcome?.plan?.awaited == ScreenID(2))
    #expect(outcome?.plan?.module == "Login")
    #expect(stage.state.isSettled)
    #expect(stage.state.plans.map(\.link) == ["app://shop/account"])
    #expect(stage.open("Alert", via: .modal(.alert)) == ScreenID(3))
  }

  @Test("R4: when the awaited screen ends with its result the link is asked for again, once, and only when nothing else is under way")
  func due() {
    var stage = waiting()
    stage.plays = false
    stage.ask(.open(Command.Opening(address("Other"), into: .main)))
    stage.ask(.finish(.id(2), Array("7".utf8)))
    #expect(asked(stage).isEmpty)
    #expect(plans(stage) == ["plan.waiting", "plan.due"])
    stage.plays = true
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    for message in stage.messages(to: 1) where stage.state.screen(1)?.unhandled ?? 0 > 0 {
      stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: (stage.state.screen(1)?.turns ?? 0) + 1, handled: message.number)))
    }
    #expect(asked(stage).map(\.id.description) == ["p1"])
    #expect(asked(stage).first?.context == [1])
    stage.open("More")
    #expect(asked(stage).count == 1)
    stage.ask(.follow(Following([order], link: "app://shop/account", plan: PlanID(1))))
    #expect(stage.state.plans.isEmpty)
    #expect(plans(stage).last == "plan.followed")
  }

  @Test("R4: a plan that is due does not wait for bystanders that are busy, and for whoever hears of the end only so long")
  func bystanders() {
    var stage = waiting()
    let other = stage.open("Other", into: .main)
    stage.plays = false
    stage.ask(.send(.id(other), [1]), txn: "hangs", deadline: 60_000)
    #expect(stage.state.screen(other)?.unhandled == 1 && stage.state.requests.count == 1)
    stage.ask(.finish(.id(2), nil))
    #expect(plans(stage) == ["plan.waiting", "plan.due"])
    #expect(asked(stage).isEmpty, "s1 has not heard of it yet")
    var bounded = stage
    bounded.advance(5_000)
    #expect(asked(bounded).count == 1, "it hangs")
    for message in stage.messages(to: 1) {
      stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: message.number, handled: message.number)))
    }
    #expect(asked(stage).count == 1)
    #expect(stage.state.screen(other)?.unhandled == 1 && stage.state.requests.count == 1)
  }

  @Test("R4: whoever is lost with its host before it has heard of the end is waited for as long as its lease is")
  func lostHearer() {
    var settings = SceneSettings()
    settings.lease = 20_000
    var stage = Stage(settings: settings)
    stage.open("Home")
    stage.ask(.follow(Following([login], link: "app://shop/account", waits: true)))
    stage.plays = false
    stage.ask(.finish(.id(2), nil))
    stage.feed(.hostLost(host: "shop-1"))
    stage.advance(12_000)
    #expect(plans(stage) == ["plan.waiting", "plan.due"] && asked(stage).isEmpty)
    var given = stage
    given.advance(30_000)
    #expect(asked(given).count == 1, "nobody has heard of it, nor will")
    stage.feed(.hostBack(HostReturn(host: "shop-1", kept: true)))
    stage.advance(4_000)
    #expect(asked(stage).isEmpty)
    let number = stage.messages(to: 1).last?.number
    stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: (stage.state.screen(1)?.turns ?? 0) + 1, handled: number)))
    #expect(asked(stage).count == 1)
  }

  @Test("R4: a plan that is due waits for all that the end leads to: outputs of those who heard it, and what their hearers open")
  func consequences() {
    var stage = Stage()
    stage.ask(.launch(module: address("Start"), input: []))
    stage.open("Welcome", via: .root, origin: 1)
    stage.ask(.follow(Following([RouteStep(address("Login"))], link: "app://shop/account", waits: true)))
    stage.plays = false
    func turn(_ screen: ScreenID, outputs: [[UInt8]] = [], requests: [TurnRequest] = []) {
      guard let report = stage.state.screen(screen) else { return }
      stage.feed(
        .turn(
          TurnReport(
            screen: screen, lease: 1, number: report.turns + 1, handled: stage.messages(to: screen).last?.number, outputs: outputs,
            requests: requests)))
    }
    stage.ask(.finish(.id(3), [1]))
    turn(2, outputs: [[1]])
    #expect(asked(stage).isEmpty, "s1 has not heard yet who signed in")
    turn(1, requests: [TurnRequest(opening("User", .root))])
    #expect(asked(stage).isEmpty, "it shows something else now")
    stage.feed(.link(LinkReport(screen: 4, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    #expect(stage.stack() == "s4" && asked(stage).isEmpty, "s1 may have more to do when that is there")
    for message in stage.messages(to: 1).suffix(2) {
      let turns = stage.state.screen(1)?.turns ?? 0
      stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: turns + 1, handled: message.number)))
    }
    #expect(asked(stage).count == 1)
    var copy = SceneState(scene: "main", app: "shop")
    for (record, at) in stage.journal { _ = copy.apply(record, at: at) }
    #expect(copy == stage.state)
  }

  @Test("R4: a plan that was asked for is asked for again after a restart, until it is followed")
  func outstanding() {
    var stage = waiting()
    stage.ask(.finish(.id(2), nil))
    let again = stage.state.outstanding().compactMap { if case .resolve(let plan) = $0 { plan.id } else { nil } }
    #expect(again == [PlanID(1)])
  }

  @Test("R4: a screen that leaves without result ends its plan", arguments: ["cancel", "dismiss"])
  func leaves(how: String) {
    var stage = waiting()
    stage.ask(how == "cancel" ? .cancel(.id(2)) : .dismiss(nil))
    #expect(ending(stage)?.code == "route.failed")
    #expect(stage.state.plans.isEmpty)
    #expect(asked(stage).isEmpty)
  }

  @Test("R4: a plan ends by its own deadline, ten minutes, and by nothing sooner")
  func expires() {
    var stage = waiting()
    stage.advance(599_999)
    #expect(stage.state.plans.count == 1)
    stage.advance(2)
    #expect(ending(stage)?.code == "route.expired")
    #expect(stage.state.plans.isEmpty)
    #expect(stage.stack("modal[1]") == "s2")
  }

  @Test("R4: a newer link replaces what waits, a refused one does not")
  func superseded() {
    var stage = waiting()
    stage.ask(.follow([RouteStep(address("X"), via: .tab("none"))]))
    #expect(stage.state.plans.count == 1)
    stage.ask(.follow([order]))
    #expect(ending(stage)?.code == "route.superseded")
    #expect(stage.state.plans.isEmpty)
  }

  @Test("R4: a caller ends a plan by name; an unknown one is refused with those there are")
  func cancels() {
    var stage = waiting()
    let refusal = stage.ask(.endPlan(PlanID(9), nil))?.refusal
    #expect(refusal?.description == "route.no_plan: no plan p9 waits; there are: p1")
    #expect(stage.ask(.endPlan(PlanID(1), nil))?.outcome?.changed == true)
    #expect(ending(stage)?.code == "nav.cancelled")
    #expect(stage.ask(.endPlan(PlanID(1), nil))?.refusal?.code == "route.no_plan")
  }

  @Test("R4: a plan whose link cannot be followed any more is over, in the journal too")
  func failsLater() {
    var stage = waiting()
    stage.ask(.finish(.id(2), nil))
    stage.ask(.follow(Following([RouteStep(address("X"), via: .detail)], plan: PlanID(1))))
    #expect(ending(stage)?.code == "route.not_routable")
    var replay = SceneState(scene: "main", app: "shop")
    for (record, at) in stage.journal { _ = replay.apply(record, at: at) }
    #expect(replay == stage.state)
    #expect(replay.plans.isEmpty)
  }

  @Test(
    "R4: a plan that ends while its link is being opened takes that back; the link of one that has ended is refused, in the journal too")
  func endsMeanwhile() {
    var stage = waiting()
    stage.ask(.finish(.id(2), nil))
    stage.plays = false
    stage.ask(.follow(Following([order], plan: PlanID(1))), txn: "f")
    #expect(stage.ask(.endPlan(PlanID(1), nil))?.outcome?.changed == true)
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    #expect(stage.stack() == "s1")
    #expect(stage.answers.last { $0.txn == "f" }?.resolution.refusal?.code == "route.no_plan")
    #expect(stage.removals == ["s2 finished", "s3 rolledBack"])
    let seq = stage.state.seq
    stage.ask(.follow(Following([order], plan: PlanID(1))), txn: "g")
    #expect(stage.answers.last?.resolution.refusal?.code == "route.no_plan")
    #expect(stage.state.seq == seq + 1)
    var replay = SceneState(scene: "main", app: "shop")
    for (record, at) in stage.journal { _ = replay.apply(record, at: at) }
    #expect(replay == stage.state)
  }

  @Test("R4: names of plans are never used twice, and read back")
  func names() {
    var stage = waiting()
    stage.ask(.endPlan(PlanID(1), nil))
    #expect(stage.ask(.follow(Following([login], waits: true)))?.outcome?.plan?.id == PlanID(2))
    for text in ["", "p", "p0", "p01", "p-1", "q1", "p4294967296"] { #expect(PlanID(text) == nil) }
    #expect(PlanID("p12")?.description == "p12")
  }

  @Test("R2: a link leads into a tab of a screen that it opens itself")
  func newTab() {
    var stage = home()
    let shell = RouteStep(address("Shell"))
    let outcome = stage.ask(.follow([shell, orders, order, item]))?.outcome
    #expect(stage.stack("main") == "s1 s2")
    #expect(stage.stack("main/orders") == "s5 s3 s4")
    #expect(stage.stack("main/home") == "")
    #expect(stage.state.activePath.description == "main/orders")
    #expect(stage.state.screen(3)?.summary.parent == ScreenID(2))
    #expect(outcome?.screen == ScreenID(4))
    #expect(stage.ask(.follow([shell, orders, order, item]))?.outcome?.changed == false)
  }

  @Test("R2, R4: a link that ends in a tab of a screen that it opens itself reaches what it names there, and waits for that")
  func newTabsEnd() {
    var stage = home()
    let shell = RouteStep(address("Shell"))
    let outcome = stage.ask(.follow(Following([shell, orders], link: "app://shop/account", waits: true)))?.outcome
    #expect(stage.stack("main/orders") == "s3" && outcome?.screen == ScreenID(3))
    #expect(outcome?.plan?.awaited == ScreenID(3), "the root of the tab, not what it stands in")
    // What is no root of the tab is opened on it, as where the tab was there before.
    let login = RouteStep(address("Login"), input: [5], via: .tab("orders"))
    var other = home()
    let reached = other.ask(.follow([shell, login, item]))?.outcome?.screen
    #expect(other.stack("main/orders") == "s4 s5 s3" && reached == ScreenID(3))
    #expect(other.state.screen(5)?.module == address("Login") && other.state.screen(5)?.input == [5])
    #expect(other.ask(.follow([shell, login, item]))?.outcome?.changed == false)
    var last = home()
    let end = last.ask(.follow(Following([shell, login], link: "app://shop/account", waits: true)))?.outcome
    #expect(last.stack("main/orders") == "s3 s4" && end?.screen == ScreenID(4))
    #expect(end?.plan?.awaited == ScreenID(4) && end?.plan?.module == "Login")
    last.catalog["Login"] = .refused(Refusal(code: "module.factory_failed", message: "no"))
    let hash = last.state.treeHash
    #expect(last.ask(.follow(Following([shell, login], resets: true)))?.refusal?.code == "module.factory_failed")
    #expect(last.state.treeHash == hash)
  }

  @Test("R3: a tab that the opened screen turns out not to have rolls the link back")
  func missingTab() {
    var stage = home()
    let refusal = stage.ask(.follow([RouteStep(address("Shell")), RouteStep(address("X"), via: .tab("none")), item]))?.refusal
    #expect(refusal?.code == "route.failed")
    #expect(stage.stack("main") == "s1")
    #expect(stage.state.coordinatorCount == 1)
  }

  @Test("R2: a link may name the root: it stays if it is there, else it is replaced with all above it")
  func root() {
    var stage = home()
    stage.open("Sheet", via: .modal(.sheet))
    let root = RouteStep(address("Home"), via: .root)
    stage.ask(.follow([root, order]))
    #expect(stage.stack() == "s1 s3")
    #expect(stage.removals == ["s2 dismissed"])
    stage.ask(.follow([RouteStep(address("Shell"), via: .root), orders]))
    #expect(stage.stack() == "s4")
    #expect(stage.stack("main/orders") == "s5")
    #expect(stage.removals.suffix(2) == ["s3 replaced", "s1 replaced"])
    var empty = Stage()
    empty.ask(.follow([root, order]))
    #expect(empty.stack() == "s1 s2")
  }

  @Test("R2: --mode reset keeps the root alone; the same link twice opens everything anew")
  func reset() {
    var stage = home()
    stage.ask(.follow([order, item]))
    stage.ask(.follow(Following([order, item], resets: true)))
    #expect(stage.stack() == "s1 s4 s5")
    #expect(stage.removals == ["s3 popped", "s2 popped"])
  }

  @Test("R2: --keep-prefix keeps the steps before the one that fails, by the plan and by its host; without it nothing stays")
  func keepPrefix() {
    for keeps in [true, false] {
      var stage = home()
      stage.catalog["Item"] = .refused(Refusal(code: "input.invalid", message: "no"))
      let outcome = stage.ask(.follow(Following([order, item, order], keepsPrefix: keeps)))
      #expect(stage.stack() == (keeps ? "s1 s2" : "s1"))
      #expect(keeps ? outcome?.outcome?.shortfall?.code == "input.invalid" : outcome?.refusal?.code == "input.invalid")
      #expect(outcome?.outcome?.screen == (keeps ? ScreenID(2) : nil))
      let hopeless = stage.ask(.follow(Following([order, RouteStep(address("X"), via: .detail)], keepsPrefix: keeps)))
      #expect((hopeless?.outcome?.shortfall ?? hopeless?.refusal)?.code == "route.not_routable")
    }
  }

  @Test("R5: a second link while one is being followed waits its turn, and both are answered")
  func second() {
    var stage = home()
    stage.plays = false
    stage.ask(.follow([order]), txn: "a")
    stage.ask(.follow([item]), txn: "b")
    stage.plays = true
    stage.feed(.link(LinkReport(screen: 2, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    #expect(stage.answers.map(\.txn).suffix(2) == ["a", "b"])
    #expect(stage.stack() == "s1 s3")
  }
}

@Suite("Routes that ask, redirect and wait")
struct TraceTests {
  private func table(_ routes: Route...) throws -> RouteTable {
    var table = RouteTable(root: "R", schemes: ["a"], hosts: ["h"])
    for route in routes { try table.add(route) }
    return table
  }

  private func route(_ from: String, _ pattern: String, _ module: String) throws -> Route {
    Route(from: from, try #require(RoutePattern(pattern)), module: module)
  }

  @Test("R1: an owner that is asked lets the link pass, leads it elsewhere, or has it wait")
  func asks() throws {
    var gate = try route("R", "go/:code", "Goal")
    gate.asks = true
    let table = try table(gate, route("R", "real/:id", "Goal"), route("Goal", "more", "More"))
    let link = try DeepLinkURL("a://h/go/x/more")
    let question = try #require(try table.trace(link).question)
    #expect(question.values == [RouteValue(name: "code", value: "x")])
    #expect(try table.trace(link, decisions: [question: .proceed]).hops.map(\.route.module) == ["Goal", "More"])
    let elsewhere = try table.trace(link, decisions: [question: .redirect("real/:code")])
    #expect(elsewhere.hops.map(\.route.module) == ["Goal", "More"])
    #expect(elsewhere.hops.first?.values.first?.value == "x")
    let waits = try table.trace(link, decisions: [question: .wait(RouteStep(ModuleAddress(name: "Login")))])
    #expect(waits.waits && waits.hops.isEmpty && waits.wait?.module.name == "Login")
  }

  @Test("R1: redirections are followed to a bounded depth")
  func circles() throws {
    var circle = try route("R", "a", "R")
    circle.redirect = "a"
    let table = try table(circle)
    #expect { _ = try table.trace(DeepLinkURL("a://h/a")) } throws: { ($0 as? Refusal)?.code == "route.failed" }
  }

  @Test("R1: a link may be 64 segments long and lead through 64 modules, and redirections make it no longer")
  func lengths() throws {
    var doubled = try route("R", "twice/*rest", "R")
    doubled.redirect = "all/:rest/:rest"
    var again = try route("Folder", "again/*rest", "Folder")
    again.redirect = "a/b/c/:rest"
    let table = try table(
      doubled, again, route("R", "all/*them", "Folder"), route("R", "folder", "Folder"), route("Folder", ":id", "Folder"))
    func hops(_ segments: [String]) throws -> Int {
      try table.trace(DeepLinkURL(DeepLinkURL.text(scheme: "a", host: "h", segments: segments))).hops.count
    }
    func code(_ segments: [String]) -> String? {
      do { _ = try hops(segments) } catch { return (error as? Refusal)?.code }
      return nil
    }
    #expect(try hops(["folder"] + Array(repeating: "x", count: 63)) == 64)
    #expect(code(["folder"] + Array(repeating: "x", count: 64)) == "route.invalid_url")
    #expect(try hops(["twice"] + Array(repeating: "x", count: 31)) == 1)
    #expect(code(["twice"] + Array(repeating: "x", count: 32)) == "route.failed")
    // A redirection behind fifty hops puts fifty segments in their place.
    #expect(code(["folder"] + Array(repeating: "x", count: 40) + ["again"] + Array(repeating: "y", count: 22)) == "route.failed")
    #expect(code(["folder", String(repeating: "x", count: 8192)]) == "route.invalid_url")
    // However little of it is a character, of a long text only the beginning comes back.
    let refusal: Refusal?
    do {
      _ = try DeepLinkURL("a://h/e" + String(repeating: "\u{301}", count: 100_000))
      refusal = nil
    } catch { refusal = error }
    #expect(refusal.map { $0.message.utf8.count < 200 } == true)
  }

  @Test("R3: behind a redirection a refusal still tells of the link as it was written")
  func tells() throws {
    var short = try route("R", "orders", "R")
    short.redirect = "shell/orders"
    let table = try table(
      short, route("R", "shell", "Shell"), route("Shell", "orders", "Orders"), route("Orders", ":id", "Order"),
      route("Order", "refund", "Refund"), route("Order", "items/:id", "Item"))
    #expect(try table.trace(DeepLinkURL("a://h/orders/9/items/4")).hops.map(\.route.module) == ["Shell", "Orders", "Order", "Item"])
    #expect { _ = try table.trace(DeepLinkURL("a://h/orders/9/itmes/4")) } throws: {
      ($0 as? Refusal)?.message == "matched h/orders/9, nothing matches \"itmes/4\" under Order (has: items/:id, refund)"
    }
    let kept = try table.trace(DeepLinkURL("a://h/orders/9/itmes/4"), keepsPrefix: true)
    #expect(kept.hops.map(\.route.module) == ["Shell", "Orders", "Order"])
    #expect(kept.shortfall?.code == "route.no_match")
  }

  @Test("R2: what is kept of a link has the values of its query")
  func keepsQuery() throws {
    var order = try route("Orders", ":id", "Order")
    order.query = ["tab"]
    let table = try table(route("R", "orders", "Orders"), order)
    let kept = try table.trace(DeepLinkURL("a://h/orders/9/nope?tab=info"), keepsPrefix: true)
    #expect(kept.shortfall?.code == "route.no_match")
    #expect(kept.hops.last?.values == [RouteValue(name: "id", value: "9"), RouteValue(name: "tab", value: "info")])
  }

  @Test("R1: a link that leads more ways than can be tried is refused")
  func manyWays() throws {
    let table = try table(route("R", "a", "R"), route("R", "a/a", "R"))
    let link = "a://h/" + [String](repeating: "a", count: 60).joined(separator: "/")
    #expect(try table.trace(DeepLinkURL(link)).hops.isEmpty == false)
    #expect { _ = try table.trace(DeepLinkURL(link + "/z")) } throws: { ($0 as? Refusal)?.code == "route.failed" }
  }

  @Test("R4: behind a route that awaits its module nothing is looked at before it has ended")
  func awaits() throws {
    var door = try route("R", "*rest", "SignIn")
    door.awaits = true
    let trace = try table(door).trace(DeepLinkURL("a://h/anything/at/all?x=1"))
    #expect(trace.waits && trace.hops.map(\.route.module) == ["SignIn"])
  }

  @Test("R1: a path starts at the module that is at the scene's root, if that has routes")
  func roots() throws {
    let table = try table(route("R", "x", "A"), route("S", "x", "B"))
    #expect(try table.trace(DeepLinkURL("a://h/x"), from: "S").hops.map(\.route.module) == ["B"])
    #expect(try table.trace(DeepLinkURL("a://h/x"), from: "Nobody").hops.map(\.route.module) == ["A"])
  }
}
