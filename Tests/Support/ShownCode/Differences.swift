import ListDiff

struct Row: Diffable, Equatable {
  var id: String
  var title: String
  var diffID: String { id }
}

func show(_ old: [Row], _ new: [Row]) throws {
  let changes = try Differ().changes(from: old, to: new)
  print(changes.deletes)  // positions in old
  print(changes.inserts)  // positions in new
  print(changes.moves)  // from old to new
  print(changes.updates)  // same identifier, other content; both positions
  print(try changes.apply(to: old, from: new) == new)  // true
}
