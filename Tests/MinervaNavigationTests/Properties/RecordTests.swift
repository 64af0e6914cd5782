import Foundation
import MinervaNavigation
import Testing

@Suite("The core under random records")
struct RecordTests {
  /// Plays the throws; returns what is wrong, if anything is.
  private func flaw(_ throwsOfDice: [UInt64]) -> String? {
    var scene = RandomScene()
    for (number, seed) in throwsOfDice.enumerated() {
      var dice = Dice(seed: seed)
      if dice.once(in: 8) { scene.time = scene.time.advanced(by: UInt64(dice.roll(700))) }
      let record = scene.record(&dice)
      if let flaw = scene.feed(record) { return "step \(number), \(record): \(flaw)" }
    }
    return scene.drain().map { "at the end: \($0)" }
  }

  @Test(
    "N6, N7, N15: one end a screen, one answer a request, no name twice, and it comes to rest", arguments: Seeds.few(30))
  func invariants(seed: UInt64) {
    var dice = Dice(seed: seed)
    let throwsOfDice = (0..<400).map { _ in dice.next() }
    guard flaw(throwsOfDice) != nil else { return }
    let short = shrink(throwsOfDice) { flaw($0) != nil }
    Issue.record("seed \(seed), \(short.count) steps: \(flaw(short) ?? "")")
  }

  @Test("the dice reach every kind of event, every reason and most refusals")
  func reach() {
    var events: Set<String> = []
    var reasons: Set<RemovalReason> = []
    var codes: Set<String> = []
    for seed in 1...40 as ClosedRange<UInt64> {
      var dice = Dice(seed: seed)
      var scene = RandomScene()
      for _ in 0..<400 {
        var throwOfDice = Dice(seed: dice.next())
        if throwOfDice.once(in: 8) { scene.time = scene.time.advanced(by: UInt64(throwOfDice.roll(700))) }
        let record = scene.record(&throwOfDice)
        _ = scene.feed(record)
      }
      for case .event(let event) in scene.steps.flatMap(\.effects) { events.insert(event.kind.name) }
      reasons.formUnion(scene.ended.values)
      for resolution in scene.answered.values.joined() { if let refusal = resolution.refusal { codes.insert(refusal.code) } }
    }
    #expect(events.count == 21, "\(events.sorted())")
    #expect(reasons == Set(RemovalReason.allCases), "\(reasons)")
    #expect(codes.count > 20, "\(codes.sorted())")
  }

  @Test(
    "N17, D1: the same records give the same state, effects and bytes; a snapshot goes on like the live one",
    arguments: 1...10 as ClosedRange<UInt64>)
  func replay(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var scene = RandomScene()
    for _ in 0..<300 {
      var throwOfDice = Dice(seed: dice.next())
      if throwOfDice.once(in: 8) { scene.time = scene.time.advanced(by: UInt64(throwOfDice.roll(700))) }
      let record = scene.record(&throwOfDice)
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
