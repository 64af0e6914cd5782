extension Script {
  /// Writes the moves of those sections that stay and may have any, ascending.
  ///
  /// An item that crosses sections has to move; of those that stay in theirs, all but a longest increasing subsequence.
  @usableFromInline
  mutating func moveItems(
    _ match: borrowing Buffer<Int32>, in sections: [Int], _ pairs: SectionPairs, _ old: SectionLayout, _ new: SectionLayout
  ) {
    for newSection in sections {
      let oldSection = pairs.sources[newSection]
      let from = old.range(Int(oldSection))
      let to = new.range(newSection)
      if !isInOrder(match, from, to) { moveItems(match, from, to, sameIndex: Int(oldSection) == newSection) }
    }
    if options.moves == .withoutSelfMoves { replaceSelfMoves(old, new) }
  }

  /// Where sections changed places an item may cross from a path to the same path. It has to move, so without self moves it is
  /// deleted and inserted.
  private mutating func replaceSelfMoves(_ old: SectionLayout, _ new: SectionLayout) {
    let stuck = moves.filter { old.path($0.old) == new.path($0.new) }
    guard !stuck.isEmpty else { return }
    moves.removeAll { old.path($0.old) == new.path($0.new) }
    updates = updates.split(by: stuck).standing
    for link in stuck { replace(link) }
  }

  private func isInOrder(_ match: borrowing Buffer<Int32>, _ from: Range<Int>, _ to: Range<Int>) -> Bool {
    var last = Int32(truncatingIfNeeded: from.lowerBound - 1)
    let end = Int32(truncatingIfNeeded: from.upperBound)
    var index = to.lowerBound
    while index < to.upperBound {
      let position = match[index]
      if position >= 0 {
        if position <= last || position >= end { return false }
        last = position
      }
      index &+= 1
    }
    return true
  }

  private mutating func moveItems(_ match: borrowing Buffer<Int32>, _ from: Range<Int>, _ to: Range<Int>, sameIndex: Bool) {
    let local = Buffer<Int32>(capacity: to.count)
    let before = moves.count
    for item in 0..<to.count {
      let position = match[to.lowerBound + item]
      if position >= 0, from.contains(Int(position)) {
        local[item] = position - Int32(from.lowerBound)
        continue
      }
      local[item] = -1
      if position >= 0 { moves.append(Link(old: position, new: Int32(to.lowerBound + item))) }
    }
    let crossed = moves.count - before
    // A move to the same path needs the same section index, too.
    let within =
      options.moves == .withoutSelfMoves && sameIndex
      ? movesWithoutSelfMoves(local, 0..<to.count, offset: 0)
      : IncreasingSubsequence(local, 0..<to.count).moves(local, 0..<to.count, offset: 0)
    guard !within.isEmpty else { return }
    for link in within { moves.append(Link(old: link.old + Int32(from.lowerBound), new: link.new + Int32(to.lowerBound))) }
    if crossed > 0 { moves[before...].sort { $0.new < $1.new } }
  }

  /// Merges the updates from `middle` on into those before it; both parts ascend by new position.
  @usableFromInline
  mutating func mergeUpdates(from middle: Int) {
    guard middle > 0, middle < updates.count, updates[middle - 1].new > updates[middle].new else { return }
    var merged: [Link] = []
    merged.reserveCapacity(updates.count)
    var i = 0
    var j = middle
    while i < middle || j < updates.count {
      if j == updates.count || (i < middle && updates[i].new < updates[j].new) {
        merged.append(updates[i])
        i += 1
      } else {
        merged.append(updates[j])
        j += 1
      }
    }
    updates = merged
  }
}
