import ListDiff
import MinervaWire
import Testing

@Suite("Forms and options of flat diffs")
struct FormsTests {
  /// What is wrong with the forms of a pair under some options, or nil.
  private func fault(_ pair: RandomPair, _ options: Differ.Options) throws -> String? {
    let (old, new) = (pair.old, pair.new)
    let changes = try Differ(options).changes(from: old, to: new)
    do { try changes.validate() } catch { return "not valid: \(error)" }
    if !Oracle.wellFormed(changes) { return "columns are not in order" }
    if Oracle.replay(changes, old, new) != new { return "the batch does not give new" }
    if try changes.applySteps(to: old, from: new) != new { return "the steps do not give new: \(changes.steps)" }
    if changes.steps.count != changes.operationCount { return "\(changes.steps.count) steps for \(changes.operationCount) operations" }
    var view = CollectionView([Part(0, "", old)])
    let stages = try changes.stages(from: old, to: new)
    if stages.count > 2 { return "\(stages.count) stages" }
    var previous = old
    for stage in stages {
      do { try view.perform(Batch(stage.changes), data: [Part(0, "", stage.data)]) } catch { return "a stage is refused: \(error)" }
      if try stage.changes.apply(to: previous, from: stage.data) != stage.data { return "a stage's batch does not give its data" }
      previous = stage.data
    }
    if view.sections[0].items != new { return "the last stage is not new" }
    if options.moves == .deleteAndInsert, !changes.moves.isEmpty { return "a move all the same" }
    if options.updates == .deleteAndInsert, !changes.updates.isEmpty { return "an update all the same" }
    if options.moves == .withoutSelfMoves, changes.moves.contains(where: { $0.from == $0.to }) { return "a self move" }
    if try ChangeSet(decoding: changes.encoded()) != changes { return "the codec loses something" }
    return nil
  }

  @Test("batch, steps, stages and codec under every option")
  func forms() throws {
    var random = Seeded(runSeed ^ 3)
    for index in 0..<(randomPairs / 10) {
      let before = random.state
      let pair = RandomPair(&random)
      for options in Differ.Options.variants {
        if let fault = try fault(pair, options) {
          Issue.record("pair \(index) of seed \(runSeed), state \(before), \(options): \(fault)\n\(pair.old)\n\(pair.new)")
          return
        }
      }
    }
  }

  @Test("the steps of a rotation")
  func steps() throws {
    let changes = try Differ().changes(from: ["a", "b", "c"], to: ["b", "c", "a", "d"])
    #expect(changes.steps == [.move(from: 0, to: 2), .insert(at: 3)])
  }

  @Test("a row that moves and changes takes two stages, updated first (B02)")
  func twoStages() throws {
    let (old, new) = (Row.list("1a 2a 3a"), Row.list("3b 1a 4a"))
    let stages = try Differ().changes(from: old, to: new).stages(from: old, to: new)
    #expect(stages.map(\.data) == [Row.list("1a 2a 3b"), new])
    #expect(Array(stages[0].changes.updates) == [Update(old: 2, new: 2)])
    #expect(stages[1].changes.updates.isEmpty)
  }

  @Test("an unavoidable self move is taken or avoided, as asked")
  func selfMove() throws {
    let (old, new) = (Array(0...4), [3, 4, 2, 0, 1])
    let minimal = try Differ().changes(from: old, to: new)
    #expect(minimal.moves.count == 3)
    #expect(minimal.moves.contains(Move(from: 2, to: 2)))
    let without = try Differ(.init(moves: .withoutSelfMoves)).changes(from: old, to: new)
    #expect(without.moves.count == 4)
  }

  @Test("moves off: a moved and changed row is deleted and inserted, not updated")
  func movesOff() throws {
    let changes = try Differ(.init(moves: .deleteAndInsert)).changes(from: Row.list("1 2 3"), to: Row.list("3x 1 2y"))
    #expect(Array(changes.deletes) == [2])
    #expect(Array(changes.inserts) == [0])
    #expect(Array(changes.updates) == [Update(old: 1, new: 2)])
  }

  @Test("updates as delete and insert, also of a row that would move")
  func updatesReplaced() throws {
    let changes = try Differ(.init(updates: .deleteAndInsert)).changes(from: Row.list("1 2 3"), to: Row.list("3x 1 2y"))
    #expect(Array(changes.deletes) == [1, 2])
    #expect(Array(changes.inserts) == [0, 2])
    #expect(changes.moves.isEmpty && changes.updates.isEmpty)
  }

  @Test("strings are bytes, or canonically equivalent when asked")
  func strings() throws {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    #expect(composed == decomposed)
    #expect(try Differ().changes(from: [composed], to: [decomposed]).counts == "d1 i1 m0 u0")
    #expect(try Differ(.init(strings: .canonical)).changes(from: [composed], to: [decomposed]).isEmpty)
    #expect(try Differ(.init(strings: .canonical)).changes(from: ["x", composed], to: [decomposed, "y", "x"]).counts == "d0 i1 m1 u0")
    #expect(throws: DiffError.self) {
      try Differ(.init(duplicates: .reject, strings: .canonical)).changes(from: [], to: [composed, decomposed])
    }
    #expect(try Differ(.init(duplicates: .reject)).changes(from: [], to: [composed, decomposed]).inserts.count == 2)
  }

  @Test("strings of every length from 0 to 70 keep apart and find each other")
  func lengths() throws {
    let old = (0...70).flatMap { length in
      ["a", "b"].map { String(repeating: "é", count: length / 2) + String(repeating: $0, count: length - length / 2) }
    }
    let changes = try Differ().changes(from: old, to: Array(old.reversed()))
    #expect(try changes.apply(to: old, from: old.reversed()) == old.reversed())
    let bytes = try Differ().changes(from: ByteList(old), to: ByteList(old.reversed()))
    #expect(bytes == changes)
    #expect(changes.deletes.isEmpty)
  }

  @Test("content follows the caller's equality: NaN differs from itself")
  func notANumber() throws {
    struct Reading: Diffable, Equatable {
      var id: Int
      var value: Double
      var diffID: Int { id }
    }
    let list = [Reading(id: 1, value: .nan), Reading(id: 2, value: 1)]
    #expect(try Array(Differ().changes(from: list, to: list).updates) == [Update(old: 0, new: 0)])
  }

  @Test("a batch is refused by a list it is not for")
  func mismatch() throws {
    let changes = try Differ().changes(from: [1, 2], to: [2])
    let error = #expect(throws: DiffError.self) { try changes.apply(to: [1, 2, 3], from: [2]) }
    #expect(error?.code == .mismatch)
    #expect(throws: DiffError.self) { try changes.apply(to: [1, 2], from: [2, 3]) }
    #expect(throws: DiffError.self) { try changes.stages(from: [1], to: [2]) }
    #expect(throws: DiffError.self) { try changes.applySteps(to: [1], from: [2]) }
  }
}
