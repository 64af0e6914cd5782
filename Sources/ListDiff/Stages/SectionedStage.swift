/// One batch of sections and items that a collection view accepts, and the list after it.
///
/// Within a stage nothing that is updated moves, and no item changes inside a section that is moved, inserted, deleted or
/// updated. The data after the last stage is the new list.
public struct SectionedStage<Section> {
  /// From the list before this stage to `data`.
  public let changes: SectionedChangeSet
  /// The list after this stage.
  public let data: [Section]
}

extension SectionedStage: Sendable where Section: Sendable {}

extension SectionedChangeSet {
  /// The batch in stages that each obey a collection view's rules: at most four, most often one.
  ///
  /// 1. Sections whose own content changed.
  /// 2. Items that change and move, or that change in a section that moves.
  /// 3. Deletes, inserts and moves of items while the sections stand as before, if one of them touches a section that moves.
  /// 4. Everything else.
  ///
  /// - Throws: `diff.mismatch` when the lists have not the sections the change set was computed for.
  /// - Complexity: O(*n*) in sections and items for each stage but the last.
  public func stages<Section: DiffableSection>(from old: [Section], to new: [Section]) throws(DiffError) -> [SectionedStage<Section>] {
    guard old.count == sections.oldCount else { throw .mismatch(expected: sections.oldCount, found: old.count, .old) }
    guard new.count == sections.newCount else { throw .mismatch(expected: sections.newCount, found: new.count, .new) }
    for (position, section) in old.enumerated() where section.items.count != oldLayout.count(position) {
      throw .mismatch(expected: oldLayout.count(position), found: section.items.count, .old)
    }
    for (position, section) in new.enumerated() where section.items.count != newLayout.count(position) {
      throw .mismatch(expected: newLayout.count(position), found: section.items.count, .new)
    }
    return Staging(changes: self, old: old, new: new).stages()
  }
}

/// The cutting of one batch into stages.
private struct Staging<Section: DiffableSection> {
  let changes: SectionedChangeSet
  let old: [Section]
  let new: [Section]
  /// For each new section the old one.
  let sources: [Int?]
  /// For each old section the new one.
  let targets: [Int?]
  /// Old sections that move.
  let moving: Set<Int>

  init(changes: SectionedChangeSet, old: [Section], new: [Section]) {
    self.changes = changes
    self.old = old
    self.new = new
    sources = changes.sectionSources
    var targets = [Int?](repeating: nil, count: old.count)
    for (new, source) in sources.enumerated() {
      if let source { targets[source] = new }
    }
    self.targets = targets
    moving = Set(changes.sections.moves.map(\.from))
  }

  func stages() -> [SectionedStage<Section>] {
    var stages: [SectionedStage<Section>] = []
    func append(_ changes: SectionedChangeSet, _ data: [Section]) {
      if !changes.isEmpty { stages.append(SectionedStage(changes: changes, data: data)) }
    }
    let sections = changes.sections
    let standing = ChangeSet(unchanged: old.count)
    let (oldLayout, newLayout, flat) = (changes.oldLayout, changes.newLayout, changes.flat)

    // 1. Old sections with their new content.
    var bases = old
    for update in sections.updates { bases[update.old] = new[update.new].replacingItems(old[update.old].items) }
    let inPlace = sections.updates.map { Link(old: Int32($0.old), new: Int32($0.old)) }.sorted { $0.new < $1.new }
    append(SectionedChangeSet(trusted: ChangeSet(trusted: old.count, old.count, updates: inPlace), oldLayout, oldLayout), bases)

    // 2. Items updated where they stand.
    let cut = touchesMovingSections
    let (early, late) = cutUpdates(cut)
    var updated = bases
    if !early.isEmpty {
      updated = updatedInPlace(early, bases)
      let inPlace = early.map { Link(old: $0.old, new: $0.old) }.sorted { $0.new < $1.new }
      append(SectionedChangeSet(trusted: standing, oldLayout, oldLayout, updates: inPlace), updated)
    }

    // 3 and 4, together where that is allowed.
    let structure = ChangeSet(
      trusted: sections.oldCount, sections.newCount, deletes: sections.deletes.storage, inserts: sections.inserts.storage,
      moves: sections.moves.storage)
    guard cut else {
      append(
        SectionedChangeSet(
          trusted: structure, oldLayout, newLayout, deletes: flat.deletes, inserts: flat.inserts, moves: flat.moves, updates: late),
        new)
      return stages
    }
    let middle = SectionLayout(counts: targets.enumerated().map { old, new in new.map(newLayout.count) ?? oldLayout.count(old) })
    func inMiddle(_ position: Int32) -> Int32 {
      let path = newLayout.path(position)
      // Only sections that stay hold changed items.
      return middle.bases[sources[path.section] ?? 0] + Int32(path.item)
    }
    func inMiddle(_ links: [Link]) -> [Link] {
      links.map { Link(old: $0.old, new: inMiddle($0.new)) }.sorted { $0.new < $1.new }
    }
    var arranged = updated
    for (position, target) in targets.enumerated() {
      if let target { arranged[position] = bases[position].replacingItems(new[target].items) }
    }
    append(
      SectionedChangeSet(
        trusted: standing, oldLayout, middle, deletes: flat.deletes, inserts: flat.inserts.map(inMiddle).sorted(),
        moves: inMiddle(flat.moves), updates: inMiddle(late)),
      arranged)
    append(SectionedChangeSet(trusted: structure, middle, newLayout), new)
    return stages
  }

  /// Whether an item is deleted, inserted or moved in a section that moves.
  private var touchesMovingSections: Bool {
    if moving.isEmpty { return false }
    let flat = changes.flat
    return flat.deletes.contains(where: isInMovingOld) || flat.inserts.contains(where: isInMovingNew)
      || flat.moves.contains { isInMovingOld($0.old) || isInMovingNew($0.new) }
  }

  private func isInMovingOld(_ position: Int32) -> Bool { moving.contains(changes.oldLayout.section(of: position)) }

  private func isInMovingNew(_ position: Int32) -> Bool {
    sources[changes.newLayout.section(of: position)].map(moving.contains) ?? false
  }

  /// The updates that need a stage before the moves, and those that can go along with them.
  private func cutUpdates(_ cut: Bool) -> (early: [Link], late: [Link]) {
    let (moved, standing) = changes.flat.updates.split(by: changes.flat.moves)
    // When the sections move in a stage of their own, items that stand may be updated in the stage before.
    if cut || moving.isEmpty { return (moved, standing) }
    return (moved + standing.filter { isInMovingOld($0.old) }, standing.filter { !isInMovingOld($0.old) })
  }

  /// The old sections with some items replaced by their new selves.
  private func updatedInPlace(_ updates: [Link], _ bases: [Section]) -> [Section] {
    var items: [Int: [Section.Item]] = [:]
    for update in updates {
      let from = changes.oldLayout.path(update.old)
      let to = changes.newLayout.path(update.new)
      items[from.section, default: bases[from.section].items][from.item] = new[to.section].items[to.item]
    }
    var result = bases
    for (section, items) in items { result[section] = bases[section].replacingItems(items) }
    return result
  }
}
