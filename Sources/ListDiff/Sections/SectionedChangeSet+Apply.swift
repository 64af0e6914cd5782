extension SectionedChangeSet {
  /// Replays the batch on the old sections, taking what is new from the new list.
  ///
  /// - Throws: `diff.mismatch` when a list has not the sections and items the change set was computed for.
  /// - Complexity: O(*n*) in sections and items.
  public func apply<Section: DiffableSection>(to old: [Section], from new: [Section]) throws(DiffError) -> [Section] {
    try requireShape(new.map(\.items.count), newLayout, .new)
    let newItems = new.map(\.items)
    return try apply(to: old, section: { new[$0] }, item: { newItems[$0.section][$0.item] })
  }

  /// Replays the batch on the old sections.
  ///
  /// - Parameters:
  ///   - old: The list the change set was computed from.
  ///   - section: Called with the position of each inserted and each updated section in the new list. An inserted one is
  ///     taken with its items; of an updated one the items do not count.
  ///   - item: Called with the path of each inserted and each updated item in sections that stay.
  /// - Throws: `diff.mismatch` when the old list has not the sections and items the change set was computed for, or an
  ///   inserted section not as many items as it should.
  public func apply<Section: DiffableSection>(
    to old: [Section], section: (_ position: Int) -> Section, item: (_ path: ItemPath) -> Section.Item
  ) throws(DiffError) -> [Section] {
    let oldItems = old.map(\.items)
    try requireShape(oldItems.map(\.count), oldLayout, .old)
    let contents = try replayItems(oldItems, item: item)
    let updated = Set(sections.updates.map(\.new))
    var result: [Section] = []
    result.reserveCapacity(sections.newCount)
    for (position, source) in sectionSources.enumerated() {
      if let source {
        let base = updated.contains(position) ? section(position) : old[source]
        result.append(base.replacingItems(contents[position]))
      } else {
        let inserted = section(position)
        guard inserted.items.count == newLayout.count(position) else {
          throw .mismatch(expected: newLayout.count(position), found: inserted.items.count, .new)
        }
        result.append(inserted)
      }
    }
    return result
  }

  /// The items of each new section that stays; empty for inserted ones.
  package func replayItems<Item>(_ old: [[Item]], item: (ItemPath) -> Item) throws(DiffError) -> [[Item]] {
    var leaves = [Bool](repeating: false, count: oldLayout.itemCount)
    for delete in flat.deletes { leaves[Int(delete)] = true }
    for move in flat.moves { leaves[Int(move.old)] = true }
    var insert = 0
    var move = 0
    var update = 0
    var result: [[Item]] = []
    result.reserveCapacity(sections.newCount)
    for (section, source) in sectionSources.enumerated() {
      guard let source else {
        result.append([])
        continue
      }
      let sourceBase = oldLayout.range(source).lowerBound
      let range = newLayout.range(section)
      var kept = 0
      var items: [Item] = []
      items.reserveCapacity(range.count)
      for position in range {
        let path = ItemPath(section: section, item: position - range.lowerBound)
        if insert < flat.inserts.count, Int(flat.inserts[insert]) == position {
          insert += 1
          items.append(item(path))
          continue
        }
        let from: ItemPath
        if move < flat.moves.count, Int(flat.moves[move].new) == position {
          from = oldLayout.path(flat.moves[move].old)
          move += 1
        } else {
          while leaves[sourceBase + kept] { kept += 1 }
          from = ItemPath(section: source, item: kept)
          kept += 1
        }
        if update < flat.updates.count, Int(flat.updates[update].new) == position {
          update += 1
          items.append(item(path))
        } else {
          items.append(old[from.section][from.item])
        }
      }
      result.append(items)
    }
    return result
  }

  func requireShape(_ counts: [Int], _ layout: SectionLayout, _ side: DiffError.Side) throws(DiffError) {
    guard counts.count == layout.sectionCount else { throw .mismatch(expected: layout.sectionCount, found: counts.count, side) }
    for (section, count) in counts.enumerated() where count != layout.count(section) {
      throw .mismatch(expected: layout.count(section), found: count, side)
    }
  }
}
