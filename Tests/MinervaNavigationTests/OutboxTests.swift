import MinervaNavigation
import SceneModels
import Testing

@Suite("What coordinators are told")
struct OutboxTests {
  @Test("N15: a coordinator whose end is refused hears so, by its own end or that of the root it opened, and goes on")
  func refusedEnd() {
    var stage = Stage()
    stage.open("Home")
    stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: 1, handled: nil, ending: .finish([1]))))
    guard case .requestSettled(let key, .refused(let refusal))? = stage.messages(to: 1).last?.body else { return #expect(Bool(false)) }
    #expect(key.isEnding && key.turn == 1 && key.txn == "s1.1.end" && refusal.code == "nav.root_protected")
    #expect(stage.stack() == "s1")
    var start = Stage()
    start.ask(.launch(module: address("Start"), input: []))
    start.open("Home", via: .root, origin: 1)
    start.feed(.turn(TurnReport(screen: 1, lease: 1, number: 1, handled: nil, ending: .cancel)))
    guard case .requestSettled(_, .refused(let other))? = start.messages(to: 1).last?.body else { return #expect(Bool(false)) }
    #expect(other.code == "nav.root_protected")
    let form = stage.open("Form")
    stage.feed(.turn(TurnReport(screen: form, lease: 1, number: 1, handled: nil, ending: .finish([2]))))
    #expect(stage.removals == ["s2 finished"])
    #expect(stage.messages(to: form).isEmpty, "of an end that was done nobody needs to hear")
  }

  @Test("N15: an end waits for what it is behind as long as that takes, and is not crowded out by waiting requests")
  func patientEnd() {
    var settings = SceneSettings()
    settings.waiting = 1
    var stage = Stage(settings: settings)
    stage.open("Home")
    let form = stage.open("Form")
    stage.plays = false
    stage.feed(
      .turn(TurnReport(screen: form, lease: 1, number: 1, handled: nil, requests: [TurnRequest(opening("Slow"))], ending: .cancel)))
    #expect(stage.removals.isEmpty)
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    #expect(stage.removals == ["s3 popped", "s2 cancelled"])
  }

  @Test("N3: a coordinator's open joins its own that is in flight, and each is told; another's it does not join")
  func joins() {
    var stage = Stage()
    stage.open("Home")
    let other = stage.open("Other")
    stage.plays = false
    let wish = TurnRequest(opening("Form"), policy: .join)
    stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: 1, handled: nil, requests: [wish])))
    stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: 2, handled: nil, requests: [wish])))
    stage.ask(opening("Form"), txn: "shell", policy: .join)
    stage.feed(.turn(TurnReport(screen: other, lease: 1, number: 1, handled: nil, requests: [wish])))
    stage.plays = true
    stage.feed(.link(LinkReport(screen: 3, lease: 1, verdict: .accepted(Acceptance(host: "shop-1")))))
    let settled = stage.messages(to: 1).compactMap { message -> String? in
      guard case .requestSettled(let key, .done(let outcome)) = message.body else { return nil }
      return "\(key.txn) \(outcome.screen?.description ?? "")"
    }
    #expect(settled == ["s1.1.0 s3", "s1.2.0 s3"])
    #expect(stage.answers.last { $0.txn == "shell" }?.resolution.outcome?.screen == 3)
    #expect(stage.stack() == "s1 s2 s3 s4")
    var replay = SceneState(scene: "main", app: "shop")
    for (record, at) in stage.journal { _ = replay.apply(record, at: at) }
    #expect(replay == stage.state)
  }

  @Test("N3, N15: a coordinator that joined has its own deadline, and the gate of its command is its own")
  func joinedDeadline() {
    var stage = Stage()
    stage.open("Home")
    stage.plays = false
    stage.feed(.turn(TurnReport(screen: 1, lease: 1, number: 1, handled: nil, requests: [TurnRequest(opening("Form"), deadline: 1_900)])))
    stage.feed(
      .turn(
        TurnReport(
          screen: 1, lease: 1, number: 2, handled: nil,
          requests: [TurnRequest(opening("Form"), policy: .join, deadline: 500, gate: "edit")])))
    #expect(stage.state.takenGates(of: 1) == ["edit"])
    stage.advance(600)
    guard case .requestSettled(let key, .refused(let refusal))? = stage.messages(to: 1).last?.body else { return #expect(Bool(false)) }
    #expect(key.txn == "s1.2.0" && refusal.code == "nav.timeout")
    #expect(stage.state.takenGates(of: 1).isEmpty)
    #expect(stage.state.requests.count == 1)
  }
}
