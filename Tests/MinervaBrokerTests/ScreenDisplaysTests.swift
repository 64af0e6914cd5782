@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import Testing

/// What screens show, as their hosts say.
@Suite("Displays of screens")
struct ScreenDisplaysTests {
  private let screen = ScreenID(1)

  private func report(_ version: UInt64, from: UInt64, _ body: [UInt8] = [1], isBehind: Bool? = nil) -> RenderingReport {
    RenderingReport(
      scene: SceneIdentity(name: "main", app: "shop", incarnation: 1),
      rendering: StampedRendering(screen: screen, version: version, body: body),
      change: ListEvent(screen: screen, from: from, to: version, counts: ChangeCounts(), computedBy: "", changes: []), answersTurn: false,
      shown: ShownList(version: version, digest: 0, rows: 1, state: nil), plainFields: ["name"], isBehind: isBehind)
  }

  @Test("what is said again neither takes a list back nor changes it twice; the whole may be said again")
  func versions() {
    var displays = ScreenDisplays()
    let said: [(version: UInt64, from: UInt64, isNew: Bool)] = [
      (3, 0, true), (3, 2, false), (3, 0, true), (2, 0, false), (4, 3, true), (4, 3, false), (2, 1, false),
    ]
    for (version, from, isNew) in said {
      #expect(displays.take(report(version, from: from)) == isNew, "\(from) to \(version)")
    }
    #expect(displays.renderings[screen]?.version == 4 && displays.lists[screen]?.version == 4)
    #expect(displays.take(report(5, from: 4, [])) == false, "nothing is shown of what has no body")
    #expect(displays.renderings[screen]?.version == 4)
  }

  @Test("a screen that is seen shows what it kept for that, once, and not what an earlier life kept")
  func sight() {
    var displays = ScreenDisplays()
    _ = displays.take(report(1, from: 0))
    #expect(displays.tell(screen, isSeen: false) == false)
    _ = displays.take(report(2, from: 1, [], isBehind: true))
    #expect(displays.hidden == [screen])
    #expect((1...2).map { _ in displays.tell(screen, isSeen: true) } == [true, false])
    _ = displays.tell(screen, isSeen: false)
    _ = displays.take(report(2, from: 1, [], isBehind: true))
    _ = displays.take(report(2, from: 1, [2]))
    #expect(displays.tell(screen, isSeen: true) == false, "it has said it")
    _ = displays.take(report(3, from: 2, [], isBehind: true))
    displays.restart(screen)
    #expect(displays.tell(screen, isSeen: true) == false)
    #expect(displays.renderings[screen]?.version == 2, "it still shows what it showed")
  }

  @Test("P4: what a screen's fields are is known from what it has shown, and forgotten with it")
  func ending() {
    var displays = ScreenDisplays()
    #expect(displays.plainFields.isEmpty)
    _ = displays.take(report(1, from: 0))
    #expect((displays.plainFields[screen] ?? nil) == ["name"])
    let some = displays.filter { $0 == screen }
    #expect(displays.filter { $0 != screen }.isEmpty && some.renderings.keys.sorted() == [screen])
    displays.remove(screen)
    #expect(displays.isEmpty)
  }
}
