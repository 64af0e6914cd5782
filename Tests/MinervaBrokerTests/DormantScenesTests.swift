@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaProtocol
import Testing

/// The open scenes that are not in memory, and who waits for them.
@Suite("Dormant scenes")
struct DormantScenesTests {
  private let start = Moment(milliseconds: 1_000)

  private func dormant(_ names: [String], hosts: [String] = ["a"]) -> DormantScenes {
    var scenes = DormantScenes()
    for name in names {
      scenes[name] = DormantScene(
        identity: SceneIdentity(name: name, app: "shop", incarnation: 2), sequence: 7, opened: start, base: 0, hosts: hosts)
    }
    return scenes
  }

  private func waiting(_ token: CallToken?, until: Moment? = nil) -> DormantScenes.Waiting {
    DormantScenes.Waiting(token: token, until: until) { _, _ in token.map { [.answer($0, .done)] } ?? [] }
  }

  @Test("a scene is read once for everyone who waits, and the answer to an earlier reading is none")
  func loading() throws {
    var scenes = dormant(["main"])
    #expect(scenes.load("other")?.number == nil)
    let begun = scenes.load("main")
    let first = try #require(begun)
    #expect(scenes.load("main")?.number == nil, "it is on its way")
    #expect(first.key == "shop/main#2" && scenes.isLoading)
    scenes.append(waiting(2), for: "main")
    scenes.append(waiting(1), for: "main")
    #expect(scenes.takeLoaded("main", number: first.number + 1)?.waiting.count == nil)
    let taken = scenes.takeLoaded("main", number: first.number)
    let loaded = try #require(taken)
    #expect(loaded.waiting.map(\.token) == [2, 1], "in the order of asking")
    #expect(scenes["main"] == nil && !scenes.isLoading)
    #expect(scenes.takeLoaded("main", number: first.number)?.waiting.count == nil)
  }

  @Test("N15: calls wait until their deadlines, words of hosts as long as it takes")
  func deadlines() {
    var scenes = dormant(["b", "a"])
    for name in ["a", "b"] { _ = scenes.load(name) }
    scenes.append(waiting(1, until: start + 50), for: "b")
    scenes.append(waiting(2, until: start + 80), for: "a")
    scenes.append(waiting(3, until: start + 50), for: "a")
    scenes.append(waiting(nil), for: "a")
    #expect(scenes.nextDeadline == start + 50)
    #expect(scenes.takeLate(start + 49).isEmpty)
    #expect(scenes.takeLate(start + 50).map(\.token) == [3, 1], "by scenes")
    #expect(scenes.nextDeadline == start + 80)
    let (calls, others) = scenes.dropLoads(of: ["a"])
    #expect(calls.map(\.token) == [2] && calls.map(\.scene) == ["a"] && others.count == 1)
    #expect(scenes.isLoading)
    #expect(scenes.dropLoads().calls.isEmpty && !scenes.isLoading)
    #expect(scenes["a"] != nil, "the scene is still open")
  }

  @Test("scenes that are wanted for their own sake are read a window at a time, each once, and keep no caller waiting")
  func window() throws {
    let names = (0..<100).map { "s\($0)" }
    var scenes = dormant(names)
    scenes.want(names + names)
    func begin() -> [(name: String, number: UInt64)] {
      var begun: [(name: String, number: UInt64)] = []
      while let name = scenes.nextWanted(), let load = scenes.load(name) { begun.append((name, load.number)) }
      return begun
    }
    var underWay = begin()
    #expect(underWay.count == DormantScenes.window)
    let load = scenes.load("s99")
    let asked = try #require(load, "whoever asks for one need not wait")
    #expect(begin().isEmpty)
    var read: [String] = []
    while !underWay.isEmpty {
      let (name, number) = underWay.removeFirst()
      #expect(scenes.takeLoaded(name, number: number)?.scene.identity.name == name)
      read.append(name)
      underWay += begin()
      #expect(underWay.count <= DormantScenes.window)
    }
    #expect(read == Array(names.dropLast()))
    #expect(scenes.takeLoaded("s99", number: asked.number)?.waiting.count == 0)
    scenes = dormant(names)
    scenes.want(names)
    #expect(begin().count == DormantScenes.window)
    _ = scenes.dropLoads(of: ["s0", "s1"])
    #expect(begin().map(\.name) == ["s32", "s33"])
    _ = scenes.dropLoads()
    #expect(begin().isEmpty, "with the journal all wishes go")
  }

  @Test("K3: the loss of a host is noted once in the scenes that it has a part in")
  func loss() {
    var scenes = dormant(["b", "a"])
    scenes["c"] = dormant(["c"], hosts: ["other"])["c"]
    #expect([scenes.lose("a"), scenes.lose("a")] == [["a", "b"], ["a", "b"]])
    #expect(scenes["a"]?.lost == ["a"] && scenes["c"]?.lost == [])
    #expect(scenes.contains(SceneIdentity(name: "a", app: "shop", incarnation: 2)))
    #expect(!scenes.contains(SceneIdentity(name: "a", app: "shop", incarnation: 1)), "an earlier life of the name")
  }
}
