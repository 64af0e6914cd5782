import Glibc
import ListDiff
import MinervaWire

/// Measures the differ against its opponents: all in one process, taking turns, on fresh data each round, nothing shared.
struct DiffBench {
  /// The kinds of identifiers.
  enum IDs: String, CaseIterable, Sendable {
    case int, string, bytes
  }

  struct Case: Hashable, Sendable {
    var ids: IDs
    var shape: Workload.Shape
    var count: Int
  }

  /// One line of the bench; times are medians over the rounds.
  struct Row: Sendable {
    var ids: IDs
    var workload: String
    var count: Int
    var nanoseconds: Double
    var heckel: Double
    var standard: Double?
    var floor: Double
    /// The hash floor of the identifiers that plain Heckel is given: byte identifiers it gets as strings.
    var opponentFloor: Double
    var moves: Int
    var movesMinimal: Int
    /// At the peak, above what the lists themselves take; nil where it is too little to be measured.
    var bytesPerElement: Double?
    var isVerified: Bool
    var isStrawman = false

    var ratioHeckel: Double { heckel / nanoseconds }
    var ratioStandard: Double? { standard.map { $0 / nanoseconds } }
    var ratioFloor: Double { nanoseconds / floor }

    var json: String {
      func number(_ value: Double?) -> String { value.map { DiffBench.text($0, 3) } ?? "null" }
      return "{\"bench\":\"diff\",\"ids\":\"\(ids.rawValue)\",\"workload\":\"\(workload)\",\"n\":\(count)"
        + ",\"ns_per_element\":\(number(nanoseconds)),\"ratio_heckel\":\(number(ratioHeckel)),\"ratio_stdlib\":\(number(ratioStandard))"
        + ",\"ratio_floor\":\(number(ratioFloor)),\"moves\":\(moves),\"moves_minimal\":\(movesMinimal)"
        + ",\"bytes_per_element\":\(number(bytesPerElement)),\"verified\":\(isVerified)\(isStrawman ? ",\"strawman\":true" : "")}"
    }
  }

  var seed: UInt64
  var isQuick: Bool

  func measure(_ wanted: Case) throws -> Row {
    switch wanted.ids {
    case .int: try measure(wanted, IntSubject.self)
    case .string: try measure(wanted, StringSubject.self)
    case .bytes: try measure(wanted, ByteSubject.self)
    }
  }

  private func measure<Subject: BenchSubject>(_ wanted: Case, _: Subject.Type) throws -> Row {
    var random = SplitMix64(seed: seed ^ UInt64(wanted.count))
    let copies = max(1, min(200, 20_000 / max(1, wanted.count)))
    let rounds = wanted.count >= 1_000_000 ? (isQuick ? 1 : 3) : (isQuick ? 3 : 9)
    var times: [[Double]] = [[], [], [], [], []]
    var row = Row(
      ids: wanted.ids, workload: wanted.shape.name, count: wanted.count, nanoseconds: 0, heckel: 0, standard: nil, floor: 0,
      opponentFloor: 0, moves: 0,
      movesMinimal: 0, bytesPerElement: nil, isVerified: true)
    var standardIsWorthIt = true
    for round in 0..<rounds {
      let workloads = (0..<copies).map { _ in Workload(wanted.shape, wanted.count, &random) }
      let subjects = workloads.map(Subject.init)
      if round == 0 {
        // The standard library's time grows with the square of the edits: it is asked where that ends this minute.
        let counts = Oracle.counts(workloads[0].old.map(\.number), workloads[0].new.map(\.number))
        standardIsWorthIt = counts.deletes + counts.inserts + 2 * counts.moves <= 6_000
        for subject in subjects.prefix(20) {
          _ = try subject.engine()
          _ = subject.heckel()
        }
      }
      var results: [FileChanges] = []
      results.reserveCapacity(copies)
      for turn in 0..<5 {
        switch (turn + round) % 5 {
        case 0:
          let time = try clock { for subject in subjects { results.append(try subject.engine()) } }
          times[0].append(time)
        case 1: times[1].append(clock { for subject in subjects { sink &+= subject.heckel() } })
        case 2:
          guard standardIsWorthIt, wanted.count < 100_000 || round < 3 else { break }
          times[2].append(clock { for subject in subjects { sink &+= subject.standard() } })
        case 3: times[3].append(clock { for subject in subjects { sink &+= Int(truncatingIfNeeded: subject.floor()) } })
        default: times[4].append(clock { for subject in subjects { sink &+= Int(truncatingIfNeeded: subject.opponentFloor()) } })
        }
      }
      for (workload, result) in zip(workloads, results).prefix(3) {
        let verdict = BenchCheck(workload).verify(result)
        row.isVerified = row.isVerified && verdict.isRight
        row.moves = verdict.moves
        row.movesMinimal = verdict.minimal
      }
      if round == 0, wanted.count >= 100_000 { row.bytesPerElement = try memory(of: subjects[0], wanted.count) }
    }
    let scale = Double(copies * max(1, wanted.count))
    func median(_ values: [Double]) -> Double { values.isEmpty ? .nan : values.sorted()[values.count / 2] / scale }
    row.nanoseconds = median(times[0])
    row.heckel = median(times[1])
    row.standard = times[2].isEmpty ? nil : median(times[2])
    row.floor = median(times[3])
    row.opponentFloor = median(times[4])
    return row
  }

  private var sink: Int {
    get { 0 }
    nonmutating set { if newValue == .min { perror("bench") } }
  }

  private func clock(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return Double(seconds) * 1e9 + Double(attoseconds) * 1e-9
  }

  /// The growth of the resident set's peak during one diff; nil where the kernel does not let the peak be reset.
  private func memory(of subject: some BenchSubject, _ count: Int) throws -> Double? {
    // What earlier rounds freed must not stand in for what this diff needs.
    if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0) }
    guard DiffBench.write("5", to: "/proc/self/clear_refs"), let before = DiffBench.status("VmRSS:") else { return nil }
    let result = try subject.engine()
    guard let peak = DiffBench.status("VmHWM:") else { return nil }
    return withExtendedLifetime(result) { Double(max(0, peak - before)) * 1_024 / Double(count) }
  }

  private static func write(_ text: String, to path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
  }

  /// A figure of this process in KiB.
  private static func status(_ name: String) -> Int? {
    let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = read(descriptor, &bytes, bytes.count)
    let lines = String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix(name) }?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }
  }

  /// A number with a fixed count of decimals.
  static func text(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "null" }
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = Int((abs(value) * scale).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(scaled) }
    let fraction = String(scaled % Int(scale))
    return "\(sign)\(scaled / Int(scale)).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
  }
}

