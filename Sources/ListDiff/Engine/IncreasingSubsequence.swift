/// A longest increasing subsequence of the matched old positions, read in new order: the elements that need not move.
///
/// Patience sorting (Fredman 1975) whose piles' tops are a set of positions, as Hunt and Szymanski (1977) keep them, not an
/// array to search in: a value takes the place of the next top above it. What each value took the place of is noted, so
/// that reading the notes backwards undoes the sorting and meets the subsequence on the way; neither ranks nor predecessors are
/// kept. At most six steps an element, usually two; 4 bytes an element and a bit a position.
@usableFromInline
struct IncreasingSubsequence: ~Copyable {
  /// For each matched element the top whose place it took, or -1 for a new pile.
  private let replaced: Buffer<Int32>
  private let tops: PositionSet
  /// The smallest old position there may be; positions are kept relative to it.
  private let base: Int
  /// The top of the last pile.
  private let last: Int
  /// The number of matched elements.
  @usableFromInline let matched: Int
  /// The length of the subsequence.
  @usableFromInline let length: Int

  /// How many elements have to move.
  @usableFromInline var moved: Int { matched - length }

  /// Finds the subsequence of the first `count` entries of `match` that are not negative; those are different, and in
  /// `positions`.
  @usableFromInline
  init(_ match: borrowing Buffer<Int32>, count: Int, positions: Range<Int>) {
    let replaced = Buffer<Int32>(capacity: count)
    let tops = PositionSet(size: positions.count)
    let base = positions.lowerBound
    var last = -1
    var matched = 0
    var piles = 0
    for index in 0..<count {
      let old = Int(match[index])
      if old < 0 { continue }
      let value = old &- base
      if value > last {
        replaced[matched] = -1
        tops.insert(value)
        last = value
        piles &+= 1
      } else {
        let top = tops.next(above: value)
        replaced[matched] = Int32(truncatingIfNeeded: top)
        tops.insert(value)
        tops.remove(top)
        if top == last { last = value }
      }
      matched &+= 1
    }
    self.replaced = replaced
    self.tops = tops
    self.base = base
    self.last = last
    self.matched = matched
    length = piles
  }

  /// The matched elements outside the subsequence, ascending by their new position; `match` is the one that the subsequence
  /// was found in, and the bases are added to its entries and their indices.
  @usableFromInline
  consuming func moves(_ match: borrowing Buffer<Int32>, count: Int, oldBase: Int32 = 0, newBase: Int32 = 0) -> [Link] {
    guard moved > 0 else { return [] }
    let moved = self.moved
    return unsafe [Link](unsafeUninitializedCapacity: moved) { links, initialized in
      unsafe write(links.baseAddress.unsafelyUnwrapped, match, count, oldBase, newBase)
      initialized = moved
    }
  }

  private func write(
    _ links: UnsafeMutablePointer<Link>, _ match: borrowing Buffer<Int32>, _ count: Int, _ oldBase: Int32, _ newBase: Int32
  ) {
    var wanted = last
    var index = count
    var element = matched
    var left = moved
    while left > 0 {
      index &-= 1
      let old = match[index]
      if old < 0 { continue }
      let value = Int(old) &- base
      element &-= 1
      if value == wanted {
        wanted = tops.previous(below: value)
      } else {
        left &-= 1
        unsafe links[left] = Link(old: old &+ oldBase, new: Int32(truncatingIfNeeded: index) &+ newBase)
      }
      tops.exchangeBelow(value, for: Int(replaced[element]))
    }
  }
}
