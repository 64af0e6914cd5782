@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

/// Links at the broker: routes that hosts publish, owners that are asked, inputs that are made (R1-R6).
@Suite("The broker and links")
struct DeepLinkTests {
  private static let scope = DeepLinkScope(root: "Home", schemes: ["app"], hosts: ["shop"])
  private static let order = PayloadSchema(
    name: "Order",
    shape: .object(name: "Order", [.init("id", .integer(min: .min, max: UInt64(Int64.max))), .init("note", .optional(.string))]))

  private static func route(_ from: String, _ pattern: String, _ module: String, _ change: (inout Route) -> Void = { _ in }) -> Route {
    var route = Route(from: from, RoutePattern(pattern) ?? .any, module: module)
    change(&route)
    return route
  }

  private static let routes = [
    route("Home", "orders/:id", "Order") { $0.query = ["note"] }, route("Home", "secret/:code", "Order") { $0.asks = true },
    route("Home", "inbox", "Inbox") { $0.context = ["account"] }, route("Home", "files/*path", "Files"),
    route("Order", "items/:name", "Item"),
  ]

  private func description(_ name: String, schema: PayloadSchema? = nil, _ routes: [Route]) -> ModuleDescription {
    let text = schema.flatMap { try? JSONValueEncoder().encode($0).text }
    return ModuleDescription(name: name, schema: text, routes: routes.filter { $0.from == name })
  }

  private func registration(_ node: String = "shop-1", _ routes: [Route] = routes) -> HostRegistration {
    HostRegistration(
      app: "shop", node: node, endpoint: nil,
      modules: [
        description("Home", routes), description("Order", schema: Self.order, routes), description("Item", routes),
        description("Inbox", schema: PayloadSchema(name: "Inbox", shape: .object(name: "Inbox", [.init("account", .string)])), routes),
        description("Files", routes), description("Login", routes),
      ], links: Self.scope)
  }

  @Test("the links of an app are those of its living hosts, whoever comes and goes")
  func linksOfTheLiving() throws {
    var registry = Registry()
    #expect(registry.links(of: "shop") == nil)
    try registry.register(registration())
    let more = Self.routes + [Self.route("Home", "more", "Item")]
    try registry.register(registration("shop-2", more))
    #expect(registry.links(of: "shop")?.table.all.contains { $0.pattern == RoutePattern("more") } == true)
    registry.lose("shop-2")
    #expect(registry.links(of: "shop")?.table.all.contains { $0.pattern == RoutePattern("more") } == false)
    var moved = registration()
    moved.app = "bank"
    try registry.register(moved)
    #expect(registry.links(of: "shop") == nil && registry.links(of: "bank") != nil)
    registry.lose("shop-1")
    #expect(registry.links(of: "bank") == nil)
  }

  private func opened() -> Machine {
    var machine = Machine()
    machine.take(machine.broker.register(registration(), incarnation: 1, pid: 1, token: 900, now: machine.now))
    machine.open("Home", txn: "home")
    machine.settle()
    machine.actions = []
    return machine
  }

  private func follow(
    _ link: String, _ machine: inout Machine, token: CallToken = 501, txn: String = "link", context: String = "", isDryRun: Bool = false,
    keepsPrefix: Bool = false, deadline: UInt32? = nil
  ) {
    var request = DeepLinkRequest(
      scene: SceneAddress(name: "main"), link: link, context: Array(context.utf8), isDryRun: isDryRun, keepsPrefix: keepsPrefix, txn: txn,
      caller: "test")
    request.deadline = deadline
    machine.take(machine.broker.follow(request, token: token, node: "shell", now: machine.now))
  }

  private func inputs(_ machine: Machine) -> [String] {
    machine.actions.compactMap { action in
      guard case .connect(_, let order) = action else { return nil }
      return order.connection.module.name + String(decoding: order.connection.input, as: UTF8.self)
    }
  }

  private func inquiries(_ machine: Machine) -> [RouteInquiry] {
    machine.actions.compactMap { if case .inquire(_, let inquiry, _) = $0 { inquiry } else { nil } }
  }

  private func message(_ token: CallToken, _ machine: Machine) -> String? {
    if case .refused(let error) = machine.reply(to: token) { "\(error.code): \(error.message)" } else { nil }
  }

