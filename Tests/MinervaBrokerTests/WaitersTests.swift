@testable import MinervaBrokerCore
import MinervaNavigation
import Testing

/// Who waits for what in one scene.
@Suite("Waiters of a scene")
struct WaitersTests {
  private let turn = Waiters.Turn(screen: ScreenID(1), number: 4)

  @Test("N2: whoever asks for the same request again is answered with the others, once")
  func answers() {
    var waiters = Waiters()
    for token: CallToken in [3, 1, 2] { waiters.append(token, forAnswerTo: "t") }
    waiters.append(9, forAnswerTo: "other")
    #expect(waiters.hasAnyone(forAnswerTo: "t") && !waiters.isUnderWay, "an answer may need time to pass")
    #expect(waiters.takeAll(forAnswerTo: "t") == [3, 1, 2])
    #expect(waiters.takeAll(forAnswerTo: "t").isEmpty && !waiters.hasAnyone(forAnswerTo: "t") && !waiters.isEmpty)
  }

  @Test("each report of a turn, and each wish to attach, has its own verdict in the order of their coming")
  func verdicts() {
    var waiters = Waiters()
    for token: CallToken in [2, 1] {
      waiters.append(token, forVerdictOn: turn)
      waiters.append(token + 10, forAttaching: "phone")
    }
    #expect(waiters.isUnderWay)
    #expect(
      [waiters.takeFirst(forVerdictOn: turn), waiters.takeFirst(forVerdictOn: turn), waiters.takeFirst(forVerdictOn: turn)] == [2, 1, nil])
    #expect(waiters.isUnderWay, "renderers wait on")
    #expect(waiters.takeFirst(forVerdictOn: Waiters.Turn(screen: ScreenID(1), number: 5)) == nil)
    #expect([waiters.takeFirst(forAttaching: "phone"), waiters.takeFirst(forAttaching: "phone")] == [12, 11])
    #expect(waiters.isEmpty && !waiters.isUnderWay)
  }

  @Test("N15: at the end everyone is taken out, whatever they wait for")
  func end() {
    var waiters = Waiters()
    waiters.append(1, forAnswerTo: "a")
    waiters.append(2, forAnswerTo: "a")
    waiters.append(3, forVerdictOn: turn)
    waiters.append(4, forAttaching: "phone")
    #expect(waiters.takeAll().sorted() == [1, 2, 3, 4])
    #expect(waiters.isEmpty && waiters.takeAll().isEmpty)
  }
}
