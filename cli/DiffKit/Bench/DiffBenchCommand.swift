package import CommandKit
import ListDiff
import MinervaWire

/// `minerva bench diff`: the differ against plain Heckel, the standard library and the hash floor.
package enum DiffBenchCommand {
  package static let definition = CommandDefinition(
    "diff", "The differ against the standard library, plain Heckel and the hash floor",
    discussion: """
      One process, taking turns, fresh lists each round that share nothing, medians. Ratios say how many times faster than plain Heckel and \
      than difference(from:) the differ is, and how many times as long as hashing every identifier once it takes. Every result is replayed \
      and its moves are compared with the minimum. Ends with 1 when one is wrong; a goal that is missed is printed and changes nothing.
      """,
    options: [
      .value("n", .integer(10...10_000_000), "only lists of this length", repeats: true), .flag("quick", "fewer lengths and rounds"),
      .value("ids", .choice(DiffBench.IDs.allCases.map(\.rawValue)), "only these identifiers", repeats: true),
      .value("fuzz", .integer(1...1_000_000_000), "no times: this many random pairs against an oracle"),
      .flag("hunt", "search 10,000 random shapes for the two slowest, and give each a row too"),
      .value("seed", .text, "of the random lists; without it a new one each time", placeholder: "SEED"),
    ],
    examples: [
      .init("minerva bench diff --json", "one object a row"),
      .init("minerva bench diff --fuzz 2000000", "ends at a pair that breaks a rule, with the command that tries it alone"),
    ])

  package static func run(_ command: ParsedCommand, _ console: Console) throws -> ExitCode {
    let seed: UInt64
    if let text = command.text("seed") {
      guard let given = UInt64(text) else { throw UsageError("--seed: expected a whole number", command: "minerva bench diff") }
      seed = given
    } else {
      seed = .random(in: 0 ... .max)
    }
    if let count = command.integer("fuzz") { return try fuzz(count, seed, json: command.flag("json"), console) }
    let isQuick = command.flag("quick")
    let bench = DiffBench(seed: seed, isQuick: isQuick)
    let ids = command.texts("ids").compactMap(DiffBench.IDs.init)
    let counts = command.texts("n").compactMap { Int($0) }
    var cases = cases(isQuick: isQuick, counts: counts)
    if command.flag("hunt") { cases += try hunted(bench, counts: counts.isEmpty ? [100_000] : counts, console) }
    cases = cases.filter { ids.isEmpty || ids.contains($0.ids) }
    console.notice("seed \(seed)")
    var rows: [DiffBench.Row] = []
    var fairness: [DiffBench.IDs: DiffGoals.Fairness] = [:]
    for wanted in cases {
      var row = try bench.measure(wanted)
      // Fairness is decided where DifferenceKit was measured, for all rows that follow with those identifiers.
      if wanted.shape == .edits, wanted.count == 100_000 { fairness[wanted.ids] = DiffGoals.Fairness(row) }
      row.isStrawman = fairness[wanted.ids]?.isStrawman ?? false
      rows.append(row)
      if command.flag("json") {
        try console.out.line(row.json)
        try console.out.flush()
      } else {
        console.notice("\(row.ids.rawValue) \(row.workload) \(row.count): \(DiffBench.text(row.nanoseconds, 1)) ns")
      }
    }
    if !command.flag("json") { try print(rows, fairness, console) }
    let wrong = rows.filter { !$0.isVerified }
    for row in wrong { console.notice("wrong result: \(row.ids.rawValue) \(row.workload) \(row.count), seed \(seed)") }
    return wrong.isEmpty ? .done : .refused
  }

  /// What is measured: where goals speak of several lengths, all of them, else 100,000.
  static func cases(isQuick: Bool, counts: [Int]) -> [DiffBench.Case] {
    let everyLength = !counts.isEmpty ? counts : (isQuick ? [1_000, 100_000] : [100, 1_000, 10_000, 100_000, 1_000_000])
    let oneLength = counts.isEmpty ? [100_000] : counts
    let shapes: [Workload.Shape] = [
      .same, .prepend, .firstToLast, .replace, .reverse, .allEqual, .sortedEdits, .clustered, .ends, .duplicates, .sectionsSame,
      .sectionsEdits, .sectionsShuffled,
    ]
    return DiffBench.IDs.allCases.flatMap { ids in
      // The row that decides fairness comes first.
      let edits = everyLength.sorted { a, b in (a == 100_000 ? 0 : a) < (b == 100_000 ? 0 : b) }
      return edits.map { DiffBench.Case(ids: ids, shape: .edits, count: $0) }
        + everyLength.map { DiffBench.Case(ids: ids, shape: .shuffle, count: $0) }
        + shapes.flatMap { shape in
          oneLength.filter { !shape.isSectioned || $0 % 100 == 0 }.map { DiffBench.Case(ids: ids, shape: shape, count: $0) }
        }
    }
  }

  private static func fuzz(_ count: Int, _ seed: UInt64, json: Bool, _ console: Console) throws -> ExitCode {
    console.notice("seed \(seed)")
    let finding = DiffFuzz(seed: seed).run(count) { console.notice("\($0) of \(count)") }
    if json {
      let fault = finding.map { ",\"pair\":\($0.pair),\"pair_seed\":\($0.seed),\"fault\":\(JSONValue.string($0.text).text)" } ?? ""
      try console.out.line("{\"bench\":\"diff\",\"fuzz\":\(count),\"seed\":\(seed),\"faults\":\(finding == nil ? 0 : 1)\(fault)}")
    } else if let finding {
      try console.out.line("pair \(finding.pair) of seed \(seed): \(Escaping.visible(finding.text))")
      try console.out.line("  again, this pair alone: minerva bench diff --fuzz 1 --seed \(finding.seed)")
    } else {
      try console.out.line("\(count) random pairs, every form: all as the oracle says (seed \(seed))")
    }
    return finding == nil ? .done : .refused
  }

  /// The two slowest of 10,000 random shapes at a small length, to be measured like the others: a row each against the same opponents.
  private static func hunted(_ bench: DiffBench, counts: [Int], _ console: Console) throws -> [DiffBench.Case] {
    let worst = try bench.hunt(10_000)
    for (rank, found) in worst.enumerated() {
      console.notice("hunted\(rank + 1): \(found.shape), \(DiffBench.text(found.nanoseconds, 1)) ns an element at 1,000")
    }
    return DiffBench.IDs.allCases.flatMap { ids in
      worst.enumerated().flatMap { rank, found in
        counts.map { DiffBench.Case(ids: ids, shape: .hunted(found.shape, rank: rank + 1), count: $0) }
      }
    }
  }

  private static func print(_ rows: [DiffBench.Row], _ fairness: [DiffBench.IDs: DiffGoals.Fairness], _ console: Console) throws {
    var table = TableText(
      ["ids", "workload", "n", "ns/element", "x Heckel", "", "x stdlib", "of floor", "moves", "minimal", "bytes/element", ""],
      rightAligned: [2, 3, 4, 6, 7, 8, 9, 10])
    for row in rows {
      table.add([
        row.ids.rawValue, row.workload, "\(row.count)", DiffBench.text(row.nanoseconds, 1), DiffBench.text(row.ratioHeckel, 1),
        bar(row.ratioHeckel), row.ratioStandard.map { DiffBench.text($0, 1) } ?? "-", DiffBench.text(row.ratioFloor, 1), "\(row.moves)",
        "\(row.movesMinimal)", row.bytesPerElement.map { DiffBench.text($0, 1) } ?? "-",
        row.isVerified ? (row.isStrawman ? "strawman" : "") : "WRONG",
      ])
    }
    try console.out.lines(table.lines())
    var goals = TableText(["goal", "wanted", "found", ""])
    for verdict in DiffGoals(rows).verdicts {
      goals.add([verdict.goal, verdict.wanted, verdict.found, verdict.isMet.map { $0 ? "met" : "missed" } ?? "not measured"])
    }
    try console.out.line("")
    try console.out.lines(goals.lines())
    if !fairness.isEmpty { try console.out.line("") }
    try console.out.lines(DiffBench.IDs.allCases.compactMap { fairness[$0]?.text })
  }

  /// A bar of up to twenty cells for a ratio up to a hundred, by its square root, so that small ones show.
  static func bar(_ ratio: Double) -> String {
    guard ratio.isFinite, ratio > 0 else { return "" }
    return String(repeating: "█", count: max(1, Int((min(ratio, 100).squareRoot() * 2).rounded())))
  }
}

