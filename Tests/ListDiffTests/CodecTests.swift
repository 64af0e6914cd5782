import Foundation
import ListDiff
import MinervaWire
import Testing

@Suite("Codecs")
struct CodecTests {
  /// Change sets of several shapes, encoded.
  static let samples: [[UInt8]] = {
    var random = Seeded(99)
    var samples: [[UInt8]] = []
    for _ in 0..<12 {
      let flat = RandomPair(&random)
      if let changes = try? Differ().changes(from: flat.old, to: flat.new) { samples.append(changes.encoded()) }
      let sectioned = RandomSections(&random)
      if let changes = try? Differ().changes(from: sectioned.old, to: sectioned.new) { samples.append(changes.encoded()) }
    }
    return samples
  }()

  @Test("known bytes, so that other languages can read them")
  func bytes() throws {
    let rotated = try Differ().changes(from: ["a", "b", "c"], to: ["b", "c", "a"])
    // Lengths 3 and 3, no deletes, no inserts, one move to 2 whose old − new is −2, no updates.
    #expect(rotated.encoded() == [0x4c, 1, 0, 3, 3, 0, 0, 1, 2, 3, 0])
    let cleared = try Differ().changes(from: Array(0..<1000), to: [Int]())
    #expect(cleared.encoded().count < 16)
    #expect(try ChangeSet(decoding: cleared.encoded()) == cleared)
  }

  @Test("every prefix of a change set is refused")
  func prefixes() {
    for sample in CodecTests.samples {
      for length in 0..<sample.count {
        #expect(throws: DiffError.self) { try decode(Array(sample[..<length])) }
      }
      #expect(throws: DiffError.self) { try decode(sample + [0]) }
    }
  }

