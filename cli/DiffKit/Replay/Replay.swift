/// Replays change sets on row numbers alone; written from the contract of the forms, with no code of the differ's.
///
/// A row is a number: from 0 the rows of the old list, below that those of the new one (`-1` is new row 0), which is whom an insert or an
/// update takes its row from.
package enum Replay {
  /// A row of the new list, as the replay names it.
  static func fresh(_ position: Int) -> Int { -1 - position }

  /// Why a replay cannot go on.
  package struct Fault: Error, Hashable, Sendable {
    package let text: String

    init(_ text: String) { self.text = text }
  }

  /// The columns of a batch.
  package struct Batch: Sendable {
    package var deletes: [Int] = []
    package var inserts: [Int] = []
    package var moves: [(from: Int, to: Int)] = []
    package var updates: [(old: Int, new: Int)] = []

    package init() {}
  }

  /// Drop the deleted and the moved, set moved and inserted at their places, fill the rest from left to right, then take new contents.
  package static func batch(_ batch: Batch, on list: [Int], count: Int, fresh: (Int) -> Int) throws(Fault) -> [Int] {
    let empty = Int.min
    var left = list
    func take(_ position: Int) throws(Fault) -> Int {
      guard left.indices.contains(position), left[position] != empty else {
        throw Fault("old position \(position) is taken twice or not there")
      }
      defer { left[position] = empty }
      return left[position]
    }
    var result = [Int](repeating: empty, count: count)
    func put(_ row: Int, _ position: Int) throws(Fault) {
      guard result.indices.contains(position), result[position] == empty else {
        throw Fault("new position \(position) is filled twice or not there")
      }
      result[position] = row
    }
    for delete in batch.deletes { _ = try take(delete) }
    for move in batch.moves { try put(try take(move.from), move.to) }
    for insert in batch.inserts { try put(fresh(insert), insert) }
    var next = 0
    for position in result.indices where result[position] == empty {
      while next < left.count, left[next] == empty { next += 1 }
      guard next < left.count else { throw Fault("no old row is left for new position \(position)") }
      result[position] = left[next]
      next += 1
    }
    while next < left.count, left[next] == empty { next += 1 }
    guard next == left.count else { throw Fault("old row \(next) is left over") }
    for update in batch.updates {
      guard list.indices.contains(update.old), result.indices.contains(update.new), result[update.new] == list[update.old] else {
        throw Fault("the update \(update.old)→\(update.new) names two different rows")
      }
      result[update.new] = fresh(update.new)
    }
    return result
  }

  /// The rows of a list of sections.
  package struct Sections: Sendable, Hashable {
    /// For each section the number it is known by, old or fresh.
    package var ids: [Int]
    package var rows: [[Int]]

    package init(ids: [Int], rows: [[Int]]) {
      self.ids = ids
      self.rows = rows
    }
  }

  /// A place in a list of sections.
  package struct Path: Hashable, Sendable {
    package var section: Int
    package var item: Int

    package init(_ section: Int, _ item: Int) {
      self.section = section
      self.item = item
    }
  }

  /// The columns of a batch of sections.
  package struct SectionBatch: Sendable {
    package var sections = Batch()
    package var deletes: [Path] = []
    package var inserts: [Path] = []
    package var moves: [(from: Path, to: Path)] = []
    package var updates: [(old: Path, new: Path)] = []

    package init() {}
  }

  /// The same for sections: those that stay keep their items but for the columns, inserted ones come whole from `new`.
  package static func batch(_ batch: SectionBatch, on list: Sections, new: Sections) throws(Fault) -> Sections {
    let order = try self.batch(batch.sections, on: Array(list.ids.indices), count: new.ids.count, fresh: fresh)
    var sources = order
    for update in batch.sections.updates { sources[update.new] = update.old }
    var pulled: [Int: Set<Int>] = [:]
    func pull(_ path: Path) throws(Fault) -> Int {
      guard list.rows.indices.contains(path.section), list.rows[path.section].indices.contains(path.item) else {
        throw Fault("old item \(path.section).\(path.item) is not there")
      }
      guard pulled[path.section, default: []].insert(path.item).inserted else {
        throw Fault("old item \(path.section).\(path.item) is taken twice")
      }
      return list.rows[path.section][path.item]
    }
    for path in batch.deletes { _ = try pull(path) }
    var placed: [Int: [Int: Int]] = [:]
    func place(_ row: Int, _ path: Path) throws(Fault) {
      guard placed[path.section, default: [:]].updateValue(row, forKey: path.item) == nil else {
        throw Fault("new item \(path.section).\(path.item) is filled twice")
      }
    }
    func freshItem(_ path: Path) throws(Fault) -> Int {
      guard new.rows.indices.contains(path.section), new.rows[path.section].indices.contains(path.item) else {
        throw Fault("new item \(path.section).\(path.item) is not there")
      }
      return new.rows[path.section][path.item]
    }
    for move in batch.moves { try place(try pull(move.from), move.to) }
    for path in batch.inserts { try place(try freshItem(path), path) }
    var result = Sections(ids: [], rows: [])
    for (section, source) in sources.enumerated() {
      guard source >= 0 else {
        guard placed[section] == nil else { throw Fault("an item goes into the inserted section \(section)") }
        result.ids.append(new.ids[section])
        result.rows.append(new.rows[section])
        continue
      }
      let gone = pulled.removeValue(forKey: source) ?? []
      var kept = list.rows[source].enumerated().lazy.filter { !gone.contains($0.offset) }.map(\.element).makeIterator()
      let fixed = placed.removeValue(forKey: section) ?? [:]
      let count = list.rows[source].count - gone.count + fixed.count
      var rows: [Int] = []
      rows.reserveCapacity(count)
      for item in 0..<count {
        guard let row = fixed[item] ?? kept.next() else { throw Fault("the items of section \(section) do not add up") }
        rows.append(row)
      }
      guard kept.next() == nil else { throw Fault("the items of section \(section) do not add up") }
      result.ids.append(order[section] < 0 ? new.ids[section] : list.ids[source])
      result.rows.append(rows)
    }
    guard pulled.isEmpty, placed.isEmpty else { throw Fault("an item changes in a section that is not there") }
    for update in batch.updates {
      let row = try freshItem(update.new)
      guard list.rows.indices.contains(update.old.section), list.rows[update.old.section].indices.contains(update.old.item),
        result.rows[update.new.section].indices.contains(update.new.item),
        result.rows[update.new.section][update.new.item] == list.rows[update.old.section][update.old.item]
      else { throw Fault("an update names two different items") }
      result.rows[update.new.section][update.new.item] = row
    }
    return result
  }
}
