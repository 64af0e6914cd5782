import MinervaWire

/// A pair of lists to be measured, as numbers: which element, and which version of its content.
struct Workload: Sendable {
  struct Element: Hashable, Sendable {
    var number: Int
    var version: Int
  }

  var old: [Element]
  var new: [Element]
  /// The length of a section, or nil for a flat pair.
  var sectionLength: Int?
  /// For sections, which old one each new one is.
  var sectionOrder: [Int] = []

  /// What is done to a list of *n*.
  enum Shape: Hashable, Sendable {
    case same, prepend, edits, sortedEdits, clustered, ends, duplicates, shuffle, replace, reverse, firstToLast, allEqual
    case sectionsSame, sectionsEdits, sectionsShuffled
    case hunted(HuntedShape, rank: Int)

    var name: String {
      switch self {
      case .same: "same"
      case .prepend: "prepend1"
      case .edits: "edits5"
      case .sortedEdits: "edits5_sorted_ids"
      case .clustered: "edits5_clustered"
      case .ends: "edits5_both_ends"
      case .duplicates: "edits5_duplicates10"
      case .shuffle: "shuffle"
      case .replace: "replace"
      case .reverse: "reverse"
      case .firstToLast: "first_to_last"
      case .allEqual: "all_equal"
      case .sectionsSame: "sections_same"
      case .sectionsEdits: "sections_edits5"
      case .sectionsShuffled: "sections_items_shuffled"
      case .hunted(_, let rank): "hunted\(rank)"
      }
    }

    var isSectioned: Bool { [.sectionsSame, .sectionsEdits, .sectionsShuffled].contains(self) }
  }

  init(_ shape: Shape, _ count: Int, _ random: inout SplitMix64) {
    // Elements are numbered anew in each pair, so that no round sees an identifier of another.
    let base = shape == .sortedEdits ? 0 : Int(truncatingIfNeeded: random.next() & 0xFFFF_FFFF) << 24
    old = (0..<count).map { Element(number: base + $0, version: 0) }
    new = old
    let part = max(1, count / 80)
    switch shape {
    case .same: break
    case .prepend: new.insert(Element(number: base - 1, version: 0), at: 0)
    case .edits, .sortedEdits: edit(0..<count, part, base, &random)
    case .clustered:
      for start in [count / 10, count / 2, count * 8 / 10] { edit(start..<(start + count / 10), part / 3, base + start, &random) }
    case .ends:
      edit((count * 9 / 10)..<count, part / 2, base + count, &random)
      edit(0..<(count / 10), part / 2, base, &random)
    case .duplicates:
      for index in old.indices where Int.random(in: 0..<10, using: &random) == 0 {
        old[index].number = base + Int.random(in: 0..<count, using: &random)
      }
      new = old
      edit(0..<count, part, base, &random)
    case .shuffle: new.shuffle(using: &random)
    case .replace: new = new.map { Element(number: $0.number + count, version: 0) }
    case .reverse: new.reverse()
    case .firstToLast: new.append(new.removeFirst())
    case .allEqual:
      old = old.map { _ in Element(number: base, version: 0) }
      new = old
    case .sectionsSame, .sectionsEdits, .sectionsShuffled:
      let length = count >= 10_000 ? 100 : 10
      sectionLength = length
      sectionOrder = Array(0..<(count / length))
      if shape == .sectionsEdits {
        // As many rows come as go, so that the sections' lengths stay.
        replaceSome(part, base, &random)
        if sectionOrder.count > 9 { for _ in 0..<(sectionOrder.count / 80) { moveSection(&random) } }
      } else if shape == .sectionsShuffled {
        new.shuffle(using: &random)
      }
    case .hunted(let hunted, _): hunted.apply(&old, &new, base, &random)
    }
  }

