extension LoadRows {
  /// Replays an answer on these rows and holds the result against the rows that were asked for, byte for byte.
  ///
  /// The replay rule of the batch: drop deletes and move sources, set moves and inserts at their places, fill the rest with the untouched
  /// rows from left to right; of a section that stays its own rows, of an inserted one the new ones whole.
  /// - Throws: what is wrong with the answer.
  package func check(_ answer: [UInt8], against new: LoadRows) throws(AnswerReader.Fault) {
    let answer = try AnswerReader(answer, limit: max(count, new.count))
    guard answer.oldCounts == counts else { throw AnswerReader.Fault("the answer is about an old list of another size") }
    guard answer.newCounts == new.counts else { throw AnswerReader.Fault("the answer is about a new list of another size") }
    let sectionOrigins = try Self.origins(answer.sections, old: answer.oldCounts.count, new: answer.newCounts.count)
    if let sections, let wanted = new.sections {
      for (position, origin) in sectionOrigins.enumerated() where origin >= 0 {
        guard sections[origin].identifier == wanted[position].identifier else {
          throw AnswerReader.Fault("section \(position) is not the one that was asked for")
        }
      }
    }
    if let sections, let wanted = new.sections {
      let updated = Set(answer.sections.updates.map(\.new))
      for (position, origin) in sectionOrigins.enumerated() where origin >= 0 {
        let isSame = sections[origin].header == wanted[position].header
        if isSame, updated.contains(position) { throw AnswerReader.Fault("section \(position) is updated and did not change") }
        guard isSame || updated.contains(position) else {
          throw AnswerReader.Fault("section \(position) has another header than was asked for")
        }
      }
    }
    let origins = try itemOrigins(answer, sectionOrigins, new.count)
    var updated = [Bool](repeating: false, count: new.count)
    for (old, position) in answer.items.updates {
      guard origins[position] == old else { throw AnswerReader.Fault("an update names two different rows, \(old) and \(position)") }
      guard contents[old] != new.contents[position] else { throw AnswerReader.Fault("row \(position) is updated and did not change") }
      updated[position] = true
    }
    for (position, origin) in origins.enumerated() where origin >= 0 {
      guard identifiers[origin] == new.identifiers[position] else {
        throw AnswerReader.Fault("row \(position) has another identifier than was asked for")
      }
      guard updated[position] || contents[origin] == new.contents[position] else {
        throw AnswerReader.Fault("row \(position) has another content than was asked for")
      }
    }
  }

  /// For each new position the old one, or -1 for what is inserted.
  private static func origins(_ operations: AnswerReader.Operations, old: Int, new: Int) throws(AnswerReader.Fault) -> [Int] {
    var (taken, origins) = try places(operations, old: old, new: new)
    try fill(&origins, 0..<new, from: 0..<old, &taken)
    for (from, to) in operations.updates where origins[to] != from { throw AnswerReader.Fault("an update names two different sections") }
    return origins
  }

  private static let isOpen = -2

  /// Sets what is deleted, moved and inserted.
  private static func places(
    _ operations: AnswerReader.Operations, old: Int, new: Int
  ) throws(AnswerReader.Fault) -> (taken: [Bool], origins: [Int]) {
    var taken = [Bool](repeating: false, count: old)
    var origins = [Int](repeating: isOpen, count: new)
    func take(_ position: Int) throws(AnswerReader.Fault) {
      guard !taken[position] else { throw AnswerReader.Fault("old position \(position) is used twice") }
      taken[position] = true
    }
    func set(_ position: Int, _ origin: Int) throws(AnswerReader.Fault) {
      guard origins[position] == isOpen else { throw AnswerReader.Fault("new position \(position) is filled twice") }
      origins[position] = origin
    }
    for position in operations.deletes { try take(position) }
    for (from, to) in operations.moves {
      try take(from)
      try set(to, from)
    }
    for position in operations.inserts { try set(position, -1) }
    return (taken, origins)
  }

  /// Fills what is open with what is left, in order; nothing may be left over.
  private static func fill(
    _ origins: inout [Int], _ range: Range<Int>, from source: Range<Int>, _ taken: inout [Bool]
  ) throws(AnswerReader.Fault) {
    var next = source.lowerBound
    for position in range where origins[position] == isOpen {
      while next < source.upperBound, taken[next] { next += 1 }
      guard next < source.upperBound else { throw AnswerReader.Fault("nothing is left for new position \(position)") }
      origins[position] = next
      taken[next] = true
      next += 1
    }
    while next < source.upperBound, taken[next] { next += 1 }
    guard next == source.upperBound else { throw AnswerReader.Fault("old position \(next) is left over") }
  }

  private func itemOrigins(_ answer: AnswerReader, _ sections: [Int], _ count: Int) throws(AnswerReader.Fault) -> [Int] {
    var (taken, origins) = try Self.places(answer.items, old: self.count, new: count)
    let bases = answer.oldCounts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    var stays = [Bool](repeating: false, count: answer.oldCounts.count)
    var base = 0
    for (section, source) in sections.enumerated() {
      let range = base..<(base + answer.newCounts[section])
      base = range.upperBound
      guard source >= 0 else {
        guard range.allSatisfy({ origins[$0] == Self.isOpen }) else { throw AnswerReader.Fault("an operation inside an inserted section") }
        for position in range { origins[position] = -1 }
        continue
      }
      stays[source] = true
      try Self.fill(&origins, range, from: bases[source]..<bases[source + 1], &taken)
    }
    for (source, stays) in stays.enumerated() where !stays {
      guard !taken[bases[source]..<bases[source + 1]].contains(true) else {
        throw AnswerReader.Fault("an operation inside a deleted section")
      }
    }
    return origins
  }
}
