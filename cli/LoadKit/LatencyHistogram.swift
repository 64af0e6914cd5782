/// Latencies in microseconds, counted in bounded memory: 64 steps a doubling, so a percentile is at most 1.6 % off (as HdrHistogram does).
package struct LatencyHistogram: Sendable {
  private var counts = [Int](repeating: 0, count: 64 * 40)
  package private(set) var count = 0
  package private(set) var largest = 0

  package init() {}

  package mutating func add(_ microseconds: Int) {
    let value = max(0, microseconds)
    counts[min(Self.bucket(value), counts.count - 1)] += 1
    count += 1
    largest = max(largest, value)
  }

  /// Adds what another one counted.
  package mutating func merge(_ other: LatencyHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    largest = max(largest, other.largest)
  }

  private static func bucket(_ value: Int) -> Int {
    guard value >= 64 else { return value }
    let doubling = Int.bitWidth - 1 - value.leadingZeroBitCount - 6
    return (doubling + 1) * 64 + (value >> doubling) - 64
  }

  /// The largest value of a bucket.
  private static func upper(_ bucket: Int) -> Int {
    guard bucket >= 64 else { return bucket }
    let doubling = bucket / 64 - 1
    return ((bucket % 64 + 64 + 1) << doubling) - 1
  }

  /// The latency that so many parts of 10,000 do not exceed; 0 without any.
  package func percentile(_ parts: Int) -> Int {
    guard count > 0 else { return 0 }
    let rank = max(1, (count * parts + 9_999) / 10_000)
    var seen = 0
    for (bucket, number) in counts.enumerated() where number > 0 {
      seen += number
      if seen >= rank { return min(Self.upper(bucket), largest) }
    }
    return largest
  }

  /// A bar for each doubling that occurs.
  package func picture(width: Int) -> [String] {
    var rows: [(upper: Int, count: Int)] = []
    for (bucket, number) in counts.enumerated() where number > 0 {
      let upper = Self.upper(bucket | 63)
      if rows.last?.upper == upper { rows[rows.count - 1].count += number } else { rows.append((upper, number)) }
    }
    let most = rows.map(\.count).max() ?? 1
    let room = max(10, width - 34)
    return rows.map { row in
      let label = "≤ \(LoadReport.time(row.upper + 1))"
      let pad = String(repeating: " ", count: max(0, 12 - label.count))
      let number = String(row.count)
      let bar = String(repeating: "█", count: max(1, row.count * room / most))
      return "  \(pad)\(label) \(String(repeating: " ", count: max(0, 9 - number.count)))\(number) \(bar)"
    }
  }
}
