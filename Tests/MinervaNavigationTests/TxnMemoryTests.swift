import Foundation
@testable import MinervaNavigation
import SceneModels
import Testing

/// What is remembered of answers, compared with a list that forgets from its beginning (N2).
@Suite("Answers that are remembered")
struct TxnMemoryTests {
  private func answer(_ txn: String, _ seq: UInt64) -> Answer {
    Answer(txn: txn, caller: "", seq: seq, resolution: .done(Outcome(verb: "open", screen: ScreenID(UInt32(seq % 1_000)), changed: true)))
  }

  @Test(
    "N2: the last ones are found under their txn, the oldest go first, also where a txn was answered twice",
    arguments: 1...12 as ClosedRange<UInt64>)
  func model(seed: UInt64) throws {
    var random = Dice(seed: seed)
    var settings = SceneSettings()
    settings.remembered = [20, 100, 700][Int(seed % 3)]
    settings.rememberedAlways = 16
    settings.memory = 5_000
    var memory = TxnMemory()
    var model: [(answer: Answer, at: UInt64)] = []
    var now: UInt64 = 0
    for seq in 1...UInt64(3_000) {
      now += random.next() % 40
      // Few enough names that some come again.
      let given = answer("txn-\(random.next() % 2_000)", seq)
      memory.remember(given, at: SceneTime(milliseconds: now), settings)
      model.append((given, now))
      while model.count > settings.rememberedAlways,
        model.count > settings.remembered || model[0].at + UInt64(settings.memory) < now
      { model.removeFirst() }
      try #require(memory.count == model.count, "seed \(seed), answer \(seq)")
      for txn in [given.txn, "txn-\(random.next() % 2_000)", model[0].answer.txn] {
        let expected = model.last { $0.answer.txn == txn }?.answer
        try #require(memory.answer(to: txn)?.seq == expected?.seq, "seed \(seed), answer \(seq), \(txn)")
      }
      if seq % 500 == 0 {
        let bytes = try JSONEncoder().encode(memory)
        let again = try JSONDecoder().decode(TxnMemory.self, from: bytes)
        #expect(again == memory, "seed \(seed), answer \(seq)")
        #expect(try JSONEncoder().encode(again) == bytes, "N17: equal bytes")
        memory = again
      }
    }
  }
}
