/// What the differ should reach, held against the rows of one run.
struct DiffGoals {
  struct Verdict: Sendable {
    var goal: String
    var wanted: String
    var found: String
    /// Nil where the run had no row for it.
    var isMet: Bool?
  }

  private let rows: [DiffBench.Row]

  init(_ rows: [DiffBench.Row]) { self.rows = rows }

  private func row(_ ids: DiffBench.IDs, _ shape: Workload.Shape, _ count: Int) -> DiffBench.Row? {
    rows.first { $0.ids == ids && $0.workload == shape.name && $0.count == count }
  }

  private func ratio(_ ids: DiffBench.IDs, _ shape: Workload.Shape, _ count: Int, _ wanted: Double) -> Verdict {
    let found = row(ids, shape, count)?.ratioHeckel
    return Verdict(
      goal: "\(ids.rawValue) \(shape.name) \(count)", wanted: "≥ \(DiffBench.text(wanted, 0))x plain Heckel",
      found: found.map { "\(DiffBench.text($0, 1))x" } ?? "-", isMet: found.map { $0 >= wanted })
  }

  private func atMost(
    _ ids: DiffBench.IDs, _ shape: Workload.Shape, _ count: Int, _ wanted: Double, _ unit: String, _ value: (DiffBench.Row) -> Double?
  )
    -> Verdict
  {
    let found = row(ids, shape, count).flatMap(value)
    return Verdict(
      goal: "\(ids.rawValue) \(shape.name) \(count)", wanted: "≤ \(DiffBench.text(wanted, 0)) \(unit)",
      found: found.map { "\(DiffBench.text($0, 1))" } ?? "-", isMet: found.map { $0 <= wanted })
  }

  var verdicts: [Verdict] {
    var verdicts: [Verdict] = []
    for (count, int, string) in [(1_000, 16.0, 14.0), (100_000, 28, 17), (1_000_000, 40, 18)] {
      verdicts += [ratio(.int, .edits, count, int), ratio(.string, .edits, count, string)]
    }
    for shape in [Workload.Shape.same, .prepend] {
      verdicts += [
        atMost(.int, shape, 100_000, 2, "ns an element") { $0.nanoseconds },
        atMost(.string, shape, 100_000, 10, "ns an element") { $0.nanoseconds },
      ]
    }
    for count in [100, 1_000, 10_000, 100_000, 1_000_000] {
      verdicts += [ratio(.int, .shuffle, count, 6), ratio(.string, .shuffle, count, 4), ratio(.bytes, .shuffle, count, 6)]
    }
    for shape in [Workload.Shape.replace, .reverse] { verdicts += [ratio(.int, shape, 100_000, 8), ratio(.string, shape, 100_000, 5)] }
    for (shape, int, string) in [(Workload.Shape.sectionsSame, 100.0, 20.0), (.sectionsEdits, 28, 12), (.sectionsShuffled, 9, 5)] {
      verdicts += [ratio(.int, shape, 100_000, int), ratio(.string, shape, 100_000, string)]
    }
    verdicts += [
      atMost(.int, .edits, 1_000_000, 20, "bytes an element") { $0.bytesPerElement },
      atMost(.int, .shuffle, 1_000_000, 40, "bytes an element") { $0.bytesPerElement },
      atMost(.int, .allEqual, 100_000, 5, "ns an element") { $0.nanoseconds },
    ]
    return verdicts
  }

  /// Whether plain Heckel stands for DifferenceKit in one run: how many times the hash floor of its own identifiers it takes, and how many
  /// it may, which is a third more than DifferenceKit took where it was measured (100,000 rows, 5 % edits).
  struct Fairness: Sendable {
    let ids: DiffBench.IDs
    let found: Double
    let allowed: Double

    init(_ row: DiffBench.Row) {
      ids = row.ids
      found = row.heckel / row.opponentFloor
      allowed = 1.3 * (row.ids == .int ? 288 / 1.25 : 459 / 9.6)
    }

    var isStrawman: Bool { found > allowed }

    /// In words, with what it means for the ratios.
    var text: String {
      let known = "plain Heckel takes \(DiffBench.text(found, 0)) times the hash floor, DifferenceKit \(DiffBench.text(allowed / 1.3, 0))"
      let whose = ids == .bytes ? "bytes, which it gets as strings" : ids.rawValue
      return isStrawman
        ? "\(whose): \(known): more than a third slower, so ratios to it are marked strawman and prove nothing"
        : "\(whose): \(known): a fair opponent"
    }
  }
}
