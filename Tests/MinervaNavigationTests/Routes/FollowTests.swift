import MinervaNavigation
import SceneModels
import Testing

@Suite("Following links")
struct FollowTests {
  private let order = RouteStep(address("Order"), input: [57])
  private let item = RouteStep(address("Item"), input: [52])
  private let orders = RouteStep(address("Orders"), via: .tab("orders"))

  private func shell() -> Stage {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.open("Shell")
    return stage
  }

  @Test("R2: the preview tells what is kept, dismissed, started and opened; nothing changes")
  func preview() throws {
    var stage = shell()
    stage.open("Alert", via: .modal(.alert))
    let state = stage.state
    let text = try stage.state.preview([orders, order, item]).map(\.description).joined(separator: " | ")
    #expect(text == "keep s1 Shell | dismiss s3 Alert | tab orders (start Orders) | push Order9 | push Item4")
    #expect(stage.state == state)
  }

  @Test("R2, R5: a link commits once, dismisses what is over it first, and again is no change")
  func commits() {
    var stage = shell()
    stage.open("Alert", via: .modal(.alert))
    let outcome = stage.ask(.follow([orders, order, item]))?.outcome
    #expect(outcome?.removed.map(\.reason) == [.dismissed])
    #expect(stage.stack("main/orders") == "s4 s5 s6")
    #expect(stage.state.activePath.description == "main/orders")
    #expect(stage.state.screen(6)?.summary.parent == 5)
    #expect(stage.ask(.follow([orders, order, item]))?.outcome?.changed == false)
  }

  @Test("R2: the longest common prefix stays; R5, A06: what is in the tree but covered becomes visible")
  func prefix() {
    var stage = shell()
    stage.ask(.follow([orders, order, item]))
    stage.ask(.selectTab(name: "home", of: nil, reset: false))
    stage.open("Sheet", via: .modal(.sheet))
    stage.ask(.follow([orders, order]))
    #expect(stage.stack("main/orders") == "s3 s4")
    #expect(stage.removals == ["s6 dismissed", "s5 popped"])
    #expect(stage.state.activePath.description == "main/orders")
    let other = RouteStep(address("Order"), input: [56])
    stage.ask(.follow([orders, other, item]))
    #expect(stage.stack("main/orders") == "s3 s7 s8")
  }

