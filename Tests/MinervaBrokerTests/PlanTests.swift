@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

/// Plans at the broker: a link that waited is followed when its screen has ended, and only while its plan waits (R4).
@Suite("The broker and plans")
struct PlanTests {
  private static let reset = PayloadSchema(name: "Reset", shape: .object(name: "Reset", [.init("token", .secret(.string))]))

  /// Modules of which one takes a secret from a link; all their owners are asked.
  private static var secretive: [ModuleDescription] {
    var routes = [("reset/:token", "Reset"), ("code", "Reset"), ("orders/:id", "Order")].map { pattern, module in
      Route(from: "Home", RoutePattern(pattern) ?? .any, module: module, asks: true)
    }
    routes[1].query = ["token"]
    let schema = try? JSONValueEncoder().encode(Self.reset).text
    return [
      ModuleDescription(name: "Home", routes: routes), ModuleDescription(name: "Login"), ModuleDescription(name: "Order"),
      ModuleDescription(name: "Reset", schema: schema),
    ]
  }

  private static let modules = ["Home", "Login", "Order"].map { name in
    var order = Route(from: "Home", RoutePattern("orders/:id") ?? .any, module: "Order")
    var secret = Route(from: "Home", RoutePattern("secret/:code") ?? .any, module: "Order")
    order.query = []
    secret.asks = true
    return ModuleDescription(name: name, routes: name == "Home" ? [order, secret] : [])
  }

  private func join(
    _ machine: inout Machine, _ node: String = "shop-1", incarnation: UInt64 = 1, modules: [ModuleDescription] = Self.modules,
    running: [RunningCoordinator] = []
  ) {
    let registration = HostRegistration(
      app: "shop", node: node, endpoint: nil, modules: modules,
      links: DeepLinkScope(root: "Home", schemes: ["app"], hosts: ["shop"]), running: running)
    machine.take(machine.broker.register(registration, incarnation: incarnation, pid: 1, token: 900, now: machine.now))
    machine.commit()
  }

  private func inquiries(_ machine: Machine) -> [RouteInquiry] {
    machine.actions.compactMap { if case .inquire(_, let inquiry, _) = $0 { inquiry } else { nil } }
  }

  private func plans(_ machine: Machine) -> [String] { machine.broker.scenes["main"]?.state.plans.map(\.id.description) ?? [] }

  private func handle(_ machine: inout Machine) {
    var handled: Set<UInt32> = []
    for case .order(_, .deliver(_, let delivery, at: _)) in machine.actions where handled.insert(delivery.message.number).inserted {
      _ = machine.turn(delivery.screen, delivery.message.number, handled: delivery.message.number)
    }
    machine.settle()
  }

  /// A scene in which a plan waits for `Login`.
  private func waiting() throws -> (Machine, RouteQuestion) {
    var machine = Machine()
    join(&machine)
    machine.open("Home", txn: "home")
    machine.settle()
    let request = DeepLinkRequest(scene: SceneAddress(name: "main"), link: "app://shop/secret/9", txn: "link", caller: "test")
    machine.take(machine.broker.follow(request, token: 501, node: "shell", now: machine.now))
    let question = try #require(inquiries(machine).first?.question)
    machine.take(machine.broker.decided("main", question, .success(.wait(RouteStep(ModuleAddress(name: "Login")))), now: machine.now))
    machine.settle()
    machine.actions = []
    return (machine, question)
  }

  /// The same when it is due, and its owner has been asked.
  private func due() throws -> (Machine, RouteQuestion) {
    var (machine, question) = try waiting()
    machine.request(.finish(.id(ScreenID(2)), nil), txn: "f")
    machine.settle()
    handle(&machine)
    #expect(inquiries(machine).map(\.question) == [question])
    #expect(plans(machine) == ["p1"])
    machine.actions.removeAll { if case .inquire = $0 { true } else { false } }
    return (machine, question)
  }

