@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

/// Every call ends in exactly one answer, whoever makes it and whatever becomes of the scene (N2, N15).
@Suite("The broker answers")
struct AnswerTests {
  private func opened() -> Machine {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    machine.settle()
    return machine
  }

  private func attach(_ renderer: String, token: CallToken, node: String = "phone", _ machine: inout Machine) {
    machine.take(
      machine.broker.renderer(
        SceneAddress(), report: .attached(renderer: renderer, takesOver: false), token: token, node: node, now: machine.now))
  }

  @Test("N15: whoever ends a scene is answered, and the last thing said of it is its end")
  func ending() throws {
    var machine = opened()
    let end = machine.request(.end, txn: "end")
    machine.commit()
    guard case .answered(let answer) = machine.reply(to: end) else {
      Issue.record("\(String(describing: machine.reply(to: end)))")
      return
    }
    #expect(answer.outcome.removed.map(\.reason) == [.sceneClosed])
    #expect(machine.broker.scenes.isEmpty)
    let last = machine.actions.compactMap { action -> SceneEvent.Kind? in
      if case .publish(let event, _) = action { event.kind } else { nil }
    }.last
    guard case .navigation(let event) = last, case .ended = event.kind else {
      Issue.record("\(String(describing: last))")
      return
    }
  }

  @Test("N15: what was asked of a scene after its end, before that was durable, is refused and not forgotten")
  func afterEnding() {
    var machine = opened()
    machine.request(.end, txn: "end")
    let late = machine.open("Detail", txn: "late")
    let turn = machine.turn(ScreenID(1), 1, handled: nil)
    attach("phone", token: 900, &machine)
    let look = machine.look()
    machine.commit()
    #expect(machine.refusal(of: late) == "scene.ended")
    #expect(machine.refusal(of: turn) == "scene.ended")
    #expect(machine.refusal(of: 900) == "scene.ended")
    #expect(machine.refusal(of: look) == "scene.ended")
    #expect(machine.broker.clients.count(at: "shell") == 0 && machine.broker.scenes["main"] == nil)
  }

  @Test("N2: a request that is repeated by another process while it runs is answered there too")
  func repeatedElsewhere() {
    var machine = opened()
    let first = machine.open("Detail", txn: "t")
    let again = CallToken(901)
    let command = Command(txn: "t", caller: "another", action: .open(Command.Opening(ModuleAddress(name: "Detail"), via: .push)))
    machine.take(machine.broker.request(SceneRequest(scene: SceneAddress(), command: command), token: again, node: "b", now: machine.now))
    machine.settle()
    #expect(machine.reply(to: first) != nil && machine.reply(to: again) != nil)
    #expect(machine.stack == ["Home", "Detail"])
  }

  @Test("N2, N3: who shares a request that was answered by its deadline is still known by its own txn")
  func joinerOutlivesDeadline() {
    var machine = opened()
    let opening = Command.Action.open(Command.Opening(ModuleAddress(name: "Detail"), via: .push))
    func ask(_ txn: String, _ deadline: UInt32, _ token: CallToken) {
      let command = Command(txn: txn, caller: txn, action: opening, policy: .join, deadline: deadline)
      machine.take(
        machine.broker.request(SceneRequest(scene: SceneAddress(), command: command), token: token, node: txn, now: machine.now))
      machine.settle()
    }
    // Shown by a renderer that takes its second, so that the request outlives its deadline.
    attach("phone", token: 909, &machine)
    machine.commit()
    ask("first", 100, 910)
    ask("joins", 9_000, 911)
    machine.wait(150)
    machine.settle()
    #expect(machine.refusal(of: 910) == "nav.timeout")
    ask("joins", 9_000, 912)
    machine.wait(2_000)
    machine.settle()
    #expect(machine.stack == ["Home", "Detail"])
    for token: CallToken in [911, 912] {
      guard case .answered = machine.reply(to: token) else {
        Issue.record("\(token): \(String(describing: machine.reply(to: token)))")
        continue
      }
    }
  }

  @Test("Two wishes to attach under one name are both answered, in order")
  func attachedTwice() {
    var machine = opened()
    attach("phone", token: 920, &machine)
    attach("phone", token: 921, node: "other", &machine)
    machine.commit()
    #expect(machine.reply(to: 920) != nil && machine.reply(to: 921) != nil)
    #expect(machine.broker.scenes["main"]?.waiters.isEmpty == true)
  }

