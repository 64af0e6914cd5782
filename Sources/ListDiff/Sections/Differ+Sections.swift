extension Differ {
  /// The changes between two lists of sections.
  ///
  /// With the policy `first` the positions are those of the lists without later duplicates (`firstOccurrences(ofSections:)`).
  ///
  /// - Throws: `diff.duplicate` with the policy `reject`, `diff.too_large` from 2³¹ sections or items, `diff.cancelled`.
  @inlinable
  public func changes<Section: DiffableSection>(from old: [Section], to new: [Section]) throws(DiffError) -> SectionedChangeSet {
    let old = options.duplicates == .first ? try firstOccurrences(ofSections: old) : old
    let new = options.duplicates == .first ? try firstOccurrences(ofSections: new) : new
    return unsafe try old.withUnsafeBufferPointer { (old) throws(DiffError) -> SectionedChangeSet in
      unsafe try new.withUnsafeBufferPointer { (new) throws(DiffError) -> SectionedChangeSet in
        switch options.strings {
        case .bytes:
          let source = unsafe SectionedElements<Section, ByteIdentity>(old: old, new: new)
          return try withExtendedLifetime(source) { (source) throws(DiffError) -> SectionedChangeSet in try changes(between: source) }
        case .canonical:
          let source = unsafe SectionedElements<Section, EqualityIdentity>(old: old, new: new)
          return try withExtendedLifetime(source) { (source) throws(DiffError) -> SectionedChangeSet in try changes(between: source) }
        }
      }
    }
  }

  /// The sections without those whose identifier has occurred before, and in them, the items whose identifier has not
  /// occurred before in any section that is left: what the policy `first` diffs.
  @inlinable
  public func firstOccurrences<Section: DiffableSection>(ofSections list: [Section]) throws(DiffError) -> [Section] {
    let sections = try firstOccurrences(of: list)
    let items = sections.map(\.items)
    try requireIndexable(old: items.reduce(0) { $0 + $1.count }, new: 0)
    let all = Array(items.joined())
    let kept = unsafe try all.withUnsafeBufferPointer { (all) throws(DiffError) -> [Int32] in
      switch options.strings {
      case .bytes: unsafe try Occurrences.first(OldSide(Elements<Section.Item, ByteIdentity>(old: all, new: all)), self)
      case .canonical: unsafe try Occurrences.first(OldSide(Elements<Section.Item, EqualityIdentity>(old: all, new: all)), self)
      }
    }
    if kept.count == all.count { return sections }
    var result: [Section] = []
    result.reserveCapacity(sections.count)
    var base = 0
    var next = 0
    for (section, itsItems) in zip(sections, items) {
      let end = base + itsItems.count
      var rest: [Section.Item] = []
      while next < kept.count, Int(kept[next]) < end {
        rest.append(all[Int(kept[next])])
        next += 1
      }
      result.append(rest.count == itsItems.count ? section : section.replacingItems(rest))
      base = end
    }
    return result
  }

  /// The changes between two lists of sections with byte identifiers.
  ///
  /// - Throws: `diff.duplicate` with the policy `reject`, `diff.too_large` from 2³¹ sections or items, `diff.cancelled`.
  public func changes(from old: SectionedByteList, to new: SectionedByteList) throws(DiffError) -> SectionedChangeSet {
    let old = options.duplicates == .first ? try firstOccurrences(ofSections: old) : old
    let new = options.duplicates == .first ? try firstOccurrences(ofSections: new) : new
    return try old.sections.withRows { (oldSections) throws(DiffError) -> SectionedChangeSet in
      try new.sections.withRows { (newSections) throws(DiffError) -> SectionedChangeSet in
        try old.items.withRows { (oldItems) throws(DiffError) -> SectionedChangeSet in
          try new.items.withRows { (newItems) throws(DiffError) -> SectionedChangeSet in
            try changes(
              between: SectionedBytes(
                sections: BytePair(old: oldSections, new: newSections), items: BytePair(old: oldItems, new: newItems),
                old: old.layout, new: new.layout))
          }
        }
      }
    }
  }

  /// The sections and items whose identifier has not occurred before, as with ``firstOccurrences(ofSections:)``.
  public func firstOccurrences(ofSections list: SectionedByteList) throws(DiffError) -> SectionedByteList {
    let sections = try firstOccurrences(of: list.sections)
    var items = sections.flatMap { list.layout.range($0) }
    let left = list.items.selecting(items)
    let kept = try firstOccurrences(of: left)
    if sections.count == list.sections.count, kept.count == list.items.count { return list }
    var counts: [Int] = []
    var next = 0
    var end = 0
    for section in sections {
      end += list.layout.count(section)
      let start = next
      while next < kept.count, kept[next] < end { next += 1 }
      counts.append(next - start)
    }
    items = kept.map { items[$0] }
    return try SectionedByteList(sections: list.sections.selecting(sections), items: list.items.selecting(items), counts: counts)
  }
}
