@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

/// Inputs that no schema says everything of.
extension SecretTests {
  @Test("P4: an input that cannot be seen through is sealed whole, and refused where a record would have to hold it")
  func opaqueInputs() throws {
    var machine = Machine()
    machine.register("shop-1", modules: ["Home", "Login"], schemas: ["Login": PayloadSchema(name: "Login", shape: .opaque("Way"))])
    machine.open("Home", txn: "a")
    machine.settle()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Login"), input: input())), txn: "b")
    machine.commit()
    #expect(connected(machine) == [input()])
    machine.settle()
    let launch = machine.request(.launch(module: ModuleAddress(name: "Login"), input: input()), txn: "c")
    let go = machine.request(.go(name: "login", from: nil, input: input()), txn: "d")
    machine.settle()
    #expect([launch, go].map { machine.refusal(of: $0) } == ["input.secret", "input.secret"])
    #expect(try !isWritten(machine))
  }

  @Test("P4: a schema that this broker cannot read may say anything: the input is sealed whole")
  func unreadableSchemas() throws {
    var machine = Machine()
    let registration = HostRegistration(
      app: "shop", node: "shop-1", endpoint: nil,
      modules: [ModuleDescription(name: "Home"), ModuleDescription(name: "Login", schema: #"{"name":"Login","shape":{"riddle":{}}}"#)])
    machine.take(machine.broker.register(registration, incarnation: 1, pid: 1, token: 900, now: machine.now))
    machine.open("Home", txn: "a")
    machine.settle()
    machine.request(.open(Command.Opening(ModuleAddress(name: "Login"), input: input())), txn: "b")
    machine.commit()
    #expect(machine.refusal(of: 900) == nil && connected(machine) == [input()])
    let login = ModuleAddress(name: "Login")
    // While something is under way nobody can say whose these are.
    let go = machine.request(.go(name: "login", from: nil, input: input()), txn: "c")
    machine.request(.send(.top, input()), txn: "s")
    let launch = machine.request(.launch(module: login, input: input()), txn: "d")
    let set = machine.request(.setStack(.main, [.screen(.id(ScreenID(1))), .module(login, input: input())]), txn: "e")
    machine.request(.open(Command.Opening(login, input: input(), unhosted: true)), txn: "u")
    machine.commit()
    #expect([go, launch, set].map { machine.refusal(of: $0) } == ["input.secret", "input.secret", "input.secret"])
    #expect(try !isWritten(machine))
    // Its host knows, and says that nothing in it is secret.
    machine.settle()
    #expect(report(2, machine)?.input == input())
    #expect(machine.broker.scenes["main"]?.state.seal(of: ScreenID(2)) == nil)
  }

  @Test("P4: the input of a transition is judged by the module that it leads to")
  func inputOfTransitions() throws {
    var machine = Machine()
    machine.register(
      "shop-1", modules: ["Home", "Login", "Way"],
      schemas: ["Login": Self.login, "Way": PayloadSchema(name: "Way", shape: .opaque("Way"))])
    machine.open("Home", txn: "a")
    machine.commit()
    var acceptance = Acceptance(host: "shop-1")
    acceptance.transitions = [("home", "Home"), ("login", "Login")].map {
      NamedTransition(name: $0, opening: Command.Opening(ModuleAddress(name: $1)))
    }
    let report = LinkReport(screen: ScreenID(1), lease: 1, verdict: .accepted(acceptance))
    machine.take(machine.broker.linked(machine.identity, report, now: machine.now))
    machine.settle()
    let home = machine.request(.go(name: "home", from: nil, input: input("for all to see")), txn: "b")
    machine.settle()
    let login = machine.request(.go(name: "login", from: .id(ScreenID(1)), input: input()), txn: "c")
    machine.settle()
    #expect(machine.refusal(of: home) == nil)
    #expect(machine.refusal(of: login) == "input.secret")
    #expect(try !isWritten(machine))
    // While something is under way the screen that is named has its transitions all the same.
    machine.request(.act(.id(ScreenID(1)), .tap(row: "slow", action: nil)), txn: "busy")
    let certain = machine.request(.go(name: "home", from: .id(ScreenID(1)), input: input("for all to see")), txn: "d")
    let doubtful = machine.request(.go(name: "home", from: .top, input: input("for all to see")), txn: "e")
    var go = TurnRequest(.go(name: "home", from: nil, input: input("for all to see")))
    go.quiet = true
    let turn = TurnReport(screen: ScreenID(1), lease: 1, number: 1, handled: nil, requests: [go])
    machine.take(
      machine.broker.turn(
        TurnSubmission(scene: machine.identity, report: turn, rendering: false), token: 99, node: "shop-1", now: machine.now))
    machine.commit()
    #expect(machine.refusal(of: certain) == nil && machine.refusal(of: doubtful) == "input.secret")
    guard case .turned(let receipt) = machine.reply(to: 99) else { return #expect(Bool(false)) }
    #expect(receipt.refusal == nil)
  }
}
