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

  /// A stage whose root `s1` keeps its messages, while hosts answer for everything else.
  private func hanging() -> Stage {
    var stage = Stage()
    stage.open("Home")
    stage.feed(.hostLost(host: "shop-1"))
    stage.feed(.unclaimed(host: "shop-1"))
    stage.catalog["Form"] = .accepted(Acceptance(host: "shop-2"))
    return stage
  }

  /// What a coordinator is told when a host takes it over, which takes nothing before what is to come before it.
  private func told(_ stage: inout Stage, _ id: ScreenID = 1) -> [Message.Body] {
    stage.plays = false
    let place = stage.said.count
    stage.feed(.hostBack(HostReturn(host: "shop-3", kept: false, resuming: [id])))
    let lease = stage.state.screen(id)?.lease ?? 0
    stage.feed(.link(LinkReport(screen: id, lease: lease, verdict: .accepted(Acceptance(host: "shop-3")))))
    let messages = stage.said[place...].compactMap {
      if case .deliver(let delivery) = $0, delivery.screen == id { delivery.message } else { nil }
    }
    for (message, next) in zip(messages, messages.dropFirst()) { #expect((next.after ?? next.number - 1) == message.number) }
    return messages.map(\.body)
  }

  @Test("N7: an outbox is bounded; whoever takes it over hears which children are left, and of the last ends themselves")
  func bounded() throws {
    var stage = hanging()
    for _ in 0..<3_000 {
      stage.open("Form")
      stage.ask(.back(count: 1, in: nil))
    }
    let stays = stage.open("Form")
    #expect(stage.state.screen(1)?.unhandled ?? .max <= 1_025)
    var known: Set<ScreenID> = []
    for body in told(&stage) {
      switch body {
      case .childrenLeft(let through, let open):
        for number in 2...through.number where !open.contains(ScreenID(number)) { known.insert(ScreenID(number)) }
      case .childEnded(let child, _, _, _): #expect(known.insert(child).inserted, "\(child) is told of once")
      default: break
      }
    }
    #expect(known == Set((2..<stays.number).map { ScreenID($0) }), "no end is lost")
    var copy = SceneState(scene: "main", app: "shop")
    for (record, at) in stage.journal { _ = copy.apply(record, at: at) }
    #expect(copy == stage.state)
  }

  @Test("N7, L5: news of children that left without a result go first")
  func resultsStay() {
    var stage = hanging()
    for round in 0..<1_500 {
      let form = stage.open("Form")
      stage.ask(round.isMultiple(of: 5) ? .finish(.id(form), [1]) : .back(count: 1, in: nil))
    }
    let results = told(&stage).count { if case .childEnded(_, _, .finished, .some) = $0 { true } else { false } }
    #expect(results == 300)
  }

  @Test("N7: of what is seen and of each timer the last word is kept in an outbox that is full")
  func condensed() {
    var stage = Stage()
    stage.catalog["Home"] = .accepted(Acceptance(host: "shop-1", wantsLifecycle: true))
    stage.open("Home")
    stage.plays = false
    for round in 0..<900 as Range<UInt32> {
      stage.ask(opening("Form"))
      stage.feed(.link(LinkReport(screen: ScreenID(round + 2), lease: 1, verdict: .accepted(Acceptance(host: "shop-2")))))
      stage.ask(.back(count: 1, in: nil))
    }
    #expect(stage.state.screen(1)?.unhandled ?? .max <= 1_026)
    let last = stage.messages(to: 1).compactMap { if case .lifecycle(let moment) = $0.body { moment } else { nil } }.last
    #expect(last == .didAppear)
    let sent = stage.messages(to: 1).map(\.number)
    #expect(sent == Array(1...UInt32(sent.count)), "a host that is there gets every message, without a gap")
  }

  @Test("N7: nobody speaks in a module's place to one with a full outbox")
  func spokenToFull() {
    var stage = hanging()
    let form = stage.open("Form")
    for _ in 0..<1_024 { stage.ask(.output(.id(form), [1])) }
    #expect(stage.state.screen(1)?.unhandled == 1_024)
    #expect(stage.ask(.output(.id(form), [1]))?.refusal?.code == "bus.backpressure")
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
