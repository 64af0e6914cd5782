import ListDiff
import MinervaWire
import Testing

/// A pair of sectioned lists out of a seed.
struct RandomSections {
  var old: [Part]
  var new: [Part]
  var unique: Bool

  init(_ random: inout Seeded) {
    unique = Int.random(in: 0..<3, using: &random) > 0
    let range = unique ? 1_000_000 : 12
    func row(_ random: inout Seeded) -> Row { Row(.random(in: 0..<range, using: &random), ["", "a"].randomElement(using: &random) ?? "") }
    func part(_ id: Int, _ random: inout Seeded) -> Part {
      Part(id, ["", "h"].randomElement(using: &random) ?? "", (0..<Int.random(in: 0...6, using: &random)).map { _ in row(&random) })
    }
    let ids = unique ? 1_000 : 5
    old = (0..<Int.random(in: 0...5, using: &random)).map { _ in part(.random(in: 0..<ids, using: &random), &random) }
    new = old
    for _ in 0..<Int.random(in: 0...9, using: &random) {
      let section = new.indices.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<9, using: &random) {
      case 0: new.insert(part(.random(in: 0..<ids, using: &random), &random), at: .random(in: 0...new.count, using: &random))
      case 1 where !new.isEmpty: new.remove(at: section)
      case 2 where !new.isEmpty: new.insert(new.remove(at: section), at: .random(in: 0...new.count, using: &random))
      case 3 where !new.isEmpty: new[section].header += "x"
      case 4 where !new.isEmpty: new[section].items.insert(row(&random), at: .random(in: 0...new[section].items.count, using: &random))
      case 5 where !new.isEmpty && !new[section].items.isEmpty:
        let item = new[section].items.remove(at: .random(in: 0..<new[section].items.count, using: &random))
        let target = Int.random(in: 0..<new.count, using: &random)
        new[target].items.insert(item, at: .random(in: 0...new[target].items.count, using: &random))
      case 6 where !new.isEmpty && !new[section].items.isEmpty: new[section].items.removeLast()
      case 7 where !new.isEmpty: new[section].items.shuffle(using: &random)
      case 8 where !new.isEmpty && !new[section].items.isEmpty: new[section].items[0].content += "y"
      default: break
      }
    }
    if unique {
      old = distinct(old)
      new = distinct(new)
    }
  }

  private func distinct(_ parts: [Part]) -> [Part] {
    var sections: Set<Int> = []
    var items: Set<Int> = []
    return parts.filter { sections.insert($0.id).inserted }.map { part in
      part.replacingItems(part.items.filter { items.insert($0.id).inserted })
    }
  }
}

@Suite("Properties of sectioned diffs")
struct SectionedPropertyTests {
  @Test("replay, stages, minimality, codec on random pairs")
  func properties() throws {
    var random = Seeded(runSeed ^ 2)
    for index in 0..<(randomPairs / 4) {
      let before = random.state
      let pair = RandomSections(&random)
      if let fault = try fault(pair) {
        Issue.record("pair \(index) of seed \(runSeed), state \(before): \(fault)\n\(pair.old)\n\(pair.new)")
        return
      }
    }
  }

  private func fault(_ pair: RandomSections) throws -> String? {
    let (old, new) = (pair.old, pair.new)
    let changes = try Differ().changes(from: old, to: new)
    do { try changes.validate() } catch { return "not valid: \(error)" }
    if try changes.apply(to: old, from: new) != new { return "apply does not give new: \(changes)" }
    if try changes.applySteps(to: old, from: new) != new { return "the steps do not give new: \(changes.steps)" }
    if changes.steps.count != changes.operationCount { return "\(changes.steps.count) steps for \(changes.operationCount) operations" }
    if let fault = try stageFault(changes, old, new) { return fault }
    if try !Differ().changes(from: old, to: old).isEmpty { return "a list differs from itself" }
    if pair.unique {
      let (deletes, inserts, moves) = Oracle.counts(sections: old, new) { $0.id }
      let items = changes.items
      if (items.deletes.count, items.inserts.count, items.moves.count) != (deletes, inserts, moves) {
        return "expected d\(deletes) i\(inserts) m\(moves): \(changes)"
      }
    }
    if try SectionedChangeSet(decoding: changes.encoded()) != changes { return "the codec loses something" }
    if try Differ().changes(from: bytes(old), to: bytes(new)) != changes { return "bytes differ from integers" }
    for options in Differ.Options.variants {
      let changes = try Differ(options).changes(from: old, to: new)
      do { try changes.validate() } catch { return "\(options): not valid: \(error)" }
      if try changes.apply(to: old, from: new) != new { return "\(options): apply does not give new: \(changes)" }
      if try changes.applySteps(to: old, from: new) != new { return "\(options): the steps do not give new: \(changes.steps)" }
      if options.moves == .deleteAndInsert, !changes.items.moves.isEmpty || !changes.sections.moves.isEmpty { return "a move all the same" }
      if options.updates == .deleteAndInsert, !changes.items.updates.isEmpty { return "an update all the same" }
      if options.moves == .withoutSelfMoves, changes.items.moves.contains(where: { $0.from == $0.to }) { return "a self move" }
      if let fault = try stageFault(changes, old, new) { return "\(options): \(fault)" }
    }
    return nil
  }

  private func stageFault(_ changes: SectionedChangeSet, _ old: [Part], _ new: [Part]) throws -> String? {
    var view = CollectionView(old)
    var previous = old
    for stage in try changes.stages(from: old, to: new) {
      do {
        try stage.changes.validate()
        try view.perform(Batch(stage.changes), data: stage.data)
      } catch { return "a stage is refused: \(error)\n\(stage.changes)" }
      let replayed = try stage.changes.apply(to: previous, from: stage.data)
      if replayed != stage.data { return "a stage's batch does not give its data" }
      previous = stage.data
    }
    return view.sections == new ? nil : "the last stage is not new"
  }

  private func bytes(_ parts: [Part]) throws -> SectionedByteList {
    func hash(_ text: String) -> UInt64 { UInt64(bitPattern: Int64(text.hashValue)) }
    let items = parts.flatMap(\.items)
    return try SectionedByteList(
      sections: ByteList(parts.map { "\($0.id)" }, hashes: parts.map { hash($0.header) }),
      items: ByteList(items.map { "item \($0.id)" }, hashes: items.map { hash($0.content) }), counts: parts.map(\.items.count))
  }
}

extension Differ.Options {
  /// Every combination of the forms.
  static var variants: [Differ.Options] {
    let moves: [Moves] = [.minimal, .withoutSelfMoves, .deleteAndInsert]
    return moves.flatMap { moves in
      [Differ.Options(moves: moves), Differ.Options(moves: moves, updates: .deleteAndInsert)]
    }
  }
}
