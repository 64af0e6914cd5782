import Foundation
import ListDiff
import MinervaWire
import Testing

/// How many random pairs the properties are tried on: 50,000, or what `LISTDIFF_PAIRS` says.
let randomPairs = ProcessInfo.processInfo.environment["LISTDIFF_PAIRS"].flatMap { Int($0) } ?? 50_000

/// The seed of a run: random, or what `LISTDIFF_SEED` says, to repeat one.
let runSeed = ProcessInfo.processInfo.environment["LISTDIFF_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)

/// A pair of lists out of a seed: shuffles, edits, duplicates, blocks moved, lists without anything in common.
struct RandomPair {
  var old: [Row]
  var new: [Row]
  var unique: Bool

  init(_ random: inout Seeded) {
    let length = [0, 1, 2, 3, 5, 8, 13, 20, 40, 90].randomElement(using: &random) ?? 0
    unique = Int.random(in: 0..<3, using: &random) > 0
    let range = unique ? 1_000_000 : max(1, length / Int.random(in: 1...4, using: &random))
    func row(_ random: inout Seeded) -> Row {
      Row(.random(in: 0..<range, using: &random), ["", "a", "b"].randomElement(using: &random) ?? "")
    }
    func distinct(_ rows: [Row]) -> [Row] {
      var seen: Set<Int> = []
      return rows.filter { seen.insert($0.id).inserted }
    }
    old = (0..<length).map { _ in row(&random) }
    new = old
    switch Int.random(in: 0..<5, using: &random) {
    case 0: new.shuffle(using: &random)
    case 1: new = (0..<Int.random(in: 0...max(1, length), using: &random)).map { _ in row(&random) }
    case 2: new.reverse()
    default: break
    }
    for _ in 0..<Int.random(in: 0...max(1, length / 3), using: &random) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: new.insert(row(&random), at: .random(in: 0...new.count, using: &random))
      case 1 where !new.isEmpty: new.remove(at: .random(in: 0..<new.count, using: &random))
      case 2 where !new.isEmpty: new[.random(in: 0..<new.count, using: &random)].content += "x"
      case 3 where !new.isEmpty:
        let moved = new.remove(at: .random(in: 0..<new.count, using: &random))
        new.insert(moved, at: .random(in: 0...new.count, using: &random))
      case 4 where new.count > 2:
        let cut = Int.random(in: 1..<new.count, using: &random)
        new = Array(new[cut...] + new[..<cut])
      default: break
      }
    }
    if unique {
      old = distinct(old)
      new = distinct(new)
    }
  }
}

@Suite("Properties of flat diffs")
struct FlatPropertyTests {
  @Test("replay, order, minimality, symmetry on random pairs")
  func properties() throws {
    var random = Seeded(runSeed)
    for index in 0..<randomPairs {
      let before = random.state
      let pair = RandomPair(&random)
      if let fault = try fault(pair) {
        Issue.record("pair \(index) of seed \(runSeed), state \(before): \(fault)\n\(pair.old)\n\(pair.new)")
        return
      }
    }
  }

  /// What is wrong with the diff of a pair, or nil.
  private func fault(_ pair: RandomPair) throws -> String? {
    let (old, new) = (pair.old, pair.new)
    let changes = try Differ().changes(from: old, to: new)
    if !Oracle.wellFormed(changes) { return "columns are not in order: \(changes)" }
    if Oracle.replay(changes, old, new) != new { return "the batch does not give new: \(changes)" }
    if try changes.apply(to: old, from: new) != new { return "apply does not give new: \(changes)" }
    let expected = Oracle.counts(old.map(\.id), new.map(\.id))
    if changes.deletes.count != expected.deletes || changes.inserts.count != expected.inserts { return "not as many matches as there are" }
    if pair.unique ? changes.moves.count != expected.moves : changes.moves.count > expected.moves {
      return "\(changes.moves.count) moves, by occurrence \(expected.moves)"
    }
    if try !Differ().changes(from: old, to: old).isEmpty { return "a list differs from itself" }
    let back = try Differ().changes(from: new, to: old)
    if back.deletes.count != changes.inserts.count || back.inserts.count != changes.deletes.count { return "backwards differs" }
    if pair.unique {
      if Array(back.deletes) != Array(changes.inserts) || Array(back.inserts) != Array(changes.deletes) { return "not its mirror image" }
      if back.moves.count != changes.moves.count { return "backwards needs \(back.moves.count) moves" }
      let updates = new.enumerated().filter { position, row in old.contains { $0.id == row.id && $0.content != row.content } }
      if updates.map(\.offset) != changes.updates.map(\.new) { return "updates are not the changed rows" }
    }
    let hashes: ([Row]) -> [UInt64] = { $0.map { UInt64(truncatingIfNeeded: $0.content.hashValue) } }
    let bytes = try Differ().changes(
      from: ByteList(old.map { "\($0.id)" }, hashes: hashes(old)), to: ByteList(new.map { "\($0.id)" }, hashes: hashes(new)))
    if bytes != changes { return "bytes differ from integers: \(bytes)" }
    let texts = try Differ().changes(from: old, to: new, id: { "row-\($0.id)" }, sameContent: { $0.content == $1.content })
    if texts != changes { return "strings differ from integers: \(texts)" }
    return nil
  }

  @Test("no self moves: the fewest there can be")
  func withoutSelfMoves() throws {
    var random = Seeded(runSeed ^ 1)
    for _ in 0..<2_000 {
      let old = Array(0..<Int.random(in: 0...8, using: &random))
      let new = old.shuffled(using: &random).filter { _ in Int.random(in: 0..<9, using: &random) > 0 }
      let changes = try Differ(.init(moves: .withoutSelfMoves)).changes(from: old, to: new)
      #expect(changes.moves.allSatisfy { $0.from != $0.to })
      #expect(changes.moves.count == Oracle.fewestWithoutSelfMoves(old, new), "\(old) → \(new), seed \(runSeed)")
      #expect(Oracle.replay(changes, old, new) == new)
    }
  }
}
