/// A seeded source of chance, the same numbers for the same seed on every machine (SplitMix64; Steele, Lea, Flood 2014).
///
/// Good for jitter, workloads, simulations and tests; never for keys.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  package var state: UInt64

  package init(seed: UInt64) { state = seed }

  @inlinable
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// A bijection of words that leaves no order behind.
  @inlinable
  package static func mixed(_ word: UInt64) -> UInt64 {
    var mixed = word
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
