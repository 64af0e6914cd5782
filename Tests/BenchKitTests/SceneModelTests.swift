@testable import BenchKit
import MinervaInterfaces
@testable import MinervaNavigation
import Testing

/// The bench's own model: what happened is found right, and nothing else is.
@Suite("The broker's bench checks what the broker says")
struct SceneModelTests {
  private typealias Step = SceneModel.Step

  private func fault(isGapless: Bool = true, _ steps: [Step]) -> String? {
    var model = SceneModel()
    for step in steps { model.note(step) }
    do throws(SceneModel.Fault) {
      try model.settle(isGapless: isGapless)
      return nil
    } catch {
      return error.description
    }
  }

  private let sound = [
    Step(seq: 1, kind: .push(7), screen: 1), Step(seq: 2, kind: .push(8), screen: 2), Step(seq: 3, kind: .pop, screen: 2),
    Step(seq: 4, kind: .push(9), screen: 3),
  ]

  @Test("Answers in any order of arrival are replayed in the order of their records")
  func anyOrder() {
    #expect(fault(sound) == nil)
    #expect(fault(sound.reversed()) == nil)
    #expect(fault([sound[2], sound[0], sound[3], sound[1]]) == nil)
  }

  @Test("A record twice, one that is missing, a pop of the wrong screen and a name used again are found")
  func faults() {
    #expect(fault(sound + [sound[1]]) == "#2 answers two requests")
    #expect(fault([sound[0], sound[3]]) == "#2 is nobody's answer; #4 follows")
    #expect(fault(isGapless: false, [sound[0], sound[3]]) == nil)
    #expect(fault([sound[0], sound[1], Step(seq: 3, kind: .pop, screen: 1)]) == "#3: s1 was removed, s2 was on top")
    #expect(fault([Step(seq: 1, kind: .pop, screen: 1)]) == "#1: a pop of nothing")
    #expect(fault([sound[0], Step(seq: 2, kind: .push(8), screen: 1)]) == "#2: s1 opened over s1")
  }

  private func screen(_ id: UInt32, _ input: UInt64, module: String = "Page") -> SceneTree.Screen {
    SceneTree.Screen(
      id: ScreenID(id), module: module, host: "", input: Page.input(input), phase: .presented, isSuspended: false, container: .none,
      slots: [])
  }

  private func difference(_ screens: [SceneTree.Screen], layers: Int = 1) -> String? {
    var model = SceneModel()
    for step in sound { model.note(step) }
    do throws(SceneModel.Fault) {
      try model.settle(isGapless: true)
      let layer = SceneTree.Layer(style: nil, presentedBy: nil, stack: screens)
      try model.check(SceneTree(layers: Array(repeating: layer, count: layers)), module: "Page") { Page.input($0) }
      return nil
    } catch {
      return error.description
    }
  }

  @Test("The tree is compared by names, modules, inputs, their order and number")
  func trees() {
    #expect(difference([screen(1, 7), screen(3, 9)]) == nil)
    #expect(difference([screen(1, 7)]) == "[s1] stand there instead of [s1, s3]")
    #expect(difference([screen(1, 7), screen(2, 9)]) != nil)
    #expect(difference([screen(1, 7), screen(3, 8)]) != nil)
    #expect(difference([screen(3, 9), screen(1, 7)]) != nil)
    #expect(difference([screen(1, 7), screen(3, 9, module: "Other")]) != nil)
    #expect(difference([screen(1, 7), screen(3, 9)], layers: 2) == "2 layers instead of one")
  }

  @Test("An answer that tells of another change than was asked for is found")
  func answers() {
    let summary = ScreenSummary(screen: ScreenID(4), module: "Page", host: "", path: .main, depth: 1, parent: nil)
    let removal = Removal(screen: ScreenID(4), module: "Page", reason: .popped, outputs: 0)
    func read(_ kind: Step.Kind, _ outcome: Outcome, seq: UInt64? = 5) -> Step? {
      try? Step(kind, SceneAnswer(outcome: outcome, seq: seq, epoch: 1))
    }
    let push = Outcome(verb: "open", presented: [summary], changed: true)
    let pop = Outcome(verb: "back", removed: [removal], changed: true)
    #expect(read(.push(1), push) == Step(seq: 5, kind: .push(1), screen: 4))
    #expect(read(.pop, pop) == Step(seq: 5, kind: .pop, screen: 4))
    #expect(read(.push(1), push, seq: nil) == nil)
    #expect(read(.push(1), pop) == nil)
    #expect(read(.pop, push) == nil)
    #expect(read(.pop, Outcome(verb: "back", changed: false)) == nil, "nothing to do is no transition")
    let replaced = Removal(screen: ScreenID(4), module: "Page", reason: .replaced, outputs: 0)
    #expect(read(.pop, Outcome(verb: "back", removed: [replaced], changed: true)) == nil)
    #expect(read(.pop, Outcome(verb: "back", removed: [removal, removal], changed: true)) == nil)
  }

  @Test("Inputs are JSON of exactly so many bytes", arguments: [UInt64(0), 9, 12_345, 1 << 50])
  func inputs(number: UInt64) {
    #expect(Page.input(number).count == 64)
    #expect(Page.input(number) != Page.input(number + 1))
  }
}
