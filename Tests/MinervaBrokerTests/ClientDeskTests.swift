@testable import MinervaBrokerCore
import MinervaProtocol
import Testing

/// Which processes ask of scenes and show them, and which of them are lost.
@Suite("The desk for clients")
struct ClientDeskTests {
  private typealias Caller = ClientDesk.Caller
  private typealias Renderer = ClientDesk.Renderer

  private let start = Moment(milliseconds: 1_000)
  private let view = Renderer(scene: "main", name: "view")

  @Test("who is lost has its grace; what it asked is named after that, once, and not if it came back")
  func grace() {
    var desk = ClientDesk(grace: 100)
    desk.note(Caller(scene: "b", name: "x"), at: "shell")
    desk.note(Caller(scene: "a", name: "y"), at: "shell")
    desk.note(Caller(scene: "a", name: "x"), at: "shell")
    desk.note(Caller(scene: "a", name: "z"), at: "test")
    #expect(desk.nextDeadline == nil)
    #expect(desk.lost("shell", at: start).isEmpty && desk.nextDeadline == start + 100)
    #expect(desk.tick(start + 99).callers.isEmpty)
    desk.connected("shell")
    #expect(desk.nextDeadline == nil)
    #expect(desk.tick(start + 500).callers.isEmpty)
    _ = desk.lost("shell", at: start + 500)
    _ = desk.lost("stranger", at: start + 400)
    #expect(desk.nextDeadline == start + 600, "nothing is known of the stranger")
    #expect(
      desk.tick(start + 600).callers == [Caller(scene: "a", name: "x"), Caller(scene: "a", name: "y"), Caller(scene: "b", name: "x")])
    #expect(desk.nextDeadline == nil)
    #expect(desk.tick(start + 900).callers.isEmpty)
    #expect(desk.count(at: "shell") == 0 && desk.count(at: "test") == 1)
  }

  @Test("a scene has one renderer, one process: another under its name is another, and what it says of its end is nothing")
  func renderers() {
    var desk = ClientDesk(grace: 100)
    desk.note(view, at: "phone")
    desk.note(Renderer(scene: "main", name: "wall"), at: "tv")
    #expect(desk.process(of: view) == nil)
    desk.forget(view)
    #expect(desk.process(of: Renderer(scene: "main", name: "wall")) == "tv")
    desk.note(Renderer(scene: "attic", name: "wall"), at: "tv")
    #expect(desk.lost("phone", at: start).isEmpty)
    #expect(desk.lost("tv", at: start).map(\.scene) == ["attic", "main"], "its scenes are nobody's at once")
    #expect(desk.lost("tv", at: start).isEmpty)
  }

  @Test("K3: a renderer known by name alone is waited for, and lost unless a process turns out to be it")
  func awaited() {
    for comes in [false, true] {
      var desk = ClientDesk(grace: 100)
      desk.expect(view, since: start)
      if comes { desk.note(view, at: "phone") }
      #expect(desk.nextDeadline == start + 100)
      #expect(desk.tick(start + 99).renderers.isEmpty)
      #expect(desk.tick(start + 100).renderers == (comes ? [] : [view]))
      #expect(desk.nextDeadline == nil)
      desk.expect(view, since: start + 200)
      #expect(desk.nextDeadline == (comes ? nil : start + 300), "one that is there is not waited for")
      desk.forget("main")
      #expect(desk.nextDeadline == nil && desk.process(of: view) == nil)
    }
  }

  @Test("the count of a process's names is that of what is known, whatever is noted and forgotten")
  func count() {
    for seed in UInt64(1)...20 {
      var state = seed
      func roll(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
      }
      var desk = ClientDesk(grace: 100)
      var model: Set<[String]> = []
      for step in 0..<400 {
        let (node, scene, name) = ("n\(roll(3))", "s\(roll(4))", "c\(roll(4))")
        let caller = Caller(scene: scene, name: name)
        switch roll(8) {
        case 0:
          desk.forget(scene)
          model = model.filter { $0[1] != scene }
        case 1:
          desk.forgetCallers(at: node) { $0.name == name }
          model = model.filter { $0[0] != node || $0[2] == name }
        case 2:
          desk.forget(caller, at: node)
          model.remove([node, scene, name])
        default:
          desk.note(caller, at: node)
          model.insert([node, scene, name])
        }
        #expect(desk.count(at: node) == model.count { $0[0] == node }, "seed \(seed), step \(step)")
        #expect(desk.isKnown(caller, at: node) == model.contains([node, scene, name]), "seed \(seed), step \(step)")
        #expect(desk.isKnown(caller) == model.contains { $0[1] == scene && $0[2] == name }, "seed \(seed), step \(step)")
      }
    }
  }
}
