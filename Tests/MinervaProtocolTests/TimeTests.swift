import MinervaProtocol
import MinervaWire
import Testing

@Suite("Time") struct TimeTests {
  @Test func `moments saturate instead of trapping`() {
    #expect(Moment.distantFuture + 1 == .distantFuture)
    #expect(Moment(milliseconds: .min) + -1 == Moment(milliseconds: .min))
    #expect(Moment.distantFuture - Moment(milliseconds: -1) == .max)
    #expect(Moment(milliseconds: 5) - Moment(milliseconds: 7) == -2)
  }

  @Test func `backoff doubles up to its cap, half of it random, and starts over after a success`() {
    var random = SplitMix64(seed: 1)
    var backoff = Backoff(first: 100, cap: 3_000)
    for full: Int64 in [100, 200, 400, 800, 1600, 3000, 3000, 3000] {
      let delay = backoff.next(using: &random)
      #expect(delay >= full / 2 && delay <= full)
    }
    backoff.reset()
    #expect(backoff.next(using: &random) <= 100)
    var long = Backoff(first: 1, cap: .max)
    for _ in 0..<200 { #expect(long.next(using: &random) >= 0) }
    let spread = Set(
      (0..<50).map { _ in
        var one = Backoff(first: 1_000, cap: 1_000); return one.next(using: &random)
      })
    #expect(spread.count > 20)
  }
}
