import MinervaWire

/// A seeded source of choices.
package struct Dice: RandomNumberGenerator {
  private var random: SplitMix64

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  package mutating func next() -> UInt64 { random.next() }

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
