import MinervaNavigation
import SceneModels
import Testing

@Suite("The module link")
struct LinkTests {
  private let accepted = LinkVerdict.accepted(Acceptance(host: "shop-1"))

  /// A stage with a home screen, on which links are answered by hand from now on.
  private func waiting() -> Stage {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    return stage
  }

  @Test("L1, L3: configuration and endpoint in either order give the same result", arguments: [true, false])
  func configuration(endpointFirst: Bool) {
    var stage = waiting()
    var configured = Command.Opening(address("Profile"))
    configured.configures = true
    stage.ask(.open(configured), txn: "c")
    let link = Record.link(LinkReport(screen: 2, lease: 1, verdict: accepted))
    let block = Record.configured(txn: "c", failure: nil)
    stage.feed(endpointFirst ? link : block)
    #expect(stage.answers.allSatisfy { $0.txn != "c" }, "whichever comes first waits")
    stage.feed(endpointFirst ? block : link)
    #expect(stage.answers.last?.resolution.outcome?.screen == 2)
    #expect(stage.stack() == "s1 s2")
  }

  @Test("L3: a block that throws, or never comes, is rolled back")
  func configurationFails() {
    var stage = waiting()
    var configured = Command.Opening(address("Profile"))
    configured.configures = true
    stage.ask(.open(configured), txn: "c")
    stage.feed(.link(LinkReport(screen: 2, lease: 1, verdict: accepted)))
    stage.feed(.configured(txn: "c", failure: Refusal(code: "app.no", message: "no")))
    #expect(stage.answers.last?.resolution.refusal?.code == "app.no")
    #expect(stage.state.coordinatorCount == 1)
    stage.ask(.open(configured), txn: "d")
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: accepted)))
    stage.advance(2000)
    #expect(stage.answers.last?.resolution.refusal?.code == "link.timeout")
    #expect(stage.removals == ["s2 rolledBack", "s3 rolledBack"])
    let ended = stage.said.compactMap { if case .end(let departure) = $0 { departure.host } else { nil } }
    #expect(ended == ["shop-1", "shop-1"], "the host is told to end what it made")
  }

  @Test("L2: outputs before the presentation are kept, and heard in order, once")
  func earlyOutputs() {
    var stage = waiting()
    stage.ask(opening("Shell"), origin: 1)
    stage.feed(
      .link(
        LinkReport(
          screen: 2, lease: 1,
          verdict: .accepted(
            Acceptance(
              host: "h", container: .tabs([TabSpec(name: "a", start: ModuleStart(address("A")))], selected: 0))))))
    stage.feed(.turn(TurnReport(screen: 2, lease: 1, number: 1, handled: nil, outputs: [[1], [2]])))
    #expect(stage.messages(to: 1).isEmpty)
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: accepted)))
    #expect(
      stage.messages(to: 1).map(\.body).prefix(2) == [
        .childOutput(child: 2, module: "Shell", number: 1, [1]), .childOutput(child: 2, module: "Shell", number: 2, [2]),
      ])
  }

  @Test("N7: outputs beyond the room of whoever hears them are not taken; the host keeps them, and nothing is lost")
  func crowdedParent() {
    var stage = Stage()
    stage.open("Home")
    stage.open("Child", origin: 1)
    stage.plays = false
    func speak(_ number: UInt32, _ outputs: Int) -> Refusal? {
      let turn = TurnReport(screen: 2, lease: 1, number: number, handled: nil, outputs: Array(repeating: [7], count: outputs))
      let effects = stage.feed(.turn(turn))
      return effects.compactMap { if case .turnTaken(_, _, let refusal?) = $0 { refusal } else { nil } }.first
    }
    #expect(speak(1, 1_500) == nil, "what could never fit is taken when nothing waits")
    let records = stage.state.seq
    #expect(speak(2, 1)?.code == "bus.backpressure")
    #expect(stage.state.seq == records, "a turn that is not taken leaves no record")
    #expect(speak(2, 0) == nil, "a turn without outputs crowds nobody")
    for message in stage.messages(to: 1).prefix(1_400) {
      let turns = stage.state.screen(1)?.turns ?? 0
      stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: turns + 1, handled: message.number)))
    }
    #expect(speak(3, 900) == nil)
    #expect(speak(4, 100)?.code == "bus.backpressure")
  }

  @Test("L3, L7: a factory that throws, a host that dies, a caller that dies: nothing is on the tree")
  func failures() {
    var stage = waiting()
    let hash = stage.state.treeHash
    stage.ask(opening("A"), txn: "a")
    stage.feed(
      .link(LinkReport(screen: 2, lease: 1, verdict: .refused(Refusal(code: "module.factory_failed", message: "boom")))))
    #expect(stage.answers.last?.resolution.refusal?.code == "module.factory_failed")
    stage.ask(opening("B"), txn: "b")
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: .lost(host: "shop-2"))))
    #expect(stage.state.requests.count == 1, "it is made once more, elsewhere or in the host that is started again")
    stage.feed(.link(LinkReport(screen: 3, lease: 2, verdict: .lost(host: "shop-2"))))
    #expect(stage.answers.last?.resolution.refusal?.code == "nav.host_lost")
    stage.ask(opening("C"), txn: "c", caller: "shell-7")
    stage.feed(.callerLost(caller: "shell-7"))
    #expect(stage.answers.last?.resolution.refusal?.code == "nav.requester_lost")
    #expect(stage.removals == ["s2 rolledBack", "s3 hostLost", "s4 requesterLost"])
    #expect(stage.state.treeHash == hash)
    // The late endpoint is told that nobody wants it any more.
    let late = stage.feed(.link(LinkReport(screen: 4, lease: 1, verdict: accepted)))
    #expect(
      late == [.end(Departure(screen: 4, module: "C", host: "shop-1", lease: 1, reason: .requesterLost))])
  }

  @Test("L3: a host that dies before the presentation does not cost the request, if another makes the module in time")
  func hostDiesOnce() {
    var stage = waiting()
    stage.ask(opening("Shell"), txn: "a")
    let shell = LinkVerdict.tabs("home", host: "shop-2")
    stage.feed(.link(LinkReport(screen: 2, lease: 1, verdict: shell)))
    let effects = stage.feed(.hostLost(host: "shop-2"))
    guard case .connect(let connection)? = effects.first else { return #expect(Bool(false)) }
    #expect(connection.screen == 2 && connection.lease == 2)
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: accepted)))
    stage.feed(.link(LinkReport(screen: 2, lease: 2, verdict: shell)))
    #expect(stage.answers.last?.resolution.outcome?.presented.map(\.screen) == [3, 2])
    #expect(stage.state.coordinatorCount == 3)
  }

  @Test("a container is presented with its roots, or not at all")
  func containerRoots() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.catalog["Home"] = .refused(Refusal(code: "module.unknown", message: "no"))
    stage.ask(opening("Shell"))
    #expect(stage.state.coordinatorCount == 0)
    #expect(stage.removals == ["s2 rolledBack", "s1 rolledBack"], "children before parents")
    stage.catalog["Home"] = .tabs("home")
    #expect(stage.ask(opening("Home")) != nil)
    #expect(stage.answers.last?.resolution.refusal?.code == "link.too_deep")
    #expect(stage.state.coordinatorCount == 0)
    for names in [["a", "a"], ["a/b"], ["primary"], [""]] {
      stage.catalog["Odd"] = .accepted(
        Acceptance(
          host: "h", container: .tabs(names.map { TabSpec(name: $0, start: ModuleStart(address("X"))) }, selected: 0)))
      #expect(stage.ask(opening("Odd"))?.refusal?.code == "link.bad_container")
      #expect(stage.state.coordinatorCount == 0)
    }
    for slot in ["", "a/b"] {
      stage.catalog["Odd"] = .accepted(Acceptance(host: "h", slots: [slot]))
      #expect(stage.ask(opening("Odd"))?.refusal?.code == "link.bad_container")
    }
  }

  @Test("L5, A07: an awaited module that is replaced ends the wait of whoever awaited it, and of nobody else")
  func replacedWhileAwaited() {
    var stage = Stage()
    let home = stage.open("Home")
    stage.open("Picker", origin: home)
    stage.open("Picker2", via: .replace)
    stage.ask(.finish(.id(3), [53]))
    let ends = stage.messages(to: home).compactMap { message -> (ScreenID, RemovalReason, [UInt8]?)? in
      if case .childEnded(let child, _, let reason, let result) = message.body { (child, reason, result) } else { nil }
    }
    #expect(ends.map(\.0) == [2, 3])
    #expect(ends.map(\.1) == [.replaced, .finished])
    #expect(ends[0].2 == nil)
  }

  @Test("L3: a block that comes before its opening's turn counts")
  func configuredEarly() {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    stage.ask(opening("Slow"), txn: "slow")
    var form = Command.Opening(address("Form"))
    form.configures = true
    stage.ask(.open(form), txn: "good")
    stage.ask(.open(form), txn: "bad")
    #expect(stage.state.configuration(of: "good")?.isDone == false)
    stage.feed(.configured(txn: "good", failure: nil))
    stage.feed(.configured(txn: "bad", failure: Refusal(code: "app.no", message: "no")))
    #expect(stage.state.configuration(of: "good")?.isDone == true)
    #expect(stage.answers.last?.resolution.refusal?.code == "app.no")
    for screen: ScreenID in [2, 3] {
      stage.feed(.link(LinkReport(screen: screen, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    }
    #expect(stage.answers.last { $0.txn == "good" }?.resolution.outcome?.screen == 3)
    #expect(stage.state.configuration(of: "good") == nil)
    #expect(stage.state.isSettled)
  }
}
