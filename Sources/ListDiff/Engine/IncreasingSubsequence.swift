/// A longest increasing subsequence of the matched old positions, read in new order: the elements that need not move.
///
/// Patience sorting with binary search (Fredman 1975), O(*m* log *m*), with two additions. Stretches in order, the common
/// case, cost one comparison an element. Where many searches are needed, eight of them run in lock step on SIMD lanes
/// against the tails as they were, and are then committed in order; a tail only sinks in the meantime, so each search is
/// repaired by a short scan.
@usableFromInline
struct IncreasingSubsequence: ~Copyable {
  /// For each matched element the length of the longest increasing subsequence that ends with it.
  private let ranks: Buffer<Int32>
  /// The number of matched elements.
  @usableFromInline let matched: Int
  /// The length of the subsequence.
  @usableFromInline let length: Int

  /// How many elements have to move.
  @usableFromInline var moved: Int { matched - length }

  /// Finds the subsequence of the entries of `match` that are not negative.
  @usableFromInline
  init(_ match: borrowing Buffer<Int32>, _ range: Range<Int>) {
    let values = Buffer<Int32>(capacity: range.count + 8)
    var count = 0
    for index in range {
      let value = match[index]
      values[count] = value
      count &+= value >= 0 ? 1 : 0
    }
    length = IncreasingSubsequence.rank(values, count)
    ranks = values
    matched = count
  }

  /// The subsequence of `count` elements that are in order already.
  @usableFromInline
  init(inOrder count: Int) {
    ranks = Buffer(capacity: 0)
    matched = count
    length = count
  }

  /// The matched elements outside the subsequence, ascending by their new position; `match[index]` is of new position
  /// `index + offset`.
  @usableFromInline
  func moves(_ match: borrowing Buffer<Int32>, _ range: Range<Int>, offset: Int) -> [Link] {
    guard moved > 0 else { return [] }
    return unsafe [Link](unsafeUninitializedCapacity: moved) { links, initialized in
      var wanted = Int32(truncatingIfNeeded: length)
      var index = range.upperBound
      var element = matched
      var left = moved
      while left > 0 {
        index &-= 1
        let old = match[index]
        if old < 0 { continue }
        element &-= 1
        if ranks[element] == wanted {
          wanted &-= 1
        } else {
          left &-= 1
          unsafe links[left] = Link(old: old, new: Int32(truncatingIfNeeded: index &+ offset))
        }
      }
      initialized = moved
    }
  }

  /// Replaces each of the first `count` values, all different, by its rank.
  ///
  /// - Returns: The highest rank.
  static func rank(_ values: borrowing Buffer<Int32>, _ count: Int) -> Int {
    var tails = Tails(capacity: count + 64)
    var index = 0
    while index < count {
      let stop = min(count, index + 256)
      var searches = 0
      while index < stop {
        let value = values[index]
        let rank = tails.place(value, &searches)
        values[index] = rank
        index &+= 1
      }
      // A quarter of the last elements were searched for: in lock step then, for a while.
      if searches >= 64 { index = tails.placeBlocks(values, index, min(count, index + 2048)) }
    }
    return tails.length
  }
}

/// The smallest last value of an increasing subsequence of each length.
private struct Tails: ~Copyable {
  let values: Buffer<Int32>
  var length = 0
  /// Entries below this are either tails or `Int32.max`.
  var padded = 0

  init(capacity: Int) {
    values = Buffer(capacity: capacity)
  }

  /// Finds the place of one value.
  ///
  /// - Returns: Its rank, from 1.
  @inline(__always)
  mutating func place(_ value: Int32, _ searches: inout Int) -> Int32 {
    if length == 0 || values[length &- 1] < value {
      values[length] = value
      length &+= 1
      return Int32(truncatingIfNeeded: length)
    }
    if length == 1 || values[length &- 2] < value {
      values[length &- 1] = value
      return Int32(truncatingIfNeeded: length)
    }
    searches &+= 1
    // Gallop down from the top, then halve.
    var high = length &- 2
    var step = 1
    while high &- step >= 0 && values[high &- step] > value {
      high &-= step
      step <<= 1
    }
    var low = max(high &- step, -1)
    var size = high &- low
    while size > 1 {
      let half = size >> 1
      low = values[low &+ half] < value ? low &+ half : low
      size &-= half
    }
    values[low &+ 1] = value
    return Int32(truncatingIfNeeded: low &+ 2)
  }

  /// Places values in blocks of eight from `start`, as far as `end` and the room above the tails allow.
  ///
  /// - Returns: The first index that was not placed.
  mutating func placeBlocks(_ input: borrowing Buffer<Int32>, _ start: Int, _ end: Int) -> Int {
    var index = start
    padded = max(padded, length)
    var width = 16
    while width < length &+ 9 { width <<= 1 }
    while index &+ 8 <= end {
      if length &+ 9 > width { width <<= 1 }
      if width &+ 16 > values.capacity { return index }
      while padded < width &+ 16 {
        values[padded] = .max
        padded &+= 1
      }
      let block = input.eight(at: index)
      let found = search(block, width)
      var lane = 0
      while lane < 8 {
        let value = block[lane]
        var at = Int(found[lane])
        while values[at] < value { at &+= 1 }
        values[at] = value
        input[index &+ lane] = Int32(truncatingIfNeeded: at &+ 1)
        if at >= length { length = at &+ 1 }
        lane &+= 1
      }
      index &+= 8
    }
    return index
  }

  /// For each lane the number of tails below its value. `width` is a power of two above the number of tails.
  @inline(__always)
  private func search(_ block: SIMD8<Int32>, _ width: Int) -> SIMD8<Int32> {
    var base = SIMD8<Int32>(repeating: 0)
    var half = width >> 1
    while half > 0 {
      let last = half &- 1
      let probes = SIMD8<Int32>(
        values[Int(base[0]) &+ last], values[Int(base[1]) &+ last], values[Int(base[2]) &+ last], values[Int(base[3]) &+ last],
        values[Int(base[4]) &+ last], values[Int(base[5]) &+ last], values[Int(base[6]) &+ last], values[Int(base[7]) &+ last])
      // A masked replacement stays branch-free, which scalar selects do not on this compiler.
      base = base.replacing(with: base &+ Int32(truncatingIfNeeded: half), where: probes .< block)
      half >>= 1
    }
    return base
  }
}
