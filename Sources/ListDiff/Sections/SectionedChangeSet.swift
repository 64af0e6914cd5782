/// What turns one list of sections into another: the batch form.
///
/// `sections` are the changes of the sections themselves. `items` are the changes inside the sections that stay, moved or
/// not: an inserted or deleted section covers its items, a moved one carries them. An item that leaves a deleted section, or
/// enters an inserted one, is never a move: what stays of it is a delete or an insert on the other side.
///
/// Old paths are in the list before, new ones in the list after, as with ``ChangeSet``, and each column ascends. Items that
/// cross sections move; inside a section the fewest possible do.
///
/// Replay: for each new section take its items from the new list if it is inserted; else take the old section it is, drop
/// the deleted and the moved, put moved and inserted items at their new places, and fill the rest left to right with what
/// is left.
///
/// Memory: 4 bytes a delete or insert, 8 a move or update, 4 a section on either side.
public struct SectionedChangeSet: Sendable, Hashable {
  /// The changes of the sections: a section is updated when its own content changed, whatever its items did.
  public let sections: ChangeSet
  package let oldLayout: SectionLayout
  package let newLayout: SectionLayout
  /// Items numbered through all sections.
  package let flat: FlatItems

  package struct FlatItems: Sendable, Hashable {
    package var deletes: [Int32] = []
    package var inserts: [Int32] = []
    package var moves: [Link] = []
    package var updates: [Link] = []
  }

  @usableFromInline
  package init(
    trusted sections: ChangeSet, _ oldLayout: SectionLayout, _ newLayout: SectionLayout,
    deletes: [Int32] = [], inserts: [Int32] = [], moves: [Link] = [], updates: [Link] = []
  ) {
    self.sections = sections
    self.oldLayout = oldLayout
    self.newLayout = newLayout
    flat = FlatItems(deletes: deletes, inserts: inserts, moves: moves, updates: updates)
  }

  /// The changes of items in sections that stay.
  public var items: Items { Items(flat: flat, old: oldLayout, new: newLayout) }

  /// The number of items in each old section.
  public var oldItemCounts: [Int] { (0..<oldLayout.sectionCount).map(oldLayout.count) }
  /// The number of items in each new section.
  public var newItemCounts: [Int] { (0..<newLayout.sectionCount).map(newLayout.count) }

  /// Whether both lists are the same.
  public var isEmpty: Bool { sections.isEmpty && items.operationCount == 0 }

  /// The number of operations on sections and items.
  public var operationCount: Int { sections.operationCount + items.operationCount }

  /// The old section that each new one is, or nil for an inserted one.
  ///
  /// - Complexity: O(number of sections).
  public var sectionSources: [Int?] { sections.sources }
}

extension ChangeSet {
  /// The old position of each new element, or nil for an inserted one.
  ///
  /// - Complexity: O(*n*).
  public var sources: [Int?] {
    var leaves = [Bool](repeating: false, count: oldCount)
    for delete in deletes.storage { leaves[Int(delete)] = true }
    for move in moves.storage { leaves[Int(move.old)] = true }
    var sources = [Int?](repeating: nil, count: newCount)
    var taken = [Bool](repeating: false, count: newCount)
    for insert in inserts.storage { taken[Int(insert)] = true }
    for move in moves.storage {
      taken[Int(move.new)] = true
      sources[Int(move.new)] = Int(move.old)
    }
    var kept = 0
    for position in 0..<newCount where !taken[position] {
      while leaves[kept] { kept += 1 }
      sources[position] = kept
      kept += 1
    }
    return sources
  }
}

extension SectionedChangeSet {
  /// The item columns of a sectioned change set, by path.
  public struct Items: Sendable, Hashable {
    let flat: FlatItems
    let old: SectionLayout
    let new: SectionLayout

    /// Old paths of the items that are gone.
    public var deletes: Paths { Paths(storage: flat.deletes, layout: old) }
    /// New paths of the items that are new.
    public var inserts: Paths { Paths(storage: flat.inserts, layout: new) }
    /// Items that changed their place among those that stay, ascending by the new one.
    public var moves: Moves { Moves(storage: flat.moves, old: old, new: new) }
    /// Items that stay with another content, ascending by their new place.
    public var updates: Updates { Updates(storage: flat.updates, old: old, new: new) }

    /// The number of operations on items.
    public var operationCount: Int { flat.deletes.count + flat.inserts.count + flat.moves.count + flat.updates.count }
  }

  /// Ascending paths. Reading one costs O(log *s*) in the number of sections.
  public struct Paths: Sendable, Hashable, RandomAccessCollection, CustomStringConvertible {
    let storage: [Int32]
    let layout: SectionLayout

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.count }
    public subscript(index: Int) -> ItemPath { layout.path(storage[index]) }
    public var description: String { Array(self).description }
  }

  /// Moves of items, ascending by the path moved to.
  public struct Moves: Sendable, Hashable, RandomAccessCollection, CustomStringConvertible {
    let storage: [Link]
    let old: SectionLayout
    let new: SectionLayout

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.count }
    public subscript(index: Int) -> ItemMove { ItemMove(from: old.path(storage[index].old), to: new.path(storage[index].new)) }
    public var description: String { Array(self).description }
  }

  /// Updates of items, ascending by their new path.
  public struct Updates: Sendable, Hashable, RandomAccessCollection, CustomStringConvertible {
    let storage: [Link]
    let old: SectionLayout
    let new: SectionLayout

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.count }
    public subscript(index: Int) -> ItemUpdate { ItemUpdate(old: old.path(storage[index].old), new: new.path(storage[index].new)) }
    public var description: String { Array(self).description }
  }
}

extension SectionedChangeSet: CustomStringConvertible {
  public var description: String {
    "sections \(sections); items: deletes \(items.deletes), inserts \(items.inserts), moves \(items.moves), updates \(items.updates)"
  }
}
