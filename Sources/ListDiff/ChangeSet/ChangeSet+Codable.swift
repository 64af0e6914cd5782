extension ChangeSet: Codable {
  private enum Key: String, CodingKey {
    case old, new, deletes, inserts, moves, updates
  }

  /// Writes the object of ``json``: two counts, two arrays of positions, two arrays of pairs.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(oldCount, forKey: .old)
    try object.encode(newCount, forKey: .new)
    try object.encode(deletes.storage, forKey: .deletes)
    try object.encode(inserts.storage, forKey: .inserts)
    try object.encode(moves.storage.map { [$0.old, $0.new] }, forKey: .moves)
    try object.encode(updates.storage.map { [$0.old, $0.new] }, forKey: .updates)
  }

  /// Reads what `encode` wrote and checks it.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    func links(_ key: Key) throws -> [Link] {
      try object.decode([[Int32]].self, forKey: key).map { pair in
        guard pair.count == 2 else { throw DiffError.invalid("\(key.rawValue) holds pairs of positions, found \(pair)") }
        return Link(old: pair[0], new: pair[1])
      }
    }
    let oldCount = try object.decode(Int.self, forKey: .old)
    let newCount = try object.decode(Int.self, forKey: .new)
    try requireIndexable(old: oldCount, new: newCount)
    self.init(
      trusted: oldCount, newCount,
      deletes: try object.decode([Int32].self, forKey: .deletes),
      inserts: try object.decode([Int32].self, forKey: .inserts),
      moves: try links(.moves), updates: try links(.updates))
    try validate()
  }
}