extension DiffBench {
  /// Times random shapes, and keeps the two slowest that differ.
  ///
  /// Of so many one is always interrupted in all its tries: the slowest fifty are tried again, and what is slow once more counts.
  func hunt(_ count: Int) throws -> [(shape: HuntedShape, nanoseconds: Double)] {
    var random = SplitMix64(seed: seed ^ 0x4855_4E54)
    var worst: [(shape: HuntedShape, nanoseconds: Double)] = []
    for _ in 0..<count {
      let shape = HuntedShape(&random)
      let time = try time(of: shape, tries: 3, &random)
      guard worst.count < 50 || time > worst[49].nanoseconds, !worst.contains(where: { $0.shape == shape }) else { continue }
      worst.append((shape, time))
      worst.sort { $0.nanoseconds > $1.nanoseconds }
      if worst.count > 50 { worst.removeLast() }
    }
    for index in worst.indices { worst[index].nanoseconds = try time(of: worst[index].shape, tries: 25, &random) }
    return Array(worst.sorted { $0.nanoseconds > $1.nanoseconds }.prefix(2))
  }

  /// The shortest time of several fresh pairs, in nanoseconds an element.
  private func time(of shape: HuntedShape, tries: Int, _ random: inout SplitMix64) throws -> Double {
    var best = Double.infinity
    for _ in 0..<tries {
      let subject = IntSubject(Workload(.hunted(shape, rank: 0), 1_000, &random))
      let start = ContinuousClock.now
      _ = try subject.engine()
      let (seconds, attoseconds) = (ContinuousClock.now - start).components
      best = min(best, (Double(seconds) * 1e9 + Double(attoseconds) * 1e-9) / 1_000)
    }
    return best
  }
}
