@testable import DiffKit
import Foundation
import ListDiff
import MinervaWire
import Testing

/// What the bench's figures rest on: its judge refuses wrong results, its opponent is one, and its goals count what they say.
@Suite("The bench of the differ judges")
struct BenchJudgeTests {
  private static let shapes: [Workload.Shape] = [
    .same, .prepend, .edits, .sortedEdits, .clustered, .ends, .duplicates, .shuffle, .replace, .reverse, .firstToLast, .allEqual,
    .sectionsSame, .sectionsEdits, .sectionsShuffled,
  ]

  private func workload(_ shape: Workload.Shape, _ count: Int, seed: UInt64 = 7) -> Workload {
    var random = SplitMix64(seed: seed)
    return Workload(shape, count, &random)
  }

  @Test("The differ's results are found right, with the moves that are needed", arguments: shapes)
  func rightResults(shape: Workload.Shape) throws {
    for seed in 1...5 {
      let workload = workload(shape, 200, seed: UInt64(seed))
      for result in [
        try IntSubject(workload).engine(), try StringSubject(workload).engine(), try ByteSubject(workload).engine(),
      ] {
        let verdict = BenchCheck(workload).verify(result)
        #expect(verdict.isRight, "\(shape.name), seed \(seed)")
        if shape != .duplicates { #expect(verdict.moves == verdict.minimal, "\(shape.name), seed \(seed)") }
      }
    }
  }

  /// The columns of a flat change set.
  private struct Flat {
    var deletes: [Int32], inserts: [Int32], moves: [Link], updates: [Link]
    private let counts: (Int, Int)

    init(_ workload: Workload) throws {
      guard case .flat(let changes) = try IntSubject(workload).engine() else { throw MinervaError("test", "not flat") }
      counts = (changes.oldCount, changes.newCount)
      deletes = changes.deletes.map { Int32($0) }
      inserts = changes.inserts.map { Int32($0) }
      moves = changes.moves.map { Link(old: Int32($0.from), new: Int32($0.to)) }
      updates = changes.updates.map { Link(old: Int32($0.old), new: Int32($0.new)) }
    }

    var changes: FileChanges {
      .flat(ChangeSet(trusted: counts.0, counts.1, deletes: deletes, inserts: inserts, moves: moves, updates: updates))
    }
  }

  private func isRight(_ workload: Workload, _ flat: Flat) -> Bool { BenchCheck(workload).verify(flat.changes).isRight }

  @Test("One move too many, a lost update, a wrong row, a row made anew instead of moved: none passes for right")
  func wrongFlatResults() throws {
    let same = workload(.same, 50)
    var flat = try Flat(same)
    #expect(isRight(same, flat))
    flat.moves = [Link(old: 3, new: 3)]
    #expect(!isRight(same, flat), "a move that changes nothing")

    let edits = workload(.edits, 400)
    flat = try Flat(edits)
    try #require(!flat.updates.isEmpty && !flat.inserts.isEmpty && !flat.deletes.isEmpty)
    for index in flat.updates.indices {
      var less = flat
      less.updates.remove(at: index)
      #expect(!isRight(edits, less), "update \(index) lost")
    }
    for index in flat.inserts.indices {
      var less = flat
      less.inserts.remove(at: index)
      #expect(!isRight(edits, less), "insert \(index) lost")
    }
    var more = flat
    more.deletes.append(
      try #require((0..<400).map(Int32.init).first { row in !flat.deletes.contains(row) && !flat.moves.contains { $0.old == row } }))
    #expect(!isRight(edits, more))

    let prepend = workload(.prepend, 50)
    flat = try Flat(prepend)
    #expect(flat.inserts == [0])
    flat.inserts = [1]
    #expect(!isRight(prepend, flat), "the new row at another place")

    let moved = workload(.firstToLast, 50)
    flat = try Flat(moved)
    #expect(flat.moves == [Link(old: 0, new: 49)])
    flat.moves = []
    #expect(!isRight(moved, flat), "nothing moves")
    (flat.deletes, flat.inserts) = ([0], [49])
    #expect(!isRight(moved, flat), "the row went and another like it came")
    flat = try Flat(moved)
    flat.moves = (1..<50).map { Link(old: $0, new: $0 - 1) }
    #expect(!isRight(moved, flat), "all others moved instead of the one")
  }

  @Test("Of sections too: a lost update, a move too many, a section that stays where it was")
  func wrongSectionedResults() throws {
    // Long enough that a section moves.
    let workload = workload(.sectionsEdits, 20_000)
    guard case .sectioned(let right) = try IntSubject(workload).engine() else {
      Issue.record("not sectioned")
      return
    }
    func isRight(_ sections: ChangeSet? = nil, _ change: (inout SectionedChangeSet.FlatItems) -> Void) -> Bool {
      var items = right.flat
      change(&items)
      let wrong = SectionedChangeSet(
        trusted: sections ?? right.sections, right.oldLayout, right.newLayout, deletes: items.deletes, inserts: items.inserts,
        moves: items.moves, updates: items.updates)
      return BenchCheck(workload).verify(.sectioned(wrong)).isRight
    }
    #expect(isRight { _ in })
    try #require(!right.flat.updates.isEmpty && !right.flat.inserts.isEmpty && !right.sections.moves.isEmpty)
    #expect(!isRight { $0.updates.removeLast() })
    #expect(!isRight { $0.updates.removeFirst() })
    #expect(!isRight { $0.inserts.removeLast() })
    #expect(!isRight { $0.deletes.removeFirst() })
    #expect(!isRight(ChangeSet(unchanged: right.sections.oldCount)) { _ in })

    let still = self.workload(.sectionsSame, 200)
    guard case .sectioned(let nothing) = try IntSubject(still).engine() else { return }
    #expect(BenchCheck(still).verify(.sectioned(nothing)).isRight)
    let extra = SectionedChangeSet(trusted: nothing.sections, nothing.oldLayout, nothing.newLayout, moves: [Link(old: 5, new: 5)])
    #expect(!BenchCheck(still).verify(.sectioned(extra)).isRight, "a move that changes nothing")
  }

  @Test("Plain Heckel's changes, replayed, give the new list: the opponent does the work it is measured at")
  func heckelReplays() throws {
    for seed in 1...40 {
      for shape in Self.shapes where !shape.isSectioned {
        let subject = IntSubject(workload(shape, [1, 2, 17, 200][seed % 4], seed: UInt64(seed)))
        guard !subject.old.isEmpty else { continue }
        var batch = Replay.Batch()
        for change in PlainHeckel.changes(subject.old, subject.new) {
          switch change {
          case .delete(let row): batch.deletes.append(row)
          case .insert(let row): batch.inserts.append(row)
          case .move(let from, let to): batch.moves.append((from, to))
          case .update(let old, let new): batch.updates.append((old, new))
          }
        }
        let rows = try Replay.batch(batch, on: Array(subject.old.indices), count: subject.new.count, fresh: Replay.fresh)
        let found = rows.map { $0 < 0 ? subject.new[-1 - $0] : subject.old[$0] }
        #expect(found.map(\.id) == subject.new.map(\.id), "\(shape.name), seed \(seed)")
        #expect(found.map(\.version) == subject.new.map(\.version), "\(shape.name), seed \(seed)")
      }
    }
  }

  private func row(_ ids: DiffBench.IDs, _ workload: String = "edits5", _ count: Int = 100_000, _ nanoseconds: Double = 10, heckel: Double)
    -> DiffBench.Row
  {
    DiffBench.Row(
      ids: ids, workload: workload, count: count, nanoseconds: nanoseconds, heckel: heckel, standard: nil, floor: 1, opponentFloor: 1,
      moves: 0, movesMinimal: 0, bytesPerElement: nil, isVerified: true)
  }

  @Test("An opponent a third slower than DifferenceKit was is a strawman, one just below is fair")
  func fairness() {
    for (ids, known) in [(DiffBench.IDs.int, 288 / 1.25), (.string, 459 / 9.6), (.bytes, 459 / 9.6)] {
      let fair = DiffGoals.Fairness(row(ids, heckel: known * 1.29))
      let slow = DiffGoals.Fairness(row(ids, heckel: known * 1.31))
      #expect(!fair.isStrawman && slow.isStrawman, "\(ids)")
      #expect(fair.text.contains("a fair opponent") && !slow.text.contains("fair"), "\(slow.text)")
      #expect(slow.text.contains("strawman"))
      // Byte identifiers are given to it as strings, whose floor counts.
      var other = row(ids, heckel: known * 1.31)
      other.opponentFloor = 2
      #expect(!DiffGoals.Fairness(other).isStrawman)
    }
  }

  @Test("A goal is met at its figure, missed below it, and not measured without a row")
  func goals() {
    func verdict(_ rows: [DiffBench.Row], _ goal: String) -> Bool? { DiffGoals(rows).verdicts.first { $0.goal == goal }?.isMet }
    #expect(DiffGoals([]).verdicts.allSatisfy { $0.isMet == nil && $0.found == "-" })
    #expect(verdict([row(.int, heckel: 280)], "int edits5 100000") == true)
    #expect(verdict([row(.int, heckel: 279)], "int edits5 100000") == false)
    #expect(verdict([row(.string, heckel: 280)], "int edits5 100000") == nil)
    #expect(verdict([row(.int, "prepend1", 100_000, 2, heckel: 1)], "int prepend1 100000") == true)
    #expect(verdict([row(.int, "prepend1", 100_000, 2.1, heckel: 1)], "int prepend1 100000") == false)
    var heavy = row(.int, "shuffle", 1_000_000, heckel: 60)
    heavy.bytesPerElement = 41
    #expect(DiffGoals([heavy]).verdicts.contains { $0.wanted == "≤ 40 bytes an element" && $0.isMet == false })
    heavy.bytesPerElement = 40
    #expect(DiffGoals([heavy]).verdicts.contains { $0.wanted == "≤ 40 bytes an element" && $0.isMet == true })
  }

  @Test("A row has its twelve keys, and strawman where it is one")
  func keys() throws {
    func object(_ row: DiffBench.Row) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(row.json.utf8)) as? [String: Any])
    }
    let keys = [
      "bench", "bytes_per_element", "ids", "moves", "moves_minimal", "n", "ns_per_element", "ratio_floor", "ratio_heckel", "ratio_stdlib",
      "verified", "workload",
    ]
    var row = row(.bytes, heckel: 280)
    #expect(try object(row).keys.sorted() == keys)
    #expect(try object(row)["ratio_heckel"] as? Double == 28)
    #expect(try object(row)["ratio_stdlib"] is NSNull)
    #expect(try object(row)["verified"] as? Bool == true)
    (row.isStrawman, row.isVerified, row.standard, row.bytesPerElement) = (true, false, 30, 1.5)
    #expect(try object(row).keys.sorted() == (keys + ["strawman"]).sorted())
    #expect(try object(row)["ratio_stdlib"] as? Double == 3)
    #expect(try object(row)["verified"] as? Bool == false)
  }
}
