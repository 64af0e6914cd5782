import Foundation
import ListDiff
import Testing

/// Lists from public sources, beside the repository on some machines.
enum RealLists {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "shared/data/lists")
  /// The same, or where `MINERVA_SAMPLES` says.
  static let root = ProcessInfo.processInfo.environment["MINERVA_SAMPLES"].map { URL(filePath: $0).appending(path: "lists") } ?? folder
  static let exist = FileManager.default.fileExists(atPath: root.path)
  /// The association files of apps, beside them.
  static let associations = root.deletingLastPathComponent().appending(path: "aasa")

  static func files(_ folder: String, _ prefix: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: root.appending(path: folder), includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix(prefix) && $0.pathExtension == "tsv" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  static func lines(_ file: URL) throws -> [[String]] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Consecutive pairs, and the oldest with the newest.
  static func pairs<Value>(_ values: [Value]) -> [(Value, Value)] {
    guard values.count > 1 else { return [] }
    return Array(zip(values, values.dropFirst())) + [(values[0], values[values.count - 1])]
  }
}

/// A line of a file: identifier and content.
private struct Line: Diffable, Hashable {
  var id: String
  var content: String
  var diffID: String { id }
}

/// The lines under a heading.
private struct Heading: DiffableSection, Hashable {
  var id: String
  var items: [Line]
  var diffID: String { id }
  func replacingItems(_ items: [Line]) -> Heading { Heading(id: id, items: items) }
}

/// The paths of a published association file before and after somebody added one a second time.
@Suite(
  "B01 on a real pair",
  .enabled(if: FileManager.default.fileExists(atPath: RealLists.associations.path), "needs ../shared/data/aasa, or MINERVA_SAMPLES"))
struct RealPathsTests {
  private struct File: Decodable {
    struct Links: Decodable { var details: [Detail] }
    struct Detail: Decodable { var components: [[String: String]] }

    var applinks: Links
  }

  private func paths(_ name: String) throws -> [Line] {
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: RealLists.associations.appending(path: "expensify.\(name).json")))
    return file.applinks.details.flatMap(\.components).map { Line(id: $0["/"] ?? "", content: $0["comment"] ?? "") }
  }

  @Test("a path that occurs twice in the new list alone: refused with both places, or both kept, or the first (B01)")
  func expensify() throws {
    let (old, new) = (try paths("old"), try paths("new"))
    #expect((old.count, new.count) == (11, 15))
    let refused = #expect(throws: DiffError.self) { try Differ(.init(duplicates: .reject)).changes(from: old, to: new) }
    #expect(refused?.duplicate?.id == "/request/*")
    #expect(refused?.duplicate?.side == .new)
    #expect((refused?.duplicate?.first, refused?.duplicate?.second) == (.init(item: 7), .init(item: 13)))
    // Clean the other way round in the old list, which is looked at as well.
    let back = #expect(throws: DiffError.self) { try Differ(.init(duplicates: .reject)).changes(from: new, to: old) }
    #expect(back?.duplicate?.side == .old)

    let both = try Differ().changes(from: old, to: new)
    #expect(both.counts == "d1 i5 m0 u0")
    #expect(try both.apply(to: old, from: new) == new)

    let differ = Differ(.init(duplicates: .first))
    let first = try differ.changes(from: old, to: new)
    #expect(first.counts == "d1 i4 m0 u0")
    let kept = try differ.firstOccurrences(of: new)
    #expect(kept.map(\.id) == new.map(\.id).enumerated().filter { $0.offset != 13 }.map(\.element))
    #expect(try first.apply(to: old, from: kept) == kept)
    #expect(try differ.changes(from: new, to: kept).isEmpty, "a later clean list leaves no ghost rows")
  }
}

