/// Reads what ``BinaryWriter`` wrote, from bytes that may be anything.
///
/// Nothing is allocated before it is known that the bytes, or the caller's limit, allow for it.
struct BinaryReader {
  private let bytes: ArraySlice<UInt8>
  private var at: Int
  /// The longest list that is accepted.
  private let limit: Int

  init(_ bytes: ArraySlice<UInt8>, kind: UInt8, limit: Int) throws(DiffError) {
    self.bytes = bytes
    self.limit = min(max(limit, 0), Int(Int32.max))
    at = bytes.startIndex
    guard try byte() == BinaryWriter.magic else { throw .malformed("these bytes are not a change set") }
    let version = try byte()
    guard version == BinaryWriter.version else {
      throw .malformed("the change set has version \(version), this reader knows \(BinaryWriter.version)")
    }
    guard try byte() == kind else {
      throw .malformed("the change set is \(kind == BinaryWriter.flat ? "sectioned, a flat one" : "flat, a sectioned one") was expected")
    }
  }

  private var remaining: Int { bytes.endIndex - at }

  private mutating func byte() throws(DiffError) -> UInt8 {
    guard at < bytes.endIndex else { throw .malformed("the change set is cut short after \(bytes.count) bytes") }
    defer { at += 1 }
    return bytes[at]
  }

  /// A number below 2³⁵, in its shortest form.
  mutating func number() throws(DiffError) -> Int {
    var value = 0
    var shift = 0
    while shift < 35 {
      let next = try byte()
      value |= Int(next & 0x7f) << shift
      if next < 0x80 {
        if next == 0, shift > 0 { throw .malformed("a number in the change set is not in its shortest form") }
        return value
      }
      shift += 7
    }
    throw .malformed("a number in the change set has more than 35 bits")
  }

  mutating func signed() throws(DiffError) -> Int {
    let value = try number()
    return value & 1 == 0 ? value >> 1 : -1 - value >> 1
  }

  /// The length of a list, held against the limit.
  mutating func length() throws(DiffError) -> Int {
    let value = try number()
    guard value <= limit else {
      throw DiffError(.limit, "a list of \(value) elements exceeds the limit of \(limit); raise it or split the list")
    }
    return value
  }

  /// A number of things of at least `size` bytes each.
  private mutating func count(_ value: Int, atLeast size: Int) throws(DiffError) -> Int {
    guard value <= remaining / size else { throw .malformed("the change set promises \(value) entries in \(remaining) bytes") }
    return value
  }

  mutating func positions(below end: Int) throws(DiffError) -> [Int32] {
    let head = try number()
    let total = head >> 1
    guard total <= end else { throw .malformed("\(total) positions in a list of \(end)") }
    var positions: [Int32] = []
    var next = 0
    if head & 1 == 0 {
      positions.reserveCapacity(try count(total, atLeast: 1))
      for _ in 0..<total {
        next += try number()
        guard next < end else { throw .malformed("position \(next) in a list of \(end)") }
        positions.append(Int32(next))
        next += 1
      }
      return positions
    }
    let runs = try count(try number(), atLeast: 2)
    positions.reserveCapacity(total)
    for _ in 0..<runs {
      let start = next + (try number())
      let length = try number() + 1
      guard start < end, length <= end - start, length <= total - positions.count else {
        throw .malformed("a run of \(length) positions from \(start) in a list of \(end)")
      }
      for position in start..<(start + length) { positions.append(Int32(position)) }
      next = start + length
    }
    guard positions.count == total else { throw .malformed("runs of \(positions.count) positions instead of \(total)") }
    return positions
  }

  mutating func links(old oldEnd: Int, new newEnd: Int) throws(DiffError) -> [Link] {
    let total = try count(try number(), atLeast: 2)
    var links: [Link] = []
    links.reserveCapacity(total)
    var next = 0
    var shift = 0
    for _ in 0..<total {
      let new = next + (try number())
      guard new < newEnd else { throw .malformed("new position \(new) in a list of \(newEnd)") }
      shift += try signed()
      let old = new + shift
      guard old >= 0, old < oldEnd else { throw .malformed("old position \(old) in a list of \(oldEnd)") }
      links.append(Link(old: Int32(old), new: Int32(new)))
      next = new + 1
    }
    return links
  }

  mutating func body() throws(DiffError) -> ChangeSet {
    let oldCount = try length()
    let newCount = try length()
    return ChangeSet(
      trusted: oldCount, newCount, deletes: try positions(below: oldCount), inserts: try positions(below: newCount),
      moves: try links(old: oldCount, new: newCount), updates: try links(old: oldCount, new: newCount))
  }

  /// The item counts of `count` sections, which add up to at most the limit.
  mutating func layout(_ sections: Int) throws(DiffError) -> SectionLayout {
    _ = try count(sections, atLeast: 1)
    var counts: [Int] = []
    counts.reserveCapacity(sections)
    var sum = 0
    for _ in 0..<sections {
      let items = try number()
      sum += items
      guard sum <= limit else {
        throw DiffError(.limit, "a list of \(sum) items exceeds the limit of \(limit); raise it or split the list")
      }
      counts.append(items)
    }
    return SectionLayout(counts: counts)
  }

  func finish() throws(DiffError) {
    guard remaining == 0 else { throw .malformed("\(remaining) bytes follow the change set") }
  }
}