  @Test("R4: a plan that is cancelled while its owner is asked is not followed; the next link does not wait for that owner")
  func cancelled() throws {
    var (machine, question) = try due()
    let request = DeepLinkRequest(
      scene: SceneAddress(name: "main"), link: "app://shop/orders/7", isDryRun: true, txn: "dry", caller: "test")
    machine.take(machine.broker.follow(request, token: 502, node: "shell", now: machine.now))
    let cancel = machine.request(.endPlan(PlanID(1), nil), txn: "cancel")
    machine.take(machine.broker.decided("main", question, .success(.redirect("orders/9")), now: machine.now))
    machine.settle()
    guard case .answered = machine.reply(to: cancel), case .linked = machine.reply(to: 502) else { return #expect(Bool(false)) }
    machine.take(machine.broker.decided("main", question, .success(.redirect("orders/9")), now: machine.now))
    machine.settle()
    #expect(machine.stack == ["Home"])
    #expect(plans(machine) == [])
  }

  @Test("N16: a look shows the plans that there were when it was taken, not those of records that came after it")
  func looks() throws {
    var (machine, _) = try waiting()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Ghost"), via: .modal(.sheet), unhosted: true)), txn: "ghost")
    let look = machine.look()
    #expect(machine.reply(to: look) == nil, "the screen before it is not durable")
    machine.request(.endPlan(PlanID(1), nil), txn: "cancel")
    #expect(plans(machine) == [], "ended, and not durable either")
    machine.commit()
    guard case .looked(let snapshot) = machine.reply(to: look) else { return #expect(Bool(false)) }
    #expect(snapshot.plans.map(\.id.description) == ["p1"])
  }

  @Test("R4: a plan whose time is over while no host could be asked is not followed by the host that joins then")
  func expiredUnasked() throws {
    var (machine, _) = try due()
    var again = try Machine(restarting: machine, epoch: 2)
    #expect(again.broker.duePlans["main"]?.count == 1)
    again.wait(600_001)
    again.settle()
    #expect(plans(again) == [])
    #expect(again.broker.duePlans.isEmpty, "nothing keeps the scene in memory")
    join(&again, incarnation: 2)
    again.settle()
    #expect(inquiries(again).isEmpty)
    machine.commit()
  }

  @Test("R4: an owner that dies while it is asked does not end the plan: another host is asked, or the next one that joins")
  func ownerDies() throws {
    var (machine, question) = try due()
    join(&machine, "shop-2")
    let silence = MinervaError(.routeFailed, "shop-1 did not answer", retryable: true)
    machine.take(machine.broker.decided("main", question, .failure(silence), now: machine.now))
    machine.settle()
    #expect(plans(machine) == ["p1"])
    #expect(inquiries(machine).isEmpty, "it may be hanging: it is not asked in a circle")
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "crashed", pid: 1, now: machine.now))
    machine.settle()
    #expect(inquiries(machine).map(\.question) == [question])
    machine.take(machine.broker.decided("main", question, .success(.redirect("orders/9")), now: machine.now))
    machine.settle()
    #expect(machine.stack == ["Home", "Order"])
  }

  @Test("R4: an owner that is silent and stays is asked again after a while; one that refuses ends the plan")
  func ownerSilent() throws {
    var (machine, question) = try due()
    let silence = MinervaError(.routeFailed, "shop-1 did not answer", retryable: true)
    machine.take(machine.broker.decided("main", question, .failure(silence), now: machine.now))
    machine.settle()
    machine.wait(DeepLinkJourney.patience)
    #expect(inquiries(machine).map(\.question) == [question])
    machine.take(machine.broker.decided("main", question, .failure(MinervaError(.inputInvalid, "no")), now: machine.now))
    machine.settle()
    #expect(plans(machine) == [])
  }

  @Test(
    "P4: what a link may hold in secret is neither journaled nor published while it waits; the rest is followed from memory",
    arguments: ["app://shop/reset/hunter2", "app://shop/code?token=hunter2", "app://shop/orders/hunter2"])
  func secretsOfLinks(link: String) throws {
    var machine = Machine()
    join(&machine, modules: Self.secretive)
    machine.open("Home", txn: "home")
    machine.settle()
    let request = DeepLinkRequest(scene: SceneAddress(name: "main"), link: link, txn: "link", caller: "test")
    machine.take(machine.broker.follow(request, token: 501, node: "shell", now: machine.now))
    let question = try #require(inquiries(machine).first?.question)
    machine.take(machine.broker.decided("main", question, .success(.wait(RouteStep(ModuleAddress(name: "Login")))), now: machine.now))
    machine.settle()
    let isSecret = !link.contains("orders")
    let plan = try #require(machine.broker.scenes["main"]?.state.plans.first)
    #expect(plan.link == (isSecret ? "app://shop/…" : link))
    #expect(machine.broker.scenes["main"]?.state.seals.count == (isSecret ? 1 : 0))
    machine.request(.finish(.id(ScreenID(2)), nil), txn: "f")
    machine.settle()
    handle(&machine)
    #expect(inquiries(machine).map(\.question) == [question, question], "its owner hears the whole again")
    machine.take(machine.broker.decided("main", question, .success(.proceed), now: machine.now))
    machine.settle()
    #expect(plans(machine) == [])
    // A step that would have to be written down with its secret is not taken.
    #expect(machine.stack == (isSecret ? ["Home"] : ["Home", "Order"]))
    func holds(_ bytes: [UInt8]) -> Bool { String(decoding: bytes, as: UTF8.self).contains("hunter2") }
    #expect(machine.journaled.contains { holds($0.record) } != isSecret)
    let events = machine.actions.compactMap { if case .publish(let event, _) = $0 { event } else { nil } }
    #expect(try events.contains { holds(try CBOR.encode($0)) } != isSecret)
  }

