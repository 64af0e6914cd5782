extension Duration {
  /// Whole milliseconds, rounded towards zero.
  ///
  /// At most 2⁵³ either way, which no wait reaches: so a moment may be added, and JSON holds it.
  package var milliseconds: Int64 { milliseconds(beside: 0) }

  /// Whole milliseconds, rounded up, so that a short wait does not become none; bounded like ``milliseconds``.
  package var millisecondsRoundedUp: Int64 { milliseconds(beside: self > .zero ? 999_999_999_999_999 : 0) }

  private func milliseconds(beside part: Int64) -> Int64 {
    let (seconds, attoseconds) = components
    let bound: Int64 = 1 << 53
    return min(max(seconds, -bound / 1_000), bound / 1_000) * 1_000 + (attoseconds + part) / 1_000_000_000_000_000
  }
}
