/// Reads a worker's answer: the compact form of a change set, from its description alone. A flat list is read as one section.
///
/// No code is shared with `ListDiff`, so a fault of its writer is not repeated here. The bytes may be anything.
package struct AnswerReader: Sendable {
  /// Why an answer cannot be taken.
  package struct Fault: Error, Hashable, Sendable {
    package let text: String

    init(_ text: String) { self.text = text }
  }

  /// The operations on one list of positions.
  struct Operations: Sendable {
    var deletes: [Int] = []
    var inserts: [Int] = []
    var moves: [(old: Int, new: Int)] = []
    var updates: [(old: Int, new: Int)] = []
  }

  let oldCounts: [Int]
  let newCounts: [Int]
  let sections: Operations
  /// Items numbered through all sections.
  let items: Operations

  /// How many operations there are, on sections and items.
  package var operations: Int {
    [sections, items].reduce(0) { $0 + $1.deletes.count + $1.inserts.count + $1.moves.count + $1.updates.count }
  }

  /// - Parameter limit: The most rows on either side; it bounds what is allocated, whatever the bytes say.
  package init(_ bytes: [UInt8], limit: Int = 1 << 24) throws(Fault) {
    var cursor = Cursor(bytes: bytes)
    guard bytes.count > 2, bytes.starts(with: [0x4c, 1]), bytes[2] < 2 else { throw Fault("the answer is not a change set, version 1") }
    let isFlat = bytes[2] == 0
    cursor.at = 3
    let old = try cursor.number()
    let new = try cursor.number()
    if isFlat {
      (oldCounts, newCounts, sections) = ([old], [new], Operations())
      guard max(old, new) <= limit else { throw Fault("the answer is about \(max(old, new)) rows") }
      items = try cursor.operations(old: old, new: new)
      guard cursor.at == bytes.count else { throw Fault("\(bytes.count - cursor.at) bytes follow the answer") }
      return
    }
    // The length of each section follows, a byte at least.
    guard old <= bytes.count, new <= bytes.count else { throw Fault("\(max(old, new)) sections in \(bytes.count) bytes") }
    sections = try cursor.operations(old: old, new: new)
    oldCounts = try cursor.numbers(old)
    newCounts = try cursor.numbers(new)
    let most = max(oldCounts.reduce(0, +), newCounts.reduce(0, +))
    guard most <= limit else { throw Fault("the answer is about \(most) rows") }
    items = try cursor.operations(old: oldCounts.reduce(0, +), new: newCounts.reduce(0, +))
    guard cursor.at == bytes.count else { throw Fault("\(bytes.count - cursor.at) bytes follow the answer") }
  }

  private struct Cursor {
    let bytes: [UInt8]
    var at = 0

    mutating func number() throws(Fault) -> Int {
      var value = 0
      for shift in stride(from: 0, to: 35, by: 7) {
        guard at < bytes.count else { throw Fault("the answer is cut short") }
        let byte = bytes[at]
        at += 1
        value |= Int(byte & 0x7f) << shift
        if byte & 0x80 == 0 { return value }
      }
      throw Fault("a number in the answer is too long")
    }

    /// As many numbers, each of which takes a byte at least.
    mutating func numbers(_ count: Int) throws(Fault) -> [Int] {
      guard count <= bytes.count - at else { throw Fault("the answer promises \(count) numbers in \(bytes.count - at) bytes") }
      var result: [Int] = []
      for _ in 0..<count { result.append(try number()) }
      return result
    }

    mutating func operations(old: Int, new: Int) throws(Fault) -> Operations {
      Operations(deletes: try positions(old), inserts: try positions(new), moves: try links(old, new), updates: try links(old, new))
    }

    private mutating func positions(_ end: Int) throws(Fault) -> [Int] {
      let head = try number()
      let count = head / 2
      guard count <= end else { throw Fault("\(count) positions in a list of \(end)") }
      var result: [Int] = []
      var next = 0
      if head % 2 == 1 {
        for _ in 0..<(try number()) {
          let start = next + (try number())
          next = start + (try number()) + 1
          guard next <= end else { throw Fault("position \(next - 1) in a list of \(end)") }
          result.append(contentsOf: start..<next)
          guard result.count <= count else { break }
        }
      } else {
        for _ in 0..<count {
          next += try number()
          guard next < end else { throw Fault("position \(next) in a list of \(end)") }
          result.append(next)
          next += 1
        }
      }
      guard result.count == count else { throw Fault("\(result.count) positions where \(count) were promised") }
      return result
    }

    private mutating func links(_ oldEnd: Int, _ newEnd: Int) throws(Fault) -> [(old: Int, new: Int)] {
      let count = try number()
      guard count <= newEnd, count <= bytes.count - at else { throw Fault("\(count) links into a list of \(newEnd)") }
      var result: [(old: Int, new: Int)] = []
      var next = 0
      var shift = 0
      for _ in 0..<count {
        let new = next + (try number())
        let zigzag = try number()
        shift += zigzag % 2 == 0 ? zigzag / 2 : -1 - zigzag / 2
        let old = new + shift
        guard new < newEnd, (0..<oldEnd).contains(old) else {
          throw Fault("a link from \(old) to \(new) in lists of \(oldEnd) and \(newEnd)")
        }
        result.append((old, new))
        next = new + 1
      }
      return result
    }
  }
}
