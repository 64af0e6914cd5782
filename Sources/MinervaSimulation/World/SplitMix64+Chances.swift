package import MinervaWire

extension SplitMix64 {
  /// Whether something of the given probability happens.
  package mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  package mutating func milliseconds(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }
}
