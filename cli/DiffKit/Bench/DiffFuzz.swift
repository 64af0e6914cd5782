import ListDiff
import MinervaWire

/// Random pairs of lists against the oracle, every form of each.
struct DiffFuzz {
  let seed: UInt64
  /// What is made of a pair's own generator and tried; throws what is wrong.
  var tryPair: (inout SplitMix64) throws -> Void = DiffFuzz.tryPair

  /// A pair that went wrong.
  struct Finding: Sendable {
    var pair: Int
    /// The seed with which it is the first pair.
    var seed: UInt64
    var text: String
  }

  /// Tries pairs, and says every so often how far it is.
  ///
  /// Each pair has a seed of its own, the next number: any of them can be had again without those before it.
  func run(_ count: Int, progress: (Int) -> Void = { _ in }) -> Finding? {
    for pair in 0..<count {
      if pair > 0, pair % 100_000 == 0 { progress(pair) }
      let own = seed &+ UInt64(pair)
      var random = SplitMix64(seed: own)
      do {
        try tryPair(&random)
      } catch {
        return Finding(pair: pair, seed: own, text: (error as? Replay.Fault)?.text ?? "\(error)")
      }
    }
    return nil
  }

  static func tryPair(_ random: inout SplitMix64) throws {
    if Int.random(in: 0..<4, using: &random) == 0 { try sectioned(&random) } else { try flat(&random) }
  }

  private static func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(Replay.Fault) {
    if !holds { throw Replay.Fault(what()) }
  }

  /// Says which pair a stage of was refused.
  private static func obeys(_ context: String, _ check: () throws(Replay.Fault) -> Void) throws(Replay.Fault) {
    do throws(Replay.Fault) {
      try check()
    } catch {
      throw Replay.Fault("a collection view refuses a stage, \(error.text): \(context)")
    }
  }

  private static func flat(_ random: inout SplitMix64) throws {
    let (old, new) = pair(&random)
    let (before, after) = (old.map { IntRow(id: $0.number, version: $0.version) }, new.map { IntRow(id: $0.number, version: $0.version) })
    let context = "\(old.map { "\($0.number).\($0.version)" }) → \(new.map { "\($0.number).\($0.version)" })"
    let changes = try Differ().changes(from: before, to: after)
    func gives(_ rows: [Int], _ what: String) throws(Replay.Fault) {
      let found = rows.map { $0 < 0 ? new[-1 - $0] : old[$0] }
      try require(found == new, "\(what) does not give new: \(context)")
    }
    try gives(try Replay.batch(Replay.Batch(changes), on: Array(old.indices), count: new.count, fresh: Replay.fresh), "the batch")
    let expected = Oracle.counts(old.map(\.number), new.map(\.number), bruteForce: true)
    try require(changes.deletes.count == expected.deletes && changes.inserts.count == expected.inserts, "not all matches: \(context)")
    let isUnique = Set(old.map(\.number)).count == old.count && Set(new.map(\.number)).count == new.count
    try require(isUnique ? changes.moves.count == expected.moves : changes.moves.count <= expected.moves, "too many moves: \(context)")
    let updates = changes.updates.map { before[$0.old].version != after[$0.new].version }
    try require(updates.allSatisfy { $0 }, "an update of nothing: \(context)")
    try require(try Differ().changes(from: before, to: before).isEmpty, "a list differs from itself: \(context)")
    let back = try Differ().changes(from: after, to: before)
    try require(back.deletes.count == changes.inserts.count && back.inserts.count == changes.deletes.count, "backwards: \(context)")
    try require(!isUnique || back.moves.count == changes.moves.count, "backwards it moves otherwise: \(context)")
    try require(try ChangeSet(decoding: changes.encoded()) == changes, "the codec loses something: \(context)")
    try gives(try Replay.steps(changes.steps, on: Array(old.indices)), "the script")
    let texts = (old.map { StringSubject.text($0.number) }, new.map { StringSubject.text($0.number) })
    let lists = (ByteList(texts.0, hashes: old.map { UInt64($0.version) }), ByteList(texts.1, hashes: new.map { UInt64($0.version) }))
    try require(try Differ().changes(from: lists.0, to: lists.1) == changes, "bytes differ from integers: \(context)")
    let colliding = (before.map(CollidingRow.init), after.map(CollidingRow.init))
    try require(try Differ().changes(from: colliding.0, to: colliding.1) == changes, "one hash for all changes the result: \(context)")
    var stand = Array(old.indices)
    for stage in try changes.stages(from: old.indices.map(RowNumber.init), to: new.indices.map { RowNumber(Replay.fresh($0)) }) {
      let data = stage.data.map(\.number)
      try obeys(context) { () throws(Replay.Fault) in
        try ViewRules.check(Replay.Batch(stage.changes), old: stand.count, new: data.count)
      }
      stand = try Replay.batch(Replay.Batch(stage.changes), on: stand, count: data.count) { data[$0] }
    }
    try gives(stand, "the last stage")
  }