  @Test(
    "R4, P4: after a restart a plan whose link held a secret ends at once and says what to do; others wait on",
    arguments: ["app://shop/reset/hunter2", "app://shop/orders/7"], [[UInt8](), Array(#"{"who":"me"}"#.utf8)])
  func restartedSecrets(link: String, context: [UInt8]) throws {
    var machine = Machine()
    join(&machine, modules: Self.secretive)
    machine.open("Home", txn: "home")
    machine.settle()
    var request = DeepLinkRequest(scene: SceneAddress(name: "main"), link: link, txn: "link", caller: "test")
    request.context = context
    machine.take(machine.broker.follow(request, token: 501, node: "shell", now: machine.now))
    let question = try #require(inquiries(machine).first?.question)
    machine.take(machine.broker.decided("main", question, .success(.wait(RouteStep(ModuleAddress(name: "Login")))), now: machine.now))
    machine.settle()
    #expect(plans(machine) == ["p1"])
    var again = try Machine(restarting: machine, epoch: 2)
    again.commit()
    let isLost = link.contains("reset") || !context.isEmpty
    #expect(plans(again) == (isLost ? [] : ["p1"]))
    let ends = again.actions.compactMap { action -> Refusal? in
      guard case .publish(let event, _) = action, case .navigation(let event) = event.kind, case .plan(_, .ended(let refusal)) = event.kind
      else { return nil }
      return refusal
    }
    #expect(ends.map(\.code) == (isLost ? ["input.lost"] : []))
    #expect(ends.allSatisfy { $0.message.contains("follow it again") && !$0.message.contains("hunter2") })
    // Whoever asks again hears the first answer (N2), and sees from the plans that it waits no more.
    #expect(again.broker.scenes["main"]?.state.answer(to: "link") == machine.broker.scenes["main"]?.state.answer(to: "link"))
    // The screen that was waited for goes on, and its end leads nowhere by itself.
    join(
      &again, incarnation: 2, modules: Self.secretive,
      running: [1, 2].map { RunningCoordinator(scene: again.identity, screen: ScreenID($0), handled: 0, lease: 1) })
    again.request(.finish(.id(ScreenID(2)), nil), txn: "f")
    again.settle()
    handle(&again)
    #expect(again.stack == ["Home"])
    #expect(inquiries(again).count == (isLost ? 0 : 1))
  }

  @Test("R4, P4, D2: a fork takes a plan along, unless its link held a secret that this broker has lost: then it ends there at once")
  func forkedSecrets() throws {
    var machine = Machine()
    join(&machine, modules: Self.secretive)
    machine.open("Home", txn: "home")
    machine.settle()
    let request = DeepLinkRequest(scene: SceneAddress(name: "main"), link: "app://shop/reset/hunter2", txn: "link", caller: "test")
    machine.take(machine.broker.follow(request, token: 501, node: "shell", now: machine.now))
    let question = try #require(inquiries(machine).first?.question)
    machine.take(machine.broker.decided("main", question, .success(.wait(RouteStep(ModuleAddress(name: "Login")))), now: machine.now))
    machine.settle()
    let past = try #require(machine.broker.scenes["main"]?.state)
    var again = try Machine(restarting: machine, epoch: 2)
    again.commit()
    func forked(_ machine: inout Machine) -> [PlanID]? {
      machine.take(
        machine.broker.fork(
          past, at: past.time.milliseconds, of: machine.identity, as: "fork", token: 9_001, now: machine.now))
      machine.settle()
      return machine.broker.scenes["fork"]?.state.plans.map(\.id)
    }
    #expect(forked(&machine) == past.plans.map(\.id))
    again.actions = []
    #expect(forked(&again) == [])
    guard case .begun = again.reply(to: 9_001) else { return #expect(Bool(false), "not begun") }
    let ends = again.actions.compactMap { action -> String? in
      guard case .publish(let event, _) = action, case .navigation(let event) = event.kind, case .plan(_, .ended(let refusal)) = event.kind
      else { return nil }
      return refusal.code
    }
    #expect(ends == ["input.lost"])
  }
}
