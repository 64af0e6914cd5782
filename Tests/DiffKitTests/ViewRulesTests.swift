import DiffKit
import Testing

/// The rules are only worth something if they refuse what breaks them.
@Suite("A collection view's rules for a stage")
struct ViewRulesTests {
  private typealias Batch = Replay.SectionBatch

  private static func batch(_ edit: (inout Replay.SectionBatch) -> Void) -> Replay.SectionBatch {
    var batch = Replay.SectionBatch()
    edit(&batch)
    return batch
  }

  private static func at(_ section: Int, _ item: Int) -> Replay.Path { Replay.Path(section, item) }

  /// Before each: a section of three items and one of two.
  @Test("invalid batches are refused")
  func refuses() {
    let at = ViewRulesTests.at
    let invalid: [(name: String, new: [Int], batch: Replay.SectionBatch)] = [
      ("a delete untold", [2, 2], Self.batch { _ in }),
      ("a delete out of range", [2, 2], Self.batch { $0.deletes = [at(0, 3)] }),
      ("a delete below zero", [2, 2], Self.batch { $0.deletes = [at(0, -1)] }),
      ("a delete in no section", [2, 2], Self.batch { $0.deletes = [at(2, 0)] }),
      ("a delete twice", [1, 2], Self.batch { $0.deletes = [at(0, 1), at(0, 1)] }),
      ("an insert beyond the new end", [4, 2], Self.batch { $0.inserts = [at(0, 4)] }),
      ("an insert twice", [5, 2], Self.batch { $0.inserts = [at(0, 3), at(0, 3)] }),
      ("an insert of which the count knows nothing", [3, 2], Self.batch { $0.inserts = [at(0, 0)] }),
      ("moved and deleted", [2, 2], Self.batch { ($0.deletes, $0.moves) = ([at(0, 0)], [(at(0, 0), at(0, 1))]) }),
      ("moved and updated", [3, 2], Self.batch { ($0.moves, $0.updates) = ([(at(0, 2), at(0, 0))], [(at(0, 2), at(0, 0))]) }),
      ("moved to where another goes", [3, 2], Self.batch { $0.moves = [(at(0, 0), at(0, 2)), (at(0, 1), at(0, 2))] }),
      ("moved to where one is inserted", [4, 2], Self.batch { ($0.inserts, $0.moves) = ([at(0, 2)], [(at(0, 0), at(0, 2))]) }),
      ("updated twice", [3, 2], Self.batch { $0.updates = [(at(0, 0), at(0, 0)), (at(0, 0), at(0, 1))] }),
      ("updated and deleted", [2, 2], Self.batch { ($0.deletes, $0.updates) = ([at(0, 0)], [(at(0, 0), at(0, 0))]) }),
      ("a move across that one side does not know of", [3, 2], Self.batch { $0.moves = [(at(0, 0), at(1, 0))] }),
      ("a section deleted, but still there", [3, 2], Self.batch { $0.sections.deletes = [1] }),
      ("a section out of range", [3], Self.batch { $0.sections.deletes = [2] }),
      ("a section inserted twice", [3, 2, 0, 0], Self.batch { $0.sections.inserts = [2, 2] }),
      ("an item of a deleted section", [4], Self.batch { ($0.sections.deletes, $0.moves) = ([1], [(at(1, 0), at(0, 3))]) }),
      ("an item into an inserted section", [2, 2, 1], Self.batch { ($0.sections.inserts, $0.moves) = ([2], [(at(0, 0), at(2, 0))]) }),
      ("an item of a moved section", [1, 3], Self.batch { ($0.sections.moves, $0.deletes) = ([(1, 0)], [at(1, 0)]) }),
      ("an item into a moved section", [3, 3], Self.batch { ($0.sections.moves, $0.inserts) = ([(1, 0)], [at(0, 2)]) }),
      ("an item of an updated section", [2, 2], Self.batch { ($0.sections.updates, $0.deletes) = ([(0, 0)], [at(0, 0)]) }),
      ("an update in a moved section", [2, 3], Self.batch { ($0.sections.moves, $0.updates) = ([(1, 0)], [(at(1, 0), at(0, 0))]) }),
      ("a moved section of another length", [3, 3], Self.batch { $0.sections.moves = [(1, 0)] }),
      ("a section moved and updated", [2, 3], Self.batch { ($0.sections.moves, $0.sections.updates) = ([(1, 0)], [(1, 0)]) }),
      ("sections that change places untold", [2, 3], Self.batch { _ in }),
    ]
    for (name, new, batch) in invalid {
      #expect(throws: Replay.Fault.self, "\(name)") { try ViewRules.check(batch, old: [3, 2], new: new) }
    }
  }

  @Test("flat batches that break the rules are refused")
  func flat() {
    func batch(_ edit: (inout Replay.Batch) -> Void) -> Replay.Batch {
      var batch = Replay.Batch()
      edit(&batch)
      return batch
    }
    let invalid: [(new: Int, batch: Replay.Batch)] = [
      (2, batch { _ in }), (3, batch { $0.deletes = [0] }), (2, batch { $0.deletes = [3] }), (4, batch { $0.inserts = [4] }),
      (3, batch { ($0.moves, $0.updates) = ([(0, 2)], [(0, 2)]) }), (3, batch { $0.moves = [(0, 2), (0, 1)] }),
      (1, batch { $0.deletes = [1, 1] }),
    ]
    for (new, batch) in invalid {
      #expect(throws: Replay.Fault.self, "\(batch)") { try ViewRules.check(batch, old: 3, new: new) }
    }
    #expect(throws: Never.self) {
      try ViewRules.check(batch { ($0.deletes, $0.moves, $0.updates) = ([1], [(2, 0)], [(0, 1)]) }, old: 3, new: 2)
    }
  }

  @Test("valid ones pass")
  func accepts() throws {
    let at = ViewRulesTests.at
    try ViewRules.check(Self.batch { _ in }, old: [3, 2], new: [3, 2])
    try ViewRules.check(
      Self.batch {
        $0.sections.inserts = [1]
        $0.deletes = [at(1, 1)]
        $0.moves = [(at(0, 2), at(0, 0)), (at(0, 1), at(2, 0))]
        $0.updates = [(at(0, 0), at(0, 1))]
      }, old: [3, 2], new: [2, 1, 2])
    try ViewRules.check(Self.batch { $0.sections.moves = [(1, 0)] }, old: [3, 2], new: [2, 3])
    try ViewRules.check(Self.batch { $0.sections.updates = [(0, 0)] }, old: [3, 2], new: [7, 2])
  }
}
