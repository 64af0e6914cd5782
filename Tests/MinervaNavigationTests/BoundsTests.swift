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
}