  @Test("mutated bytes decode to a valid change set or to an error, and the valid ones round-trip")
  func mutations() throws {
    var random = Seeded(runSeed ^ 7)
    var accepted = 0
    for _ in 0..<20_000 {
      guard var bytes = CodecTests.samples.randomElement(using: &random) else { continue }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        guard !bytes.isEmpty else { break }
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.remove(at: at)
        case 3: bytes.insert([0, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0, at: at)
        default: bytes.replaceSubrange(at..., with: bytes.reversed()[..<(bytes.count - at)])
        }
      }
      do {
        try decode(bytes)
        accepted += 1
      } catch let error as DiffError {
        #expect([.malformed, .limit, .invalid].contains(error.code), "seed \(runSeed): \(error)")
      }
    }
    #expect(accepted > 0)
  }

  /// Decodes by kind, and checks what was accepted by replaying it.
  private func decode(_ bytes: [UInt8]) throws {
    if bytes.count > 2, bytes[2] == 1 {
      let changes = try SectionedChangeSet(decoding: bytes, limit: 10_000)
      #expect(try SectionedChangeSet(decoding: changes.encoded()) == changes)
      var next = 0
      let old = changes.oldItemCounts.enumerated().map { id, count in
        Part(
          id, "",
          (0..<count).map { _ in
            next += 1; return Row(next)
          })
      }
      let new = changes.newItemCounts.enumerated().map { id, count in Part(1_000 + id, "", (0..<count).map { Row(-1 - $0) }) }
      let replayed = try changes.apply(to: old, from: new)
      #expect(replayed.map(\.items.count) == changes.newItemCounts)
    } else {
      let changes = try ChangeSet(decoding: bytes, limit: 10_000)
      #expect(try ChangeSet(decoding: changes.encoded()) == changes)
      let old = Array(0..<changes.oldCount)
      let replayed = try changes.apply(to: old) { -1 - $0 }
      #expect(replayed.count == changes.newCount)
      #expect(Oracle.wellFormed(changes))
      #expect(try changes.applySteps(to: old, from: (0..<changes.newCount).map { -1 - $0 }) == replayed)
    }
  }

  @Test("a short message cannot make the reader allocate what it promises")
  func bombs() {
    // Lengths of 2³¹ − 1, then as many deletes in one run.
    let huge: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0x07]
    let run: [UInt8] = [0x4c, 1, 0] + huge + [0] + [0xff, 0xff, 0xff, 0xff, 0x1f, 1, 0, 0xfe, 0xff, 0xff, 0xff, 0x07, 0, 0, 0]
    let error = #expect(throws: DiffError.self) { try ChangeSet(decoding: run) }
    #expect(error?.code == .limit)
    let gaps: [UInt8] = [0x4c, 1, 0, 0x80, 0x80, 0x40, 0, 0x80, 0x80, 0x40]
    #expect(throws: DiffError.self) { try ChangeSet(decoding: gaps) }
    let overlong: [UInt8] = [0x4c, 1, 0, 0x80, 0x00, 0, 0, 0, 0, 0]
    #expect(throws: DiffError.self) { try ChangeSet(decoding: overlong) }
    let later: [UInt8] = [0x4c, 2, 0, 0, 0, 0, 0, 0, 0]
    let version = #expect(throws: DiffError.self) { try ChangeSet(decoding: later) }
    #expect(version?.code == .malformed)
  }

  @Test("JSON text is what Codable writes and reads")
  func json() throws {
    let rotated = try Differ().changes(from: ["a", "b", "c"], to: ["b", "c", "a"])
    #expect(rotated.json == #"{"old":3,"new":3,"deletes":[],"inserts":[],"moves":[[0,2]],"updates":[]}"#)
    var random = Seeded(runSeed ^ 8)
    for _ in 0..<300 {
      let flat = RandomPair(&random)
      let changes = try Differ().changes(from: flat.old, to: flat.new)
      #expect(try JSONDecoder().decode(ChangeSet.self, from: Data(changes.json.utf8)) == changes)
      #expect(try JSONDecoder().decode(ChangeSet.self, from: JSONEncoder().encode(changes)) == changes)
      let sectioned = RandomSections(&random)
      let sections = try Differ().changes(from: sectioned.old, to: sectioned.new)
      #expect(try JSONDecoder().decode(SectionedChangeSet.self, from: Data(sections.json.utf8)) == sections)
      #expect(try JSONDecoder().decode(SectionedChangeSet.self, from: JSONEncoder().encode(sections)) == sections)
    }
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(ChangeSet.self, from: Data(#"{"old":1,"new":1,"deletes":[3],"inserts":[0],"moves":[],"updates":[]}"#.utf8))
    }
  }

  @Test("change sets that contradict themselves are refused")
  func contradictions() throws {
    #expect(throws: DiffError.self) { try ChangeSet(oldCount: 2, newCount: 1) }
    #expect(throws: DiffError.self) { try ChangeSet(oldCount: 2, newCount: 1, deletes: [2]) }
    #expect(throws: DiffError.self) { try ChangeSet(oldCount: 2, newCount: 0, deletes: [1, 0]) }
    #expect(throws: DiffError.self) { try ChangeSet(oldCount: 2, newCount: 0, deletes: [1, 1]) }
    #expect(throws: DiffError.self) { try ChangeSet(oldCount: 2, newCount: 1, deletes: [0], moves: [Move(from: 0, to: 0)]) }
    #expect(throws: DiffError.self) {
      try ChangeSet(oldCount: 1, newCount: 1, deletes: [0], inserts: [0], updates: [Update(old: 0, new: 0)])
    }
    #expect(throws: DiffError.self) { try ChangeSet(oldCount: 3, newCount: 3, updates: [Update(old: 0, new: 1)]) }
    #expect(throws: DiffError.self) {
      try ChangeSet(oldCount: 2, newCount: 2, moves: [Move(from: 0, to: 1)], updates: [Update(old: 0, new: 0)])
    }
    #expect(throws: DiffError.self) { try ChangeSet(oldCount: 1 << 31, newCount: 1 << 31) }
    #expect(throws: DiffError.self) { try ChangeSet(oldCount: -1, newCount: -1) }
    let good = try ChangeSet(
      oldCount: 3, newCount: 3, moves: [Move(from: 0, to: 2)], updates: [Update(old: 1, new: 0), Update(old: 0, new: 2)])
    #expect(try good.apply(to: ["a", "b", "c"], from: ["B", "c", "A"]) == ["B", "c", "A"])
    #expect(throws: DiffError.self) {
      try SectionedChangeSet(
        sections: ChangeSet(unchanged: 2), oldItemCounts: [1, 1], newItemCounts: [2, 0],
        deletes: [ItemPath(section: 0, item: 0)], inserts: [ItemPath(section: 0, item: 0)])
    }
  }

  @Test("byte lists whose columns do not fit together are refused")
  func byteLists() {
    #expect(throws: DiffError.self) { try ByteList(bytes: [1, 2], offsets: []) }
    #expect(throws: DiffError.self) { try ByteList(bytes: [1, 2], offsets: [1, 2]) }
    #expect(throws: DiffError.self) { try ByteList(bytes: [1, 2], offsets: [0, 2, 1]) }
    #expect(throws: DiffError.self) { try ByteList(bytes: [1, 2], offsets: [0, 3]) }
    #expect(throws: DiffError.self) { try ByteList(bytes: [1, 2], offsets: [0, 1, 2], contents: .hashes([1])) }
    #expect(throws: DiffError.self) { try ByteList(bytes: [1, 2], offsets: [0, 1, 2], contents: .bytes([], offsets: [0, 0])) }
    #expect(throws: DiffError.self) { try SectionedByteList(sections: ByteList(["a"]), items: ByteList(["x", "y"]), counts: [1]) }
    #expect(throws: DiffError.self) { try SectionedByteList(sections: ByteList(["a", "b"]), items: ByteList(["x"]), counts: [2, -1]) }
  }

  @Test("content bytes tell updates as hashes do")
  func contentBytes() throws {
    let old = try ByteList(bytes: Array("ab".utf8), offsets: [0, 1, 2], contents: .bytes(Array("onetwo".utf8), offsets: [0, 3, 6]))
    let new = try ByteList(bytes: Array("ba".utf8), offsets: [0, 1, 2], contents: .bytes(Array("TWOone".utf8), offsets: [0, 3, 6]))
    let changes = try Differ().changes(from: old, to: new)
    #expect(changes.moves.count == 1)
    #expect(Array(changes.updates) == [Update(old: 1, new: 0)])
  }
}