  @Test("The renderer of a scene is a process, not a name: another one under that name is refused, and what it says does not count")
  func rendererIsAProcess() {
    var machine = opened()
    attach("view", token: 940, node: "a", &machine)
    machine.commit()
    attach("view", token: 941, node: "b", &machine)
    attach("other", token: 942, node: "b", &machine)
    for name in ["view", "else"] {
      machine.take(
        machine.broker.renderer(
          SceneAddress(), report: .acknowledged(renderer: name, transition: 1), token: 943, node: "b", now: machine.now))
    }
    machine.take(
      machine.broker.renderer(SceneAddress(), report: .lost(renderer: "view"), token: 944, node: "b", now: machine.now))
    machine.commit()
    #expect([941, 942].map { machine.refusal(of: $0) } == ["nav.renderer_taken", "nav.renderer_taken"])
    #expect(machine.broker.scenes["main"]?.state.primaryRenderer == "view")
    #expect(machine.broker.clients.process(of: ClientDesk.Renderer(scene: "main", name: "view")) == "a")
    machine.take(
      machine.broker.renderer(
        SceneAddress(), report: .attached(renderer: "view", takesOver: true), token: 945, node: "b", now: machine.now))
    machine.commit()
    #expect(machine.refusal(of: 945) == nil)
    machine.take(machine.broker.lost("a", incarnation: 1, reason: "gone", pid: 1, now: machine.now))
    machine.commit()
    #expect(machine.broker.scenes["main"]?.state.primaryRenderer == "view", "a was not it any more")
    machine.take(machine.broker.lost("b", incarnation: 1, reason: "gone", pid: 1, now: machine.now))
    machine.commit()
    #expect(machine.broker.scenes["main"]?.state.primaryRenderer == nil)
  }

  @Test("N16, L3: a configuration is answered when it is durable; unknown, repeated and foreign ones are refused")
  func configuration() {
    var machine = opened()
    var opening = Command.Opening(ModuleAddress(name: "Detail"), via: .push)
    opening.configures = true
    machine.request(.open(opening), txn: "c")
    machine.commit()
    func configure(_ txn: String, _ token: CallToken, node: String = "shell") {
      machine.take(
        machine.broker.configured(SceneAddress(), txn: txn, failure: nil, token: token, node: node, now: machine.now))
    }
    machine.take(
      machine.broker.request(
        SceneRequest(scene: SceneAddress(), command: Command(txn: "x", caller: "stranger", action: .back(count: 9, in: nil))),
        token: 952, node: "b", now: machine.now))
    configure("nobody", 950)
    configure("c", 951, node: "b")
    configure("c", 953)
    #expect(machine.reply(to: 953) == nil, "it is not durable yet")
    configure("c", 954)
    machine.commit()
    guard case .done = machine.reply(to: 953) else { return #expect(Bool(false)) }
    #expect(
      [950, 951, 954].map { machine.refusal(of: $0) } == ["nav.not_waiting", "bus.unauthorized", "link.duplicate"])
    machine.settle()
    #expect(machine.stack == ["Home", "Detail"])
  }

