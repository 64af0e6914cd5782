import ShellKit

/// What a load came to, for people and as one object.
package struct LoadReport: Sendable {
  package var tally: DiffLoad.Tally
  package var workers: Int
  package var cores: Int
  package var rate: Double?
  /// Resident memory by process: at the first look, at the last, and the most that was seen.
  package var memory: [(name: String, first: Int, last: Int, most: Int)] = []
  /// What one job costs through the bus when nothing else is under way.
  package var cost: BusCost?

  package init(tally: DiffLoad.Tally, workers: Int, cores: Int, rate: Double?) {
    self.tally = tally
    self.workers = workers
    self.cores = cores
    self.rate = rate
  }

  static let percentiles: [(name: String, parts: Int)] = [
    ("p50", 5_000), ("p90", 9_000), ("p99", 9_900), ("p99.9", 9_990), ("p99.99", 9_999),
  ]

  var seconds: Double { Double(DiffLoad.microseconds(tally.elapsed)) / 1e6 }
  var answersPerSecond: Double { seconds > 0 ? Double(tally.latencies.count) / seconds : 0 }

  /// A time as people read it.
  static func time(_ microseconds: Int) -> String {
    switch microseconds {
    case ..<10_000: "\(microseconds) us"
    case ..<10_000_000: "\(microseconds / 1_000) ms"
    default: "\(microseconds / 1_000_000) s"
    }
  }

  private static func tenths(_ value: Double) -> String {
    let scaled = Int((value * 10).rounded())
    return "\(scaled / 10).\(scaled % 10)"
  }

  /// What bounds the throughput, in one sentence.
  var bottleneck: String {
    let wall = max(1, DiffLoad.microseconds(tally.elapsed))
    let computing = tally.computed * 100 / wall / max(1, workers)
    let own = tally.own * 100 / wall
    if tally.latencies.count == 0 { return "nothing was answered" }
    if let rate, answersPerSecond > rate * 0.97 {
      return "none: the rate that was asked for is kept, workers compute \(computing) % of the time"
    }
    if tally.refused > tally.verified / 10 { return "the workers' limits: one job in ten or more is refused" }
    if computing >= 70 { return "the workers: each computes \(computing) % of the time; more of them help while there are cores" }
    if own >= 50 * cores { return "this load test: making lists and checking answers takes \(own) % of a core" }
    return
      "the way to the workers: each computes \(computing) % of the time, lists and checks take \(own) % of a core, the rest is transfer and waiting"
  }

  /// The five lines at the end.
  package var closing: [String] {
    let (latencies, tally) = (tally.latencies, tally)
    func p(_ parts: Int) -> String { Self.time(latencies.percentile(parts)) }
    return [
      "rate        \(Self.tenths(answersPerSecond)) jobs/s over \(Self.tenths(seconds)) s",
      "latency     p50 \(p(5_000)), p99 \(p(9_900)), p99.9 \(p(9_990))",
      "verified    \(tally.verified) of \(tally.latencies.count) answers" + (tally.lieCount > 0 ? ", \(tally.lieCount) were WRONG" : ""),
      "lost \(tally.lost), duplicated \(tally.duplicated)" + (tally.refused > 0 ? ", refused \(tally.refused)" : ""),
      "bottleneck  \(bottleneck)",
    ]
  }

  /// Everything, ending in the five lines.
  package func lines(width: Int) -> [String] {
    var lines = ["latency of \(tally.latencies.count) answers" + (rate == nil ? "" : ", from the intended start")]
    lines += tally.latencies.picture(width: width)
    lines.append("  " + Self.percentiles.map { "\($0.name) \(Self.time(tally.latencies.percentile($0.parts)))" }.joined(separator: ", "))
    lines.append(
      "  the workers computed p50 \(Self.time(tally.computing.percentile(5_000))), p99 \(Self.time(tally.computing.percentile(9_900)))"
        + "; \(Self.kibibytes(tally.sentBytes / max(1, tally.latencies.count))) of lists were sent for a job")
    if let cost { lines += Self.lines(cost) }
    for (worker, count) in tally.perWorker.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(worker) answered \(count), \(count * 100 / max(1, tally.latencies.count)) %")
    }
    for process in memory {
      lines.append(
        "  \(process.name) memory \(process.first >> 20) MiB at first, \(process.last >> 20) at last, \(process.most >> 20) at most")
    }
    for (code, count) in tally.refusals.sorted(by: { $0.key < $1.key }) { lines.append("  refused \(count): \(code)") }
    for (text, count) in tally.losses.sorted(by: { $0.key < $1.key }) { lines.append("  lost \(count): \(text)") }
    for kill in tally.kills { lines.append("  killed \(kill.worker) with \(kill.held) jobs in its hands, \(kill.inFlight) in flight") }
    if tally.turnedAway > 0 { lines.append("  \(tally.turnedAway) times a worker or the queue had no room; the jobs were sent again") }
    if tally.retried > 0 { lines.append("  \(tally.retried) jobs went to another worker") }
    for lie in tally.lies.prefix(5) { lines.append("  wrong: \(lie)") }
    return lines + closing
  }

  private static func kibibytes(_ bytes: Int) -> String { bytes < 10 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB" }

  private static func lines(_ cost: BusCost) -> [String] {
    var text =
      "  alone, a job takes \(time(cost.bus)) through the bus and \(time(cost.engine)) in this process, p50 of \(cost.jobs); "
      + "the lease takes \(time(cost.lease)), the worker computes \(time(cost.worker))"
    if let link = cost.link { text += "; its \(kibibytes(cost.bytes)) take \(time(link)) over a C link" }
    guard let ratio = cost.ratio else { return [text] }
    return [text, "  without the link that is \(hundredths(ratio)) times the engine here (goal at 10,000 rows: 1.5)"]
  }

  private static func hundredths(_ value: Double) -> String {
    let scaled = Int((max(0, value) * 100).rounded())
    return "\(scaled / 100).\(scaled % 100 < 10 ? "0" : "")\(scaled % 100)"
  }

  private static func object(_ cost: BusCost) -> JSONLine.Value {
    .object([
      ("jobs", .number(cost.jobs)), ("bus_us", .number(cost.bus)), ("lease_us", .number(cost.lease)), ("worker_us", .number(cost.worker)),
      ("engine_us", .number(cost.engine)), ("link_us", cost.link.map { .number($0) } ?? .null), ("bytes", .number(cost.bytes)),
      ("ratio", cost.ratio.map { .json(hundredths($0)) } ?? .null),
    ])
  }

  /// Everything as one object.
  package var json: String {
    let (tally, percentile) = (
      tally,
      { (histogram: LatencyHistogram) in
        Self.percentiles.map { ($0.name, JSONLine.Value.number(histogram.percentile($0.parts))) }
      }
    )
    func counts(_ counts: [String: Int]) -> JSONLine.Value {
      .object(counts.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })
    }
    return JSONLine([
      ("jobs", .number(tally.started)), ("answers", .number(tally.latencies.count)), ("verified", .number(tally.verified)),
      ("lies", .number(tally.lieCount)), ("liars", counts(tally.liars)), ("lost", .number(tally.lost)),
      ("duplicated", .number(tally.duplicated)),
      ("refused", counts(tally.refusals)), ("losses", counts(tally.losses)), ("retried", .number(tally.retried)),
      ("seconds", .json(Self.tenths(seconds))), ("rate", .json(Self.tenths(answersPerSecond))),
      ("latency_us", .object(percentile(tally.latencies) + [("max", .number(tally.latencies.largest))])),
      ("computing_us", .object(percentile(tally.computing))),
      ("sent_bytes", .number(tally.sentBytes)), ("turned_away", .number(tally.turnedAway)),
      ("alone", cost.map(Self.object) ?? .null),
      ("operations", .number(tally.operations)), ("workers", counts(tally.perWorker)),
      (
        "memory",
        .object(memory.map { ($0.name, .object([("first", .number($0.first)), ("last", .number($0.last)), ("most", .number($0.most))])) })
      ),
      (
        "kills",
        .array(
          tally.kills.map { .object([("worker", .text($0.worker)), ("held", .number($0.held)), ("in_flight", .number($0.inFlight))]) })
      ),
      ("bottleneck", .text(bottleneck)),
    ]).text
  }
}
