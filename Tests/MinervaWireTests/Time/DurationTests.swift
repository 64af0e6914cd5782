import MinervaWire
import Testing

@Suite("Durations in milliseconds")
struct DurationTests {
  @Test(
    "One conversion: towards zero, or up for waits",
    arguments: [
      (Duration.zero, 0, 0), (.milliseconds(1), 1, 1), (.nanoseconds(1), 0, 1), (.microseconds(1_999), 1, 2), (.seconds(3), 3_000, 3_000),
      (.milliseconds(-1_500), -1_500, -1_500), (.nanoseconds(-1), 0, 0),
    ] as [(Duration, Int64, Int64)])
  func rounding(duration: Duration, down: Int64, up: Int64) {
    #expect(duration.milliseconds == down && duration.millisecondsRoundedUp == up)
  }

  @Test(
    "What no wait reaches is bounded, so that a moment may be added", arguments: [Int64.max, Int64.max / 1_000, Int64(1) << 53] as [Int64])
  func bounds(seconds: Int64) {
    for milliseconds in [Duration.seconds(seconds).milliseconds, Duration.seconds(seconds).millisecondsRoundedUp] {
      #expect(milliseconds > 1 << 52 && milliseconds <= 1 << 53)
    }
    #expect(Duration.seconds(-seconds).milliseconds < -(1 << 52))
  }
}