  /// Deletes, inserts, updates and moves as many elements each, at uniform places in a range of the new list.
  private mutating func edit(_ range: Range<Int>, _ count: Int, _ base: Int, _ random: inout SplitMix64) {
    var fates = [UInt8](repeating: 0, count: range.count)
    for fate in UInt8(1)...3 {
      for _ in 0..<count { fates[Int.random(in: 0..<range.count, using: &random)] = fate }
    }
    var kept: [Element] = []
    var arriving = (0..<count).map { Element(number: base + (1 << 23) + range.lowerBound + $0, version: 0) }
    for (offset, fate) in fates.enumerated() {
      var element = new[range.lowerBound + offset]
      switch fate {
      case 1: continue
      case 2: arriving.append(element)
      default:
        if fate == 3 { element.version += 1 }
        kept.append(element)
      }
    }
    arriving.shuffle(using: &random)
    var slots = [Bool](repeating: false, count: kept.count + arriving.count)
    var left = arriving.count
    while left > 0 {
      let slot = Int.random(in: 0..<slots.count, using: &random)
      if !slots[slot] {
        slots[slot] = true
        left -= 1
      }
    }
    var (nextKept, nextArriving) = (kept.makeIterator(), arriving.makeIterator())
    new.replaceSubrange(range, with: slots.compactMap { $0 ? nextArriving.next() : nextKept.next() })
  }

  private mutating func replaceSome(_ count: Int, _ base: Int, _ random: inout SplitMix64) {
    for index in 0..<count {
      new[Int.random(in: 0..<new.count, using: &random)] = Element(number: base - 1 - index, version: 0)
      new[Int.random(in: 0..<new.count, using: &random)].version += 1
      new.swapAt(.random(in: 0..<new.count, using: &random), .random(in: 0..<new.count, using: &random))
    }
  }

  private mutating func moveSection(_ random: inout SplitMix64) {
    let length = sectionLength ?? 1
    let from = Int.random(in: 0..<sectionOrder.count, using: &random)
    let section = sectionOrder.remove(at: from)
    let rows = Array(new[(from * length)..<((from + 1) * length)])
    new.removeSubrange((from * length)..<((from + 1) * length))
    let to = Int.random(in: 0...sectionOrder.count, using: &random)
    sectionOrder.insert(section, at: to)
    new.insert(contentsOf: rows, at: to * length)
  }
}

/// A random composition of edits, by its parameters, so that it can be had at any length.
struct HuntedShape: Hashable, Sendable {
  /// Shares of the list, in thousandths.
  var shuffled: Int
  var replaced: Int
  var duplicates: Int
  /// Distinct identifiers among the duplicates, in thousandths of the list.
  var variety: Int
  var blocks: Int
  /// Every how many elements one is dropped; 0 for none.
  var comb: Int
  var reversed: Bool

  init(_ random: inout SplitMix64) {
    func share() -> Int { [0, 0, 5, 20, 80, 300, 1_000].randomElement(using: &random) ?? 0 }
    shuffled = share()
    replaced = share()
    duplicates = share()
    variety = [1, 5, 50, 500].randomElement(using: &random) ?? 1
    blocks = [0, 0, 1, 3, 20, 100].randomElement(using: &random) ?? 0
    comb = [0, 0, 2, 3, 7, 8, 20].randomElement(using: &random) ?? 0
    reversed = Int.random(in: 0..<8, using: &random) == 0
  }

  func apply(_ old: inout [Workload.Element], _ new: inout [Workload.Element], _ base: Int, _ random: inout SplitMix64) {
    let count = old.count
    guard count > 1 else { return }
    for _ in 0..<(count * duplicates / 1_000) {
      old[Int.random(in: 0..<count, using: &random)].number = base + Int.random(in: 0..<max(1, count * variety / 1_000), using: &random)
    }
    new = old
    for index in 0..<(count * replaced / 1_000) { new[Int.random(in: 0..<count, using: &random)].number = base - 1 - index }
    for _ in 0..<(count * shuffled / 2_000) {
      new.swapAt(.random(in: 0..<count, using: &random), .random(in: 0..<count, using: &random))
    }
    for _ in 0..<blocks {
      let length = Int.random(in: 1...max(1, count / 20), using: &random)
      let start = Int.random(in: 0...(new.count - length), using: &random)
      let block = Array(new[start..<(start + length)])
      new.removeSubrange(start..<(start + length))
      new.insert(contentsOf: block, at: Int.random(in: 0...new.count, using: &random))
    }
    if comb > 0 { new = new.enumerated().filter { $0.offset % comb != 0 }.map(\.element) }
    if reversed { new.reverse() }
  }
}
