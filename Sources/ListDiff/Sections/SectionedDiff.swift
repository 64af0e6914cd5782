extension Differ {
  /// Applies the policy `reject`, then diffs.
  @inlinable
  func changes<Source: SectionedSource>(between source: Source) throws(DiffError) -> SectionedChangeSet {
    let sections = source.sections
    try requireIndexable(old: sections.oldCount, new: sections.newCount)
    let oldCounts = (0..<sections.oldCount).map(source.oldItemCount)
    let newCounts = (0..<sections.newCount).map(source.newItemCount)
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
  func refuseDuplicates<Source: SectionedSource>(_ source: Source, _ old: SectionLayout, _ new: SectionLayout) throws(DiffError) {
    let sections = source.sections
    if let (first, second) = try Occurrences.firstDuplicate(OldSide(sections), self) {
      throw .duplicate(sections.describeOld(second), .old, first: .init(section: first), second: .init(section: second))
    }
    if let (first, second) = try Occurrences.firstDuplicate(NewSide(sections), self) {
      throw .duplicate(sections.describeNew(second), .new, first: .init(section: first), second: .init(section: second))
    }
    let oldAddresses = old.addresses(source.addressStride, source.oldAddress)
    if let (first, second) = try Occurrences.firstDuplicate(AllItems(source.items, oldAddresses, isOld: true), self) {
      throw .duplicate(source.items.describeOld(oldAddresses[second]), .old, first: old.place(first), second: old.place(second))
    }
    let newAddresses = new.addresses(source.addressStride, source.newAddress)
    if let (first, second) = try Occurrences.firstDuplicate(AllItems(source.items, newAddresses, isOld: false), self) {
      throw .duplicate(source.items.describeNew(newAddresses[second]), .new, first: new.place(first), second: new.place(second))
    }
  }

  /// Walks each section that stays against its other self, pairs the rest through one table, then finds the moves.
  @inlinable
  @inline(never)
  func computeChanges<Source: SectionedSource>(
    _ source: Source, _ sections: ChangeSet, _ old: SectionLayout, _ new: SectionLayout
  ) throws(DiffError) -> SectionedChangeSet {
    let pairs = SectionPairs(sections)
    let match = Buffer<Int32>(capacity: new.itemCount)
    var open = Open(source.items, oldCapacity: old.itemCount, newCapacity: new.itemCount, watches: false)
    // Where in `open.old` the rest of each old section begins, and how long it is: with sections out of order, so is it.
    var runs = [(start: Int, count: Int)](repeating: (0, 0), count: old.sectionCount)
    var script = Script(options)
    // New sections with items that the walk could not pair: only there can anything move.
    var unsettled: [Int] = []
    var walked = 0
    for (newSection, oldSection) in pairs.sources.enumerated() where oldSection >= 0 {
      let oldSection = Int(oldSection)
      let (start, newStart) = (open.oldCount, open.newCount)
      try walkSection(source.local(oldSection, newSection), old.range(oldSection), new.range(newSection), match, &open, &script)
      runs[oldSection] = (start, open.oldCount - start)
      if open.newCount > newStart { unsettled.append(newSection) }
      walked += new.count(newSection)
      if walked > Differ.stride {
        try checkCancellation()
        walked = 0
      }
    }
    try pairRest(source, open, runs, match, old, new, &script)
    try checkCancellation()
    script.moveItems(match, in: unsettled, pairs, old, new)
    script.finish()
    return SectionedChangeSet(
      trusted: sections, old, new, deletes: script.deletes, inserts: script.inserts, moves: script.moves, updates: script.updates)
  }

  /// Pairs the items of one section with its old ones: both ends by comparison, the middle by a walk.
  @inlinable
  @inline(__always)
  func walkSection<Local: PairSource, Items>(
    _ local: Local, _ old: Range<Int>, _ new: Range<Int>, _ match: borrowing Buffer<Int32>, _ open: inout Open<Items>,
    _ script: inout Script
  ) throws(DiffError) {
    let (oldBase, newBase) = (old.lowerBound, new.lowerBound)
    var (oldEnd, newEnd) = (old.count, new.count)
    var first = 0
    let limit = min(oldEnd, newEnd)
    while first < limit && local.same(first, first) {
      match[newBase &+ first] = Int32(truncatingIfNeeded: oldBase &+ first)
      noteChange(local, first, first, oldBase, newBase, match, &script)
      first &+= 1
    }
    if first == oldEnd && first == newEnd { return }
    while oldEnd > first && newEnd > first && local.same(oldEnd &- 1, newEnd &- 1) {
      oldEnd &-= 1
      newEnd &-= 1
      match[newBase &+ newEnd] = Int32(truncatingIfNeeded: oldBase &+ oldEnd)
    }
    let walk = Walk(length: min(oldEnd, newEnd) - first, oldBase: oldBase, newBase: newBase, shift: newBase)
    _ = try walk.run(local, old: first..<oldEnd, new: first..<newEnd, match: match, open: &open, differ: self)
    for index in first..<new.count {
      let at = match[newBase &+ index]
      if at >= 0 { noteChange(local, Int(at) &- oldBase, index, oldBase, newBase, match, &script) }
    }
  }

  @inlinable
  @inline(__always)
  func noteChange<Local: PairSource>(
    _ local: Local, _ i: Int, _ j: Int, _ oldBase: Int, _ newBase: Int, _ match: borrowing Buffer<Int32>, _ script: inout Script
  ) {
    guard local.changed(i, j) else { return }
    script.update(oldBase &+ i, newBase &+ j)
    if script.replacesUpdated { match[newBase &+ j] = -1 }
  }

  /// Pairs what the walks left open, across all sections that stay.
  @inlinable
  @inline(__always)
  func pairRest<Source: SectionedSource>(
    _ source: Source, _ open: borrowing Open<Source.Items>, _ runs: [(start: Int, count: Int)], _ match: borrowing Buffer<Int32>,
    _ old: SectionLayout, _ new: SectionLayout, _ script: inout Script
  ) throws(DiffError) {
    let stride = source.addressStride
    let positions = Buffer<Int32>(capacity: open.oldCount)
    let oldAddresses = Buffer<Int>(capacity: open.oldCount)
    var u = 0
    for (section, run) in runs.enumerated() where run.count > 0 {
      let address = source.oldAddress(section)
      let base = old.range(section).lowerBound
      for index in run.start..<(run.start + run.count) {
        let position = open.old[index]
        positions[u] = position
        oldAddresses[u] = address &+ (Int(position) &- base) &* stride
        u &+= 1
      }
    }
    let newAddresses = Buffer<Int>(capacity: open.newCount)
    var section = -1
    var range = 0..<0
    var address = 0
    for v in 0..<open.newCount {
      let position = Int(open.new[v])
      while position >= range.upperBound {
        section += 1
        range = new.range(section)
        address = source.newAddress(section)
      }
      newAddresses[v] = address &+ (position &- range.lowerBound) &* stride
    }
    let rest = OpenItems(source.items, old: oldAddresses, open.oldCount, new: newAddresses, open.newCount)
    let found = Buffer<Int32>(capacity: open.newCount)
    let pairing = try Pairing(rest, into: found, guarded: false, differ: self)
    let gone = pairing.left(rest.oldCount) { u in positions[u] }
    let updatesBefore = script.updates.count
    var come: [Int32] = []
    for v in 0..<open.newCount {
      let position = Int(open.new[v])
      let u = Int(found[v])
      if u < 0 {
        match[position] = -1
        come.append(open.new[v])
        continue
      }
      match[position] = positions[u]
      if source.items.changed(rest.old[u], rest.new[v]) {
        script.update(Int(positions[u]), position)
        if script.replacesUpdated { match[position] = -1 }
      }
    }
    script.append(deletes: gone, inserts: come)
    script.mergeUpdates(from: updatesBefore)
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

/// Which old section each new one is.
@usableFromInline
struct SectionPairs {
  /// For each new section the old one or -1.
  @usableFromInline let sources: [Int32]

  @usableFromInline
  init(_ sections: ChangeSet) {
    sources = sections.sources.map { $0.map(Int32.init) ?? -1 }
  }
}
