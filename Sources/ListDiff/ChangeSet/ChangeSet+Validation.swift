extension ChangeSet {
  /// Puts together a change set and checks that it describes one: for those that come from elsewhere.
  ///
  /// - Throws: `diff.invalid` when an index is out of range, out of order or used twice, when the counts do not add up, or
  ///   when an update names two positions that do not hold the same element; `diff.too_large` from 2³¹ elements.
  /// - Complexity: O(*k* log *k*) in the number of operations, independent of the lists' length.
  public init(
    oldCount: Int, newCount: Int, deletes: [Int] = [], inserts: [Int] = [], moves: [Move] = [], updates: [Update] = []
  ) throws(DiffError) {
    try requireIndexable(old: oldCount, new: newCount)
    func narrow(_ position: Int) -> Int32 { Int32(exactly: position) ?? -1 }
    self.init(
      trusted: oldCount, newCount,
      deletes: deletes.map(narrow), inserts: inserts.map(narrow),
      moves: moves.map { Link(old: narrow($0.from), new: narrow($0.to)) },
      updates: updates.map { Link(old: narrow($0.old), new: narrow($0.new)) })
    try validate()
  }

  /// Checks every rule of the batch form.
  package func validate() throws(DiffError) {
    guard oldCount >= 0, newCount >= 0 else { throw .invalid("a list cannot have fewer than 0 elements") }
    let vacated = try Vacancies(deletes.storage, moves.storage.map(\.old).sorted(), below: oldCount, "old")
    let filled = try Vacancies(inserts.storage, moves.storage.map(\.new), below: newCount, "new")
    guard oldCount - vacated.count == newCount - filled.count else {
      throw .invalid(
        "\(oldCount - vacated.count) old elements stay in place for \(newCount - filled.count) places; the counts must agree")
    }
    try validateUpdates(vacated, filled)
  }

  private func validateUpdates(_ vacated: Vacancies, _ filled: Vacancies) throws(DiffError) {
    var last: Int32 = -1
    var move = 0
    let moves = moves.storage
    for update in updates.storage {
      guard update.new > last, update.new < newCount, update.old >= 0, update.old < oldCount else {
        throw .invalid("the update \(update.old)→\(update.new) is out of range or out of order")
      }
      last = update.new
      while move < moves.count, moves[move].new < update.new { move += 1 }
      if move < moves.count, moves[move].new == update.new {
        guard moves[move].old == update.old else {
          throw .invalid("position \(update.new) is moved from \(moves[move].old) but updated from \(update.old)")
        }
        continue
      }
      let source = vacated.rank(of: update.old)
      let target = filled.rank(of: update.new)
      guard source.free, target.free, source.rank == target.rank else {
        throw .invalid("the update \(update.old)→\(update.new) names positions that do not hold the same element")
      }
    }
  }
}

/// The positions of a list that a batch takes out or fills, in order.
struct Vacancies {
  /// Ascending, without duplicates.
  private let positions: [Int32]

  var count: Int { positions.count }

  /// Merges two ascending columns, refusing what is out of order, out of range or in both.
  init(_ first: [Int32], _ second: [Int32], below limit: Int, _ side: String) throws(DiffError) {
    var merged: [Int32] = []
    merged.reserveCapacity(first.count + second.count)
    var i = 0
    var j = 0
    var last: Int32 = -1
    while i < first.count || j < second.count {
      let next: Int32
      if j == second.count || (i < first.count && first[i] <= second[j]) {
        next = first[i]
        i += 1
      } else {
        next = second[j]
        j += 1
      }
      guard next > last, next < limit else {
        throw .invalid("the \(side) position \(next) is out of range, out of order or used twice in a list of \(limit)")
      }
      merged.append(next)
      last = next
    }
    positions = merged
  }

  /// How many of the positions are below a limit, which may be one past the last position there can be.
  func countBelow(_ limit: Int) -> Int { positions.countBelow(Int32(clamping: limit)) }

  /// How many kept positions precede `position`, and whether it is kept itself.
  func rank(of position: Int32) -> (rank: Int, free: Bool) {
    let below = positions.countBelow(position)
    return (Int(position) - below, below == positions.count || positions[below] != position)
  }
}

extension Array where Element == Int32 {
  /// How many elements of an ascending array are below a value.
  package func countBelow(_ value: Int32) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension DiffError {
  static func invalid(_ message: String) -> DiffError {
    DiffError(.invalid, "\(message); the change set is not valid, ask for a snapshot")
  }
}
