import MinervaWire
import Testing

@testable import ListDiff

/// Two lists of integers under a hash of the test's choice.
struct Hashed: PairSource {
  let old: [Int]
  let new: [Int]
  let hash: @Sendable (Int) -> UInt64
  var oldCount: Int { old.count }
  var newCount: Int { new.count }
  func same(_ i: Int, _ j: Int) -> Bool { old[i] == new[j] }
  func sameOld(_ i: Int, _ k: Int) -> Bool { old[i] == old[k] }
  func sameNew(_ j: Int, _ k: Int) -> Bool { new[j] == new[k] }
  func changed(_ i: Int, _ j: Int) -> Bool { false }
  func hashOld(_ i: Int) -> UInt64 { hash(old[i]) }
  func hashNew(_ j: Int) -> UInt64 { hash(new[j]) }
  func sketchOld(_ i: Int) -> UInt64 { hash(old[i]) }
  func sketchNew(_ j: Int) -> UInt64 { hash(new[j]) }
  func describeOld(_ i: Int) -> String { "\(old[i])" }
  func describeNew(_ j: Int) -> String { "\(new[j])" }
}

@Suite("Hashes")
struct HashTests {
  @Test("the result does not depend on the hash seed, even when all hashes are equal")
  func seeds() throws {
    var random = Seeded(runSeed ^ 6)
    for _ in 0..<6_000 {
      let pair = RandomPair(&random)
      let (old, new) = (pair.old.map(\.id), pair.new.map(\.id))
      let expected = try Differ().changes(from: old, to: new)
      let seed = random.next()
      let hashes: [@Sendable (Int) -> UInt64] = [
        { Hash(seed: seed).word(UInt64(bitPattern: Int64($0))) },
        { _ in 0 },
        { _ in .max },
        { UInt64($0 & 1) << 63 },
      ]
      for hash in hashes {
        #expect(try Differ().changes(between: Hashed(old: old, new: new, hash: hash)) == expected, "seed \(runSeed)")
      }
    }
  }

  @Test("a pair that only a hash makes suspect is left alone: the very same moves, whichever identifiers collide")
  func falseAlarms() throws {
    // The second row is paired before another 3 is left open; what collides with it is open already.
    let (old, new) = ([2, 3, 3, 1, 3, 0, 3, 5], [4, 3, 2, 3, 3, 1, 0, 3, 5, 0])
    let expected = try Differ().changes(between: Hashed(old: old, new: new) { UInt64($0) })
    #expect(expected.counts == "d0 i2 m2 u0")
    for modulus in 1...8 {
      let hashed = Hashed(old: old, new: new) { UInt64($0 % modulus) }
      #expect(try Differ().changes(between: hashed) == expected, "modulo \(modulus)")
    }
  }
}
