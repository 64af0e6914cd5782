/// How long to wait before dialling again: doubled from attempt to attempt up to a cap, with jitter so that many peers of a restarted
/// broker do not come back at the same instant.
package struct LinkBackoff: Hashable, Sendable {
  /// The longest first wait and the longest wait at all, in milliseconds.
  package var base: Int64
  package var cap: Int64

  package init(base: Int64 = 50, cap: Int64 = 2_000) {
    self.base = max(1, base)
    self.cap = max(1, cap)
  }

  /// Between half and the whole of the attempt's wait ("equal jitter"), so that no wait is zero.
  package func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> Int64 {
    let doubled = base << Int64(min(max(attempt, 0), 20))
    let whole = min(cap, doubled)
    return whole - Int64.random(in: 0...whole / 2, using: &random)
  }
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, seeded, good enough for jitter.
struct LinkRandom: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
