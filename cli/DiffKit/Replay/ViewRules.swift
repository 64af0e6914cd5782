/// What a collection view asks of one batch, whatever the data: the real one ends the app where this one throws.
///
/// Deletes, sources of moves and updates are places before, inserts and targets are places after; no place is used twice, so nothing
/// that is updated moves; no item changes inside a section that is itself deleted, inserted, moved or updated; and the items of each
/// section that stays add up.
package enum ViewRules {
  /// Checks a flat batch.
  package static func check(_ batch: Replay.Batch, old: Int, new: Int) throws(Replay.Fault) {
    var before = Places([old], "old")
    var after = Places([new], "new")
    for position in batch.deletes + batch.moves.map(\.from) + batch.updates.map(\.old) { try before.use(Replay.Path(0, position)) }
    for position in batch.inserts + batch.moves.map(\.to) + batch.updates.map(\.new) { try after.use(Replay.Path(0, position)) }
    try addUp(old - batch.deletes.count + batch.inserts.count, new, "the list")
  }

  /// Checks a batch of sections and items; `old` and `new` are the numbers of items in each section.
  package static func check(_ batch: Replay.SectionBatch, old: [Int], new: [Int]) throws(Replay.Fault) {
    let sections = batch.sections
    try check(sections, old: old.count, new: new.count)
    let closedBefore = Set(sections.deletes + sections.moves.map(\.from) + sections.updates.map(\.old))
    let closedAfter = Set(sections.inserts + sections.moves.map(\.to) + sections.updates.map(\.new))
    var before = Places(old, "old")
    var after = Places(new, "new")
    var counts = old
    var come = [Int](repeating: 0, count: new.count)
    for path in batch.deletes + batch.moves.map(\.from) {
      try before.use(path, closed: closedBefore)
      counts[path.section] -= 1
    }
    for path in batch.inserts + batch.moves.map(\.to) {
      try after.use(path, closed: closedAfter)
      come[path.section] += 1
    }
    for update in batch.updates {
      try before.use(update.old, closed: closedBefore)
      try after.use(update.new, closed: closedAfter)
    }
    var staying = sections
    staying.updates = []
    let sources = try Replay.batch(staying, on: Array(old.indices), count: new.count, fresh: Replay.fresh)
    let reloaded = Set(sections.updates.map(\.new))
    for (section, source) in sources.enumerated() where source >= 0 && !reloaded.contains(section) {
      try addUp(counts[source] + come[section], new[section], "section \(section)")
    }
  }

  private static func addUp(_ found: Int, _ wanted: Int, _ what: String) throws(Replay.Fault) {
    guard found == wanted else { throw Replay.Fault("\(what) has \(wanted) after the batch, which makes \(found)") }
  }

  /// Which places of a list have been used.
  private struct Places {
    private let counts: [Int]
    private let bases: [Int]
    private var used: [Bool]
    private let side: String

    init(_ counts: [Int], _ side: String) {
      self.counts = counts
      self.side = side
      bases = counts.reduce(into: [0]) { bases, count in bases.append((bases.last ?? 0) + count) }
      used = Array(repeating: false, count: bases.last ?? 0)
    }

    mutating func use(_ path: Replay.Path, closed: Set<Int> = []) throws(Replay.Fault) {
      let (section, item) = (path.section, path.item)
      guard counts.indices.contains(section), (0..<counts[section]).contains(item) else {
        throw Replay.Fault("\(side) place \(section).\(item) is not there")
      }
      guard !closed.contains(section) else { throw Replay.Fault("\(side) item \(section).\(item) is in a section that changes itself") }
      guard !used[bases[section] + item] else { throw Replay.Fault("\(side) place \(section).\(item) is used twice") }
      used[bases[section] + item] = true
    }
  }
}
