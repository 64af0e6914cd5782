import ListDiff
import Testing

@Suite("Known values with sections")
struct SectionedValuesTests {
  private func changes(_ old: String, _ new: String) throws -> SectionedChangeSet {
    let (before, after) = (Part.list(old), Part.list(new))
    let changes = try Differ().changes(from: before, to: after)
    #expect(try changes.apply(to: before, from: after) == after)
    var view = CollectionView(before)
    for stage in try changes.stages(from: before, to: after) { try view.perform(Batch(stage.changes), data: stage.data) }
    #expect(view.sections == after)
    return changes
  }

  @Test("only one section is left: nothing happens inside it (B03)")
  func onlyOneLeft() throws {
    let changes = try changes("1: 10; 2: 20; 3: 30; 4: 40", "3: 30")
    #expect(Array(changes.sections.deletes) == [0, 1, 3])
    #expect(changes.items.operationCount == 0)
    #expect(changes.sections.operationCount == 3)
  }

  @Test("sections swapped: one section move, no item operation")
  func swapped() throws {
    let changes = try changes("1: 1 2; 2: 3 4", "2: 3 4; 1: 1 2")
    #expect(changes.sections.moves.count == 1)
    #expect(changes.operationCount == 1)
  }

  @Test("sections move and an item crosses")
  func crossing() throws {
    let changes = try changes("4: 10 11 12; 9: 25 26 27", "9: 11 26 27; 4: 10 12")
    #expect(changes.sections.moves.count == 1)
    #expect(Array(changes.items.moves) == [ItemMove(from: .init(section: 0, item: 1), to: .init(section: 0, item: 0))])
    #expect(Array(changes.items.deletes) == [ItemPath(section: 1, item: 0)])
    #expect(changes.items.inserts.isEmpty)
  }

  @Test("everything at once in valid stages")
  func everything() throws {
    _ = try changes("1: 1111; 2: 2222", "2: 0; 1:")
  }

  @Test("an item that leaves a deleted section is an insert, one that enters an inserted section a delete")
  func coveredBySections() throws {
    let left = try changes("1: 10; 2: 20 21", "1: 10 20")
    #expect(left.items.moves.isEmpty)
    #expect(Array(left.items.inserts) == [ItemPath(section: 0, item: 1)])
    #expect(Array(left.sections.deletes) == [1])
    let entered = try changes("1: 10 20", "1: 10; 2: 20 21")
    #expect(entered.items.moves.isEmpty)
    #expect(Array(entered.items.deletes) == [ItemPath(section: 0, item: 1)])
    #expect(Array(entered.sections.inserts) == [1])
  }

  @Test("a header's content updates its section alone")
  func header() throws {
    let old = [Part(1, "a", Row.list("1 2")), Part(2, "b", Row.list("3"))]
    let new = [Part(1, "a", Row.list("1 2x")), Part(2, "c", Row.list("3"))]
    let changes = try Differ().changes(from: old, to: new)
    #expect(Array(changes.sections.updates) == [Update(old: 1, new: 1)])
    #expect(Array(changes.items.updates) == [ItemUpdate(old: .init(section: 0, item: 1), new: .init(section: 0, item: 1))])
    #expect(try changes.apply(to: old, from: new) == new)
  }

  @Test("one identifier in two sections, two sections with one identifier: the error names both paths (B01)")
  func duplicates() throws {
    let differ = Differ(.init(duplicates: .reject))
    let items = #expect(throws: DiffError.self) {
      try differ.changes(from: Part.list("1: 10; 2: 20"), to: Part.list("1: 10 11; 2: 20 11"))
    }
    #expect(items?.duplicate?.id == "11")
    #expect(items?.duplicate?.first == .init(section: 0, item: 1))
    #expect(items?.duplicate?.second == .init(section: 1, item: 1))
    let sections = #expect(throws: DiffError.self) { try differ.changes(from: Part.list("7: 1; 8: 2; 7: 3"), to: []) }
    #expect(sections?.duplicate?.first == .init(section: 0))
    #expect(sections?.duplicate?.second == .init(section: 2))
    #expect(sections?.duplicate?.side == .old)
  }

  @Test("first wins in sections and items; the other sections are not disturbed (B01)")
  func first() throws {
    let differ = Differ(.init(duplicates: .first))
    let new = Part.list("1: 10 11 10; 2: 20 11; 1: 30; 3: 40")
    let kept = try differ.firstOccurrences(ofSections: new)
    #expect(kept == Part.list("1: 10 11; 2: 20; 3: 40"))
    let old = Part.list("1: 10; 2: 20; 3: 40")
    let changes = try differ.changes(from: old, to: new)
    #expect(Array(changes.items.inserts) == [ItemPath(section: 0, item: 1)])
    #expect(changes.operationCount == 1)
    #expect(try changes.apply(to: old, from: kept) == kept)
  }
}
