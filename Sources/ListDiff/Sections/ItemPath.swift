/// An item's place: the position of its section, and its position in there. Printed as `2.4`.
public struct ItemPath: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The position of the section.
  public var section: Int
  /// The position in the section.
  public var item: Int

  /// The place of an item.
  @inlinable
  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  /// By section, then by item.
  @inlinable
  public static func < (a: ItemPath, b: ItemPath) -> Bool { (a.section, a.item) < (b.section, b.item) }

  public var description: String { "\(section).\(item)" }
}

/// An item that changed its place, inside its section or to another one.
public struct ItemMove: Sendable, Hashable, CustomStringConvertible {
  /// Its path in the old list.
  public var from: ItemPath
  /// Its path in the new list.
  public var to: ItemPath

  /// A move between two paths.
  @inlinable
  public init(from: ItemPath, to: ItemPath) {
    self.from = from
    self.to = to
  }

  public var description: String { "\(from)→\(to)" }
}

/// An item whose content changed, by its place in both lists.
public struct ItemUpdate: Sendable, Hashable, CustomStringConvertible {
  /// Its path in the old list.
  public var old: ItemPath
  /// Its path in the new list.
  public var new: ItemPath

  /// An update of the item at two paths.
  @inlinable
  public init(old: ItemPath, new: ItemPath) {
    self.old = old
    self.new = new
  }

  public var description: String { "\(old)→\(new)" }
}

/// How a list of items is cut into sections: items are numbered through, section *s* has those from `bases[s]` to
/// `bases[s + 1]`.
@usableFromInline
package struct SectionLayout: Sendable, Hashable {
  /// One more than sections; begins with 0.
  @usableFromInline package let bases: [Int32]

  /// - Precondition: The counts add up to less than 2³¹ (``requireIndexable(old:new:)`` has been asked).
  @usableFromInline
  package init(counts: [Int]) {
    var bases: [Int32] = [0]
    bases.reserveCapacity(counts.count + 1)
    var sum: Int32 = 0
    for count in counts {
      sum += Int32(count)
      bases.append(sum)
    }
    self.bases = bases
  }

  @usableFromInline package var sectionCount: Int { bases.count - 1 }
  @usableFromInline package var itemCount: Int { Int(bases[bases.count - 1]) }

  @usableFromInline package func count(_ section: Int) -> Int { Int(bases[section + 1] - bases[section]) }

  @usableFromInline package func range(_ section: Int) -> Range<Int> { Int(bases[section])..<Int(bases[section + 1]) }

  /// The section that holds an item: the last one that begins at or before it.
  package func section(of flat: Int32) -> Int {
    var low = 0
    var high = bases.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if bases[middle] <= flat { low = middle } else { high = middle }
    }
    return low
  }

  @usableFromInline package func path(_ flat: Int32) -> ItemPath {
    let section = section(of: flat)
    return ItemPath(section: section, item: Int(flat - bases[section]))
  }

  /// The number of an item, or nil for a place that does not exist.
  package func flat(_ path: ItemPath) -> Int32? {
    guard path.section >= 0, path.section < sectionCount, path.item >= 0, path.item < count(path.section) else { return nil }
    return bases[path.section] + Int32(path.item)
  }
}