  private static func sectioned(_ random: inout SplitMix64) throws {
    let isUnique = Int.random(in: 0..<4, using: &random) > 0
    let (old, new) = pair(&random, unique: isUnique)
    func cut(_ rows: [Workload.Element], _ ids: [Int]) -> [BenchSection<IntRow>] {
      var left = rows[...]
      return ids.enumerated().map { index, id in
        let count = index == ids.count - 1 ? left.count : Int.random(in: 0...left.count, using: &random)
        defer { left = left.dropFirst(count) }
        return BenchSection(id: id, items: left.prefix(count).map { IntRow(id: $0.number, version: $0.version) })
      }
    }
    let sections = Int.random(in: 1...5, using: &random)
    let (oldIDs, newIDs) = (Array(0..<sections), (0..<7).shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random)))
    let (before, after) = (cut(old, oldIDs), cut(new, Array(newIDs)))
    let context = "\(before) → \(after)"
    let changes = try Differ().changes(from: before, to: after)
    func numbered(_ sections: [BenchSection<IntRow>], _ number: (Int) -> Int) -> Replay.Sections {
      var next = 0
      return Replay.Sections(
        ids: sections.indices.map(number),
        rows: sections.map { section in
          defer { next += section.items.count }
          return (next..<(next + section.items.count)).map(number)
        })
    }
    let (allOld, allNew) = (Array(before.map(\.items).joined()), Array(after.map(\.items).joined()))
    func gives(_ found: Replay.Sections, _ what: String) throws(Replay.Fault) {
      let ids = found.ids.map { $0 < 0 ? after[-1 - $0].id : before[$0].id }
      let rows = found.rows.map { $0.map { $0 < 0 ? allNew[-1 - $0] : allOld[$0] } }
      let right = zip(rows, after).allSatisfy { rows, section in
        rows.count == section.items.count && zip(rows, section.items).allSatisfy { $0.id == $1.id && $0.version == $1.version }
      }
      try require(ids == after.map(\.id) && rows.count == after.count && right, "\(what) does not give new: \(context)")
    }
    let target = numbered(after, Replay.fresh)
    try gives(try Replay.batch(Replay.SectionBatch(changes), on: numbered(before) { $0 }, new: target), "the batch")
    let steps = changes.steps
    try require(steps.count == changes.operationCount, "\(steps.count) steps for \(changes.operationCount) operations: \(context)")
    try gives(try Replay.steps(steps, on: numbered(before) { $0 }, new: target), "the script")
    let items = changes.items
    let found = Oracle.Counts(deletes: items.deletes.count, inserts: items.inserts.count, moves: items.moves.count)
    if isUnique {
      let expected = Oracle.counts(
        oldIDs: before.map(\.id), old: before.map { $0.items.map(\.id) }, newIDs: after.map(\.id), new: after.map { $0.items.map(\.id) },
        bruteForce: true)
      try require(found == expected, "\(found) instead of \(expected): \(context)")
    } else {
      let staying = Set(before.map(\.id)).intersection(after.map(\.id))
      func rows(_ sections: [BenchSection<IntRow>]) -> [Int] {
        sections.filter { staying.contains($0.id) }.flatMap { $0.items.map(\.id) }
      }
      let expected = Oracle.counts(rows(before), rows(after))
      try require(found.deletes == expected.deletes && found.inserts == expected.inserts, "not all matches: \(context)")
    }
    func bytes(_ sections: [BenchSection<IntRow>]) throws -> SectionedByteList {
      let items = sections.flatMap(\.items)
      return try SectionedByteList(
        sections: ByteList(sections.map { StringSubject.text($0.id) }),
        items: ByteList(items.map { StringSubject.text($0.id) }, hashes: items.map { UInt64($0.version) }),
        counts: sections.map(\.items.count))
    }
    try require(try Differ().changes(from: bytes(before), to: bytes(after)) == changes, "bytes differ from integers: \(context)")
    try require(try SectionedChangeSet(decoding: changes.encoded()) == changes, "the codec loses something: \(context)")
    var stand = numbered(before) { $0 }
    let numberedOld = zip(stand.ids, stand.rows).map { NumberedSection(number: $0, items: $1.map(RowNumber.init)) }
    let numberedNew = zip(target.ids, target.rows).map { NumberedSection(number: $0, items: $1.map(RowNumber.init)) }
    for stage in try changes.stages(from: numberedOld, to: numberedNew) {
      let data = Replay.Sections(ids: stage.data.map(\.number), rows: stage.data.map { $0.items.map(\.number) })
      try obeys(context) { () throws(Replay.Fault) in
        try ViewRules.check(Replay.SectionBatch(stage.changes), old: stand.rows.map(\.count), new: data.rows.map(\.count))
      }
      stand = try Replay.batch(Replay.SectionBatch(stage.changes), on: stand, new: data)
    }
    try gives(stand, "the last stage")
  }

  /// Shuffles, edits, duplicates, blocks moved, lists without anything in common, empty ones.
  private static func pair(_ random: inout SplitMix64, unique: Bool = false) -> (old: [Workload.Element], new: [Workload.Element]) {
    let count = [0, 1, 2, 3, 5, 8, 13, 20, 40, 70].randomElement(using: &random) ?? 0
    let isUnique = unique || Int.random(in: 0..<3, using: &random) > 0
    let range = isUnique ? 1 << 40 : max(1, count / Int.random(in: 1...4, using: &random))
    func element(_ random: inout SplitMix64) -> Workload.Element {
      Workload.Element(number: .random(in: 0..<range, using: &random), version: .random(in: 0..<3, using: &random))
    }
    let old = (0..<count).map { _ in element(&random) }
    var new = old
    switch Int.random(in: 0..<6, using: &random) {
    case 0: new.shuffle(using: &random)
    case 1: new = (0..<Int.random(in: 0...max(1, count), using: &random)).map { _ in element(&random) }
    case 2: new.reverse()
    default: break
    }
    for _ in 0..<Int.random(in: 0...max(1, count / 3), using: &random) {
      let at = new.isEmpty ? 0 : Int.random(in: 0..<new.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: new.insert(element(&random), at: at)
      case 1 where !new.isEmpty: new.remove(at: at)
      case 2 where !new.isEmpty: new[at].version += 1
      case 3 where !new.isEmpty:
        let moved = new.remove(at: at)
        new.insert(moved, at: Int.random(in: 0...new.count, using: &random))
      case 4 where new.count > 2: new = Array(new[at...] + new[..<at])
      default: break
      }
    }
    return (old, new)
  }
}

/// A row whose identifier has the hash of all others: nothing but comparisons can tell them apart.
private struct CollidingRow: Diffable {
  struct Identifier: Hashable {
    var number: Int

    func hash(into hasher: inout Hasher) {}
  }

  let diffID: Identifier
  let version: Int

  init(_ row: IntRow) {
    diffID = Identifier(number: row.id)
    version = row.version
  }

  func hasSameContent(as other: CollidingRow) -> Bool { version == other.version }
}
