import ListDiff
import Minerva
import MinervaInterfaces
import MinervaTesting
import MinervaWire
import Testing

/// What people have reported of other differs, through a real worker.
@Suite("Real diff workers and the cases of others", .serialized, .oneAtATime, .timeLimit(.minutes(2)))
struct DiffCasesTests {
  private struct Row: Hashable {
    var id: String
    var content = ""
  }

  /// Rows whose ids are single words; what follows a letter or number in small letters is the content: `3b`.
  private static func rows(_ text: String) -> [Row] {
    text.split(separator: " ").map { word in
      let id = word.prefix { !$0.isLowercase || word.first?.isLowercase == true && $0 == word.first }
      return Row(id: String(id), content: String(word.dropFirst(id.count)))
    }
  }

  private static func columns(_ rows: [Row]) -> DiffRows {
    var columns = DiffRows()
    for row in rows { columns.append(row.id.utf8, content: row.content.utf8) }
    return columns
  }

  private func withDiffer(_ body: (DiffClient) async throws -> Void) async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    try set.start("diff-1", "minerva-diff")
    let client = try await set.client()
    try await body(DiffClient(client))
    await client.close()
  }

  /// The changes between two lists, once they have been found to turn one into the other, contents included.
  private func changes(_ old: [Row], _ new: [Row], _ differ: DiffClient, _ policy: DiffDuplicates = .occurrence) async throws -> ChangeSet {
    let result = try await differ.changes(from: Self.columns(old), to: Self.columns(new), DiffOptions(duplicates: policy))
    let changes = try result.changeSet()
    for position in changes.deletes + changes.moves.map(\.from) + changes.updates.map(\.old) { #expect(old.indices.contains(position)) }
    for position in changes.inserts + changes.moves.map(\.to) + changes.updates.map(\.new) { #expect(new.indices.contains(position)) }
    var replayed = try changes.apply(to: old, from: new)
    #expect(replayed.map(\.id) == new.map(\.id))
    for update in changes.updates { replayed[update.new] = new[update.new] }
    #expect(replayed == new)
    return changes
  }

  @Test("Processes: duplicates follow one policy for old and new, items and sections, and the next clean list leaves no ghosts (B01)")
  func duplicates() async throws {
    try await withDiffer { differ in
      let (old, new) = (Self.rows("1a 2a 3a 4b"), Self.rows("1a 5a 6a 7a 4a 8a 4b"))
      let changes = try await changes(old, new, differ)
      #expect((changes.deletes.count, changes.inserts.count, changes.moves.count) == (2, 5, 0))
      #expect(changes.updates.allSatisfy { !changes.inserts.contains($0.new) })
      #expect(try await self.changes(new, Self.rows("1a 4b"), differ).inserts.isEmpty)
      #expect(try await self.changes(Self.rows("1 2"), Self.rows("1 2 2"), differ).inserts.count == 1)
      for (old, new, side, first, second) in [
        (old, new, "new", "4", "6"), (Self.rows("1 2 2"), Self.rows("1 2"), "old", "1", "2"),
      ] {
        let error = await failure {
          _ = try await differ.changes(from: Self.columns(old), to: Self.columns(new), DiffOptions(duplicates: .reject))
        }
        #expect(error?.code == .diffDuplicate)
        #expect([error?.details["side"], error?.details["first"], error?.details["second"]] == [side, first, second])
      }
      // Two sections of one name; and one identifier in two sections.
      func sections(_ sections: [(String, [Int])]) -> DiffRows {
        var rows = DiffRows(sections: DiffSections())
        for (name, ids) in sections {
          for id in ids { rows.append("\(id)".utf8, content: 0) }
          rows.appendSection(name.utf8, rows: ids.count)
        }
        return rows
      }
      for (bad, second) in [([("A", [1]), ("A", [2])], "section 1"), ([("A", [1]), ("B", [1])], "1.0")] {
        let error = await failure {
          _ = try await differ.changes(from: sections([]), to: sections(bad), DiffOptions(duplicates: .reject))
        }
        #expect(error?.code == .diffDuplicate && error?.details["second"] == second, "\(bad): \(error.map { "\($0.details)" } ?? "")")
        let changes = try await differ.changes(from: sections([]), to: sections(bad)).sectionedChangeSet()
        #expect(changes.newItemCounts == [1, 1])
      }
    }
  }

  @Test("Processes: a row that moved and changed beside a delete and an insert has each index in its own space (B02)")
  func movedAndChanged() async throws {
    try await withDiffer { differ in
      let changes = try await changes(Self.rows("1a 2a 3a"), Self.rows("3b 1a 4a"), differ)
      #expect(Array(changes.deletes) == [1] && Array(changes.inserts) == [2] && changes.moves.count == 1)
      #expect(changes.updates.map { [$0.old, $0.new] } == [[2, 0]])
    }
  }

  @Test("Processes: every index is in its list, and replay gives the new one (B03)")
  func indexes() async throws {
    try await withDiffer { differ in
      let old = "63 5 112 48 100006 121 33 65 100003 57 100007 117 108 1 118 100688 18 54 116 110"
      let new = "65 118 110 117 100006 112 1 54 116 100688 48 57 108 63 121 33 18 5 100003 100007"
      let shuffled = try await changes(Self.rows(old), Self.rows(new), differ)
      #expect((shuffled.deletes.count, shuffled.inserts.count, shuffled.moves.count) == (0, 0, 14))
      _ = try await changes(Self.rows("A B C D"), Self.rows("C E A F"), differ)
      _ = try await changes(Self.rows("a b c d e"), Self.rows("b f c d 1"), differ)
      var sections = DiffRows(), only = DiffRows()
      for (number, name) in ["A", "B", "C", "D"].enumerated() {
        sections.append("\(number)".utf8, content: 0)
        sections.appendSection(name.utf8, rows: 1)
      }
      only.append("2".utf8, content: 0)
      only.appendSection("C".utf8, rows: 1)
      let changes = try await differ.changes(from: sections, to: only).sectionedChangeSet()
      #expect(Array(changes.sections.deletes) == [0, 1, 3] && changes.items.operationCount == 0)
    }
  }

  @Test("Processes: moves are as few as can be, also of 20,000 rows reversed and 15,000 names in random orders (B04)")
  func minimalMoves() async throws {
    try await withDiffer { differ in
      for (old, new, moves) in [
        ("0 1 2 3 4 5 6 7 8 9", "0 8 2 3 4 5 6 7 1 9", 2), ("1 2 3 4 5 6", "1 4 2 5 6 3", 2),
        ("1 2 3 4 5 6 7 8 9 10", "10 9 8 7 6 5 4 3 2 1", 9),
        ("1 2 3 4 5", "4 5 1 2 3", 2),
      ] {
        let changes = try await changes(Self.rows(old), Self.rows(new), differ)
        #expect((changes.deletes.count, changes.inserts.count, changes.moves.count) == (0, 0, moves), "\(old) to \(new)")
      }
      let many = (0..<20_000).map { Row(id: "row \($0)") }
      #expect(try await changes(many, many.reversed(), differ).moves.count == 19_999)
      var random = Seeded(15)
      let names = (0..<15_000).map { Row(id: "name \($0 &* 7_919 % 15_013)") }
      let (one, two) = (names.shuffled(using: &random), names.shuffled(using: &random))
      let moves = try await changes(one, two, differ).moves.count
      // Without duplicates: what is not on the longest rising sequence has to move.
      let places = Dictionary(uniqueKeysWithValues: one.enumerated().map { ($1.id, $0) })
      var tails: [Int] = []
      for place in two.compactMap({ places[$0.id] }) {
        let index = tails.firstIndex { $0 >= place } ?? tails.count
        if index == tails.count { tails.append(place) } else { tails[index] = place }
      }
      #expect(moves == 15_000 - tails.count)
    }
  }
}
