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
}