  @Test("R2: a link becomes one transaction, with inputs typed by the schemas of the modules")
  func follows() {
    var machine = opened()
    follow("app://shop/orders/9/items/7?note=hi", &machine)
    machine.commit()
    #expect(inputs(machine) == [#"Order{"id":9,"note":"hi"}"#, #"Item{"name":"7"}"#])
    machine.settle()
    #expect(machine.stack == ["Home", "Order", "Item"])
    guard case .answered(let answer) = machine.reply(to: 501) else { return #expect(Bool(false)) }
    #expect(answer.outcome.presented.map(\.module) == ["Order", "Item"])
  }

  @Test("R1, E05: a wildcard's values are an array, what is no number stays text, context goes where it is wanted")
  func values() {
    var machine = opened()
    follow("app://shop/files/a/b%2Fc", &machine)
    follow("app://shop/inbox", &machine, token: 502, txn: "l2", context: #"{"account":"ada","other":1}"#)
    follow("app://shop/orders/x", &machine, token: 503, txn: "l3")
    machine.settle()
    let made = machine.journaled.map { String(decoding: $0.record, as: UTF8.self) }.joined()
    for input in [#"{"path":["a","b/c"]}"#, #"{"account":"ada"}"#, #"{"id":"x"}"#] { #expect(made.contains(input), "\(input)") }
  }

  @Test("R3: refusals tell what matched, what is left, and that nothing changed")
  func refusals() {
    var machine = opened()
    follow("app://shop/orders/9/itmes/4", &machine)
    follow("app://shop/inbox", &machine, token: 502, txn: "l2")
    follow("app://shop/%zz", &machine, token: 503, txn: "l3")
    follow("app://shop", &machine, token: 504, txn: "l4")
    follow("app://shop/inbox", &machine, token: 505, txn: "l5", context: "[1]")
    follow("app://shop/inbox", &machine, token: 506, txn: "l6", context: #"{"account":1,"account":2}"#)
    machine.settle()
    #expect(
      message(501, machine)
        == "route.no_match: matched shop/orders/9, nothing matches \"itmes/4\" under Order (has: items/:name); rolled back")
    #expect(
      (502...506).map { machine.refusal(of: $0) }
        == ["route.wrong_context", "route.invalid_url", "route.incomplete", "input.invalid", "input.invalid"])
    #expect(machine.stack == ["Home"])
  }

  @Test("R2: a dry run tells the plan and changes nothing; --keep-prefix keeps what matched")
  func dryRun() {
    var machine = opened()
    let before = machine.journaled.count
    follow("app://shop/orders/9/items/7", &machine, isDryRun: true)
    machine.commit()
    guard case .linked(let reply) = machine.reply(to: 501) else { return #expect(Bool(false)) }
    #expect(reply.plan.map(\.description) == ["keep s1 Home", #"push Order{"id":9}"#, #"push Item{"name":"7"}"#])
    #expect(reply.hops.map(\.route.module) == ["Order", "Item"])
    #expect(machine.journaled.count == before)
    follow("app://shop/orders/9/itmes/4", &machine, token: 502, txn: "l2", keepsPrefix: true)
    machine.settle()
    guard case .answered(let answer) = machine.reply(to: 502) else { return #expect(Bool(false)) }
    #expect(answer.outcome.shortfall?.code == "route.no_match")
    #expect(machine.stack == ["Home", "Order"])
  }

  @Test("N2: a link that is sent again gets its first answer, wherever it would lead now")
  func again() {
    var machine = opened()
    follow("app://shop/orders/9", &machine)
    machine.settle()
    machine.request(.back(count: 1, in: nil), txn: "back")
    machine.settle()
    follow("app://shop/nowhere", &machine, token: 502)
    machine.settle()
    guard case .answered(let answer) = machine.reply(to: 502) else { return #expect(Bool(false)) }
    #expect(answer.outcome.presented.map(\.module) == ["Order"])
    #expect(machine.stack == ["Home"])
  }

  @Test("R1: the owner of a route is asked before it is taken; its answer, its refusal and its silence each end the link once")
  func asks() throws {
    var machine = opened()
    follow("app://shop/secret/9", &machine)
    let inquiry = try #require(inquiries(machine).first)
    #expect(inquiry.question.values == [RouteValue(name: "code", value: "9")])
    #expect(machine.broker.scenes["main"].map(machine.broker.isSettled) == false)
    // Another link waits for the first (R5).
    follow("app://shop/files/x", &machine, token: 502, txn: "l2")
    machine.commit()
    #expect(machine.reply(to: 502) == nil)
    machine.take(machine.broker.decided("main", inquiry.question, .success(.redirect("orders/:code")), now: machine.now))
    machine.settle()
    #expect(machine.stack == ["Home", "Files"])
    #expect(inquiries(machine).count == 1)
    guard case .answered = machine.reply(to: 501), case .answered = machine.reply(to: 502) else { return #expect(Bool(false)) }
    follow("app://shop/secret/9", &machine, token: 503, txn: "l3")
    let lost = MinervaError(.routeFailed, "shop-1 did not answer")
    machine.take(machine.broker.decided("main", inquiry.question, .failure(lost), now: machine.now))
    // A word that comes too late is nobody's.
    machine.take(machine.broker.decided("main", inquiry.question, .success(.proceed), now: machine.now))
    machine.settle()
    #expect(machine.refusal(of: 503) == "route.failed")
    #expect(machine.stack == ["Home", "Files"])
  }

  @Test("N15: what an owner takes to answer for a link counts against its caller's one deadline")
  func ownersCount() throws {
    var machine = opened()
    follow("app://shop/secret/9", &machine, deadline: 1_000)
    let question = try #require(inquiries(machine).first?.question)
    machine.wait(600)
    machine.take(machine.broker.decided("main", question, .success(.proceed), now: machine.now))
    machine.commit()
    machine.wait(399)
    machine.commit()
    #expect(machine.reply(to: 501) == nil, "its host does not answer")
    machine.wait(1)
    machine.commit()
    #expect(machine.refusal(of: 501) == "link.timeout")
  }

  @Test("N15: a link that waits for another's owner is refused at its own deadline")
  func deadlines() throws {
    var machine = opened()
    follow("app://shop/secret/9", &machine)
    let hasty = DeepLinkRequest(
      scene: SceneAddress(name: "main"), link: "app://shop/files/x", txn: "l2", caller: "test", deadline: 500)
    machine.take(machine.broker.follow(hasty, token: 502, node: "shell", now: machine.now))
    let alarm = try #require(machine.broker.nextAlarm)
    #expect(alarm <= machine.now + 501)
    machine.wait(501)
    #expect(machine.refusal(of: 502) == "route.failed")
    #expect(machine.reply(to: 501) == nil)
    machine.wait(10_000)
    #expect(machine.refusal(of: 501) == "route.failed", "its owner has said nothing")
    follow("app://shop/files/x", &machine, token: 503, txn: "l3")
    machine.settle()
    #expect(machine.stack == ["Home", "Files"])
  }

  @Test("R1: owners that lead a link in a circle are asked a bounded number of times")
  func circles() {
    var machine = opened()
    follow("app://shop/secret/0", &machine)
    for turn in 1...64 {
      guard let inquiry = inquiries(machine).last, machine.reply(to: 501) == nil else { break }
      machine.take(machine.broker.decided("main", inquiry.question, .success(.redirect("secret/\(turn)")), now: machine.now))
    }
    #expect(machine.refusal(of: 501) == "route.failed")
    #expect(inquiries(machine).count <= DeepLinkJourney.questions)
  }

  @Test("R4: an owner has a link wait; it goes on when the awaited screen ends, also when the broker was restarted meanwhile")
  func waits() throws {
    var machine = opened()
    follow("app://shop/secret/9", &machine)
    let question = try #require(inquiries(machine).first?.question)
    machine.take(machine.broker.decided("main", question, .success(.wait(RouteStep(ModuleAddress(name: "Login")))), now: machine.now))
    machine.settle()
    guard case .answered(let answer) = machine.reply(to: 501) else { return #expect(Bool(false)) }
    #expect(answer.outcome.plan?.module == "Login")
    machine.request(.finish(.id(ScreenID(2)), nil), txn: "f")
    machine.settle()
    var again = try Machine(restarting: machine, epoch: 2)
    #expect(inquiries(again).isEmpty, "no host is there that could be asked")
    again.take(
      again.broker.register(
        HostRegistration(
          app: "shop", node: "shop-1", endpoint: nil, modules: registration().modules, links: Self.scope,
          running: [RunningCoordinator(scene: again.identity, screen: ScreenID(1), handled: 9)]), incarnation: 1, pid: 1, token: 900,
        now: again.now))
    for message in again.actions.compactMap({ if case .order(_, .deliver(_, let it, at: _)) = $0 { it.message.number } else { nil } }) {
      _ = again.turn(ScreenID(1), message, handled: message)
    }
    again.settle()
    #expect(inquiries(again).map(\.question) == [question])
    again.take(again.broker.decided("main", question, .success(.redirect("orders/9")), now: again.now))
    again.settle()
    #expect(again.stack == ["Home", "Order"])
    #expect(again.broker.scenes["main"]?.state.plans == [])
  }

  @Test("R4: a plan that is due waits for a host that can be asked: one that has only registered has not its receipt yet")
  func waitsForReceipts() throws {
    var machine = opened()
    follow("app://shop/secret/9", &machine)
    let question = try #require(inquiries(machine).first?.question)
    machine.take(machine.broker.decided("main", question, .success(.wait(RouteStep(ModuleAddress(name: "Login")))), now: machine.now))
    machine.settle()
    machine.request(.finish(.id(ScreenID(2)), nil), txn: "f")
    machine.settle()
    for message in machine.actions.compactMap({ if case .order(_, .deliver(_, let it, at: _)) = $0 { it.message.number } else { nil } }) {
      _ = machine.turn(ScreenID(1), message, handled: message)
    }
    machine.settle()
    #expect(inquiries(machine).count == 2, "it is due and was asked about when the broker is restarted")
    var again = try Machine(restarting: machine, epoch: 2)
    // A record is under way, so that the receipt has to wait.
    again.request(.act(.id(ScreenID(1)), .tap(row: "r", action: nil)), txn: "tap")
    again.take(again.broker.register(registration(), incarnation: 2, pid: 1, token: 900, now: again.now))
    #expect(inquiries(again).isEmpty)
    #expect(again.broker.scenes["main"]?.state.plans.isEmpty == false)
    again.commit()
    #expect(inquiries(again).map(\.question) == [question])
  }

  @Test(
    "P4: what is given with a link is in no record; a link that waits goes on with it, and ends when the broker has lost it",
    arguments: [true, false])
  func sealedContext(restarts: Bool) throws {
    let secret = "hunter2-of-all-things"
    var machine = opened()
    follow("app://shop/secret/9", &machine, context: #"{"account":"ada","token":"\#(secret)"}"#)
    let question = try #require(inquiries(machine).first?.question)
    #expect(inquiries(machine).first.map { String(decoding: $0.context, as: UTF8.self).contains(secret) } == true)
    machine.take(machine.broker.decided("main", question, .success(.wait(RouteStep(ModuleAddress(name: "Login")))), now: machine.now))
    machine.settle()
    guard case .answered(let answer) = machine.reply(to: 501) else { return #expect(Bool(false)) }
    #expect(answer.outcome.plan?.module == "Login")
    func isWritten(_ machine: Machine) -> Bool {
      machine.journaled.contains { String(decoding: $0.record, as: UTF8.self).contains(secret) }
        || machine.actions.contains { action in
          guard case .publish(let event, _) = action, let bytes = try? CBOR.encode(event) else { return false }
          return String(decoding: bytes, as: UTF8.self).contains(secret)
        }
    }
    #expect(!isWritten(machine))
    if restarts { machine = try Machine(restarting: machine, epoch: 2) }
    machine.actions = []
    machine.take(
      machine.broker.register(
        HostRegistration(
          app: "shop", node: "shop-1", endpoint: nil, modules: registration().modules, links: Self.scope,
          running: [1, 2].map { RunningCoordinator(scene: machine.identity, screen: ScreenID($0), handled: 9) }), incarnation: 1, pid: 1,
        token: 900, now: machine.now))
    machine.settle()
    machine.request(.finish(.id(ScreenID(2)), nil), txn: "f")
    machine.settle()
    for message in machine.actions.compactMap({ if case .order(_, .deliver(_, let it, at: _)) = $0 { it.message } else { nil } }) {
      _ = machine.turn(ScreenID(1), message.number, handled: message.number)
    }
    machine.settle()
    let asked = inquiries(machine).first.map { String(decoding: $0.context, as: UTF8.self) }
    #expect(restarts ? asked == nil : asked?.contains(secret) == true)
    #expect((machine.broker.scenes["main"]?.state.plans == []) == restarts)
    #expect(!isWritten(machine))
  }

  @Test("R1: routes that match the same paths are refused when a host registers, in one host and between two")
  func ambiguous() {
    var machine = opened()
    let twin = Self.routes + [Self.route("Home", "orders/:number", "Item")]
    machine.take(machine.broker.register(registration("shop-2", twin), incarnation: 1, pid: 2, token: 901, now: machine.now))
    machine.take(machine.broker.register(registration("shop-3"), incarnation: 1, pid: 3, token: 902, now: machine.now))
    machine.commit()
    #expect(machine.refusal(of: 901) == "route.ambiguous")
    #expect(machine.refusal(of: 902) == nil)
    #expect(machine.broker.routeListings.map(\.routes.count) == [Self.routes.count])
  }

  @Test("R3: an app without links says so; other schemes and hosts are told what there is")
  func strangers() {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "home")
    machine.settle()
    follow("app://shop/orders/9", &machine)
    #expect(machine.refusal(of: 501) == "route.no_match")
    var other = opened()
    follow("web://else/orders/9", &other)
    #expect(message(501, other)?.contains("it has app://shop") == true)
  }
}
