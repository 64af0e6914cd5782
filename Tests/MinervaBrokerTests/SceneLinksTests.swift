@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import Testing

/// What is being made of a scene's screens, from the wish for a coordinator to its end.
@Suite("Links of a scene")
struct SceneLinksTests {
  private func key(_ screen: UInt32, _ lease: UInt32 = 1) -> SceneLinks.Key { SceneLinks.Key(screen: ScreenID(screen), lease: lease) }

  private func turn(_ key: SceneLinks.Key, _ token: CallToken, by node: String) -> SceneLinks.EarlyTurn {
    let report = TurnReport(screen: key.screen, lease: key.lease, number: 1, handled: nil)
    let scene = SceneIdentity(name: "main", app: "shop", incarnation: 1)
    return SceneLinks.EarlyTurn(submission: TurnSubmission(scene: scene, report: report, rendering: false), token: token, node: node)
  }

  @Test("turns that come before a verdict wait for it, in order; another lease's are others'")
  func early() {
    var links = SceneLinks()
    links.begin(key(1), at: "a")
    links.hold(turn(key(1), 7, by: "a"))
    links.hold(turn(key(1), 5, by: "a"))
    links.hold(turn(key(1, 2), 6, by: "b"))
    #expect(links.isUnderWay && links.underWay == [key(1): "a"])
    let settled = links.settle(key(1), isMade: true)
    #expect(settled.host == "a" && settled.turns.map(\.token) == [7, 5])
    #expect(links.isUnderWay, "the other lease's waits on")
    #expect(links.makers == [key(1): "a"], "who has made it is known")
    #expect(links.takeCalls() == [6] && !links.isUnderWay)
  }

  @Test("K3: whoever refuses has nothing")
  func refused() {
    var links = SceneLinks()
    links.begin(key(1), at: "a")
    #expect(links.settle(key(1), isMade: false).host == "a")
    #expect(links.makers.isEmpty && !links.isUnderWay)
    #expect(links.settle(key(1), isMade: false).host == nil, "a verdict counts once")
  }

  @Test("the end of a coordinator names who makes it, and else who has it")
  func ending() {
    var links = SceneLinks()
    links.begin(key(1), at: "a")
    _ = links.settle(key(1), isMade: true)
    links.begin(key(2), at: "b")
    links.confirm(key(2), at: "c")
    links.hold(turn(key(2), 9, by: "b"))
    let (maker, late) = links.end(key(2))
    #expect(maker == "b" && late.map(\.token) == [9])
    #expect(links.end(key(1)).host == "a")
    #expect(links.end(key(1)).host == nil)
    #expect(!links.isUnderWay && links.makers.isEmpty)
  }

  @Test("K3: the loss of a host forgets what it had and what it said too early, and nothing of others")
  func loss() {
    var links = SceneLinks()
    for (screen, host) in [(1, "a"), (2, "b"), (3, "a"), (4, "a")] as [(UInt32, String)] { links.begin(key(screen), at: host) }
    _ = links.settle(key(1), isMade: true)
    links.hold(turn(key(3), 1, by: "a"))
    links.hold(turn(key(3), 2, by: "b"))
    links.hold(turn(key(2), 3, by: "b"))
    #expect(links.lose("a") == [1])
    #expect(links.makers == [key(2): "b"])
    #expect(links.underWay(at: "a") == [key(3), key(4)], "their verdicts are still to be fed to the scene")
    #expect(links.takeCalls().sorted() == [2, 3])
  }

  @Test("what is parked goes on in the order of screens, and no link is parked and under way at once")
  func parking() {
    var links = SceneLinks()
    for screen: UInt32 in [3, 1, 2] {
      let connection = Connection(
        screen: ScreenID(screen), lease: 1, module: ModuleAddress(name: "Detail"), input: [], via: .push, parent: nil, parentHost: nil,
        seq: 1, txn: "t", deadline: .zero)
      links.park(connection)
    }
    links.begin(key(1), at: "a")
    #expect(links.parked.keys.sorted() == [key(2), key(3)] && links.isUnderWay)
    #expect(links.unpark().map(\.screen.number) == [2, 3])
    #expect(links.parked.isEmpty)
  }
}