  @Test("N3, L3: whoever joined an opening that is being configured has nothing to configure, and is told so")
  func joinedConfiguration() {
    var machine = opened()
    var opening = Command.Opening(ModuleAddress(name: "Detail"), via: .push)
    opening.configures = true
    machine.request(.open(opening), txn: "c")
    let joining = Command(txn: "j", caller: "other", action: .open(opening), policy: .join)
    machine.take(
      machine.broker.request(SceneRequest(scene: SceneAddress(), command: joining), token: 955, node: "b", now: machine.now))
    for (txn, token, node) in [("j", 956, "b"), ("c", 957, "shell")] as [(String, CallToken, String)] {
      machine.take(machine.broker.configured(SceneAddress(), txn: txn, failure: nil, token: token, node: node, now: machine.now))
    }
    machine.settle()
    for token in [956, 957] as [CallToken] {
      guard case .done? = machine.reply(to: token) else { return #expect(Bool(false), "\(token) is not done") }
    }
    guard case .answered? = machine.reply(to: 955) else { return #expect(Bool(false), "the joiner is not answered") }
    #expect(machine.stack == ["Home", "Detail"])
  }

  @Test("N16: a scene that has begun is listed when that is durable")
  func listed() {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    machine.take(machine.broker.list(token: 960, now: machine.now))
    #expect(machine.reply(to: 960) == nil)
    machine.commit()
    guard case .listed(let scenes) = machine.reply(to: 960) else { return #expect(Bool(false)) }
    #expect(scenes.map(\.name) == ["main"])
  }

  @Test("A late report does not begin a scene anew that has ended")
  func lateReports() {
    var machine = opened()
    machine.request(.end, txn: "end")
    machine.settle()
    machine.take(
      machine.broker.renderer(
        SceneAddress(), report: .acknowledged(renderer: "phone", transition: 1), token: 930, node: "phone", now: machine.now))
    machine.take(machine.broker.configured(SceneAddress(), txn: "a", failure: nil, token: 931, node: "shell", now: machine.now))
    machine.commit()
    #expect(machine.refusal(of: 930) == "scene.ended" && machine.refusal(of: 931) == "scene.ended")
    #expect(machine.broker.scenes.isEmpty)
  }

  @Test("N2: no caller's txn is taken for one of the broker's own")
  func reservedNames() {
    var machine = Machine()
    machine.register("shop-1")
    let own = machine.open("Home", txn: "~start")
    let plain = machine.open("Home", txn: "start")
    machine.settle()
    #expect(machine.refusal(of: own) == "bus.bad_message")
    guard case .answered = machine.reply(to: plain) else {
      Issue.record("\(String(describing: machine.reply(to: plain)))")
      return
    }
  }

  @Test("A name longer than what is kept of it is refused with its length, whoever chose it")
  func longNames() {
    var machine = Machine()
    machine.register("shop-1")
    let long = String(repeating: "n", count: 1_025)
    let home = Command.Action.open(Command.Opening(ModuleAddress(name: "Home"), via: .push))
    let request = machine.request(home, txn: long)
    var command = Command(txn: "g", caller: "test", action: home, gate: long)
    machine.take(
      machine.broker.request(
        SceneRequest(scene: SceneAddress(name: "main"), command: command), token: 801, node: "shell", now: machine.now))
    command = Command(txn: "c", caller: long, action: home)
    machine.take(
      machine.broker.request(
        SceneRequest(scene: SceneAddress(name: "main"), command: command), token: 802, node: "shell", now: machine.now))
    machine.take(
      machine.broker.renderer(
        SceneAddress(name: "main"), report: .attached(renderer: long, takesOver: false), token: 803, node: "phone", now: machine.now))
    machine.settle()
    for token in [request, 801, 802, 803] { #expect(machine.refusal(of: token) == "bus.bad_message") }
    let fits = machine.request(home, txn: String(long.dropLast()))
    machine.settle()
    #expect(machine.refusal(of: fits) == nil && machine.stack == ["Home"])
  }

  @Test("Of a process that calls itself ever something else, only the names are kept that something is under way for")
  func manyCallers() {
    var machine = Machine()
    machine.register("shop-1")
    machine.open("Home", txn: "a")
    machine.settle()
    func ask(_ caller: String, _ action: Command.Action, txn: String) {
      let command = Command(txn: txn, caller: caller, action: action)
      machine.take(
        machine.broker.request(
          SceneRequest(scene: SceneAddress(name: "main"), command: command), token: 900, node: "gateway", now: machine.now))
      machine.commit()
    }
    // Its module is never made: it would be rolled back with its caller.
    ask("waiting", .open(Command.Opening(ModuleAddress(name: "Detail"), via: .push)), txn: "w")
    for number in 0..<5_000 { ask("caller \(number)", .backRoot(in: nil), txn: "t\(number)") }
    #expect(machine.broker.clients.count(at: "gateway") < 2_100)
    machine.take(machine.broker.lost("gateway", incarnation: 5, reason: "killed", pid: 1, now: machine.now))
    machine.wait(1_001)
    machine.settle()
    #expect(machine.stack == ["Home"])
  }
}
