extension Script {
  /// Writes the moves of the sections that stay, ascending.
  ///
  /// An item that crosses sections has to move; of those that stay in theirs, as few as possible.
  @usableFromInline
  mutating func moveItems(
    _ found: borrowing Buffer<Int32>, _ hits: Int, _ oldOpen: borrowing Buffer<Int32>, _ newOpen: borrowing Buffer<Int32>,
    _ rest: borrowing SectionRest, _ pairs: SectionPairs, _ old: SectionLayout, _ new: SectionLayout
  ) {
    moves.reserveCapacity(hits)
    for section in 0..<new.sectionCount where rest.isUnsettled(section) {
      let to = rest.newGaps(section, new.range(section))
      let from = rest.oldGaps(pairs[section], old.range(pairs[section]))
      let before = moves.count
      let hits = moveAcross(found, oldOpen, from, newOpen, to)
      let within = Crossings.moves(found, hits: hits, oldOpen: oldOpen, from, newOpen: newOpen, to)
      addWithin(within, from: before)
    }
  }

  /// The same for one section, from its whole matching.
  @usableFromInline
  mutating func moveItems(
    _ match: borrowing Buffer<Int32>, _ found: borrowing Buffer<Int32>, _ oldOpen: borrowing Buffer<Int32>,
    _ newOpen: borrowing Buffer<Int32>, _ rest: borrowing SectionRest, _ from: Range<Int>, _ to: Range<Int>, _ oldSection: Int,
    _ newSection: Int
  ) {
    let before = moves.count
    _ = moveAcross(found, oldOpen, rest.oldGaps(oldSection, from), newOpen, rest.newGaps(newSection, to))
    // A move to the same path needs the same section index, too.
    let withoutSelfMoves = options.moves == .withoutSelfMoves && oldSection == newSection
    addWithin(fewestMoves(match, from, to, withoutSelfMoves: withoutSelfMoves), from: before)
  }

  /// Writes the moves of items that come from another section.
  ///
  /// - Returns: How many come from this one.
  private mutating func moveAcross(
    _ found: borrowing Buffer<Int32>, _ oldOpen: borrowing Buffer<Int32>, _ from: Gaps, _ newOpen: borrowing Buffer<Int32>, _ to: Gaps
  ) -> Int {
    var within = 0
    for v in to.indices {
      let u = Int(found[v])
      if u < 0 { continue }
      if from.indices.contains(u) { within += 1 } else { moves.append(Link(old: oldOpen[u], new: newOpen[v])) }
    }
    return within
  }

  /// Puts the moves inside a section among those into it, which are the ones from index `start` on.
  private mutating func addWithin(_ within: [Link], from start: Int) {
    if within.isEmpty { return }
    if start == moves.count {
      moves += within
    } else {
      let merged = Array(moves[start...]).merging(within)
      moves.replaceSubrange(start..., with: merged)
    }
  }

  /// Where sections changed places an item may cross from a path to the same path. It has to move, so without self moves it is
  /// deleted and inserted.
  @usableFromInline
  mutating func replaceSelfMoves(_ old: SectionLayout, _ new: SectionLayout) {
    let stuck = moves.filter { old.path($0.old) == new.path($0.new) }
    guard !stuck.isEmpty else { return }
    moves.removeAll { old.path($0.old) == new.path($0.new) }
    updates = updates.split(by: stuck).standing
    for link in stuck { replace(link) }
  }
}
