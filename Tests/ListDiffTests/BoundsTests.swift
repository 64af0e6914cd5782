import Synchronization
import MinervaWire
import Testing

@testable import ListDiff

/// An identifier that counts how often it is compared.
private struct Counted: Hashable, Diffable {
  typealias DiffID = Counted
  static let comparisons = Atomic<Int>(0)
  var value: Int

  static func == (a: Counted, b: Counted) -> Bool {
    comparisons.add(1, ordering: .relaxed)
    return a.value == b.value
  }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }

  /// Comparisons of one diff, for each element of the longer list.
  static func perElement(_ old: [Int], _ new: [Int]) throws -> Double {
    comparisons.store(0, ordering: .relaxed)
    let (before, after) = (old.map(Counted.init), new.map(Counted.init))
    comparisons.store(0, ordering: .relaxed)
    _ = try Differ().changes(from: before, to: after)
    return Double(comparisons.load(ordering: .relaxed)) / Double(max(old.count, new.count, 1))
  }
}

@Suite("Bounds", .serialized)
struct BoundsTests {
  @Test("comparisons stay linear: duplicates, reversals, shuffles (B04)", arguments: [1_000, 20_000])
  func linear(_ count: Int) throws {
    var random = Seeded(runSeed ^ 4)
    let unique = Array(0..<count)
    let few = (0..<count).map { _ in Int.random(in: 0..<3, using: &random) }
    #expect(try Counted.perElement([Int](repeating: 7, count: count), [Int](repeating: 7, count: count + 5)) < 4)
    #expect(try Counted.perElement(few, few.shuffled(using: &random)) < 40)
    #expect(try Counted.perElement(few + [9] + few, few + few.reversed()) < 40)
    #expect(try Counted.perElement(unique, unique.reversed()) < 8)
    #expect(try Counted.perElement(unique, unique.shuffled(using: &random)) < 8)
    #expect(try Counted.perElement(unique, unique.map { $0 + count }) < 8)
  }

  @Test("20,000 reversed and 15,000 names in two random orders: minimal and exact (B04)")
  func large() throws {
    let reversed = try Differ().changes(from: Array(0..<20_000), to: Array((0..<20_000).reversed()))
    #expect(reversed.moves.count == 19_999)
    var random = Seeded(runSeed ^ 5)
    let names = (0..<15_000).map { "name-\($0 &* 7_919 % 1_000_003)" }
    let (old, new) = (names.shuffled(using: &random), names.shuffled(using: &random))
    let changes = try Differ().changes(from: old, to: new)
    #expect(changes.moves.count == Oracle.counts(old, new, fast: true).moves)
    #expect(try changes.apply(to: old, from: new) == new)
  }

  @Test("long lists with few edits: minimal and exact", arguments: [3_000, 30_000, 200_000])
  func longLists(_ count: Int) throws {
    var random = Seeded(runSeed ^ UInt64(count))
    let old = (0..<count).map { $0 &* 7_919 }
    var new = old
    for _ in 0..<30 {
      let block = Int.random(in: 1...(count / 50), using: &random)
      let start = Int.random(in: 0..<(count - block), using: &random)
      let cut = Array(new[start..<(start + block)])
      new.removeSubrange(start..<(start + block))
      new.insert(contentsOf: Bool.random(using: &random) ? cut : cut.reversed(), at: .random(in: 0...new.count, using: &random))
    }
    new.remove(at: 5)
    new.insert(-1, at: count / 2)
    let changes = try Differ().changes(from: old, to: new)
    let expected = Oracle.counts(old, new, fast: true)
    #expect(changes.counts == "d\(expected.deletes) i\(expected.inserts) m\(expected.moves) u0")
    #expect(try changes.apply(to: old, from: new) == new)
  }

