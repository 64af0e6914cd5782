import ListDiff
import Minerva
import MinervaHosting
import MinervaInterfaces
import Testing

/// The cases of lists that went wrong elsewhere, through the list's machine: what viewers are told leads from one version to the next.
@Suite("Cases of lists (B02, B03, B04)")
struct ListCasesTests {
  /// What viewers see of an update: the change set and the version it is for, replayed on what they had.
  private struct Told {
    var counts: ChangeCounts
    var changes: SectionedChangeSet
    var from: UInt64
    var to: UInt64
  }

  private func change(_ old: Screen, _ new: Screen) throws -> Told {
    var crank = Crank()
    try crank.update(old)
    crank.run()
    try crank.update(new)
    crank.run()
    let report = try #require(crank.reports.last)
    let changes = try SectionedChangeSet(decoding: report.changes.changes)
    #expect(try changes.apply(to: Part.of(old), from: Part.of(new)) == Part.of(new))
    #expect(report.update.screen.sections.map { $0.cells.map(\.identifier) } == new.sections.map { $0.cells.map(\.identifier) })
    return Told(counts: report.changes.counts, changes: changes, from: report.from, to: report.to)
  }

  private func flat(_ ids: [Int]) -> Screen { Screen("List", sections: [ListSection("a", cells: ids.map { Label("\($0)", "") })]) }

  @Test("B02: a row that moves and changes beside a delete and an insert is one move and one update, each index in its space")
  func movedAndChanged() throws {
    let told = try change(list("a:1a,2a,3a"), list("a:3b,1a,4a"))
    #expect(told.counts == ChangeCounts(inserts: 1, deletes: 1, moves: 1, updates: 1) && (told.from, told.to) == (1, 2))
    let items = told.changes.items
    #expect(items.deletes.map { $0 } == [ItemPath(section: 0, item: 1)] && items.inserts.map { $0 } == [ItemPath(section: 0, item: 2)])
    #expect(items.updates.map { $0 } == [ItemUpdate(old: ItemPath(section: 0, item: 2), new: ItemPath(section: 0, item: 0))])
  }

  @Test(
    "B03: every index is in bounds and the replay equals the new list",
    arguments: [
      (
        [63, 5, 112, 48, 100006, 121, 33, 65, 100003, 57, 100007, 117, 108, 1, 118, 100688, 18, 54, 116, 110],
        [65, 118, 110, 117, 100006, 112, 1, 54, 116, 100688, 48, 57, 108, 63, 121, 33, 18, 5, 100003, 100007], ChangeCounts(moves: 14)
      ),
      ([1, 2, 3, 4], [3, 5, 1, 6], ChangeCounts(inserts: 2, deletes: 2, moves: 1)),
      ([1, 2, 3, 4, 5], [2, 6, 3, 4, 7], ChangeCounts(inserts: 2, deletes: 2)),
    ])
  func bounds(old: [Int], new: [Int], counts: ChangeCounts) throws {
    #expect(try change(flat(old), flat(new)).counts == counts)
  }

  @Test("B03: of four sections one stays: three section deletes and no change inside it")
  func sections() throws {
    let told = try change(list("A:1 B:2 C:3 D:4"), list("C:3"))
    #expect(told.counts == ChangeCounts(sectionDeletes: 3) && told.changes.sections.deletes.map { $0 } == [0, 1, 3])
  }

  @Test(
    "B04: reorderings are told with as few moves as possible",
    arguments: [
      ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 8, 2, 3, 4, 5, 6, 7, 1, 9], 2), ([1, 2, 3, 4, 5, 6], [1, 4, 2, 5, 6, 3], 2),
      (Array(1...10), Array((1...10).reversed()), 9), ([1, 2, 3, 4, 5], [4, 5, 1, 2, 3], 2),
    ])
  func minimal(old: [Int], new: [Int], moves: Int) throws {
    #expect(try change(flat(old), flat(new)).counts == ChangeCounts(moves: moves))
  }

  @Test("B04: 20,000 rows reversed are replaced as a whole, with the count of the moves; a newer request supersedes one that waits")
  func reversed() throws {
    let (old, new) = (flat(Array(1...20_000)), flat((1...20_000).reversed()))
    var crank = Crank()
    try crank.update(old)
    crank.run()
    let first = try crank.update(new)
    let second = try crank.update(old)
    let third = try crank.update(new)
    crank.run()
    #expect(crank.answers[first] == [.applied(version: 2)] && crank.answers[second] == [.superseded(by: 3)])
    #expect(crank.answers[third] == [.applied(version: 3)])
    #expect(crank.reports[1].changes.counts == ChangeCounts(moves: 19_999) && crank.reports[1].changes.changes.isEmpty)
    #expect(crank.reports[2].changes.counts.isEmpty)
  }
}
