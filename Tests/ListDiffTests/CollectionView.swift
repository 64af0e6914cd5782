import ListDiff

/// A section of rows for tests.
struct Part: DiffableSection, Hashable, CustomStringConvertible {
  var id: Int
  var header = ""
  var items: [Row]

  init(_ id: Int, _ header: String = "", _ items: [Row] = []) {
    self.id = id
    self.header = header
    self.items = items
  }

  var diffID: Int { id }
  func replacingItems(_ items: [Row]) -> Part { Part(id, header, items) }
  var description: String { "\(id)\(header)\(items)" }

  /// Sections from a text such as `4: 10 11 12; 9: 25`.
  static func list(_ text: String) -> [Part] {
    text.split(separator: ";").map { section in
      let halves = section.split(separator: ":", omittingEmptySubsequences: false)
      return Part(Int(halves[0].filter { $0 != " " }) ?? 0, "", Row.list(halves.count > 1 ? String(halves[1]) : ""))
    }
  }
}

/// One call of `performBatchUpdates`, unchecked.
struct Batch {
  var sectionDeletes: [Int] = []
  var sectionInserts: [Int] = []
  var sectionMoves: [Move] = []
  var sectionUpdates: [Update] = []
  var deletes: [ItemPath] = []
  var inserts: [ItemPath] = []
  var moves: [ItemMove] = []
  var updates: [ItemUpdate] = []
}

extension Batch {
  init(_ changes: SectionedChangeSet) {
    sectionDeletes = Array(changes.sections.deletes)
    sectionInserts = Array(changes.sections.inserts)
    sectionMoves = Array(changes.sections.moves)
    sectionUpdates = Array(changes.sections.updates)
    deletes = Array(changes.items.deletes)
    inserts = Array(changes.items.inserts)
    moves = Array(changes.items.moves)
    updates = Array(changes.items.updates)
  }

  /// A flat batch, in the only section there is.
  init(_ changes: ChangeSet) {
    func path(_ item: Int) -> ItemPath { ItemPath(section: 0, item: item) }
    deletes = changes.deletes.map(path)
    inserts = changes.inserts.map(path)
    moves = changes.moves.map { ItemMove(from: path($0.from), to: path($0.to)) }
    updates = changes.updates.map { ItemUpdate(old: path($0.old), new: path($0.new)) }
  }
}

/// A collection view without a screen: it keeps its own list, and refuses every batch that the real one would crash on.
struct CollectionView {
  private(set) var sections: [Part]

  struct Refusal: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
  }

  init(_ sections: [Part]) { self.sections = sections }

  /// Performs a batch after which the data source holds `data`.
  mutating func perform(_ batch: Batch, data: [Part]) throws {
    try checkSections(batch, data)
    try checkItems(batch, data)
    let sources = try arrangeSections(batch, data)
    try compareItems(batch, data, sources)
    sections = data
  }

  private func unique<Key: Hashable>(_ keys: [Key], _ what: String) throws {
    var seen: Set<Key> = []
    for key in keys where !seen.insert(key).inserted { throw Refusal("\(what) \(key) is used twice") }
  }

  private func checkSections(_ batch: Batch, _ data: [Part]) throws {
    let before = batch.sectionDeletes + batch.sectionMoves.map(\.from) + batch.sectionUpdates.map(\.old)
    let after = batch.sectionInserts + batch.sectionMoves.map(\.to) + batch.sectionUpdates.map(\.new)
    for section in before where !sections.indices.contains(section) { throw Refusal("old section \(section) does not exist") }
    for section in after where !data.indices.contains(section) { throw Refusal("new section \(section) does not exist") }
    try unique(before, "old section")
    try unique(after, "new section")
    if sections.count - batch.sectionDeletes.count + batch.sectionInserts.count != data.count {
      throw Refusal("section count does not add up")
    }
  }

  private func checkItems(_ batch: Batch, _ data: [Part]) throws {
    func requirePath(_ path: ItemPath, in list: [Part], _ side: String) throws {
      guard list.indices.contains(path.section), list[path.section].items.indices.contains(path.item) else {
        throw Refusal("\(side) item \(path) does not exist")
      }
    }
    let before = batch.deletes + batch.moves.map(\.from) + batch.updates.map(\.old)
    let after = batch.inserts + batch.moves.map(\.to) + batch.updates.map(\.new)
    for path in before { try requirePath(path, in: sections, "old") }
    for path in after { try requirePath(path, in: data, "new") }
    try unique(before, "old item")
    try unique(after, "new item")
    let closedBefore = Set(batch.sectionDeletes + batch.sectionMoves.map(\.from) + batch.sectionUpdates.map(\.old))
    let closedAfter = Set(batch.sectionInserts + batch.sectionMoves.map(\.to) + batch.sectionUpdates.map(\.new))
    for path in before where closedBefore.contains(path.section) {
      throw Refusal("old item \(path) changes in a section that changes itself")
    }
    for path in after where closedAfter.contains(path.section) {
      throw Refusal("new item \(path) changes in a section that changes itself")
    }
  }

  /// The old section that each new one is, or nil.
  private func arrangeSections(_ batch: Batch, _ data: [Part]) throws -> [Int?] {
    var sources = [Int?](repeating: nil, count: data.count)
    for move in batch.sectionMoves { sources[move.to] = move.from }
    let taken = Set(batch.sectionInserts + batch.sectionMoves.map(\.to))
    let gone = Set(batch.sectionDeletes + batch.sectionMoves.map(\.from))
    var kept = sections.indices.filter { !gone.contains($0) }[...]
    for position in data.indices where !taken.contains(position) { sources[position] = kept.popFirst() }
    for (position, source) in sources.enumerated() {
      guard let source else { continue }
      let updated = batch.sectionUpdates.contains { $0.old == source }
      guard sections[source].id == data[position].id else { throw Refusal("section \(source) became another at \(position)") }
      if updated, !batch.sectionUpdates.contains(Update(old: source, new: position)) {
        throw Refusal("the update of section \(source) misses it")
      }
      guard updated || sections[source].header == data[position].header else { throw Refusal("section \(source) changed unannounced") }
    }
    return sources
  }

  private func compareItems(_ batch: Batch, _ data: [Part], _ sources: [Int?]) throws {
    let gone = Set(batch.deletes + batch.moves.map(\.from))
    let inserted = Set(batch.inserts)
    let moved = Dictionary(uniqueKeysWithValues: batch.moves.map { ($0.to, $0.from) })
    let updated = Dictionary(uniqueKeysWithValues: batch.updates.map { ($0.old, $0.new) })
    for (position, source) in sources.enumerated() {
      guard let source else { continue }
      var kept = sections[source].items.indices.map { ItemPath(section: source, item: $0) }.filter { !gone.contains($0) }[...]
      for (item, row) in data[position].items.enumerated() {
        let path = ItemPath(section: position, item: item)
        if inserted.contains(path) { continue }
        guard let from = moved[path] ?? kept.popFirst() else { throw Refusal("the item count of section \(position) does not add up") }
        let old = sections[from.section].items[from.item]
        guard old.id == row.id else { throw Refusal("item \(from), \(old), became \(row) at \(path)") }
        if let target = updated[from] {
          guard target == path else { throw Refusal("the update of \(from) misses it") }
        } else {
          guard old == row else { throw Refusal("item \(from) changed unannounced") }
        }
      }
      guard kept.isEmpty else { throw Refusal("the item count of section \(position) does not add up") }
    }
  }
}
