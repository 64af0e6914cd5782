import ListDiff
import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaWire
import Testing

@Suite("Identifiers that occur twice (B01)")
struct ListDuplicatesTests {
  private let clean = "rows:1a,2a,3a,4b"
  private let twice = "rows:1a,5a,6a,7a,4a,8a,4b"

  private func options(_ duplicates: ListOptions.Duplicates, _ identity: ListOptions.Identity = .bytes) -> ListOptions {
    ListOptions(duplicates: duplicates, identity: identity)
  }

  @Test(
    "B01: reject names the identifier and both paths: among rows, across sections, among sections",
    arguments: [
      ("rows:1a,5a,6a,7a,4a,8a,4b", "4", "0.4", "0.6"), ("rows:1,2,2", "2", "0.1", "0.2"), ("a:1,2 b:3,1", "1", "0.0", "1.1"),
      ("a:1 b:2 a:3", "a", "0", "2"), ("a:1 b:2,2 c:3", "2", "1.0", "1.1"), ("a:1,1", "1", "0.0", "0.1"),
    ])
  func reject(text: String, id: String, first: String, second: String) {
    #expect {
      _ = try ListUpdate(list(text))
    } throws: { error in
      guard let error = error as? MinervaError else { return false }
      return error.code == .listDuplicateID && error.details == ["id": id, "first": first, "second": second]
        && error.message.contains("\"\(id)\" stands at \(first) and again at \(second)")
    }
  }

  @Test("B01: reject keeps what is shown, and a later clean list leaves no ghost")
  func rejectKeeps() throws {
    var crank = Crank()
    try crank.update(list(clean))
    crank.run()
    expectError("list.duplicate_id") { try crank.update(list(twice)) }
    #expect(crank.shown == [["1", "2", "3", "4"]] && crank.machine.version == 1)
    try crank.update(list("rows:1a,4b"))
    crank.run()
    #expect(crank.shown == [["1", "4"]] && crank.reports.last?.changes.counts == ChangeCounts(deletes: 2))
  }

  @Test(
    "B01: first holds for the old list, the new one, rows and sections alike, and one bad section does not disturb the others",
    arguments: [
      (
        "rows:1a,2a,3a,4b", "rows:1a,5a,6a,7a,4a,8a,4b", [["1", "5", "6", "7", "4", "8"]], ChangeCounts(inserts: 4, deletes: 2, updates: 1)
      ),
      ("rows:1,2", "rows:1,2,2", [["1", "2"]], ChangeCounts()),
      ("rows:1,2,2", "rows:1,2", [["1", "2"]], ChangeCounts()),
      ("a:1,1 b:2", "a:1,1 b:2,3", [["1"], ["2", "3"]], ChangeCounts(inserts: 1)),
      ("a:1 b:2", "a:1 b:2,1", [["1"], ["2"]], ChangeCounts()),
      ("a:1 b:2", "a:1 b:2 a:3,2", [["1"], ["2"]], ChangeCounts()),
      ("a:1 b:2 a:3", "b:2 a:1", [["2"], ["1"]], ChangeCounts()),
    ])
  func first(old: String, new: String, result: [[String]], counts: ChangeCounts) throws {
    var crank = Crank()
    for text in [old, new] {
      try crank.update(list(text, options: options(.first)))
      crank.run()
    }
    #expect(crank.shown == result)
    var found = try #require(crank.reports.last?.changes.counts)
    // A section that changes its place is not a change of rows.
    found.moves = counts.moves
    #expect(found == counts)
    // What viewers get is the same list, row for row: rendering, paths and change set agree.
    let report = try #require(crank.reports.last)
    #expect(report.update.rendering.sections.map { $0.rows.map(\.id) } == result)
    #expect(report.update.rows.sections?.rows == result.map { UInt32($0.count) })
    let changes = try SectionedChangeSet(decoding: report.changes.changes)
    #expect(changes.newItemCounts == result.map(\.count))
    // A clean list afterwards leaves no ghost.
    try crank.update(list("z:9", options: options(.first)))
    crank.run()
    #expect(crank.shown == [["9"]])
  }

  @Test("B01: occurrence pairs the k-th with the k-th: d2 i5 m0, and no update of an inserted row")
  func occurrence() throws {
    var crank = Crank()
    for text in [clean, twice] {
      try crank.update(list(text, options: options(.occurrence)))
      crank.run()
    }
    let report = try #require(crank.reports.last)
    let changes = try SectionedChangeSet(decoding: report.changes.changes)
    #expect(report.changes.counts.deletes == 2 && report.changes.counts.inserts == 5 && report.changes.counts.moves == 0)
    #expect(Set(changes.items.updates.map(\.new)).isDisjoint(with: changes.items.inserts))
    #expect(crank.shown == [["1", "5", "6", "7", "4", "8", "4"]])
    // Twice the same section: the same rule.
    for text in ["a:1 b:2", "a:1 b:2 a:3"] {
      try crank.update(list(text, options: options(.occurrence)))
      crank.run()
    }
    #expect(crank.shown == [["1"], ["2"], ["3"]] && crank.reports.last?.changes.counts == ChangeCounts(sectionInserts: 1))
  }

  @Test("B01: two types of cells under one identifier are one row twice; separators and margins are nobody's")
  func types() throws {
    expectError("list.duplicate_id") {
      _ = try ListUpdate(
        Screen("A") {
          ListSection("a") {
            Label("1", "x"); Button("1", "y")
          }
        })
    }
    var crank = Crank()
    func show(_ rows: [String]) throws {
      try crank.update(
        Screen("A") {
          ListSection("a") { for row in rows { Label(row, "x"); Separator(); Margin() } }
          ListSection("b") { Separator() }
        })
      crank.run()
    }
    try show(["1", "2"])
    try show(["1", "2", "3"])
    #expect(crank.reports.last?.changes.counts == ChangeCounts(inserts: 3))
    try show(["3"])
    #expect(crank.reports.last?.changes.counts == ChangeCounts(deletes: 6))
  }

  @Test("Identity is bytes: two spellings of é are two rows, or one when the list compares canonically")
  func canonical() throws {
    func screen(_ ids: [String], _ identity: ListOptions.Identity) -> Screen {
      Screen("A", sections: [ListSection("a", cells: ids.map { Label($0, "x") })]).list(options(.reject, identity))
    }
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    #expect(try ListUpdate(screen([composed, decomposed], .bytes)).rows.count == 2)
    expectError("list.duplicate_id") { _ = try ListUpdate(screen([composed, decomposed], .canonical)) }
    for (identity, counts) in [
      (ListOptions.Identity.bytes, ChangeCounts(inserts: 1, deletes: 1)), (.canonical, ChangeCounts()),
    ] {
      var crank = Crank()
      try crank.update(screen(["1", composed], identity))
      crank.run()
      try crank.update(screen(["1", decomposed], identity))
      crank.run()
      #expect(crank.reports.last?.changes.counts == counts)
      // By bytes a path is found under its own spelling only.
      #expect(crank.machine.indexPath(of: decomposed, in: nil) != nil && crank.machine.indexPath(of: composed, in: nil) == nil)
      try crank.update(screen([composed, "1"], identity))
      crank.run()
      #expect(
        crank.reports.last?.changes.counts == (identity == .canonical ? ChangeCounts(moves: 1) : ChangeCounts(inserts: 1, deletes: 1)))
    }
  }
}
