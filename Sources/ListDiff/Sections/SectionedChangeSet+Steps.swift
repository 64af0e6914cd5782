extension SectionedChangeSet {
  /// One operation of the sequential script, on the sections as the steps before have left them.
  public enum Step: Sendable, Hashable, CustomStringConvertible {
    /// Remove the item at a path.
    case deleteItem(at: ItemPath)
    /// Remove the section at a position, with what is left in it.
    case deleteSection(at: Int)
    /// Take the section out of one position, with its items, then put it in at another of the list that is left.
    case moveSection(from: Int, to: Int)
    /// Put in, at its position in the new list, the section that stands there, with its items.
    case insertSection(at: Int)
    /// Take the item out of one path, then put it in at another of the sections that are left.
    case moveItem(from: ItemPath, to: ItemPath)
    /// Put in, at its path in the new list, the item that stands there.
    case insertItem(at: ItemPath)
    /// Replace the item by the one that stands at the same path in the new list.
    case updateItem(at: ItemPath)
    /// Give the section the content of the one at the same position in the new list; its items stay.
    case updateSection(at: Int)

    public var description: String {
      switch self {
      case .deleteItem(let path): "delete \(path)"
      case .deleteSection(let position): "delete section \(position)"
      case .moveSection(let from, let to): "move section \(from) to \(to)"
      case .insertSection(let position): "insert section \(position)"
      case .moveItem(let from, let to): "move \(from) to \(to)"
      case .insertItem(let path): "insert \(path)"
      case .updateItem(let path): "update \(path)"
      case .updateSection(let position): "update section \(position)"
      }
    }
  }

  /// The sequential script: item deletes from the back, then the sections' deletes, moves and inserts, then the items' moves
  /// and inserts, which happen where the sections stand for good, then updates; as many steps as the batch has operations.
  ///
  /// Applied one by one to the old sections they give the new ones.
  ///
  /// - Complexity: O(*k* log *k* + *s*) in the number of operations and of sections.
  public var steps: [Step] {
    var steps: [Step] = []
    steps.reserveCapacity(operationCount)
    for path in items.deletes.reversed() { steps.append(.deleteItem(at: path)) }
    let structure = ChangeSet(
      trusted: sections.oldCount, sections.newCount, deletes: sections.deletes.storage, inserts: sections.inserts.storage,
      moves: sections.moves.storage)
    for step in structure.steps {
      switch step {
      case .delete(let position): steps.append(.deleteSection(at: position))
      case .move(let from, let to): steps.append(.moveSection(from: from, to: to))
      case .insert(let position): steps.append(.insertSection(at: position))
      case .update: break
      }
    }
    appendItemMoves(to: &steps)
    for path in items.inserts { steps.append(.insertItem(at: path)) }
    for update in items.updates { steps.append(.updateItem(at: update.new)) }
    for update in sections.updates { steps.append(.updateSection(at: update.new)) }
    return steps
  }

  private func appendItemMoves(to steps: inout [Step]) {
    if flat.moves.isEmpty { return }
    let sources = sectionSources
    var targets = [Int](repeating: 0, count: sections.oldCount)
    for (new, old) in sources.enumerated() {
      if let old { targets[old] = new }
    }
    var script = SequentialMoves(deletes: flat.deletes, inserts: flat.inserts, moves: flat.moves)
    var entered = -1
    var done = 0
    for move in flat.moves {
      let (origin, target) = (oldLayout.section(of: move.old), newLayout.section(of: move.new))
      if target != entered { (entered, done) = (target, 0) }
      // Nothing moves into an inserted section.
      let standing = sources[target].map(oldLayout.range) ?? 0..<0
      let (from, to) = script.take(move, out: oldLayout.range(origin), into: newLayout.range(target), standing: standing, done: done)
      steps.append(.moveItem(from: ItemPath(section: targets[origin], item: from), to: ItemPath(section: target, item: to)))
      done += 1
    }
  }

  /// Replays the sequential script on the old sections, taking what is new from the new list.
  ///
  /// - Throws: `diff.mismatch` when a list has not the sections and items the change set was computed for.
  /// - Complexity: O(*k* *n*): every step shifts an array. ``apply(to:from:)`` is linear.
  public func applySteps<Section: DiffableSection>(to old: [Section], from new: [Section]) throws(DiffError) -> [Section] {
    let fresh = new.map(\.items)
    try requireShape(fresh.map(\.count), newLayout, .new)
    var list = old.map { (section: $0, items: $0.items) }
    try requireShape(list.map(\.items.count), oldLayout, .old)
    for step in steps {
      switch step {
      case .deleteItem(let path): list[path.section].items.remove(at: path.item)
      case .deleteSection(let position): list.remove(at: position)
      case .moveSection(let from, let to): list.insert(list.remove(at: from), at: to)
      case .insertSection(let position): list.insert((new[position], fresh[position]), at: position)
      case .moveItem(let from, let to):
        let item = list[from.section].items.remove(at: from.item)
        list[to.section].items.insert(item, at: to.item)
      case .insertItem(let path): list[path.section].items.insert(fresh[path.section][path.item], at: path.item)
      case .updateItem(let path): list[path.section].items[path.item] = fresh[path.section][path.item]
      case .updateSection(let position): list[position].section = new[position]
      }
    }
    return list.map { $0.section.replacingItems($0.items) }
  }
}
