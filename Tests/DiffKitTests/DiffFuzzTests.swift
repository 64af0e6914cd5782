import MinervaWire
import Testing

@testable import DiffKit

@Suite("Random pairs against the oracle")
struct DiffFuzzTests {
  @Test("every form of some pairs is as the oracle says")
  func pairs() {
    let seed = UInt64.random(in: 0 ... .max)
    let finding = DiffFuzz(seed: seed).run(1_500)
    #expect(finding == nil, "minerva bench diff --fuzz 1 --seed \(finding?.seed ?? seed): \(finding?.text ?? "")")
  }

  @Test("a pair that went wrong is had again by its own seed, without those before it")
  func again() throws {
    var tried = 0
    func fuzz(_ seed: UInt64) -> DiffFuzz.Finding? {
      tried = 0
      return DiffFuzz(seed: seed) { random in
        tried += 1
        let drawn = random.next()
        if drawn % 97 == 0 { throw Replay.Fault("drew \(drawn)") }
      }.run(10_000)
    }
    let found = try #require(fuzz(7))
    #expect(found.pair > 0 && tried == found.pair + 1)
    let again = try #require(fuzz(found.seed))
    #expect(again.pair == 0 && again.text == found.text && tried == 1)
  }
}
