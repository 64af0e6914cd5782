/// Spans of time as people type them: `250ms`, `3s`, `1m30s`, `2h`, `1.5s`, `7d`.
package enum DurationText {
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
  ]

  /// Reads a duration; nil when the text is none or does not fit 64 bits of nanoseconds.
  package static func parse(_ text: String) -> Duration? {
    guard let nanoseconds = nanoseconds(in: text) else { return nil }
    return .nanoseconds(nanoseconds)
  }

  private static func nanoseconds(in text: String) -> Int64? {
    guard !text.isEmpty else { return nil }
    var rest = Substring(text).utf8
    var total: Int64 = 0
    while !rest.isEmpty {
      let whole = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(whole.count)
      var fraction = Substring("").utf8
      if rest.first == UInt8(ascii: ".") {
        rest = rest.dropFirst()
        fraction = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(fraction.count)
        guard !fraction.isEmpty, fraction.count <= 9 else { return nil }
      }
      let letters = rest.prefix { (0x61...0x7A).contains($0) }
      rest = rest.dropFirst(letters.count)
      guard !whole.isEmpty, let count = Int64(String(Substring(whole))) else { return nil }
      guard let unit = units.first(where: { $0.name == String(Substring(letters)) }) else { return nil }
      let (span, overflowed) = count.multipliedReportingOverflow(by: unit.nanoseconds)
      guard !overflowed else { return nil }
      var decimals: Int64 = 0
      var scale = unit.nanoseconds
      for digit in fraction {
        guard scale % 10 == 0 else { return nil }
        scale /= 10
        // A fraction of a unit: less than the unit, which fits.
        decimals += scale * Int64(digit - 0x30)
      }
      for part in [span, decimals] {
        let (sum, tooLong) = total.addingReportingOverflow(part)
        guard !tooLong else { return nil }
        total = sum
      }
    }
    return total
  }

  /// Writes a duration in its two largest units, `1m30s`, `3s`, `250ms`.
  package static func describe(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return "-" + describe(.zero - duration) }
    if seconds < 1 {
      let micro = attoseconds / 1_000_000_000_000
      if micro == 0 { return "0s" }
      return micro < 1_000 ? "\(micro)us" : "\(micro / 1_000)ms"
    }
    if seconds < 10, attoseconds / 100_000_000_000_000_000 > 0 { return "\(seconds).\(attoseconds / 100_000_000_000_000_000)s" }
    let parts = [(seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
    return parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
  }
}
