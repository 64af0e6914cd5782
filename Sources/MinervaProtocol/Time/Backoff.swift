/// How long to wait before the next attempt: doubling up to a cap, with half of it random.
///
/// The random half keeps a thousand clients of a restarted broker from coming back in one moment ("equal jitter", Brooker, AWS Architecture Blog,
/// 2015). The generator is injected, so a simulation repeats it.
package struct Backoff: Hashable, Sendable {
  /// The first delay in milliseconds.
  package var first: Int64
  /// The longest delay in milliseconds.
  package var cap: Int64
  /// How many attempts have failed since the last success.
  package private(set) var failures = 0

  package init(first: Int64 = 50, cap: Int64 = 5_000) {
    self.first = max(1, first)
    self.cap = max(self.first, cap)
  }

  /// Counts a failure and gives the delay before the next attempt in milliseconds, between half of the full delay and the full delay.
  package mutating func next(using random: inout some RandomNumberGenerator) -> Int64 {
    let doublings = min(failures, 40)
    failures += 1
    let full = first > cap >> Int64(doublings) ? cap : first << Int64(doublings)
    return full - Int64.random(in: 0...full / 2, using: &random)
  }

  /// Counts a success: the next failure waits the first delay again.
  package mutating func reset() { failures = 0 }
}
