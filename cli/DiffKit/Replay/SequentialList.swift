/// A list that takes single inserts and removals in about the square root of its length, for replaying long scripts.
struct SequentialList {
  private var chunks: [[Int]]
  /// Prefix sums of the chunks' lengths in a tree (Fenwick 1994).
  private var tree: [Int]
  private(set) var count: Int
  private let highest: Int

  init(_ rows: [Int]) {
    let size = max(64, Int(Double(rows.count).squareRoot()))
    chunks = stride(from: 0, to: max(1, rows.count), by: size).map { Array(rows[$0..<min(rows.count, $0 + size)]) }
    count = rows.count
    tree = [Int](repeating: 0, count: chunks.count + 1)
    var highest = 1
    while highest * 2 <= chunks.count { highest *= 2 }
    self.highest = highest
    for index in chunks.indices { add(chunks[index].count, to: index) }
  }

  private mutating func add(_ difference: Int, to chunk: Int) {
    var at = chunk + 1
    while at < tree.count {
      tree[at] += difference
      at += at & -at
    }
  }

  /// The chunk that holds a position, and the position in there; the end belongs to the last chunk.
  private func find(_ position: Int) -> (chunk: Int, offset: Int) {
    var at = 0
    var rest = position
    var step = highest
    while step > 0 {
      if at + step < tree.count, tree[at + step] <= rest {
        at += step
        rest -= tree[at]
      }
      step /= 2
    }
    return at < chunks.count ? (at, rest) : (chunks.count - 1, chunks[chunks.count - 1].count)
  }

  mutating func insert(_ row: Int, at position: Int) throws(Replay.Fault) {
    guard (0...count).contains(position) else { throw Replay.Fault("an insert at \(position) in a list of \(count)") }
    let (chunk, offset) = find(position)
    chunks[chunk].insert(row, at: offset)
    count += 1
    add(1, to: chunk)
  }

  mutating func remove(at position: Int) throws(Replay.Fault) -> Int {
    guard (0..<count).contains(position) else { throw Replay.Fault("position \(position) in a list of \(count)") }
    let (chunk, offset) = find(position)
    count -= 1
    add(-1, to: chunk)
    return chunks[chunk].remove(at: offset)
  }

  mutating func replace(at position: Int, with row: Int) throws(Replay.Fault) -> Int {
    guard (0..<count).contains(position) else { throw Replay.Fault("position \(position) in a list of \(count)") }
    let (chunk, offset) = find(position)
    defer { chunks[chunk][offset] = row }
    return chunks[chunk][offset]
  }

  func row(at position: Int) throws(Replay.Fault) -> Int {
    guard (0..<count).contains(position) else { throw Replay.Fault("position \(position) in a list of \(count)") }
    let (chunk, offset) = find(position)
    return chunks[chunk][offset]
  }

  var rows: [Int] { Array(chunks.joined()) }
}
