import SceneModels
import Testing

@testable import MinervaNavigation

/// Numbers that come to their end, or were there when they were read.
@Suite("The ends of numbers") struct BoundsTests {
  @Test("A scene that has used up its screens' names opens nothing more and does everything else")
  func lastScreen() {
    var stage = Stage()
    stage.open("Home")
    stage.open("List")
    stage.state.nextScreen = SceneState.lastScreen
    #expect(stage.open("Last") == ScreenID(SceneState.lastScreen))
    for action in [opening("More"), .launch(module: address("More"), input: []), .setStack(.main, [.module(address("More"), input: [])])] {
      #expect(stage.ask(action)?.refusal?.code == "nav.scene_closed")
    }
    #expect(stage.ask(.back(count: 1, in: nil))?.outcome?.changed == true)
    #expect(stage.stack() == "s1 s2")
    #expect(stage.state.hasRoom)
  }

  @Test("A state whose numbers are at their end is told apart, and no scene begins as one")
  func readStates() {
    var stage = Stage()
    stage.open("Home")
    var other = stage.state
    other.nextScreen = .max
    #expect(stage.state.hasRoom && !other.hasRoom)
    var busy = stage.state
    _ = busy.nodes.update(1) { $0.messages = .max }
    #expect(!busy.hasRoom)
    for origin in [other, busy] {
      var fork = SceneState(scene: "fork", app: "shop")
      #expect(fork.apply(.begun(SceneOrigin(origin)), at: .zero).seq == nil)
    }
  }

  @Test("A coordinator whose numbers are used up is told so by name, ends all the same, and traps nobody")
  func coordinators() throws {
    var stage = Stage()
    stage.open("Home")
    stage.open("List", origin: ScreenID(1))
    let list = ScreenID(2)
    let last = SceneState.lastNumber
    func turn(_ number: UInt32, _ change: (inout TurnReport) -> Void = { _ in }) -> Record {
      var report = TurnReport(screen: list, lease: 1, number: number, handled: nil)
      change(&report)
      return .turn(report)
    }
    func refusal(_ effects: [Effect]) -> String? {
      effects.lazy.compactMap { if case .turnTaken(_, _, let refusal?) = $0 { refusal.code } else { nil } }.first
    }
    let fresh = stage

    _ = stage.state.nodes.update(2) { $0.messages = last - 1 }
    stage.plays = false
    stage.ask(.send(.id(list), []))
    #expect(stage.messages(to: list).last?.number == last)
    stage.feed(turn(1) { $0.handled = last })
    #expect(stage.ask(.send(.id(list), []))?.refusal?.code == "screen.used_up")
    #expect(stage.ask(.act(.id(list), .tap(row: "a", action: nil)))?.refusal?.code == "screen.used_up")
    _ = stage.state.nodes.update(2) { $0.messages = SceneState.endOfNumbers }
    #expect(stage.state.post(.lifecycle(.didAppear), to: list) == 0)
    #expect(stage.state.hasRoom)

    stage = fresh
    _ = stage.state.nodes.update(2) { $0.turns = last - 1 }
    #expect(refusal(stage.feed(turn(last))) == nil)
    #expect(refusal(stage.feed(turn(last + 1))) == "screen.used_up")
    #expect(stage.stack() == "s1 s2")
    #expect(refusal(stage.feed(turn(last + 1) { $0.ending = .cancel })) == nil)
    #expect(stage.stack() == "s1")
    stage = fresh
    _ = stage.state.nodes.update(2) { $0.turns = .max }
    #expect(refusal(stage.feed(turn(.max) { $0.ending = .cancel })) == nil, "it was taken before")

    stage = fresh
    _ = stage.state.nodes.update(2) { $0.outputs = last - 1 }
    #expect(refusal(stage.feed(turn(1) { $0.outputs = [[1], [2]] })) == "screen.used_up")
    #expect(refusal(stage.feed(turn(1) { $0.outputs = [[1]] })) == nil)
    #expect(stage.ask(.output(.id(list), [1]))?.refusal?.code == "screen.used_up")

    stage = fresh
    _ = stage.state.nodes.update(1) { $0.messages = last + 1 }
    #expect(refusal(stage.feed(turn(1) { $0.outputs = [[1]] })) == "screen.used_up", "whoever hears it can be told nothing more")
  }

  @Test("A scene whose links have waited as often as it can name lets none wait, and follows the others")
  func plans() {
    var stage = Stage()
    stage.open("Home")
    stage.state.waiting = Waiting(items: [], next: SceneState.lastNumber)
    let login = RouteStep(address("Login"))
    #expect(stage.ask(.follow(Following([login], link: "app://a", waits: true)))?.outcome?.changed == true)
    #expect(stage.state.plans.last?.id == PlanID(SceneState.lastNumber))
    #expect(stage.ask(.follow(Following([login], link: "app://b", waits: true)))?.refusal?.code == "nav.scene_closed")
    #expect(stage.ask(.follow(Following([RouteStep(address("Order"))], link: "app://c")))?.outcome?.changed == true)
    #expect(stage.state.hasRoom)
  }

  @Test("A lost screen whose leases are used up is made by no other host, and leaves with hostLost")
  func leases() throws {
    var stage = Stage()
    stage.open("Home")
    stage.open("List")
    stage.feed(.hostLost(host: "shop-1"))
    _ = stage.state.nodes.update(2) { $0.lease = SceneState.lastNumber }
    let effects = stage.feed(.hostBack(HostReturn(host: "shop-2", kept: false, resuming: [ScreenID(1), ScreenID(2)])))
    #expect(effects.compactMap { if case .resume(let resumption) = $0 { resumption.screen } else { nil } } == [ScreenID(1)])
    #expect(stage.state.nodes[2]?.lease == SceneState.lastNumber)
    stage.advance(UInt64(stage.state.settings.lease))
    #expect(stage.removals.first == "s2 hostLost")
  }
}
