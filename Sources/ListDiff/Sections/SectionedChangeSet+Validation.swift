extension SectionedChangeSet {
  /// Puts together a change set and checks that it describes one: for those that come from elsewhere.
  ///
  /// - Throws: `diff.invalid` when a path is out of range, out of order, used twice or in a section that does not stay, when
  ///   the counts of a section do not add up, or an update names two places that do not hold the same item.
  /// - Complexity: O(*s* + *k* log *k*) in sections and operations.
  public init(
    sections: ChangeSet, oldItemCounts: [Int], newItemCounts: [Int], deletes: [ItemPath] = [], inserts: [ItemPath] = [],
    moves: [ItemMove] = [], updates: [ItemUpdate] = []
  ) throws(DiffError) {
    let old = try SectionLayout(checking: oldItemCounts)
    let new = try SectionLayout(checking: newItemCounts)
    self.init(
      trusted: sections, old, new,
      deletes: deletes.map { old.flat($0) ?? -1 }, inserts: inserts.map { new.flat($0) ?? -1 },
      moves: moves.map { Link(old: old.flat($0.from) ?? -1, new: new.flat($0.to) ?? -1) },
      updates: updates.map { Link(old: old.flat($0.old) ?? -1, new: new.flat($0.new) ?? -1) })
    try validate()
  }

  /// Checks every rule of the batch form.
  package func validate() throws(DiffError) {
    try sections.validate()
    guard oldLayout.sectionCount == sections.oldCount, newLayout.sectionCount == sections.newCount else {
      throw .invalid("item counts for \(oldLayout.sectionCount) and \(newLayout.sectionCount) sections, not as many as there are")
    }
    let vacated = try Vacancies(flat.deletes, flat.moves.map(\.old).sorted(), below: oldLayout.itemCount, "old item")
    let filled = try Vacancies(flat.inserts, flat.moves.map(\.new), below: newLayout.itemCount, "new item")
    let sources = sectionSources
    var stays = [Bool](repeating: false, count: sections.oldCount)
    for case let source? in sources { stays[source] = true }
    for (section, stays) in stays.enumerated() where !stays {
      guard vacated.count(in: oldLayout.range(section)) == 0 else { throw .invalid("items change inside deleted section \(section)") }
    }
    for (section, source) in sources.enumerated() {
      let filling = filled.count(in: newLayout.range(section))
      guard let source else {
        guard filling == 0 else { throw .invalid("items change inside inserted section \(section)") }
        continue
      }
      guard oldLayout.count(source) - vacated.count(in: oldLayout.range(source)) == newLayout.count(section) - filling else {
        throw .invalid("the item counts of section \(source), new section \(section), do not add up")
      }
    }
    try validateUpdates(vacated, filled, sources)
  }

  private func validateUpdates(_ vacated: Vacancies, _ filled: Vacancies, _ sources: [Int?]) throws(DiffError) {
    var last: Int32 = -1
    var move = 0
    for update in flat.updates {
      guard update.new > last, update.new < newLayout.itemCount, update.old >= 0, update.old < oldLayout.itemCount else {
        throw .invalid("an item's update is out of range or out of order")
      }
      last = update.new
      while move < flat.moves.count, flat.moves[move].new < update.new { move += 1 }
      if move < flat.moves.count, flat.moves[move].new == update.new {
        guard flat.moves[move].old == update.old else { throw .invalid("an item is moved from one place and updated from another") }
        continue
      }
      let newSection = newLayout.section(of: update.new)
      let oldSection = oldLayout.section(of: update.old)
      let source = vacated.rank(of: update.old)
      let target = filled.rank(of: update.new)
      // Ranks inside the section: those of its first item are taken off.
      let sourceRank = source.rank - vacated.rank(of: oldLayout.bases[oldSection]).rank
      let targetRank = target.rank - filled.rank(of: newLayout.bases[newSection]).rank
      guard sources[newSection] == oldSection, source.free, target.free, sourceRank == targetRank else {
        throw .invalid("an item's update \(oldLayout.path(update.old))→\(newLayout.path(update.new)) names places of different items")
      }
    }
  }
}

extension SectionLayout {
  /// Takes counts that come from elsewhere.
  init(checking counts: [Int]) throws(DiffError) {
    var sum = 0
    for count in counts {
      guard count >= 0, count <= Int(Int32.max) - sum else { throw .invalid("item counts are negative or reach 2³¹") }
      sum += count
    }
    self.init(counts: counts)
  }
}

extension Vacancies {
  /// How many of the positions are in a range.
  func count(in range: Range<Int>) -> Int {
    countBelow(range.upperBound) - countBelow(range.lowerBound)
  }
}
