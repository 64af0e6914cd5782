import MinervaNavigation
import SceneModels
import Testing

@Suite("A detail that is joined to its primary")
struct JoinedDetailTests {
  @Test("stack set of a detail leaves the primary stack as it is, also while the split is collapsed")
  func joined() {
    var stage = Stage()
    stage.catalog["Pair"] = .split("List", "Empty")
    stage.open("Pair")
    stage.open("Row", into: NavPath("main/primary"))
    stage.ask(.collapse(nil))
    #expect(stage.stack("main/primary") == "s2 s4 s3")
    let detail = NavPath("main/detail") ?? .main
    stage.ask(.setStack(detail, [.module(address("Info"), input: []), .module(address("More"), input: [])]))
    #expect(stage.stack("main/primary") == "s2 s4 s5 s6")
    #expect(stage.removals == ["s3 replaced"])
    #expect(stage.ask(.setStack(detail, [.screen(.id(2))]))?.refusal?.code == "nav.target_not_found")
    #expect(stage.ask(.setStack(detail, [.screen(.id(5)), .screen(.id(6))]))?.outcome?.changed == false)
    stage.ask(.expand(nil))
    #expect(stage.stack("main/primary") == "s2 s4" && stage.stack("main/detail") == "s5 s6")
  }
}

@Suite("Verbs of the navigation core")
struct VerbTests {
  @Test("push, back, replace and root on one stack")
  func oneStack() {
    var stage = Stage()
    #expect(stage.open("Home") == 1)
    #expect(stage.open("List") == 2)
    #expect(stage.open("Detail") == 3)
    #expect(stage.stack() == "s1 s2 s3")
    #expect(stage.ask(.back(count: 1, in: nil))?.outcome?.removed.map(\.reason) == [.popped])
    #expect(stage.open("Other", via: .replace) == 4)
    #expect(stage.stack() == "s1 s4")
    #expect(stage.open("Fresh", via: .root) == 5)
    #expect(stage.stack() == "s5")
    #expect(stage.removals == ["s3 popped", "s2 replaced", "s4 replaced", "s1 replaced"])
  }

