@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaRecording
import MinervaWire
import Testing

/// Inputs of which nobody can say whether they hold a secret (P4): sealed as a whole, and of use as long as the broker lives.
@Suite("The broker and opaque inputs")
struct OpaqueInputTests {
  private static let word = "hunter2-of-all-things"

  private static func route(_ pattern: String, _ module: String, _ via: Presentation = .push) -> Route {
    var route = Route(from: "Home", RoutePattern(pattern) ?? .any, module: module, via: via)
    route.query = ["note"]
    return route
  }

  private func description(_ name: String, _ shape: PayloadShape?, _ routes: [Route] = []) -> ModuleDescription {
    let schema = shape.map { PayloadSchema(name: name, shape: $0) }
    return ModuleDescription(name: name, schema: schema.flatMap { try? JSONValueEncoder().encode($0).text }, routes: routes)
  }

  private func join(_ machine: inout Machine, incarnation: UInt64 = 1, running: [RunningCoordinator] = []) {
    let routes = [
      Self.route("ways/:word", "Way"), Self.route("plain/:word", "Plain"), Self.route("shell", "Shell"),
      Self.route("login/:password", "Login"),
    ]
    var tabbed = Self.route("tabbed/:word", "Way", .tab("way"))
    tabbed.from = "Shell"
    let registration = HostRegistration(
      app: "shop", node: "shop-1", endpoint: nil,
      modules: [
        description("Home", .object(name: "NoInput", []), routes), description("Shell", nil, [tabbed]), description("Way", .opaque("Way")),
        description("Plain", .any),
        description("Login", .object(name: "Login", [.init("password", .secret(.string))])),
      ], links: DeepLinkScope(root: "Home", schemes: ["app"], hosts: ["shop"]), running: running)
    machine.take(machine.broker.register(registration, incarnation: incarnation, pid: 1, token: 900, now: machine.now))
    machine.commit()
  }

  private func opened() -> Machine {
    var machine = Machine()
    join(&machine)
    machine.open("Home", txn: "home")
    machine.settle()
    machine.actions = []
    return machine
  }

  /// Follows a link; returns the inputs with which hosts were asked for modules.
  @discardableResult
  private func follow(_ link: String, _ machine: inout Machine, token: CallToken, isDryRun: Bool = false) -> [String] {
    let request = DeepLinkRequest(
      scene: SceneAddress(name: "main"), link: link, isDryRun: isDryRun, txn: "link \(token)", caller: "test")
    machine.take(machine.broker.follow(request, token: token, node: "shell", now: machine.now))
    machine.commit()
    defer { machine.settle() }
    return connected(machine)
  }

  private func connected(_ machine: Machine) -> [String] {
    machine.actions.compactMap {
      if case .connect(_, let order) = $0 { String(decoding: order.connection.input, as: UTF8.self) } else { nil }
    }
  }

  private func holds(_ bytes: [UInt8]) -> Bool { String(decoding: bytes, as: UTF8.self).contains(Self.word) }

  /// Whether the word is in what the journal was given, in a snapshot of the scene, or in what was published.
  private func isWritten(_ machine: Machine) throws -> Bool {
    if machine.journaled.contains(where: { holds($0.record) }) { return true }
    for action in machine.actions { if case .publish(let event, _) = action, holds(try CBOR.encode(event)) { return true } }
    let slot = try #require(machine.broker.scenes["main"])
    return holds(try CBOR.encode(SceneImage(at: 0, state: slot.state)))
  }

  private func report(_ screen: UInt32, _ machine: Machine) -> ScreenReport? {
    machine.broker.scenes["main"]?.state.screen(ScreenID(screen))
  }

