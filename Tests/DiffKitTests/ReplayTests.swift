import DiffKit
import ListDiff
import MinervaWire
import Testing

/// The check is only worth something if it refuses what is wrong.
@Suite("The replayer of minerva diff")
struct ReplayTests {
  private func diff(_ old: String, _ new: String, _ format: ListFormat = .lines) throws -> FileDiff {
    FileDiff(
      old: try ListFile(TextLines(path: "old", bytes: Array(old.utf8)), format: format),
      new: try ListFile(TextLines(path: "new", bytes: Array(new.utf8)), format: format))
  }

  private let table = ListFormat(kind: .table, id: .column(0), section: nil, contents: [], hasHeader: false)

  @Test(
    "a wrong batch is refused",
    arguments: [
      "an insert lost": { () throws -> ChangeSet in try ChangeSet(oldCount: 3, newCount: 2, deletes: [0]) },
      "a move too few": { () throws -> ChangeSet in try ChangeSet(oldCount: 3, newCount: 3) },
      "another delete": { () throws -> ChangeSet in try ChangeSet(oldCount: 3, newCount: 3, deletes: [1], inserts: [2]) },
    ] as [String: @Sendable () throws -> ChangeSet])
  func wrong(_ name: String, _ make: @Sendable () throws -> ChangeSet) throws {
    let diff = try diff("a\nb\nc\n", "b\nc\na\n")
    let changes = try make()
    #expect(throws: Replay.Fault.self) { try FileCheck(diff).batch(.flat(changes)) }
  }

  @Test("a lost update is found by the bytes of the row")
  func lostUpdate() throws {
    let diff = try diff("1\ta\n2\tb\n", "1\ta\n2\tc\n", table)
    guard case .flat(let changes) = try diff.changes(.init()) else { throw MinervaError(.diffCheckFailed, "not flat") }
    #expect(changes.updates.count == 1)
    #expect(throws: Never.self) { try FileCheck(diff).batch(.flat(changes)) }
    #expect(throws: Replay.Fault.self) { try FileCheck(diff).batch(.flat(ChangeSet(unchanged: 2))) }
  }

  @Test("a wrong script is refused")
  func steps() throws {
    let check = FileCheck(try diff("a\nb\nc\n", "b\nc\na\n"))
    #expect(throws: Never.self) { try check.steps(.flat([.move(from: 0, to: 2)])) }
    let wrong: [[ChangeSet.Step]] = [
      [], [.move(from: 0, to: 1)], [.delete(at: 3)], [.insert(at: 5)], [.move(from: 0, to: 2), .update(at: 3)], [.delete(at: 0)],
    ]
    for steps in wrong { #expect(throws: Replay.Fault.self) { try check.steps(.flat(steps)) } }
  }

  @Test("a wrong script of sections is refused")
  func sectionedSteps() throws {
    let format = ListFormat(kind: .table, id: .column(1), section: .column(0), contents: [], hasHeader: false)
    let check = FileCheck(try diff("A\t1\nA\t2\nB\t3\nC\t4\n", "B\t1\nB\t3\nA\t2\nD\t5\n", format))
    let right: [SectionedChangeSet.Step] = [
      .deleteSection(at: 2), .moveSection(from: 0, to: 1), .insertSection(at: 2),
      .moveItem(from: ItemPath(section: 1, item: 0), to: ItemPath(section: 0, item: 0)),
    ]
    #expect(throws: Never.self) { try check.steps(.sectioned(right)) }
    let stray: [SectionedChangeSet.Step] = [
      .deleteSection(at: 3), .moveSection(from: 0, to: 3), .insertSection(at: 3), .updateSection(at: 3),
      .deleteItem(at: ItemPath(section: 3, item: 0)), .deleteItem(at: ItemPath(section: 0, item: 1)),
      .moveItem(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 1, item: 3)), .insertItem(at: ItemPath(section: 0, item: 3)),
      .updateItem(at: ItemPath(section: 2, item: 1)), .updateItem(at: ItemPath(section: 0, item: 2)),
    ]
    for step in stray { #expect(throws: Replay.Fault.self, "\(step)") { try check.steps(.sectioned(right + [step])) } }
    for index in right.indices {
      var steps = right
      steps.remove(at: index)
      #expect(throws: Replay.Fault.self, "without \(right[index])") { try check.steps(.sectioned(steps)) }
    }
  }

  @Test("long scripts: the list of chunks does what an array does")
  func scripts() throws {
    let old = (0..<5_000).map { "\($0)\n" }
    let diff = try diff(old.joined(), old.reversed().joined() + "x\n")
    guard case .flat(let changes) = try diff.changes(.init()) else { throw MinervaError(.diffCheckFailed, "not flat") }
    #expect(changes.moves.count == 4_999)
    #expect(throws: Never.self) { try FileCheck(diff).steps(.flat(changes.steps)) }
  }
}