/// Verifies a result of the bench on the numbers the lists were made of.
struct BenchCheck {
  private let workload: Workload

  init(_ workload: Workload) { self.workload = workload }

  func verify(_ changes: FileChanges) -> (isRight: Bool, moves: Int, minimal: Int) {
    let (old, new) = (workload.old, workload.new)
    switch changes {
    case .flat(let changes):
      let expected = Oracle.counts(old.map(\.number), new.map(\.number))
      let rows = try? Replay.batch(Replay.Batch(changes), on: Array(old.indices), count: new.count, fresh: Replay.fresh)
      let isRight = rows.map { gives($0) } ?? false
      let isUnique = Set(old.map(\.number)).count == old.count
      let fits = isUnique ? changes.moves.count == expected.moves : changes.moves.count <= expected.moves
      let matches = changes.deletes.count == expected.deletes && changes.inserts.count == expected.inserts
      return (isRight && fits && matches, changes.moves.count, expected.moves)
    case .sectioned(let changes):
      let length = workload.sectionLength ?? 1
      func cut(_ rows: [Int]) -> [[Int]] { stride(from: 0, to: rows.count, by: length).map { Array(rows[$0..<($0 + length)]) } }
      let ids = Array(workload.sectionOrder.indices)
      let before = Replay.Sections(ids: ids, rows: cut(Array(old.indices)))
      let after = Replay.Sections(ids: workload.sectionOrder.map(Replay.fresh), rows: cut(new.indices.map(Replay.fresh)))
      let rows = try? Replay.batch(Replay.SectionBatch(changes), on: before, new: after)
      let isRight = rows.map { gives(Array($0.rows.joined())) && $0.ids == workload.sectionOrder } ?? false
      let expected = Oracle.counts(
        oldIDs: ids, old: cut(old.map(\.number)), newIDs: workload.sectionOrder, new: cut(new.map(\.number)))
      let items = changes.items
      let counts = Oracle.Counts(deletes: items.deletes.count, inserts: items.inserts.count, moves: items.moves.count)
      return (isRight && counts == expected, items.moves.count, expected.moves)
    }
  }

  private func gives(_ rows: [Int]) -> Bool {
    rows.count == workload.new.count
      && zip(rows, workload.new).allSatisfy { row, wanted in (row < 0 ? workload.new[-1 - row] : workload.old[row]) == wanted }
  }
}
