import MinervaWire

/// Makes the lists of a load test: each pair fresh, the new one edited from the old.
package struct LoadLists: Sendable {
  /// How the new list differs from the old one.
  package enum Shape: String, Sendable, Hashable, CaseIterable {
    /// A quarter each of the edits deletes, inserts, updates and moves, at places drawn evenly.
    case mixed
    /// The same rows in another order.
    case shuffle
    /// New rows at the end.
    case append
    /// Sections of a hundred rows; mixed edits that may cross them, and one section in twenty elsewhere, as many with another header.
    case sections
  }

  private struct Row {
    var number: Int32
    var revision: Int32 = 0
  }

  private let shape: Shape
  /// Edits in a thousand rows.
  private let edits: Int
  private var random: SplitMix64
  private var next: Int32
  private var list: [(section: Int32, rows: [Row])]
  /// How often each section's header has changed.
  private var headers: [Int32: Int] = [:]

  /// - Parameter edits: How many of a thousand rows are edited.
  package init(shape: Shape, size: Int, edits: Int, seed: UInt64) {
    self.shape = shape
    self.edits = edits
    random = SplitMix64(seed: seed)
    next = Int32(clamping: size)
    let rows = (0..<size).map { Row(number: Int32(clamping: $0)) }
    let width = shape == .sections ? 100 : max(1, size)
    list = stride(from: 0, to: size, by: width).enumerated().map { (Int32($0), Array(rows[$1..<min(size, $1 + width)])) }
  }

  /// The next pair.
  package mutating func pair() -> (old: LoadRows, new: LoadRows) {
    let old = bytes(list)
    let edited = editing()
    if shape != .append { list = edited }
    return (old, bytes(edited))
  }

  private mutating func editing() -> [(section: Int32, rows: [Row])] {
    var result = list
    let count = list.reduce(0) { $0 + $1.rows.count }
    let wanted = count == 0 ? 0 : max(1, count * edits / 1_000)
    switch shape {
    case .shuffle: result = result.map { ($0.section, $0.rows.shuffled(using: &random)) }
    case .append:
      result = result.isEmpty ? [] : result.dropLast() + [(result[result.count - 1].section, result[result.count - 1].rows + fresh(wanted))]
    case .mixed, .sections:
      result = mixed(wanted)
      guard shape == .sections, result.count > 1 else { break }
      for _ in 0..<max(1, result.count / 20) {
        let section = result.remove(at: Int.random(in: 0..<result.count, using: &random))
        result.insert(section, at: Int.random(in: 0...result.count, using: &random))
        headers[result[Int.random(in: 0..<result.count, using: &random)].section, default: 0] += 1
      }
    }
    return result
  }

  private mutating func fresh(_ count: Int) -> [Row] {
    (0..<count).map { _ in
      next &+= 1
      return Row(number: next)
    }
  }

  private mutating func mixed(_ wanted: Int) -> [(section: Int32, rows: [Row])] {
    let count = list.reduce(0) { $0 + $1.rows.count }
    guard count > 0 else { return list }
    // 0 stays, 1 is deleted, 2 is updated, 3 moves.
    var fates = [UInt8](repeating: 0, count: count)
    let each = max(1, wanted / 4)
    for fate in UInt8(1)...3 {
      var left = min(each, count / 4)
      while left > 0 {
        let place = Int.random(in: 0..<count, using: &random)
        guard fates[place] == 0 else { continue }
        fates[place] = fate
        left -= 1
      }
    }
    var coming = fresh(min(each, max(1, count / 4)))
    var place = 0
    var kept: [(section: Int32, rows: [Row])] = []
    for (section, rows) in list {
      var stays: [Row] = []
      stays.reserveCapacity(rows.count)
      for row in rows {
        switch fates[place] {
        case 0: stays.append(row)
        case 2: stays.append(Row(number: row.number, revision: row.revision &+ 1))
        case 3: coming.append(row)
        default: break
        }
        place += 1
      }
      kept.append((section, stays))
    }
    coming.shuffle(using: &random)
    let total = kept.reduce(0) { $0 + $1.rows.count }
    let places = coming.map { _ in Int.random(in: 0...total, using: &random) }.sorted()
    var used = 0
    var base = 0
    return kept.enumerated().map { index, part in
      var rows: [Row] = []
      rows.reserveCapacity(part.rows.count + 8)
      let end = base + part.rows.count
      for (offset, row) in part.rows.enumerated() {
        while used < places.count, places[used] <= base + offset {
          rows.append(coming[used])
          used += 1
        }
        rows.append(row)
      }
      while used < places.count, places[used] <= end, index == kept.count - 1 || places[used] < end {
        rows.append(coming[used])
        used += 1
      }
      base = end
      return (part.section, rows)
    }
  }

  private func bytes(_ list: [(section: Int32, rows: [Row])]) -> LoadRows {
    var result = LoadRows()
    result.reserve(list.reduce(0) { $0 + $1.rows.count })
    for (_, rows) in list {
      for row in rows { result.append(Self.digits(0x72, row.number, nil), Self.digits(0x74, row.number, row.revision)) }
    }
    if shape == .sections { result.sections = list.map { ("section-\($0.section)", $0.rows.count, headers[$0.section] ?? 0) } }
    return result
  }

  /// `r00000017`, or `t00000017.3` with a revision.
  private static func digits(_ letter: UInt8, _ number: Int32, _ revision: Int32?) -> [UInt8] {
    var result = [UInt8](repeating: 0x30, count: 9)
    result[0] = letter
    var rest = number
    var place = 8
    while rest > 0, place > 0 {
      result[place] = 0x30 + UInt8(rest % 10)
      rest /= 10
      place -= 1
    }
    if let revision {
      result.append(0x2e)
      result.append(contentsOf: String(revision).utf8)
    }
    return result
  }
}
