import MinervaWire
import Testing

/// Bytes of an attacker: typed errors, no trap, no memory beyond what came.
@Suite("CBOR, hostile") struct CBORHostileTests {
  struct Tree: Codable, Hashable {
    var children: [Tree]
  }

  @Test func `announced lengths take no memory`() {
    for head: [UInt8] in [
      [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xBB, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x7A, 0xFF, 0xFF, 0xFF, 0xFF], [0x9A, 0x00, 0x10, 0x00, 0x00, 1, 2, 3],
    ] {
      #expect(throws: MinervaError.self) { try CBOR.decode([UInt8].self, from: head) }
      #expect(throws: MinervaError.self) { try CBOR.decode([Int].self, from: head) }
      #expect(throws: MinervaError.self) { try CBOR.decode([String].self, from: head) }
      #expect(throws: MinervaError.self) { try CBOR.decode([Tree].self, from: head) }
      #expect(throws: MinervaError.self) { try CBOR.decode([String: Int].self, from: head) }
      #expect(throws: MinervaError.self) { try CBOR.decode(Tree.self, from: head) }
    }
  }

  @Test func `nesting ends at 64 levels`() throws {
    func tree(_ levels: Int) -> Tree { levels == 0 ? Tree(children: []) : Tree(children: [tree(levels - 1)]) }
    // A level of the tree is a map and an array.
    #expect(try CBOR.decode(Tree.self, from: CBOR.encode(tree(31))) == tree(31))
    #expect(throws: MinervaError.self) { try CBOR.encode(tree(32)) }
    let deep = [UInt8](repeating: 0x9F, count: 1 << 20)
    let error = #expect(throws: MinervaError.self) { try CBOR.decode(CBORTests.Small.self, from: [0xBF, 0x61, 0x78] + deep) }
    #expect(error?.code == .tooLarge)
    var nested: [UInt8] = []
    for _ in 0..<1000 { nested += [0xBF, 0x68] + Array("children".utf8) + [0x9F] }
    #expect(throws: MinervaError.self) { try CBOR.decode(Tree.self, from: nested) }
  }

  @Test func `bad texts, ranges and rests`() {
    #expect(throws: MinervaError.self) { try CBOR.decode(String.self, from: [0x62, 0xC3, 0x28]) }
    #expect(throws: MinervaError.self) { try CBOR.decode(Int.self, from: [0x1B, 0x80, 0, 0, 0, 0, 0, 0, 0]) }
    #expect(throws: MinervaError.self) { try CBOR.decode(Int.self, from: [0x3B, 0x80, 0, 0, 0, 0, 0, 0, 0]) }
    #expect(throws: MinervaError.self) { try CBOR.decode(UInt8.self, from: [0x19, 0x01, 0x00]) }
    #expect(throws: MinervaError.self) { try CBOR.decode(UInt.self, from: [0x20]) }
    #expect(throws: MinervaError.self) { try CBOR.decode(Bool.self, from: [0x01]) }
    #expect(throws: MinervaError.self) { try CBOR.decode(Int.self, from: [0x01, 0x01]) }
    #expect(throws: MinervaError.self) { try CBOR.decode(Int.self, from: []) }
    #expect(throws: MinervaError.self) { try CBOR.decode(String.self, from: [0x7F, 0x61, 0x61, 0xFF]) }
  }

  /// Every cut and many flips of a valid message: an error or a value, never a trap; what was decoded encodes again.
  @Test func `cut and mutated bytes`() throws {
    let whole = try CBOR.encode(CBORTests.Everything())
    for length in 0..<whole.count {
      #expect(throws: MinervaError.self, "cut at \(length)") { try CBOR.decode(CBORTests.Everything.self, from: Array(whole[..<length])) }
    }
    var random = SplitMix64(seed: 0xC0DE)
    for round in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let value = try? CBOR.decode(CBORTests.Everything.self, from: bytes) {
        #expect((try? CBOR.encode(value)) != nil, "round \(round)")
      }
    }
  }

  /// A hundred thousand keys beside those that are asked for cost one pass, whatever their order.
  @Test func `a wide map is read in linear time`() throws {
    var bytes: [UInt8] = [0xBF]
    for index in 0..<100_000 {
      let key = Array("k\(index % 5 == 0 ? 0 : index)".utf8)
      bytes += [0x60 | UInt8(key.count)] + key + [0x01]
    }
    bytes.append(0xFF)
    let map = try CBOR.decode([String: Int].self, from: bytes)
    #expect(map.count == 80_001)
  }
}
