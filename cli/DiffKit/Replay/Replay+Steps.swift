package import ListDiff

extension Replay {
  /// Carries out a sequential script one step after the other.
  package static func steps(_ steps: [ChangeSet.Step], on rows: [Int]) throws(Fault) -> [Int] {
    var list = SequentialList(rows)
    for step in steps {
      switch step {
      case .delete(let position): _ = try list.remove(at: position)
      case .move(let from, let to): try list.insert(try list.remove(at: from), at: to)
      case .insert(let position): try list.insert(fresh(position), at: position)
      case .update(let position): _ = try list.replace(at: position, with: fresh(position))
      }
    }
    return list.rows
  }

  /// The same on sections; what is new comes from `new`.
  package static func steps(_ steps: [SectionedChangeSet.Step], on old: Sections, new: Sections) throws(Fault) -> Sections {
    var sections = SequentialList(Array(old.ids.indices))
    // By the number of the section: from 0 the old ones, then the inserted.
    var ids = old.ids
    var items = old.rows.map(SequentialList.init)
    func known(_ position: Int) throws(Fault) -> Int {
      guard new.ids.indices.contains(position) else { throw Fault("new section \(position) is not there") }
      return position
    }
    func row(_ path: ItemPath) throws(Fault) -> Int {
      let rows = new.rows[try known(path.section)]
      guard rows.indices.contains(path.item) else { throw Fault("new item \(path) is not there") }
      return rows[path.item]
    }
    for step in steps {
      switch step {
      case .deleteItem(let path): _ = try items[try sections.row(at: path.section)].remove(at: path.item)
      case .deleteSection(let position): _ = try sections.remove(at: position)
      case .moveSection(let from, let to): try sections.insert(try sections.remove(at: from), at: to)
      case .insertSection(let position):
        ids.append(new.ids[try known(position)])
        items.append(SequentialList(new.rows[position]))
        try sections.insert(ids.count - 1, at: position)
      case .moveItem(let from, let to):
        let moved = try items[try sections.row(at: from.section)].remove(at: from.item)
        try items[try sections.row(at: to.section)].insert(moved, at: to.item)
      case .insertItem(let path): try items[try sections.row(at: path.section)].insert(try row(path), at: path.item)
      case .updateItem(let path): _ = try items[try sections.row(at: path.section)].replace(at: path.item, with: try row(path))
      case .updateSection(let position): ids[try sections.row(at: position)] = new.ids[try known(position)]
      }
    }
    let order = sections.rows
    return Sections(ids: order.map { ids[$0] }, rows: order.map { items[$0].rows })
  }
}
