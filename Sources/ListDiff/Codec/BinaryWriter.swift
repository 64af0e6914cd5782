/// Writes the compact form of change sets: unsigned numbers in 7-bit groups, low group first (LEB128).
struct BinaryWriter {
  private(set) var bytes: [UInt8] = []

  /// The first byte, the version, and what follows.
  static let magic: UInt8 = 0x4c
  static let version: UInt8 = 1
  static let flat: UInt8 = 0
  static let sectioned: UInt8 = 1

  init(kind: UInt8) {
    bytes = [BinaryWriter.magic, BinaryWriter.version, kind]
  }

  mutating func number(_ value: Int) {
    var rest = UInt64(value)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// A number of either sign, small ones short.
  mutating func signed(_ value: Int) { number(value >= 0 ? value << 1 : (-1 - value) << 1 | 1) }

  /// Ascending positions: gaps, or runs of neighbours, whichever are fewer numbers.
  mutating func positions(_ positions: [Int32]) {
    var runs = 0
    var last: Int32 = -2
    for position in positions {
      if position != last + 1 { runs += 1 }
      last = position
    }
    let asRuns = runs * 2 + 1 < positions.count
    number(positions.count << 1 | (asRuns ? 1 : 0))
    var next = 0
    if asRuns {
      number(runs)
      var start = 0
      while start < positions.count {
        var end = start + 1
        while end < positions.count, positions[end] == positions[end - 1] + 1 { end += 1 }
        number(Int(positions[start]) - next)
        number(end - start - 1)
        next = Int(positions[end - 1]) + 1
        start = end
      }
    } else {
      for position in positions {
        number(Int(position) - next)
        next = Int(position) + 1
      }
    }
  }

  /// Links, ascending by new position: its gap, and how the distance to the old one differs from the link before.
  mutating func links(_ links: [Link]) {
    number(links.count)
    var next = 0
    var shift = 0
    for link in links {
      number(Int(link.new) - next)
      signed(Int(link.old) - Int(link.new) - shift)
      next = Int(link.new) + 1
      shift = Int(link.old) - Int(link.new)
    }
  }

  mutating func body(_ changes: ChangeSet) {
    number(changes.oldCount)
    number(changes.newCount)
    positions(changes.deletes.storage)
    positions(changes.inserts.storage)
    links(changes.moves.storage)
    links(changes.updates.storage)
  }
}
