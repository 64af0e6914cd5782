extension SectionedChangeSet: Codable {
  private enum Key: String, CodingKey {
    case sections, oldItems, newItems, deletes, inserts, moves, updates
  }

  /// Writes the object of ``json``.
  public func encode(to encoder: any Encoder) throws {
    func pair(_ path: ItemPath) -> [Int] { [path.section, path.item] }
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(sections, forKey: .sections)
    try object.encode(oldItemCounts, forKey: .oldItems)
    try object.encode(newItemCounts, forKey: .newItems)
    try object.encode(items.deletes.map(pair), forKey: .deletes)
    try object.encode(items.inserts.map(pair), forKey: .inserts)
    try object.encode(items.moves.map { [pair($0.from), pair($0.to)] }, forKey: .moves)
    try object.encode(items.updates.map { [pair($0.old), pair($0.new)] }, forKey: .updates)
  }

  /// Reads what `encode` wrote and checks it.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    func path(_ pair: [Int]) throws -> ItemPath {
      guard pair.count == 2 else { throw DiffError.invalid("a path is a pair of section and item, found \(pair)") }
      return ItemPath(section: pair[0], item: pair[1])
    }
    func paths(_ key: Key) throws -> [ItemPath] { try object.decode([[Int]].self, forKey: key).map(path) }
    func links(_ key: Key) throws -> [(ItemPath, ItemPath)] {
      try object.decode([[[Int]]].self, forKey: key).map { pair in
        guard pair.count == 2 else { throw DiffError.invalid("\(key.rawValue) holds pairs of paths, found \(pair)") }
        return (try path(pair[0]), try path(pair[1]))
      }
    }
    try self.init(
      sections: try object.decode(ChangeSet.self, forKey: .sections),
      oldItemCounts: try object.decode([Int].self, forKey: .oldItems), newItemCounts: try object.decode([Int].self, forKey: .newItems),
      deletes: try paths(.deletes), inserts: try paths(.inserts),
      moves: try links(.moves).map { ItemMove(from: $0.0, to: $0.1) }, updates: try links(.updates).map { ItemUpdate(old: $0.0, new: $0.1) }
    )
  }
}
