/// A seeded source of choices (SplitMix64; Steele, Lea, Flood, 2014).
package struct Dice: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// One of so many.
  package mutating func roll(_ sides: Int) -> Int {
    Int(next() % UInt64(max(sides, 1)))
  }

  /// Once in so many.
  package mutating func once(in sides: Int) -> Bool {
    roll(sides) == 0
  }

  /// One of these; `nil` of none.
  package mutating func pick<T>(_ choices: [T]) -> T? {
    choices.isEmpty ? nil : choices[roll(choices.count)]
  }
}

/// The shortest sequence found, by dropping parts, that still fails.
package func shrink<Element>(_ sequence: [Element], fails: ([Element]) -> Bool) -> [Element] {
  var best = sequence
  var size = best.count / 2
  while size > 0 {
    var start = 0
    while start < best.count {
      var shorter = best
      shorter.removeSubrange(start..<min(start + size, best.count))
      if fails(shorter) { best = shorter } else { start += size }
    }
    size /= 2
  }
  return best
}