  @Test("R2: what is open under the same input stays, however its JSON is spaced and ordered; {} is no input")
  func inputs() {
    func step(_ text: String) -> RouteStep { RouteStep(address("Order"), input: Array(text.utf8)) }
    let same = [
      (#"{"id":42}"#, #"{ "id": 42 }"#), (#"{"a":"x y","b":[1, 2]}"#, #"{"b":[1,2],"a":"x y"}"#), ("", "{}"), ("{ }", ""),
      (#"{"a":"\\\"{"}"#, #"{ "a":"\\\"{"}"#),
    ]
    for (first, second) in same {
      var stage = shell()
      stage.ask(.follow([orders, step(first)]))
      #expect(stage.ask(.follow([orders, step(second)]))?.outcome?.changed == false, "\(first) \(second)")
    }
    let other = [
      (#"{"id":42}"#, #"{"id":"42"}"#), (#"{"a":"xy"}"#, #"{"a":"x y"}"#), ("{}", "[]"), ("[1,2]", "[2,1]"),
      (#"{"a":1}"#, #"{"a":1,"b":1}"#),
      ("null", ""),
    ]
    for (first, second) in other {
      var stage = shell()
      stage.ask(.follow([orders, step(first)]))
      #expect(stage.ask(.follow([orders, step(second)]))?.outcome?.changed == true, "\(first) \(second)")
    }
  }

  @Test("R2: modal hops stay when they are open, and are presented when they are not")
  func modal() {
    var stage = shell()
    let sheet = RouteStep(address("Filter"), via: .modal(.sheet))
    stage.ask(.follow([sheet, item]))
    #expect(stage.stack("modal[1]") == "s3 s4")
    stage.open("Over", via: .modal(.alert))
    stage.ask(.follow([sheet]))
    #expect(stage.stack("modal[1]") == "s3")
    #expect(stage.removals == ["s5 dismissed", "s4 popped"])
    #expect(stage.ask(.follow([sheet]))?.outcome?.changed == false)
  }

  @Test("R2: a link leads into the detail side of a split that is open, keeps what it meant and replaces what it did not")
  func detail() throws {
    var stage = Stage()
    stage.catalog["Mail"] = .split("Box", "Empty")
    stage.open("Mail")
    let letter = RouteStep(address("Letter"), input: [49], via: .detail)
    let text = try stage.state.preview([letter, item]).map(\.description).joined(separator: " | ")
    #expect(text == "keep s1 Mail | pop s3 Empty | detail Letter1 | push Item4")
    stage.ask(.follow([letter, item]))
    #expect(stage.stack("main/detail") == "s4 s5")
    #expect(stage.removals == ["s3 replaced"])
    #expect(stage.state.screen(4)?.summary.parent == 1)
    stage.ask(.follow([letter]))
    #expect(stage.stack("main/detail") == "s4")
    #expect(stage.ask(.follow([letter]))?.outcome?.changed == false)
    stage.ask(.collapse(nil))
    stage.ask(.follow([RouteStep(address("Letter"), input: [50], via: .detail)]))
    #expect(stage.stack("main/primary") == "s2 s6")
    #expect(stage.removals == ["s3 replaced", "s5 popped", "s4 replaced"])
  }

  @Test("R2: a link leads into a slot of a screen that is open, and goes on above that screen")
  func slot() {
    var stage = Stage()
    stage.catalog["Home"] = .accepted(Acceptance(host: "shop-1", slots: ["banner"]))
    stage.open("Home")
    let banner = RouteStep(address("Banner"), input: [49], via: .embed("banner"))
    #expect(stage.ask(.follow([banner, item]))?.outcome?.presented.map(\.screen) == [2, 3])
    #expect(stage.stack("main/slot:banner") == "s2")
    #expect(stage.stack() == "s1 s3")
    #expect(stage.ask(.follow([banner, item]))?.outcome?.changed == false)
    stage.ask(.follow([RouteStep(address("Banner"), input: [50], via: .embed("banner"))]))
    #expect(stage.stack("main/slot:banner") == "s4")
    #expect(stage.stack() == "s1")
    #expect(Set(stage.removals) == ["s2 replaced", "s3 popped"])
    #expect(stage.ask(.follow([RouteStep(address("X"), via: .embed("footer"))]))?.refusal?.code == "route.not_routable")
  }

  @Test("N14: a link that fails on the way leaves nothing behind")
  func fails() {
    var stage = shell()
    stage.open("Sheet", via: .modal(.sheet))
    stage.catalog["Item"] = .refused(Refusal(code: "module.factory_failed", message: "no"))
    let hash = stage.state.treeHash
    #expect(stage.ask(.follow([orders, order, item]))?.refusal?.code == "module.factory_failed")
    #expect(stage.state.treeHash == hash)
    #expect(stage.ask(.follow([RouteStep(address("X"), via: .tab("none"))]))?.refusal?.code == "route.failed")
    #expect(stage.ask(.follow([RouteStep(address("X"), via: .detail)]))?.refusal?.code == "route.not_routable")
    var empty = Stage()
    #expect(empty.ask(.follow([order]))?.refusal?.code == "route.wrong_context")
  }

  @Test("R2: a link into a tab gives its input, to a root that is new, and to one that another input has opened")
  func tabInput() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.open("Home")
    let way = RouteStep(address("Shell"))
    let filtered = RouteStep(address("Orders"), input: [7], via: .tab("orders"))
    func input(_ id: ScreenID) -> [UInt8]? { stage.state.screen(id)?.input }
    stage.ask(.follow([way, filtered]))
    #expect(stage.stack("main/orders") == "s3" && input(3) == [7])
    #expect(stage.ask(.follow([way, filtered]))?.outcome?.changed == false)
    stage.ask(.follow([way, RouteStep(address("Orders"), input: [8], via: .tab("orders"))]))
    #expect(stage.stack("main/orders") == "s3 s4" && input(4) == [8])
    #expect(stage.ask(.follow([way, orders]))?.outcome?.removed.map(\.screen) == [4])
    var other = shell()
    other.ask(.follow([filtered]))
    #expect(other.stack("main/orders") == "s3")
    #expect(other.state.screen(3)?.input == [7], "the tab nobody had seen starts with it")
  }
}
