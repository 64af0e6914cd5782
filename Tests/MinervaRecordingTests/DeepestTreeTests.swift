import MinervaNavigation
import MinervaWire
import SceneModels
import Testing

@Suite("Trees that are deep")
struct DeepestTreeTests {
  /// What a look at a scene is answered with.
  private struct Answered: Codable { var tree: SceneTree }

  @Test("the deepest tree that can be made can be looked at, through slots and splits and whatever starts itself as well")
  func deepest() throws {
    for kind in ["tabs", "split", "slot", "link", "itself"] {
      var stage = Stage()
      switch kind {
      case "split": stage.catalog["Shell"] = .split("List", "Nothing")
      case "slot": stage.catalog["Shell"] = .accepted(Acceptance(host: "shop-1", slots: ["hero"]))
      case "itself": stage.catalog["Shell"] = .tabs("shell")
      default: stage.catalog["Shell"] = .tabs("home")
      }
      for _ in 0..<20 {
        switch kind {
        case "slot":
          if stage.state.coordinatorCount == 0 { stage.open("Shell") }
          stage.ask(opening("Shell", .embed("hero")), origin: stage.state.coordinators.last?.summary.screen)
        case "link":
          stage.ask(.follow([RouteStep(address("Shell"), input: [UInt8(stage.state.coordinatorCount)])]))
          stage.ask(opening("Shell"))
        default: stage.ask(opening("Shell"))
        }
      }
      let tree = stage.state.tree
      #expect(try CBOR.decode(Answered.self, from: CBOR.encode(Answered(tree: tree))).tree == tree, "\(kind)")
    }
  }
}
