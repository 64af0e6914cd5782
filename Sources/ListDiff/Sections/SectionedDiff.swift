extension Differ {
  /// Applies the policy `reject`, then diffs.
  @inlinable
  func changes<Source: SectionedSource & ~Copyable>(between source: borrowing Source) throws(DiffError) -> SectionedChangeSet {
    let sections = source.sections
    try requireIndexable(old: sections.oldCount, new: sections.newCount)
    var oldCounts: [Int] = []
    oldCounts.reserveCapacity(sections.oldCount)
    for section in 0..<sections.oldCount { oldCounts.append(source.oldItemCount(section)) }
    var newCounts: [Int] = []
    newCounts.reserveCapacity(sections.newCount)
    for section in 0..<sections.newCount { newCounts.append(source.newItemCount(section)) }
    try requireIndexable(old: oldCounts.reduce(0, +), new: newCounts.reduce(0, +))
    let old = SectionLayout(counts: oldCounts)
    let new = SectionLayout(counts: newCounts)
    if options.duplicates == .reject { try refuseDuplicates(source, old, new) }
    var unchecked = self
    unchecked.options.duplicates = .occurrence
    return try unchecked.computeChanges(source, try unchecked.changes(between: sections), old, new)
  }

  /// Items are unique in the whole list, not only in their section.
  @inlinable
  func refuseDuplicates<Source: SectionedSource & ~Copyable>(
    _ source: borrowing Source, _ old: SectionLayout, _ new: SectionLayout
  ) throws(DiffError) {
    let sections = source.sections
    if let (first, second) = try Occurrences.firstDuplicate(OldSide(sections), self) {
      throw .duplicate(sections.describeOld(second), .old, first: .init(section: first), second: .init(section: second))
    }
    if let (first, second) = try Occurrences.firstDuplicate(NewSide(sections), self) {
      throw .duplicate(sections.describeNew(second), .new, first: .init(section: first), second: .init(section: second))
    }
    let oldAddresses = old.addresses(source.addressStride) { source.oldAddress($0) }
    if let (first, second) = try Occurrences.firstDuplicate(AllItems(source.items, oldAddresses, isOld: true), self) {
      throw .duplicate(source.items.describeOld(oldAddresses[second]), .old, first: old.place(first), second: old.place(second))
    }
    let newAddresses = new.addresses(source.addressStride) { source.newAddress($0) }
    if let (first, second) = try Occurrences.firstDuplicate(AllItems(source.items, newAddresses, isOld: false), self) {
      throw .duplicate(source.items.describeNew(newAddresses[second]), .new, first: new.place(first), second: new.place(second))
    }
  }

  /// Walks each section that stays against its other self, pairs the rest through one table, then finds the moves.
  @inlinable
  @inline(never)
  func computeChanges<Source: SectionedSource & ~Copyable>(
    _ source: borrowing Source, _ sections: ChangeSet, _ old: SectionLayout, _ new: SectionLayout
  ) throws(DiffError) -> SectionedChangeSet {
    let pairs = SectionPairs(sections)
    var open = Open(source.items, oldCapacity: old.itemCount, newCapacity: new.itemCount, watches: false)
    let rest = SectionRest(old.sectionCount, new.sectionCount)
    var script = Script(options)
    var walked = 0
    for newSection in 0..<new.sectionCount {
      let oldSection = pairs[newSection]
      rest.newStarts[newSection] = Int32(truncatingIfNeeded: open.newCount)
      if oldSection < 0 { continue }
      rest.oldStarts[oldSection] = Int32(truncatingIfNeeded: open.oldCount)
      try walkSection(source.local(oldSection, newSection), old.range(oldSection), new.range(newSection), &open, &script)
      rest.oldCounts[oldSection] = Int32(truncatingIfNeeded: open.oldCount) &- rest.oldStarts[oldSection]
      walked += new.count(newSection)
      if walked > Differ.stride {
        try checkCancellation()
        walked = 0
      }
    }
    rest.newStarts[new.sectionCount] = Int32(truncatingIfNeeded: open.newCount)
    if open.oldCount > 0 || open.newCount > 0 {
      if !sections.moves.isEmpty { rest.sort(open.old, open.oldCount) }
      try pairRest(source, open, rest, pairs, old, new, &script)
    }
    script.finish()
    return SectionedChangeSet(
      trusted: sections, old, new, deletes: script.deletes, inserts: script.inserts, moves: script.moves, updates: script.updates)
  }

  /// Pairs the items of one section with its old ones: both ends by comparison, the middle by a walk.
  @inlinable
  @inline(__always)
  func walkSection<Local: PairSource, Items>(
    _ local: Local, _ old: Range<Int>, _ new: Range<Int>, _ open: inout Open<Items>, _ script: inout Script
  ) throws(DiffError) {
    let (oldBase, newBase) = (old.lowerBound, new.lowerBound)
    var (oldEnd, newEnd) = (old.count, new.count)
    var first = 0
    let limit = min(oldEnd, newEnd)
    while first < limit && local.same(first, first) {
      if local.changed(first, first) { script.update(oldBase &+ first, newBase &+ first) }
      first &+= 1
    }
    if first == oldEnd && first == newEnd { return }
    while oldEnd > first && newEnd > first && local.same(oldEnd &- 1, newEnd &- 1) {
      oldEnd &-= 1
      newEnd &-= 1
    }
    let walk = Walk(length: min(oldEnd, newEnd) - first, oldBase: oldBase, newBase: newBase, notes: true)
    _ = try walk.run(local, old: first..<oldEnd, new: first..<newEnd, open: &open, script: &script, differ: self)
    while newEnd < new.count {
      if local.changed(oldEnd, newEnd) { script.update(oldBase &+ oldEnd, newBase &+ newEnd) }
      oldEnd &+= 1
      newEnd &+= 1
    }
  }

  /// Pairs what the walks left open, across all sections that stay, and writes what follows.
  @inlinable
  @inline(never)
  func pairRest<Source: SectionedSource & ~Copyable>(
    _ source: borrowing Source, _ open: borrowing Open<Source.Items>, _ rest: borrowing SectionRest, _ pairs: SectionPairs,
    _ old: SectionLayout, _ new: SectionLayout, _ script: inout Script
  ) throws(DiffError) {
    let found = Buffer<Int32>(capacity: open.newCount)
    let items = OpenItems(
      source.items, old: addresses(open.old, open.oldCount, old, source.addressStride) { source.oldAddress($0) }, open.oldCount,
      new: addresses(open.new, open.newCount, new, source.addressStride) { source.newAddress($0) }, open.newCount)
    let pairing = try Pairing(items, into: found, guarded: false, differ: self)
    _ = consume items
    try checkCancellation()
    script.append(deletes: pairing.left { open.old[$0] }, inserts: unpaired(found, open.newCount) { open.new[$0] })
    let middle = script.updates.count
    pairing.forEachChanged(open.newCount) { v in
      script.update(Int(open.old[Int(found[v])]), Int(open.new[v]))
      if script.replacesUpdated { found[v] = -1 }
    }
    script.mergeUpdates(from: middle)
    if script.needsMatching {
      try writeMatchings(source, open, found, rest, pairs, old, new, &script)
    } else {
      script.moveItems(found, pairing.hits, open.old, open.new, rest, pairs, old, new)
    }
  }

  /// The addresses of items, by their positions in all sections.
  @inlinable
  @inline(__always)
  func addresses(
    _ positions: borrowing Buffer<Int32>, _ count: Int, _ layout: SectionLayout, _ stride: Int, _ first: (Int) -> Int
  ) -> Buffer<Int> {
    let addresses = Buffer<Int>(capacity: count)
    var section = -1
    var range = 0..<0
    var address = 0
    for index in 0..<count {
      let position = Int(positions[index])
      while position >= range.upperBound {
        section += 1
        range = layout.range(section)
        address = first(section)
      }
      addresses[index] = address &+ (position &- range.lowerBound) &* stride
    }
    return addresses
  }

  /// Writes moves from a whole matching of each section, for the forms that need one.
  @inlinable
  @inline(never)
  func writeMatchings<Source: SectionedSource & ~Copyable>(
    _ source: borrowing Source, _ open: borrowing Open<Source.Items>, _ found: borrowing Buffer<Int32>, _ rest: borrowing SectionRest,
    _ pairs: SectionPairs, _ old: SectionLayout, _ new: SectionLayout, _ script: inout Script
  ) throws(DiffError) {
    for newSection in 0..<new.sectionCount where rest.isUnsettled(newSection) {
      let oldSection = pairs[newSection]
      let (from, to) = (old.range(oldSection), new.range(newSection))
      let match = matching(
        found, oldOpen: open.old, rest.oldGaps(oldSection, from), newOpen: open.new, rest.newGaps(newSection, to), count: to.count)
      if script.replacesUpdated {
        let local = source.local(oldSection, newSection)
        for index in 0..<to.count where match[index] >= 0 && local.changed(Int(match[index]), index) { match[index] = -1 }
      }
      script.moveItems(match, found, open.old, open.new, rest, from, to, oldSection, newSection)
    }
    if options.moves == .withoutSelfMoves { script.replaceSelfMoves(old, new) }
  }
}

