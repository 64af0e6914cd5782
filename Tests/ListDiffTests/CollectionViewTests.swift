import ListDiff
import Testing

/// The simulator is only worth something if it refuses what it should.
@Suite("The collection view simulator")
struct CollectionViewTests {
  struct Invalid: Sendable, CustomTestStringConvertible {
    var name: String
    var new: String
    var batch: @Sendable () -> Batch
    var testDescription: String { name }

    init(_ name: String, _ new: String, _ batch: @escaping @Sendable () -> Batch) {
      self.name = name
      self.new = new
      self.batch = batch
    }
  }

  /// Before every batch: two sections, `1: 10 11 12; 2: 20 21`.
  static let invalid = [
    Invalid("a delete that is not told", "1: 10 12; 2: 20 21") { Batch() },
    Invalid("a delete out of range", "1: 10 12; 2: 20 21") { Batch(deletes: [at(0, 3)]) },
    Invalid("a delete of another item", "1: 10 12; 2: 20 21") { Batch(deletes: [at(0, 0)]) },
    Invalid("the same delete twice", "1: 10 12; 2: 20 21") { Batch(deletes: [at(0, 1), at(0, 1)]) },
    Invalid("an insert in old coordinates", "1: 10 11 12 13 14; 2: 20 21") { Batch(inserts: [at(0, 3), at(0, 5)]) },
    Invalid("an insert too many", "1: 10 11 12 13; 2: 20 21") { Batch(inserts: [at(0, 3), at(0, 2)]) },
    Invalid("an update and a move of one item", "1: 12x 10 11; 2: 20 21") {
      Batch(moves: [ItemMove(from: at(0, 2), to: at(0, 0))], updates: [ItemUpdate(old: at(0, 2), new: at(0, 0))])
    },
    Invalid("an update and a delete of one item", "1: 10 11; 2: 20 21") {
      Batch(deletes: [at(0, 2)], updates: [ItemUpdate(old: at(0, 2), new: at(0, 1))])
    },
    Invalid("a change that is not told", "1: 10 11x 12; 2: 20 21") { Batch() },
    Invalid("an update in new coordinates", "1: 11 12x; 2: 20 21") {
      Batch(deletes: [at(0, 0)], updates: [ItemUpdate(old: at(0, 1), new: at(0, 1))])
    },
    Invalid("a move from a deleted section", "1: 10 11 12 20") {
      Batch(sectionDeletes: [1], moves: [ItemMove(from: at(1, 0), to: at(0, 3))])
    },
    Invalid("a move into an inserted section", "1: 10 11; 2: 20 21; 3: 12") {
      Batch(sectionInserts: [2], moves: [ItemMove(from: at(0, 2), to: at(2, 0))])
    },
    Invalid("a delete inside a moved section", "2: 21; 1: 10 11 12") {
      Batch(sectionMoves: [Move(from: 1, to: 0)], deletes: [at(1, 0)])
    },
    Invalid("a delete inside an updated section", "1: 11 12; 2: 20 21") {
      Batch(sectionUpdates: [Update(old: 0, new: 0)], deletes: [at(0, 0)])
    },
    Invalid("a section moved and updated", "2: 20 21; 1: 10 11 12") {
      Batch(sectionMoves: [Move(from: 1, to: 0)], sectionUpdates: [Update(old: 1, new: 0)])
    },
    Invalid("a section deleted but still there", "1: 10 11 12; 2: 20 21") { Batch(sectionDeletes: [1]) },
    Invalid("sections swapped without a move", "2: 20 21; 1: 10 11 12") { Batch() },
    Invalid("two moves to one place", "1: 12 11 10; 2: 20 21") {
      Batch(moves: [ItemMove(from: at(0, 2), to: at(0, 0)), ItemMove(from: at(0, 0), to: at(0, 0))])
    },
    Invalid("a move that crosses without being told", "1: 10 11; 2: 20 21 12") { Batch(deletes: [at(0, 2)]) },
  ]

  static func at(_ section: Int, _ item: Int) -> ItemPath { ItemPath(section: section, item: item) }

  @Test("refuses invalid batches", arguments: invalid)
  func refuses(_ invalid: Invalid) {
    var view = CollectionView(Part.list("1: 10 11 12; 2: 20 21"))
    #expect(throws: CollectionView.Refusal.self) { try view.perform(invalid.batch(), data: Part.list(invalid.new)) }
    #expect(view.sections == Part.list("1: 10 11 12; 2: 20 21"))
  }

  @Test("accepts valid ones")
  func accepts() throws {
    var view = CollectionView(Part.list("1: 10 11 12; 2: 20 21"))
    let new = Part.list("1: 12 10x; 3: 30; 2: 11 20")
    try view.perform(
      Batch(
        sectionInserts: [1], deletes: [Self.at(1, 1)],
        moves: [ItemMove(from: Self.at(0, 2), to: Self.at(0, 0)), ItemMove(from: Self.at(0, 1), to: Self.at(2, 0))],
        updates: [ItemUpdate(old: Self.at(0, 0), new: Self.at(0, 1))]), data: new)
    #expect(view.sections == new)
    try view.perform(Batch(sectionMoves: [Move(from: 2, to: 0)]), data: [new[2], new[0], new[1]])
  }
}