  @Test(
    "P4, R2: a link leads into a module whose input cannot be seen through; what it gives is written nowhere, the same keeps the screen")
  func links() throws {
    var machine = opened()
    #expect(follow("app://shop/ways/\(Self.word)", &machine, token: 501) == [#"{"word":"\#(Self.word)"}"#])
    #expect(machine.stack == ["Home", "Way"])
    #expect(report(2, machine)?.input == Array(#""•••""#.utf8))
    follow("app://shop/ways/\(Self.word)", &machine, token: 502, isDryRun: true)
    guard case .linked(let reply) = machine.reply(to: 502) else { return #expect(Bool(false)) }
    #expect(reply.plan.map(\.description) == ["keep s1 Home", "keep s2 Way"])
    #expect(follow("app://shop/ways/\(Self.word)", &machine, token: 503) == [])
    #expect(report(2, machine) != nil)
    #expect(follow("app://shop/ways/other", &machine, token: 504) == [#"{"word":"other"}"#])
    #expect(machine.stack == ["Home", "Way"] && report(2, machine) == nil)
    #expect(try !isWritten(machine))
  }

  @Test(
    "P4: a link into a tab that is new starts it with its own text, or puts it on its root, and no record holds it",
    arguments: ["Way", "Home"])
  func tabs(root: String) throws {
    var machine = opened()
    let request = DeepLinkRequest(
      scene: SceneAddress(name: "main"), link: "app://shop/shell/tabbed/\(Self.word)", txn: "link", caller: "test")
    machine.take(machine.broker.follow(request, token: 501, node: "shell", now: machine.now))
    machine.commit()
    let tabs = [("home", "Home"), ("way", root)].map { TabSpec(name: $0.0, start: ModuleStart(ModuleAddress(name: $0.1))) }
    let acceptance = Acceptance(host: "shop-1", container: .tabs(tabs, selected: 0))
    machine.actions = []
    machine.take(
      machine.broker.linked(machine.identity, LinkReport(screen: ScreenID(2), lease: 1, verdict: .accepted(acceptance)), now: machine.now))
    machine.commit()
    #expect(connected(machine).last == #"{"word":"\#(Self.word)"}"#)
    machine.settle()
    guard case .answered? = machine.reply(to: 501) else { return #expect(Bool(false), "\(String(describing: machine.reply(to: 501)))") }
    #expect(try !isWritten(machine))
  }

  @Test("P4, R3: what a link gives to a secret is refused as ever, and the author's word opens a type that keeps none")
  func refusals() throws {
    var machine = opened()
    follow("app://shop/login/\(Self.word)", &machine, token: 501)
    #expect(machine.refusal(of: 501) == "input.secret" && machine.stack == ["Home"])
    #expect(try !isWritten(machine))
    follow("app://shop/plain/for-all?note=hi", &machine, token: 502)
    #expect(report(2, machine)?.input == Array(#"{"word":"for-all","note":"hi"}"#.utf8))
  }

  @Test("P4: a start, and a stack that is set, are refused where a record would hold the input, with what the author can do")
  func starts() throws {
    var machine = opened()
    let input = Array(#"{"word":"\#(Self.word)"}"#.utf8)
    let way = ModuleAddress(name: "Way")
    let set = machine.request(.setStack(.main, [.screen(.id(ScreenID(1))), .module(way, input: input)]), txn: "b")
    let launch = machine.request(.launch(module: way, input: input), txn: "c")
    machine.settle()
    for token in [set, launch] {
      guard case .refused(let error) = machine.reply(to: token) else { return #expect(Bool(false)) }
      #expect(error.code == .inputSecret && error.message.contains("PayloadDescribing"), "\(error.message)")
    }
    #expect(try !isWritten(machine))
    let bare = machine.request(.setStack(.main, [.screen(.id(ScreenID(1))), .module(way, input: [])]), txn: "d")
    let none = machine.request(.launch(module: ModuleAddress(name: "Home"), input: Array("{}".utf8)), txn: "e")
    machine.settle()
    #expect(machine.refusal(of: bare) == nil && machine.refusal(of: none) == nil)
  }

  @Test("P4: after a restart such a screen goes on with its host, else it is a placeholder that needs input", arguments: [true, false])
  func restarts(isRunning: Bool) throws {
    var machine = opened()
    follow("app://shop/ways/\(Self.word)", &machine, token: 501)
    var again = try Machine(restarting: machine, epoch: 2)
    let running = [1, 2].map { RunningCoordinator(scene: again.identity, screen: ScreenID($0), handled: 0) }
    join(&again, incarnation: isRunning ? 1 : 2, running: isRunning ? running : [])
    again.settle()
    #expect(report(2, again)?.needsInput == !isRunning && report(2, again)?.isSuspended == false)
    #expect(try !isWritten(again))
  }
}
