import Foundation
import MinervaNavigation
import SceneModels
import Testing

@Suite("The core under random records")
struct RecordTests {
  /// 400 seeds of 400 records.
  @Test(
    "N6, N7, N8, N11, N15, N17: one end a screen, in order; one answer a request; no name twice; it comes to rest; replay equals live",
    arguments: Seeds.parts(of: 400))
  func invariants(seeds: ClosedRange<UInt64>) {
    for seed in seeds {
      let throwsOfDice = Dice.throwsOfDice(400, seed: seed)
      guard RecordProperty.flaw(throwsOfDice) != nil else { continue }
      let short = shrink(throwsOfDice) { RecordProperty.flaw($0) != nil }
      Issue.record("seed \(seed), \(short.count) steps: \(RecordProperty.flaw(short) ?? "")")
    }
  }

  @Test("the dice reach every kind of event, every reason and most refusals")
  func reach() {
    var events: Set<String> = []
    var reasons: Set<RemovalReason> = []
    var codes: Set<String> = []
    for seed in 1...60 as ClosedRange<UInt64> {
      var scene = RandomScene()
      for seed in Dice.throwsOfDice(400, seed: seed) { _ = scene.feed(scene.next(seed)) }
      for case .event(let event) in scene.steps.flatMap(\.effects) { events.insert(event.kind.name) }
      reasons.formUnion(scene.ended.values)
      for resolution in scene.answered.values.joined() { if let refusal = resolution.refusal { codes.insert(refusal.code) } }
    }
    // All but screen.needs_input and plan.followed: for those a broker must lose its memory, or a scene come to rest.
    #expect(events.count == 25, "\(events.sorted())")
    #expect(reasons == Set(RemovalReason.allCases), "\(reasons)")
    #expect(codes.count > 20, "\(codes.sorted())")
  }

  @Test(
    "N17, D1: the same records give the same state, effects and bytes; a snapshot goes on like the live one",
    arguments: 1...10 as ClosedRange<UInt64>)
  func replay(seed: UInt64) throws {
    var scene = RandomScene()
    for seed in Dice.throwsOfDice(300, seed: seed) {
      let record = scene.next(seed)
      #expect(scene.feed(record) == nil)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    var again = RandomScene().state
    var recorded = scene.steps.filter { $0.seq != nil }[...]
    for (number, entry) in scene.journal.enumerated() {
      if number % 97 == 50 {
        let bytes = try encoder.encode(again)
        let restored = try JSONDecoder().decode(SceneState.self, from: bytes)
        #expect(restored == again)
        #expect(try encoder.encode(restored) == bytes)
        again = restored
      }
      let bytes = try encoder.encode(entry.record)
      let record = try JSONDecoder().decode(Record.self, from: bytes)
      #expect(record == entry.record)
      let step = again.apply(record, at: entry.at)
      #expect(step == recorded.popFirst(), "seed \(seed), record \(number)")
    }
    #expect(again == scene.state)
    #expect(try encoder.encode(again) == encoder.encode(scene.state))
    #expect(again.treeHash == scene.state.treeHash)
  }
}