extension SectionLayout {
  /// The address of every item.
  @usableFromInline
  func addresses(_ stride: Int, _ first: (Int) -> Int) -> [Int] {
    var addresses: [Int] = []
    addresses.reserveCapacity(itemCount)
    for section in 0..<sectionCount {
      let base = first(section)
      for item in 0..<count(section) { addresses.append(base &+ item &* stride) }
    }
    return addresses
  }

  @usableFromInline
  func place(_ flat: Int) -> DiffError.Place {
    let path = path(Int32(truncatingIfNeeded: flat))
    return DiffError.Place(section: path.section, item: path.item)
  }
}

/// The old section that each new one is, or -1.
@usableFromInline
struct SectionPairs {
  private let sources: [Int32]

  @usableFromInline
  init(_ sections: ChangeSet) {
    sources = sections.sources.map { $0.map { Int32($0) } ?? -1 }
  }

  @usableFromInline subscript(section: Int) -> Int { Int(sources[section]) }
}

/// Which of the open items are of which section.
@usableFromInline
struct SectionRest: ~Copyable {
  /// Where an old section's begin in the column of the open old ones, and how many they are.
  @usableFromInline let oldStarts: Buffer<Int32>
  @usableFromInline let oldCounts: Buffer<Int32>
  /// Where a new section's begin; one more than sections.
  @usableFromInline let newStarts: Buffer<Int32>

