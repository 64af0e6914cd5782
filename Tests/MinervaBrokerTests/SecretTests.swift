@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaRecording
import MinervaWire
import Testing

/// What must not be written down (P4), before records, snapshots and events.
@Suite("The broker and secrets")
struct SecretTests {
  static let secret = "hunter2-of-all-things"
  static let login = PayloadSchema(
    name: "Login", shape: .object(name: "Login", [.init("name", .string), .init("password", .secret(.string))]))

  func input(_ password: String = secret) -> [UInt8] { Array(#"{"name":"ada","password":"\#(password)"}"#.utf8) }

  private func opened() -> Machine {
    var machine = Machine()
    register(&machine)
    machine.open("Home", txn: "a")
    machine.settle()
    return machine
  }

  func register(_ machine: inout Machine, incarnation: UInt64 = 1, running: [RunningCoordinator] = []) {
    machine.register("shop-1", incarnation: incarnation, modules: ["Home", "Login"], schemas: ["Login": Self.login], running: running)
  }

  /// Lets a screen say which of its fields may be written down.
  private func show(_ plain: [String]?, on screen: UInt32 = 1, _ machine: inout Machine) {
    let change = ListEvent(screen: ScreenID(screen), from: 0, to: 1, counts: ChangeCounts(), computedBy: "", changes: [])
    machine.take(
      machine.broker.rendered(
        RenderingReport(
          scene: machine.identity, rendering: StampedRendering(screen: ScreenID(screen), version: 1, body: [1]), change: change,
          answersTurn: false, plainFields: plain), node: machine.host(of: ScreenID(screen)), now: machine.now))
  }

  private func enter(_ field: String, on ref: ScreenRef = .id(ScreenID(1)), txn: String = "e", _ machine: inout Machine) {
    machine.request(.act(ref, .enter(field: field, value: Self.secret)), txn: txn)
    machine.commit()
  }

  private func holds(_ bytes: [UInt8]) -> Bool { String(decoding: bytes, as: UTF8.self).contains(Self.secret) }

  /// Whether the secret is in what the journal was given, in a snapshot of the scene, or in what was published.
  func isWritten(_ machine: Machine) throws -> Bool {
    if machine.journaled.contains(where: { holds($0.record) }) { return true }
    for action in machine.actions { if case .publish(let event, _) = action, holds(try CBOR.encode(event)) { return true } }
    let slot = try #require(machine.broker.scenes["main"])
    return holds(try CBOR.encode(SceneImage(at: 0, state: slot.state)))
  }

  @Test("P4: a screen without a host is opened with what may be seen: nobody would ever need the rest")
  func unhosted() throws {
    var machine = opened()
    machine.request(
      .open(Command.Opening(ModuleAddress(name: "Login"), input: input(), via: .push, unhosted: true)), txn: "u")
    machine.settle()
    #expect(machine.stack == ["Home", "Login"])
    #expect(try !isWritten(machine))
    #expect(machine.broker.vaults["main"]?.isEmpty ?? true)
  }

  @Test("N7, P4: a message that is sent with its text keeps its place in the order", arguments: ["enter", "execute", "input"])
  func placeKept(what: String) throws {
    var machine = opened()
    let seal = machine.broker.vaults["main", default: Vault()].put(Array(Self.secret.utf8)) { Seal(9) }
    let body: Message.Body =
      switch what {
      case "enter": .act(.enterSealed(field: "password", seal))
      case "execute": .act(.executeSealed(command: "login", seal))
      default: .sealedInput([], seal)
      }
    let message = Message(number: 601, body: body, after: 598)
    let sent = machine.broker.opened(Delivery(screen: ScreenID(1), host: "shop-1", lease: 1, message: message), of: "main").message
    #expect(sent.number == 601 && sent.after == 598)
    #expect(sent.body != body, "the text is in it")
  }

  private func delivered(_ machine: Machine) -> [Message.Body] {
    machine.actions.compactMap { if case .order(_, .deliver(_, let delivery, at: _)) = $0 { delivery.message.body } else { nil } }
  }

  func connected(_ machine: Machine) -> [[UInt8]] {
    machine.actions.compactMap { if case .connect(_, let order) = $0 { order.connection.input } else { nil } }
  }

  func report(_ screen: UInt32, _ machine: Machine) -> ScreenReport? {
    machine.broker.scenes["main"]?.state.screen(ScreenID(screen))
  }

  @Test("P4: what is entered into a secret field reaches its host and is written nowhere")
  func enteredSecrets() throws {
    var machine = opened()
    show(["name"], &machine)
    enter("password", &machine)
    #expect(delivered(machine) == [.act(.enter(field: "password", value: Self.secret))])
    #expect(try !isWritten(machine))
  }

  @Test("P4: a field that is not secret is recorded as it is, so that a restart loses nothing of it (K3)")
  func plainFields() throws {
    var machine = opened()
    show(["name"], &machine)
    enter("name", &machine)
    #expect(try isWritten(machine))
    var again = try Machine(restarting: machine, epoch: 2)
    register(&again, running: [RunningCoordinator(scene: again.identity, screen: ScreenID(1), handled: 0)])
    again.commit()
    #expect(delivered(again) == [.act(.enter(field: "name", value: Self.secret))])
  }

  @Test(
    "P4: in doubt a text is taken for a secret: a misspelt field, a screen that has shown nothing, a reference that may change",
    arguments: ["pasword", "unseen", "top"])
  func doubts(which: String) throws {
    var machine = opened()
    if which != "unseen" { show(["name"], &machine) }
    if which == "top" {
      // While something is under way, what `top` means is only known when it is over.
      machine.open("Home", txn: "b")
      enter("name", on: .top, &machine)
    } else {
      enter(which == "unseen" ? "name" : which, &machine)
    }
    #expect(try !isWritten(machine))
  }

  @Test("K3: a host that is lost with a secret in its mailbox is given the whole text again")
  func redelivery() throws {
    var machine = opened()
    show(["name"], &machine)
    enter("password", &machine)
    machine.actions = []
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    register(&machine, incarnation: 2)
    machine.settle()
    #expect(delivered(machine) == [.act(.enter(field: "password", value: Self.secret))])
    #expect(try !isWritten(machine))
  }

  @Test("P4: after a broker's restart a text that no host had handled is lost, and its host hears so")
  func lostText() throws {
    var machine = opened()
    show(["name"], &machine)
    enter("password", &machine)
    var again = try Machine(restarting: machine, epoch: 2)
    register(&again, running: [RunningCoordinator(scene: again.identity, screen: ScreenID(1), handled: 0)])
    again.commit()
    guard case .act(.enterSealed("password", _)) = delivered(again).first else {
      Issue.record("\(delivered(again))")
      return
    }
  }

  @Test("P4: what a command is executed with is sealed whole: no schema says what of it is secret")
  func commandPayload() throws {
    var machine = opened()
    machine.request(.act(.id(ScreenID(1)), .execute(command: "sign-in", input: input())), txn: "x")
    machine.request(.act(.id(ScreenID(1)), .execute(command: "plain", input: nil)), txn: "y")
    machine.commit()
    #expect(delivered(machine) == [.act(.execute(command: "sign-in", input: input())), .act(.execute(command: "plain", input: nil))])
    #expect(try !isWritten(machine))
    var again = try Machine(restarting: machine, epoch: 2)
    register(&again, running: [RunningCoordinator(scene: again.identity, screen: ScreenID(1), handled: 0)])
    again.commit()
    guard case .act(.executeSealed("sign-in", _)) = delivered(again).first else {
      Issue.record("\(delivered(again))")
      return
    }
    let forged = again.request(.act(.id(ScreenID(1)), .executeSealed(command: "x", Seal(1 << 32 | 1))), txn: "z")
    #expect(again.refusal(of: forged) == "bus.bad_message")
  }

  @Test("P4, L4: more inputs of an opening are sealed by the schemas of the modules they are for")
  func configuration() throws {
    var machine = opened()
    var opening = Command.Opening(ModuleAddress(name: "Login"), input: input("x"))
    opening.configuration = [Command.ModuleInput(module: "Login", input: input())]
    machine.request(.open(opening), txn: "x")
    machine.settle()
    #expect(delivered(machine) == [.input(input())])
    #expect(try !isWritten(machine))
  }

  @Test("N2: what was answered before a restart is answered again from memory, also before a host has said what of it is secret")
  func again() throws {
    var machine = opened()
    let elements: [Command.Element] = [.screen(.id(ScreenID(1))), .module(ModuleAddress(name: "Home"), input: [0x31])]
    let first = machine.request(.setStack(NavPath(layer: 0), elements), txn: "st")
    machine.settle()
    guard case .answered(let answer) = machine.reply(to: first) else { return #expect(Bool(false)) }
    var again = try Machine(restarting: machine, epoch: 2)
    let second = again.request(.setStack(NavPath(layer: 0), elements), txn: "st")
    again.commit()
    guard case .answered(let same) = again.reply(to: second) else {
      return #expect(Bool(false), "\(String(describing: again.refusal(of: second)))")
    }
    #expect(same.outcome == answer.outcome && same.seq == answer.seq)
  }

  @Test("P4: before a host has said what is secret, and in another app's module, nothing that may be secret is written down")
  func undecided() throws {
    var machine = opened()
    machine.settle()
    var again = try Machine(restarting: machine, epoch: 2)
    func stack(_ module: ModuleAddress) -> Command.Action {
      .setStack(NavPath(layer: 0), [.module(ModuleAddress(name: "Home"), input: []), .module(module, input: input())])
    }
    let early = again.request(stack(ModuleAddress(name: "Login")), txn: "early")
    let named = again.request(.go(name: "login", from: nil, input: input()), txn: "go")
    let sent = again.request(.send(.top, input()), txn: "sent")
    again.commit()
    #expect(again.refusal(of: early) == "input.secret" && again.refusal(of: named) == "input.secret")
    #expect(again.refusal(of: sent) == nil)
    register(&again)
    let elsewhere = again.request(stack(ModuleAddress(app: "other", name: "Login")), txn: "elsewhere")
    let misspelt = again.request(stack(ModuleAddress(name: "Logn")), txn: "misspelt")
    again.commit()
    #expect(again.refusal(of: elsewhere) == "input.secret" && again.refusal(of: misspelt) == "module.unknown")
    #expect(try !isWritten(again))
  }

  @Test("P4: a host cannot name the seal of another's secret in its transitions")
  func foreignSeals() {
    var machine = opened()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Login"), input: input())), txn: "b")
    machine.settle()
    let thief = machine.request(.open(Command.Opening(ModuleAddress(name: "Home"))), txn: "c")
    machine.commit()
    var opening = Command.Opening(ModuleAddress(name: "Home"))
    opening.seal = machine.broker.scenes["main"]?.state.seal(of: ScreenID(2))
    let acceptance = Acceptance(host: "shop-1", transitions: [NamedTransition(name: "steal", opening: opening)])
    machine.take(
      machine.broker.linked(machine.identity, LinkReport(screen: ScreenID(3), lease: 1, verdict: .accepted(acceptance)), now: machine.now))
    machine.commit()
    #expect(machine.refusal(of: thief) == "bus.bad_message")
  }

  @Test("P4: an input with a secret is opened whole and seen redacted")
  func openedSecrets() throws {
    var machine = opened()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Login"), input: input())), txn: "b")
    machine.commit()
    #expect(connected(machine) == [input()])
    machine.settle()
    #expect(report(2, machine)?.input == input(PayloadSchema.redaction))
    #expect(try !isWritten(machine))
  }

  @Test("N3: opens that differ in a secret alone are two wishes, equal ones are joined")
  func joining() {
    var machine = opened()
    for (txn, password) in [("b", "one"), ("c", "two"), ("d", "one")] {
      let command = Command(
        txn: txn, caller: "test", action: .open(Command.Opening(ModuleAddress(name: "Login"), input: input(password))), policy: .join)
      let request = SceneRequest(scene: SceneAddress(name: "main"), command: command)
      machine.take(machine.broker.request(request, token: CallToken(txn.utf8.first ?? 0), node: "shell", now: machine.now))
    }
    machine.settle()
    #expect(machine.stack == ["Home", "Login", "Login"])
  }

  @Test("P4: an input of a module that nobody has offered yet is withheld until its host says that nothing of it is secret")
  func unknownModules() throws {
    var machine = opened()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    var again = try Machine(restarting: machine, epoch: 2)
    again.request(.open(Command.Opening(ModuleAddress(name: "Detail"), input: Array(#"{"id":"\#(Self.secret)"}"#.utf8))), txn: "b")
    again.commit()
    #expect(try !isWritten(again))
    again.register("shop-1", incarnation: 2, modules: ["Home", "Detail"])
    again.settle()
    #expect(report(2, again)?.input == Array(#"{"id":"\#(Self.secret)"}"#.utf8))
    #expect(again.broker.scenes["main"]?.state.seals == [])
  }

  @Test("P4: after a broker's restart a screen with a secret input goes on with its host")
  func keptScreens() throws {
    var machine = opened()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Login"), input: input())), txn: "b")
    machine.settle()
    var again = try Machine(restarting: machine, epoch: 2)
    let running = [1, 2].map { RunningCoordinator(scene: again.identity, screen: ScreenID($0), handled: 0) }
    register(&again, running: running)
    again.settle()
    #expect(report(2, again)?.needsInput == false)
    #expect(report(2, again)?.isSuspended == false)
  }

  @Test("P4: without its host it is a placeholder that needs input: never made again from what may be seen, and removable")
  func placeholders() throws {
    var machine = opened()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Login"), input: input())), txn: "b")
    machine.settle()
    var again = try Machine(restarting: machine, epoch: 2)
    register(&again, incarnation: 2)
    again.commit()
    let resumed = again.actions.compactMap { if case .resume(_, let order) = $0 { order.resumption.screen } else { nil } }
    #expect(resumed == [ScreenID(1)])
    again.settle()
    #expect(report(2, again)?.needsInput == true)
    #expect(again.stack == ["Home", "Login"])
    let send = again.request(.send(.id(ScreenID(2)), input()), txn: "s")
    again.settle()
    #expect(again.refusal(of: send) == "screen.needs_input")
    #expect(try !isWritten(again))
    again.request(.close([.id(ScreenID(2))]), txn: "c")
    again.settle()
    #expect(again.stack == ["Home"])
  }

  @Test("P4: one more input with a secret reaches its host and is written nowhere")
  func sentSecrets() throws {
    var machine = opened()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Login"), input: input("first"))), txn: "b")
    machine.settle()
    machine.request(.send(.id(ScreenID(2)), input()), txn: "s")
    machine.commit()
    #expect(delivered(machine) == [.input(input())])
    #expect(try !isWritten(machine))
  }

  @Test("P4: a coordinator's own requests are sealed as well")
  func secretsOfTurns() throws {
    var machine = opened()
    let opening = Command.Opening(ModuleAddress(name: "Login"), input: input())
    let turn = TurnReport(screen: ScreenID(1), lease: 1, number: 1, handled: nil, requests: [TurnRequest(.open(opening))])
    machine.take(
      machine.broker.turn(
        TurnSubmission(scene: machine.identity, report: turn, rendering: false), token: 99, node: "shop-1", now: machine.now))
    machine.commit()
    #expect(connected(machine) == [input()])
    #expect(try !isWritten(machine))
  }

  @Test("P4: a secret where a record would have to hold it is refused, and so are seals that callers make up")
  func refusals() throws {
    var machine = opened()
    let set = machine.request(
      .setStack(.main, [.screen(.id(ScreenID(1))), .module(ModuleAddress(name: "Login"), input: input())]), txn: "b")
    let launch = machine.request(.launch(module: ModuleAddress(name: "Login"), input: input()), txn: "c")
    let go = machine.request(.go(name: "login", from: nil, input: input()), txn: "d")
    let forged = machine.request(.act(.id(ScreenID(1)), .enterSealed(field: "name", Seal(1 << 32 | 1))), txn: "f")
    machine.settle()
    #expect([set, launch, go].map { machine.refusal(of: $0) } == ["input.secret", "input.secret", "input.secret"])
    #expect(machine.refusal(of: forged) == "bus.bad_message")
    #expect(try !isWritten(machine))
  }

  @Test("P4: the broker forgets a text when nothing needs it any more")
  func forgetting() {
    var machine = opened()
    show(["name"], &machine)
    enter("password", &machine)
    #expect(machine.broker.vaults["main"]?.isEmpty == false)
    _ = machine.turn(ScreenID(1), 1, handled: 1)
    machine.settle()
    #expect(machine.broker.vaults["main"]?.isEmpty == true)
  }

  @Test("P4: a secret of another app's module is one in any scene")
  func secretsOfOtherApps() throws {
    var machine = opened()
    machine.register("bank-1", app: "bank", incarnation: 3, modules: ["Vault"], schemas: ["Vault": Self.login])
    machine.register("shop-2", incarnation: 4, modules: ["Home"])
    let go = machine.request(.go(name: "vault", from: nil, input: input()), txn: "b")
    machine.settle()
    #expect(machine.refusal(of: go) == "input.secret")
    // Whose an input is that is sent to the top is known when its turn comes.
    machine.open("Home", txn: "c")
    machine.request(.send(.top, input()), txn: "s")
    machine.commit()
    #expect(try !isWritten(machine))
  }

  @Test("P4: a named transition may hold neither a secret nor a seal, wherever in it")
  func secretsOfTransitions() throws {
    for (given, code) in [(Seal?.none, "input.secret"), (Seal(1 << 32 | 1), "bus.bad_message")] {
      var machine = opened()
      machine.open("Home", txn: "b")
      machine.commit()
      var opening = Command.Opening(ModuleAddress(name: "Login"))
      opening.configuration = [Command.ModuleInput(module: "Login", input: given == nil ? input() : [])]
      opening.configuration?[0].seal = given
      var acceptance = Acceptance(host: "shop-1")
      acceptance.transitions = [NamedTransition(name: "login", opening: opening)]
      let report = LinkReport(screen: ScreenID(2), lease: 1, verdict: .accepted(acceptance))
      guard case .refused(let refusal) = machine.broker.checked(report, in: "main").verdict else {
        Issue.record("it was accepted")
        continue
      }
      #expect(refusal.code == code)
    }
  }

  @Test("P4: what a turn gives to two modules stays until both are made, also when there are many texts already")
  func turnsInACrowd() {
    var machine = opened()
    machine.request(.act(.id(ScreenID(1)), .tap(row: "slow", action: nil)), txn: "busy")
    machine.commit()
    for number in 0..<256 {
      machine.request(.open(Command.Opening(ModuleAddress(name: "Login"), input: input("\(number)"))), txn: "o\(number)")
      machine.settle()
      machine.request(.back(count: 1, in: nil), txn: "b\(number)")
      machine.settle()
    }
    #expect(machine.broker.vaults["main"]?.count == 256)
    let openings = ["one", "two"].map { TurnRequest(.open(Command.Opening(ModuleAddress(name: "Login"), input: input($0)))) }
    let turn = TurnReport(screen: ScreenID(1), lease: 1, number: 1, handled: nil, requests: openings)
    machine.take(
      machine.broker.turn(
        TurnSubmission(scene: machine.identity, report: turn, rendering: false), token: 99, node: "shop-1", now: machine.now))
    machine.settle()
    #expect(machine.stack == ["Home", "Login", "Login"])
  }

  @Test("P4: a scene that is never idle keeps no text that nothing needs")
  func forgettingWhileBusy() {
    var machine = opened()
    show(["name"], &machine)
    // Never done: the scene is not idle.
    machine.request(.act(.id(ScreenID(1)), .tap(row: "slow", action: nil)), txn: "busy")
    machine.commit()
    for number in 0..<2_000 {
      let token = machine.request(.open(Command.Opening(ModuleAddress(name: "Login"), input: input("\(number)"))), txn: "o\(number)")
      machine.settle()
      _ = token
      machine.request(.back(count: 1, in: nil), txn: "b\(number)")
      machine.settle()
      machine.actions = []
    }
    #expect((machine.broker.vaults["main"]?.count ?? 0) < 600)
  }
}