  @Test("back never removes the root, and says how many screens are above it (A09)")
  func rootIsProtected() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders", selected: 1)
    stage.open("Shell")
    stage.open("Order")
    stage.open("Item")
    let place = stage.state.seq
    let refusal = stage.ask(.back(count: 9, in: nil))?.refusal
    #expect(refusal?.description == "nav.root_protected: only 2 screens above the root of main/orders; nothing removed")
    #expect(stage.state.seq == place, "a request refused before it started leaves no record (N2)")
    #expect(stage.ask(.close([.root]))?.refusal?.code == "nav.root_protected")
    #expect(stage.ask(.dismiss(nil))?.refusal?.code == "nav.not_modal")
  }

  @Test("a container that is not here is refused with the kinds that are")
  func noContainer() {
    var stage = Stage()
    stage.open("Home")
    #expect(
      stage.ask(opening("Profile", .detail))?.refusal?.description
        == "nav.no_container: main has no split; kinds possible here: push modal replace root")
    #expect(stage.ask(opening("Profile", .embed("hero")))?.refusal?.code == "nav.no_container")
    #expect(stage.ask(opening("Profile", .push, into: "main/orders"))?.refusal?.code == "nav.no_container")
  }

  @Test("modal layers: presented on top of the topmost, dismissed from the top, each screen for its reason")
  func modalLayers() {
    var stage = Stage()
    stage.open("Home")
    stage.open("Login", via: .modal(.sheet))
    stage.open("Help")
    stage.open("Alert", via: .modal(.alert))
    #expect(stage.stack("modal[1]") == "s2 s3")
    #expect(stage.stack("modal[2]") == "s4")
    #expect(stage.ask(.dismiss(.id(3)))?.outcome?.changed == true)
    #expect(stage.removals == ["s4 parentRemoved", "s3 dismissed", "s2 dismissed"])
    #expect(stage.state.tree.layers.count == 1)
  }

  @Test("dismiss all names every layer")
  func dismissAll() {
    var stage = Stage()
    stage.open("Home")
    stage.open("A", via: .modal(.sheet))
    stage.open("B", via: .modal(.full))
    stage.ask(.dismissAll)
    #expect(stage.removals == ["s3 dismissed", "s2 dismissed"])
    #expect(stage.ask(.dismissAll)?.outcome?.changed == false)
  }

  @Test("closing a layer's only screen dismisses the layer; closing the presenter takes the layer along")
  func closeAndLayers() {
    var stage = Stage()
    stage.open("Home")
    stage.open("Sheet", via: .modal(.sheet))
    stage.ask(.close([.id(2)]))
    #expect(stage.removals == ["s2 dismissed"])
    let list = stage.open("List")
    stage.open("Sheet", via: .modal(.sheet), origin: list)
    stage.ask(.close([.id(list)]))
    #expect(stage.removals.suffix(2) == ["s4 parentRemoved", "s3 popped"])
    #expect(stage.stack() == "s1")
  }

  @Test("tabs start when first selected; re-selecting is no change, with reset it pops to the root (A10)")
  func tabs() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    let shell = stage.open("Shell")
    #expect(stage.stack("main/home") == "s2")
    #expect(stage.stack("main/orders") == "")
    stage.ask(.selectTab(name: "orders", of: nil, reset: false))
    #expect(stage.stack("main/orders") == "s3")
    stage.open("Order")
    stage.open("Item")
    #expect(stage.ask(.selectTab(name: "orders", of: nil, reset: false))?.outcome?.changed == false)
    stage.ask(.selectTab(name: "home", of: nil, reset: false))
    #expect(stage.stack("main/orders") == "s3 s4 s5", "switching keeps the stack")
    // A pop meant for a hidden tab removes from that tab and does not switch.
    stage.ask(.close([.id(5)]))
    #expect(stage.state.activePath.description == "main/home")
    #expect(stage.stack("main/orders") == "s3 s4")
    stage.ask(.selectTab(name: "orders", of: nil, reset: false))
    #expect(stage.ask(.selectTab(name: "orders", of: nil, reset: true))?.outcome?.removed.map(\.reason) == [.popped])
    #expect(stage.ask(.selectTab(name: "none", of: nil, reset: false))?.refusal?.code == "nav.no_container")
    #expect(stage.state.screen(3)?.summary.parent == shell)
  }

  @Test("containers in one another come to an end")
  func tooDeep() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home")
    for _ in 0..<20 { stage.ask(opening("Shell")) }
    #expect(stage.answers.last?.resolution.refusal?.code == "link.too_deep")
    #expect(stage.state.coordinatorCount == 16, "8 with their roots")
    #expect(stage.ask(opening("Item"))?.outcome != nil, "in the innermost there is room")
  }

  @Test("open via tab starts, selects and pushes as one")
  func openViaTab() {
    var stage = Stage()
    stage.catalog["Shell"] = .tabs("home", "orders")
    stage.open("Shell")
    stage.open("Order", via: .tab("orders"))
    #expect(stage.stack("main/orders") == "s3 s4")
    #expect(stage.state.activePath.description == "main/orders")
  }

  @Test("split: detail is replaced; collapsing joins the stacks, expanding takes them apart")
  func split() {
    var stage = Stage()
    stage.catalog["Split"] = .split("List", "Nothing")
    stage.open("Home")
    let split = stage.open("Split", via: .modal(.full))
    #expect(stage.stack("modal[1]/primary") == "s3")
    #expect(stage.stack("modal[1]/detail") == "s4")
    stage.open("Details", via: .detail, origin: 3)
    #expect(stage.stack("modal[1]/detail") == "s5")
    stage.open("Edit", origin: 5)
    #expect(stage.stack("modal[1]/detail") == "s5 s6")
    #expect(stage.ask(.collapse(.id(split)))?.outcome?.changed == true)
    #expect(stage.stack("modal[1]/primary") == "s3 s5 s6")
    #expect(stage.ask(.collapse(nil))?.outcome?.changed == false)
    stage.ask(.back(count: 1, in: nil))
    stage.ask(.expand(nil))
    #expect(stage.stack("modal[1]/primary") == "s3")
    #expect(stage.stack("modal[1]/detail") == "s5")
    stage.ask(.close([.id(split)]))
    #expect(
      stage.removals.suffix(3) == ["s5 parentRemoved", "s3 parentRemoved", "s2 dismissed"], "children before parents (N8)")
  }

  @Test("an embedded child lives and dies with its screen and is not on the back stack (L8)")
  func embed() {
    var stage = Stage()
    stage.catalog["Profile"] = .accepted(Acceptance(host: "shop-1", slots: ["hero"]))
    stage.open("Home")
    let profile = stage.open("Profile")
    let hero = stage.open("Hero", via: .embed("hero"))
    #expect(stage.stack() == "s1 s2")
    #expect(stage.stack("main/slot:hero") == "s3")
    stage.open("Hero", via: .embed("hero"), origin: hero)
    #expect(stage.stack("main/slot:hero") == "s4")
    #expect(stage.state.screen(4)?.summary.parent == profile)
    stage.ask(.back(count: 1, in: nil))
    #expect(stage.removals == ["s3 replaced", "s4 parentRemoved", "s2 popped"])
  }

  @Test("stack set keeps the identity of those named and replaces the others")
  func stackSet() {
    var stage = Stage()
    for name in ["A", "B", "C"] { stage.open(name) }
    let elements: [Command.Element] = [.screen(.id(3)), .module(address("D"), input: []), .screen(.id(1))]
    #expect(stage.ask(.setStack(.main, elements))?.outcome?.removed.map(\.screen) == [2])
    #expect(stage.stack() == "s3 s4 s1")
    #expect(stage.ask(.setStack(.main, [.screen(.id(3)), .screen(.id(4)), .screen(.id(1))]))?.outcome?.changed == false)
    #expect(stage.ask(.setStack(.main, []))?.refusal?.code == "nav.root_protected")
    #expect(stage.ask(.setStack(.main, [.screen(.id(3)), .screen(.id(3))]))?.refusal?.code == "nav.duplicate")
    #expect(stage.ask(.setStack(.main, [.screen(.id(2))]))?.refusal?.code == "nav.stale_ref")
  }

  @Test("open with pop-to is one transaction")
  func popTo() {
    var stage = Stage()
    for name in ["A", "B", "C"] { stage.open(name) }
    stage.ask(opening("D", popTo: .id(1)))
    #expect(stage.stack() == "s1 s4")
    stage.ask(opening("E", popTo: .id(1), inclusive: true))
    #expect(stage.stack() == "s5")
    #expect(stage.ask(opening("F", popTo: .id(2)))?.refusal?.code == "nav.stale_ref")
    #expect(stage.ask(opening("F", popTo: .id(99)))?.refusal?.code == "nav.target_not_found")
  }

  @Test("finish takes the screens above along and gives its parent the result")
  func finish() {
    var stage = Stage()
    let home = stage.open("Home")
    let picker = stage.open("Picker", origin: home)
    stage.open("Help", origin: picker)
    stage.ask(.finish(.id(picker), [53]))
    #expect(stage.removals == ["s3 popped", "s2 finished"])
    let ended = stage.messages(to: home).last?.body
    #expect(ended == .childEnded(child: picker, module: "Picker", reason: .finished, result: [53]))
    #expect(stage.ask(.finish(.id(home), nil))?.refusal?.code == "nav.root_protected")
  }

  @Test("named transitions: go opens them, an unknown one is refused with those there are")
  func named() {
    var stage = Stage()
    let transition = NamedTransition(name: "details", opening: Command.Opening(address("Detail"), input: [49], via: .modal(.sheet)))
    stage.catalog["Home"] = .accepted(Acceptance(host: "shop-1", transitions: [transition]))
    stage.open("Home")
    #expect(
      stage.ask(.go(name: "detials", from: nil, input: nil))?.refusal?.description
        == "nav.no_transition: s1 Home has no transition \"detials\"; it has details")
    #expect(stage.ask(.go(name: "details", from: nil, input: nil))?.outcome?.screen == 2)
    #expect(stage.state.screen(2)?.input == [49])
    #expect(stage.stack("modal[1]") == "s2")
  }

  @Test("what a person does on a screen is handled by its coordinator; a covered screen is refused")
  func acts() {
    var stage = Stage()
    stage.open("Home")
    #expect(stage.ask(.act(.top, .tap(row: "a", action: nil)))?.outcome?.screen == 1)
    #expect(stage.messages(to: 1).map(\.body) == [.act(.tap(row: "a", action: nil))])
    stage.open("Sheet", via: .modal(.sheet))
    let refusal = stage.ask(.act(.id(1), .tap(row: "a", action: nil)))?.refusal
    #expect(refusal?.description == "screen.covered: s1 Home is not in view: modal[1] is over it")
  }

  @Test("the scene's end removes everything, topmost first, and refuses what comes after")
  func end() {
    var stage = Stage()
    stage.ask(.launch(module: address("Start"), input: []))
    stage.open("Home")
    stage.open("List")
    stage.open("Sheet", via: .modal(.sheet))
    stage.ask(.end)
    #expect(stage.removals == ["s4 sceneClosed", "s3 sceneClosed", "s2 sceneClosed", "s1 sceneClosed"])
    #expect(stage.ask(opening("Home"))?.refusal?.code == "nav.scene_closed")
  }
}
