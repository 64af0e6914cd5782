import ListDiff

extension SectionedChangeSet {
  /// The change set without some of its updates, or `nil` when all are meant.
  ///
  /// - Complexity: O(updates · log sections).
  func keepingUpdates(_ isMeant: (ItemUpdate) -> Bool) -> SectionedChangeSet? {
    var kept: [Link] = []
    for (link, update) in zip(flat.updates, items.updates) where isMeant(update) { kept.append(link) }
    guard kept.count < flat.updates.count else { return nil }
    return SectionedChangeSet(
      trusted: sections, oldLayout, newLayout, deletes: flat.deletes, inserts: flat.inserts, moves: flat.moves, updates: kept)
  }
}