@Suite("Real lists", .enabled(if: RealLists.exist, "needs ../shared/data/lists, or MINERVA_SAMPLES"))
struct RealListsTests {
  /// Every form of a pair replays to new, and the counts agree with those of the oracle.
  private func check(_ old: [Line], _ new: [Line]) throws {
    let changes = try Differ().changes(from: old, to: new)
    let expected = Oracle.counts(old.map(\.id), new.map(\.id), fast: true)
    #expect(changes.deletes.count == expected.deletes && changes.inserts.count == expected.inserts)
    if Set(old.map(\.id)).count == old.count, Set(new.map(\.id)).count == new.count {
      #expect(changes.moves.count == expected.moves)
    } else {
      #expect(changes.moves.count <= expected.moves)
    }
    #expect(try changes.apply(to: old, from: new) == new)
    #expect(try changes.applySteps(to: old, from: new) == new)
    #expect(try changes.stages(from: old, to: new).last?.data ?? old == new)
    #expect(try ChangeSet(decoding: changes.encoded()) == changes)
    #expect(
      try Differ().changes(from: ByteList(old.map(\.id)), to: ByteList(new.map(\.id))).counts.hasPrefix(
        "d\(expected.deletes) i\(expected.inserts)"))
  }

  @Test("monthly rankings: about 16 in, 16 out, 225 to 268 moves")
  func rankings() throws {
    let months = try RealLists.files("pypi_top400", "").map { try RealLists.lines($0).map { Line(id: $0[0], content: $0.last ?? "") } }
    #expect(months.count > 10)
    for (old, new) in RealLists.pairs(months) { try check(old, new) }
    for (old, new) in zip(months, months.dropFirst()) {
      let changes = try Differ().changes(from: old, to: new)
      #expect((150...330).contains(changes.moves.count))
      #expect(changes.updates.count > 300)
    }
  }

  @Test("links of a long-lived page, flat", arguments: ["run_", "wide_"])
  func links(_ prefix: String) throws {
    let pages = try RealLists.files("awesome", prefix).map { try RealLists.lines($0).dropFirst().map { Line(id: $0[2], content: $0[3]) } }
    #expect(pages.count > 5)
    for (old, new) in RealLists.pairs(pages) { try check(Array(old), Array(new)) }
  }

  @Test("links of a long-lived page, under their headings", arguments: ["run_", "wide_"])
  func headings(_ prefix: String) throws {
    let pages = try RealLists.files("awesome", prefix).map { file in
      var sections: [Heading] = []
      for line in try RealLists.lines(file).dropFirst() {
        if sections.last?.id != line[0] { sections.append(Heading(id: line[0], items: [])) }
        sections[sections.count - 1].items.append(Line(id: line[2], content: line[3]))
      }
      return sections
    }
    for (old, new) in RealLists.pairs(pages) {
      let changes = try Differ().changes(from: old, to: new)
      #expect(try changes.apply(to: old, from: new) == new)
      #expect(try changes.applySteps(to: old, from: new) == new)
      #expect(try changes.stages(from: old, to: new).last?.data ?? old == new)
      #expect(try SectionedChangeSet(decoding: changes.encoded()) == changes)
      let items = Oracle.counts(sections: old, new, fast: true) { $0.id }
      let found = (changes.items.deletes.count, changes.items.inserts.count, changes.items.moves.count)
      #expect(found == (items.deletes, items.inserts, items.moves))
      let headings = Oracle.counts(old.map(\.id), new.map(\.id))
      let sections = (changes.sections.deletes.count, changes.sections.inserts.count, changes.sections.moves.count)
      #expect(sections == (headings.deletes, headings.inserts, headings.moves))
    }
  }

  @Test("front pages: stories by points and comments")
  func stories() throws {
    struct Page: Decodable {
      struct Story: Decodable {
        var id: String
        var points: Int
        var comments: Int
      }
      var items: [Story]
    }
    let text = try String(contentsOf: RealLists.root.appending(path: "hn_domain_snapshots.jsonl"), encoding: .utf8)
    let pages = try text.split(separator: "\n").map { line in
      try JSONDecoder().decode(Page.self, from: Data(line.utf8)).items.map { Line(id: $0.id, content: "\($0.points) \($0.comments)") }
    }
    #expect(pages.count > 30)
    for (old, new) in RealLists.pairs(pages) { try check(old, new) }
  }
}
