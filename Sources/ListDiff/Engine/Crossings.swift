/// The fewest moves of two lists of which most pairs are in order already.
///
/// What the walk paired ascends in both lists: a chain. What the table paired, singles, may stand anywhere. A single that has
/// *c* links of the chain on its one side in the old list and on its other in the new one can only stay if those *c* move.
/// With no more than *c* singles in all that is no gain, so it moves, and nothing else has to be known about it. Most singles
/// are settled like that; the same is then asked among those that cross one another, and what is left, with the links between,
/// goes through a longest increasing subsequence. The result is minimal; the cost is one of the singles, not of the list.
@usableFromInline
struct Crossings: ~Copyable {
  /// A single that may stay.
  private struct Candidate: BitwiseCopyable {
    var link: Link
    /// How many links of the chain are before it.
    var oldRank: Int32
    var newRank: Int32

    var low: Int32 { min(oldRank, newRank) }
    var high: Int32 { max(oldRank, newRank) }
    var crossed: Int32 { high &- low }
  }

  private var candidates: Buffer<Candidate>
  private var count = 0
  private var moves: [Link] = []

  /// The moves of what a walk and a table paired.
  ///
  /// - Parameters:
  ///   - found: For each open new position in `new` the index of the open old one it is paired with, or -1, or one outside
  ///     `old`: of another section, and not looked at.
  ///   - hits: How many are paired, or more.
  @usableFromInline
  static func moves(
    _ found: borrowing Buffer<Int32>, hits: Int, oldOpen: borrowing Buffer<Int32>, _ old: Gaps, newOpen: borrowing Buffer<Int32>,
    _ new: Gaps
  ) -> [Link] {
    guard hits > 0 else { return [] }
    var crossings = Crossings(hits)
    for v in new.indices {
      let u = Int(found[v])
      guard old.indices.contains(u) else { continue }
      let link = Link(old: oldOpen[u], new: newOpen[v])
      let candidate = Candidate(link: link, oldRank: old.rank(u, oldOpen), newRank: new.rank(v, newOpen))
      if Int(candidate.crossed) >= hits {
        crossings.moves.append(link)
      } else {
        crossings.candidates[crossings.count] = candidate
        crossings.count &+= 1
      }
    }
    crossings.settleApart()
    crossings.settleTangled(oldOpen, old, newOpen, new)
    return crossings.moves
  }

  private init(_ hits: Int) {
    candidates = Buffer(capacity: hits)
    moves.reserveCapacity(hits)
  }

  /// Cuts the candidates where a link of the chain stays whatever they do, and settles what a part of them leaves no choice.
  private mutating func settleApart() {
    let lows = Buffer<Int32>(capacity: count)
    var before = count &+ 1
    while count > 0 && count < before {
      before = count
      var settled: [Link] = []
      var kept = 0
      forEachPart(lows) { part, _, _ in
        for index in part {
          let candidate = candidates[index]
          if Int(candidate.crossed) >= part.count {
            settled.append(candidate.link)
          } else if part.count > 1 {
            candidates[kept] = candidate
            kept &+= 1
          }
        }
      }
      count = kept
      moves = moves.merging(settled)
    }
  }

  /// Calls `body` with each run of candidates that cross one another, directly or not, and the links they cross.
  @inline(__always)
  private func forEachPart(_ lows: borrowing Buffer<Int32>, _ body: (Range<Int>, _ low: Int32, _ high: Int32) -> Void) {
    var low = Int32.max
    for index in stride(from: count &- 1, through: 0, by: -1) {
      low = min(low, candidates[index].low)
      lows[index] = low
    }
    var start = 0
    var high: Int32 = -1
    for index in 0..<count {
      high = max(high, candidates[index].high)
      if index &+ 1 < count && high >= lows[index &+ 1] { continue }
      body(start..<(index &+ 1), lows[start], high)
      start = index &+ 1
      high = -1
    }
  }

  /// Finds a longest increasing subsequence of the candidates that are left and the links among them.
  private mutating func settleTangled(
    _ oldOpen: borrowing Buffer<Int32>, _ old: Gaps, _ newOpen: borrowing Buffer<Int32>, _ new: Gaps
  ) {
    guard count > 0 else { return }
    let lows = Buffer<Int32>(capacity: count)
    var size = count
    forEachPart(lows) { _, low, high in size &+= Int(high &- low) }
    let match = Buffer<Int32>(capacity: size)
    let places = Buffer<Int32>(capacity: size)
    var written = 0
    var (oldChain, newChain) = (Gaps.Cursor(old), Gaps.Cursor(new))
    var (first, last) = (Int32.max, Int32.min)
    func write(_ link: Link) {
      match[written] = link.old
      places[written] = link.new
      written &+= 1
      first = min(first, link.old)
      last = max(last, link.old)
    }
    forEachPart(lows) { part, low, high in
      var rank = low
      func writeChain(to end: Int32) {
        while rank < end {
          write(Link(old: oldChain.position(rank, oldOpen), new: newChain.position(rank, newOpen)))
          rank &+= 1
        }
      }
      for index in part {
        writeChain(to: candidates[index].newRank)
        write(candidates[index].link)
      }
      writeChain(to: high)
    }
    let subsequence = IncreasingSubsequence(match, count: size, positions: Int(first)..<(Int(last) &+ 1))
    var tangled = subsequence.moves(match, count: size)
    for index in tangled.indices { tangled[index].new = places[Int(tangled[index].new)] }
    moves = moves.merging(tangled)
  }
}

/// The open positions of a part of a list, as indices of the column they stand in; all other positions of the part are links
/// of a chain.
@frozen
@usableFromInline
struct Gaps {
  @usableFromInline let indices: Range<Int>
  /// The first position of the part.
  @usableFromInline let base: Int

  @inlinable
  init(_ indices: Range<Int>, base: Int) {
    self.indices = indices
    self.base = base
  }

  /// How many links are before an open position.
  @inline(__always)
  func rank(_ index: Int, _ open: borrowing Buffer<Int32>) -> Int32 {
    open[index] &- Int32(truncatingIfNeeded: base &+ index &- indices.lowerBound)
  }

  /// Goes through the links of the chain.
  struct Cursor {
    private let gaps: Gaps
    private var next: Int

    init(_ gaps: Gaps) {
      self.gaps = gaps
      next = gaps.indices.lowerBound
    }

    /// The position of a link by its number; numbers ascend from call to call.
    @inline(__always)
    mutating func position(_ rank: Int32, _ open: borrowing Buffer<Int32>) -> Int32 {
      while next < gaps.indices.upperBound && gaps.rank(next, open) <= rank { next &+= 1 }
      return rank &+ Int32(truncatingIfNeeded: gaps.base &+ next &- gaps.indices.lowerBound)
    }
  }
}

extension [Link] {
  /// Both, ascending by new position as each of them is.
  @usableFromInline
  func merging(_ other: [Link]) -> [Link] {
    guard let first = other.first else { return self }
    guard let last else { return other }
    if last.new < first.new { return self + other }
    var merged: [Link] = []
    merged.reserveCapacity(count + other.count)
    var (i, j) = (0, 0)
    while i < count && j < other.count {
      if self[i].new < other[j].new {
        merged.append(self[i])
        i += 1
      } else {
        merged.append(other[j])
        j += 1
      }
    }
    merged += self[i...]
    merged += other[j...]
    return merged
  }
}