  @usableFromInline
  init(_ oldCount: Int, _ newCount: Int) {
    oldStarts = Buffer(repeating: 0, count: oldCount)
    oldCounts = Buffer(repeating: 0, count: oldCount)
    newStarts = Buffer(capacity: newCount + 1)
  }

  /// Brings the column of the old ones, written in the order of the new sections, into that of the old sections.
  @usableFromInline
  func sort(_ column: borrowing Buffer<Int32>, _ count: Int) {
    let sorted = Buffer<Int32>(capacity: count)
    var written = 0
    for section in 0..<oldStarts.capacity {
      let start = Int(oldStarts[section])
      oldStarts[section] = Int32(truncatingIfNeeded: written)
      for index in start..<(start + Int(oldCounts[section])) {
        sorted[written] = column[index]
        written += 1
      }
    }
    for index in 0..<written { column[index] = sorted[index] }
  }

  /// Whether a new section has open items, without which nothing in it moves.
  @usableFromInline
  func isUnsettled(_ section: Int) -> Bool { newStarts[section] < newStarts[section + 1] }

  @usableFromInline
  func oldGaps(_ section: Int, _ items: Range<Int>) -> Gaps {
    let start = Int(oldStarts[section])
    return Gaps(start..<(start + Int(oldCounts[section])), base: items.lowerBound)
  }

  @usableFromInline
  func newGaps(_ section: Int, _ items: Range<Int>) -> Gaps {
    Gaps(Int(newStarts[section])..<Int(newStarts[section + 1]), base: items.lowerBound)
  }
}
