/// A set of positions that answers which member comes next, in a bit and a little for each position.
///
/// One bit a position, and above it one bit for each word that is not empty, and so on up to a single word: a tree of 64
/// branches, as van Emde Boas trees are in practice. The lower two levels, which see all the traffic, are kept without
/// branches; a word of the second covers 4,096 positions and is rarely empty.
struct PositionSet: ~Copyable {
  /// All levels, the lowest first.
  private let words: Buffer<UInt64>
  /// How many words the lowest level has, after which the second begins.
  private let second: Int
  private let levels: Int
  /// Whether one word of the second level covers everything. Then words are rarely empty, and a branch that is rarely taken
  /// costs less than every step's waiting for the one before to have written that word.
  private let isCrowded: Bool

  /// An empty set of positions from 0 to below `size`.
  init(size: Int) {
    // 2³¹ positions take six levels; there are always two.
    var width = (max(size, 1) &+ 63) >> 6
    second = width
    var count = width
    var levels = 1
    while width > 1 || levels < 2 {
      width = (width &+ 63) >> 6
      count &+= width
      levels &+= 1
    }
    self.levels = levels
    isCrowded = levels == 2
    // A word more, for reads of which nothing is used.
    words = Buffer(repeating: 0, count: count &+ 1)
  }

  @inline(__always)
  private static func bit(_ index: Int) -> UInt64 { 1 << UInt64(truncatingIfNeeded: index & 63) }

  @inline(__always)
  func insert(_ position: Int) {
    let word = position >> 6
    let before = words[word]
    words[word] = before | PositionSet.bit(position)
    if isCrowded {
      if before == 0 { words[second] |= PositionSet.bit(word) }
      return
    }
    let above = words[second &+ word >> 6]
    words[second &+ word >> 6] = above | PositionSet.bit(word)
    if above == 0 && levels > 2 { raise(word >> 6) }
  }

  @inline(__always)
  func remove(_ position: Int) {
    let word = position >> 6
    let rest = words[word] & ~PositionSet.bit(position)
    words[word] = rest
    if isCrowded {
      if rest == 0 { words[second] &= ~PositionSet.bit(word) }
      return
    }
    let isEmpty: UInt64 = rest == 0 ? 1 : 0
    let above = words[second &+ word >> 6] & ~(isEmpty << UInt64(truncatingIfNeeded: word & 63))
    words[second &+ word >> 6] = above
    if above == 0 && levels > 2 { lower(word >> 6) }
  }

  /// Exchanges a member in the lowest level alone, after which only ``previous(below:)`` may be asked.
  ///
  /// - Parameter position: Comes in, or -1.
  @inline(__always)
  func exchangeBelow(_ member: Int, for position: Int) {
    words[member >> 6] &= ~PositionSet.bit(member)
    if position >= 0 { words[position >> 6] |= PositionSet.bit(position) }
  }

  /// The greatest member below `position`, or -1, by the lowest level alone.
  ///
  /// - Complexity: O(distance / 64).
  func previous(below position: Int) -> Int {
    var word = position >> 6
    var rest = words[word] & (PositionSet.bit(position) &- 1)
    while rest == 0 {
      if word == 0 { return -1 }
      word &-= 1
      rest = words[word]
    }
    return word << 6 | 63 &- rest.leadingZeroBitCount
  }

  /// The smallest member above `position`, or -1.
  @inline(__always)
  func next(above position: Int) -> Int {
    let word = position >> 6
    // Twice one less than the bit: nothing is left of the highest.
    let here = words[word] & (~1 << UInt64(truncatingIfNeeded: position & 63))
    let there = words[second &+ word >> 6] & (~1 << UInt64(truncatingIfNeeded: word & 63))
    if here | there == 0 { return nextWord(above: word >> 6) }
    // Either way, so that it takes no branch.
    let following = there == 0 ? word : word & ~63 | there.trailingZeroBitCount
    let beyond = words[following]
    let found = here == 0 ? following : word
    let bits = here == 0 ? beyond : here
    return found << 6 | bits.trailingZeroBitCount
  }

  /// Where a level begins.
  private func start(of level: Int) -> Int {
    var start = 0
    var width = second
    for _ in 0..<level {
      start &+= width
      width = (width &+ 63) >> 6
    }
    return start
  }

  private func nextWord(above word: Int) -> Int {
    var index = word
    var level = 2
    while level < levels {
      let rest = words[start(of: level) &+ index >> 6] & (~1 << UInt64(truncatingIfNeeded: index & 63))
      if rest != 0 {
        index = index & ~63 | rest.trailingZeroBitCount
        while level > 0 {
          level &-= 1
          index = index << 6 | words[start(of: level) &+ index].trailingZeroBitCount
        }
        return index
      }
      index >>= 6
      level &+= 1
    }
    return -1
  }

  /// Notes above the second level that a word of it is not empty any more.
  private func raise(_ word: Int) {
    var index = word
    for level in 2..<levels {
      let at = start(of: level) &+ index >> 6
      let above = words[at]
      words[at] = above | PositionSet.bit(index)
      if above != 0 { return }
      index >>= 6
    }
  }

  /// Notes above the second level that a word of it has become empty.
  private func lower(_ word: Int) {
    var index = word
    for level in 2..<levels {
      let at = start(of: level) &+ index >> 6
      let above = words[at] & ~PositionSet.bit(index)
      words[at] = above
      if above != 0 { return }
      index >>= 6
    }
  }
}