  @Test("the subsequence is as long as by hand", arguments: [100, 2_000, 70_000, 300_000])
  func subsequence(_ count: Int) {
    var random = Seeded(runSeed ^ UInt64(count))
    for shape in 0..<6 {
      var values = (0..<count).map { Int32($0) }
      switch shape {
      case 0: values.shuffle(using: &random)
      case 1: values.reverse()
      case 2: for _ in 0..<(count / 3) { values.swapAt(.random(in: 0..<count, using: &random), .random(in: 0..<count, using: &random)) }
      case 3: values = values.filter { $0 % 2 == 0 } + values.filter { $0 % 2 == 1 }
      case 4: values = values.sorted { ($0 % 17, $0) < ($1 % 17, $1) }
      default: values[..<(count / 2)].shuffle(using: &random)
      }
      let match = Buffer<Int32>(capacity: count)
      for (index, value) in values.enumerated() { match[index] = value }
      let subsequence = IncreasingSubsequence(match, count: count, positions: 0..<count)
      let length = subsequence.length
      #expect(length == Oracle.longestIncreasingFast(values.map { Int($0) }), "shape \(shape), seed \(runSeed)")
      let moved = Set(subsequence.moves(match, count: count).map(\.old))
      let rest = values.filter { !moved.contains($0) }
      #expect(rest.count == length)
      #expect(zip(rest, rest.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test("blocks moved over blocks of the same size, near and far: minimal and exact")
  func tangled() throws {
    var random = Seeded(runSeed ^ 7)
    for round in 0..<3_000 {
      let count = Int.random(in: 30...400, using: &random)
      let old = (0..<count).map { $0 &* 7_919 }
      var new = old
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let block = Int.random(in: 1...12, using: &random)
        let start = Int.random(in: 0..<(new.count - block), using: &random)
        let cut = Array(new[start..<(start + block)])
        new.removeSubrange(start..<(start + block))
        let far = Int.random(in: 0..<4, using: &random) == 0 ? count : 14
        let target = min(max(0, start + .random(in: -far...far, using: &random)), new.count)
        new.insert(contentsOf: Int.random(in: 0..<4, using: &random) == 0 ? cut.reversed() : cut, at: target)
      }
      let changes = try Differ().changes(from: old, to: new)
      let expected = Oracle.counts(old, new)
      try #require(changes.moves.count == expected.moves, "round \(round), seed \(runSeed): \(new.map { $0 / 7_919 })")
      try #require(Oracle.replay(changes, old, new) == new)
    }
  }

  @Test("a set of positions finds the next and the previous as a sorted array does", arguments: [1, 64, 65, 4_096, 4_097, 300_000])
  func positions(_ size: Int) {
    var random = Seeded(runSeed ^ 8 ^ UInt64(size))
    let set = PositionSet(size: size)
    var members: [Int] = []
    for _ in 0..<1_500 {
      let position = Int.random(in: 0..<size, using: &random)
      let at = members.firstIndex { $0 >= position } ?? members.count
      let holds = at < members.count && members[at] == position
      let next = holds ? at + 1 : at
      #expect(set.next(above: position) == (next < members.count ? members[next] : -1), "seed \(runSeed)")
      #expect(set.previous(below: position) == (at > 0 ? members[at - 1] : -1), "seed \(runSeed)")
      if holds {
        set.remove(position)
        members.remove(at: at)
      } else if Int.random(in: 0..<4, using: &random) > 0 || members.isEmpty {
        set.insert(position)
        members.insert(position, at: at)
      } else {
        set.remove(members.remove(at: members.count / 2))
      }
    }
  }

  @Test("2³¹ elements are refused by name")
  func tooLarge() {
    let error = #expect(throws: DiffError.self) { try requireIndexable(old: 1 << 31, new: 0) }
    #expect(error?.code == .tooLarge)
    #expect(throws: DiffError.self) { try requireIndexable(old: 0, new: 1 << 31) }
    #expect(throws: Never.self) { try requireIndexable(old: 1 << 31 - 1, new: 1 << 31 - 1) }
  }

  @Test("a cancelled diff stops with its own error, between steps too")
  func cancellation() {
    let at = Differ(isCancelled: { true })
    let error = #expect(throws: DiffError.self) { try at.changes(from: [1], to: [2]) }
    #expect(error?.code == .cancelled)
    #expect(error?.retryable == true)
    final class Counter: Sendable { let looks = Atomic<Int>(0) }
    let counter = Counter()
    let later = Differ(isCancelled: { counter.looks.add(1, ordering: .relaxed).newValue > 4 })
    #expect(throws: DiffError.self) { try later.changes(from: Array(0..<400_000), to: Array((0..<400_000).reversed())) }
    #expect(counter.looks.load(ordering: .relaxed) == 5)
  }
}
