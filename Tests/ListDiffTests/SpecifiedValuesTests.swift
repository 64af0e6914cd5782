import ListDiff
import Testing

/// One line of the table of known values.
struct Known: Sendable, CustomTestStringConvertible {
  var old: String
  var new: String
  var deletes: [Int]?
  var inserts: [Int]?
  var counts: String

  init(_ old: String, _ new: String, _ counts: String, deletes: [Int]? = nil, inserts: [Int]? = nil) {
    self.old = old
    self.new = new
    self.counts = counts
    self.deletes = deletes
    self.inserts = inserts
  }

  var testDescription: String { "\(old) → \(new)" }

  static let values = [
    Known("", "1", "d0 i1 m0", inserts: [0]),
    Known("1", "", "d1 i0 m0", deletes: [0]),
    Known("a b c", "b c a", "d0 i0 m1"),
    Known("1 2 3", "3 2 1", "d0 i0 m2"),
    Known("1 2 3 4 5", "5 4 3 2 1", "d0 i0 m4"),
    Known("1 2 3 4 5 6 7 8 9 10", "10 9 8 7 6 5 4 3 2 1", "d0 i0 m9"),
    Known("a b c d", "a d b c", "d0 i0 m1"),
    Known("a b c d", "c d a b", "d0 i0 m2"),
    Known("a b c d", "c b a", "d1 i0 m2"),
    Known("0 1", "1 0", "d0 i0 m1"),
    Known("A B C D E F G H I J K L M N O P Q R S T U V", "J E C O Q H L G W K", "d13 i1 m6"),
    Known("a b", "b", "d1 i0 m0", deletes: [0]),
    Known("0 1 2 3 4 5 6 7 8 9", "0 8 2 3 4 5 6 7 1 9", "d0 i0 m2"),
    Known("one zero two", "five four two one", "d1 i2 m1"),
    Known("A B C D E F G D H", "B C X D H Y Z", "d5 i3 m0"),
    Known("A B C D", "C E A F", "d2 i2 m1"),
    Known("A B C", "B C D A", "d0 i1 m1"),
    Known("A B C D E", "A D E F C", "d1 i1 m1"),
    Known("b c g e f d h", "b x y g f e z d h", "d1 i3 m1"),
    Known("A1 A2 A2 B1", "A1 A1 A2 A2 B1", "d0 i1 m0"),
    Known("0 1 2 3 4 5 6 7 8", "0 2 3 4 7 6 9 5 10", "d2 i2 m2", deletes: [1, 8], inserts: [6, 8]),
    Known("1 2 3 4 5 6 7", "2 9 3 1 5 6 8", "d2 i2 m1", deletes: [3, 6], inserts: [1, 6]),
    Known("0 1 2 3 4", "3 4 2 0 1", "d0 i0 m3"),
    Known(
      "much writing is like snow , a mass of long words and phrases falls upon the relevant facts covering up the details .",
      "a mass of latin words falls upon the relevant facts like soft snow , covering up the details .",
      "d6 i2 m3", deletes: [0, 1, 2, 9, 11, 12], inserts: [3, 11]),
    // B03: 20 identifiers, of which six stay.
    Known(
      "63 5 112 48 100006 121 33 65 100003 57 100007 117 108 1 118 100688 18 54 116 110",
      "65 118 110 117 100006 112 1 54 116 100688 48 57 108 63 121 33 18 5 100003 100007", "d0 i0 m14"),
    Known("a b c d e", "b f c d 1", "d2 i2 m0"),
    // B04
    Known("1 2 3 4 5 6", "1 4 2 5 6 3", "d0 i0 m2"),
    Known("1 2 3 4 5", "4 5 1 2 3", "d0 i0 m2"),
  ]
}

@Suite("Known values")
struct SpecifiedValuesTests {
  @Test("the table, by strings and by bytes (B03, B04)", arguments: Known.values)
  func table(_ known: Known) throws {
    let old = known.old.split(separator: " ").map(String.init)
    let new = known.new.split(separator: " ").map(String.init)
    for changes in [
      try Differ().changes(from: old, to: new),
      try Differ().changes(from: ByteList(old), to: ByteList(new)),
      try Differ(.init(strings: .canonical)).changes(from: old, to: new),
      try Differ().changes(from: old, to: new, id: { $0 }),
    ] {
      #expect(changes.counts == known.counts + " u0")
      if let deletes = known.deletes { #expect(Array(changes.deletes) == deletes) }
      if let inserts = known.inserts { #expect(Array(changes.inserts) == inserts) }
      #expect(try changes.apply(to: old, from: new) == new)
      #expect(Oracle.replay(changes, old, new) == new)
      #expect(Oracle.wellFormed(changes))
    }
  }

  @Test("one element moves and names both places")
  func moves() throws {
    let rotated = try Differ().changes(from: ["a", "b", "c"], to: ["b", "c", "a"])
    #expect(Array(rotated.moves) == [Move(from: 0, to: 2)])
    let back = try Differ().changes(from: ["a", "b", "c", "d"], to: ["a", "d", "b", "c"])
    #expect(Array(back.moves) == [Move(from: 3, to: 1)])
    let swapped = try Differ().changes(from: Array(0...9), to: [0, 8, 2, 3, 4, 5, 6, 7, 1, 9])
    #expect(Array(swapped.moves) == [Move(from: 8, to: 1), Move(from: 1, to: 8)])
  }

  @Test("a row that moves and changes is updated once (B02)")
  func movedAndChanged() throws {
    let changes = try Differ().changes(from: Row.list("1a 2a 3a"), to: Row.list("3b 1a 4a"))
    #expect(Array(changes.deletes) == [1])
    #expect(Array(changes.inserts) == [2])
    #expect(changes.moves.count == 1)
    #expect(Array(changes.updates) == [Update(old: 2, new: 0)])
  }

  @Test("an update names both positions")
  func updateAfterDelete() throws {
    let changes = try Differ().changes(from: Row.list("1 2 3 4"), to: Row.list("1 3x 4"))
    #expect(Array(changes.deletes) == [1])
    #expect(Array(changes.updates) == [Update(old: 2, new: 1)])
  }

  @Test("duplicates by occurrence: never an update on an inserted row (B01)")
  func duplicatesByOccurrence() throws {
    let old = Row.list("1a 2a 3a 4b")
    let new = Row.list("1a 5a 6a 7a 4a 8a 4b")
    let changes = try Differ().changes(from: old, to: new)
    #expect(changes.counts.hasPrefix("d2 i5 m0"))
    #expect(Set(changes.updates.map(\.new)).isDisjoint(with: changes.inserts))
    #expect(try changes.apply(to: old, from: new) == new)
  }

  @Test("duplicates refused: the error names the identifier and both places (B01)")
  func duplicatesRefused() {
    let differ = Differ(.init(duplicates: .reject))
    let error = #expect(throws: DiffError.self) {
      try differ.changes(from: Row.list("1a 2a 3a 4b"), to: Row.list("1a 5a 6a 7a 4a 8a 4b"))
    }
    #expect(error?.code == .duplicate)
    #expect(error?.code.name == "diff.duplicate")
    #expect(error?.duplicate?.id == "4")
    #expect(error?.duplicate?.side == .new)
    #expect(error?.duplicate?.first == .init(item: 4))
    #expect(error?.duplicate?.second == .init(item: 6))
    let inOld = #expect(throws: DiffError.self) { try differ.changes(from: ["x", "x"], to: ["x"]) }
    #expect(inOld?.duplicate?.side == .old)
    let inBytes = #expect(throws: DiffError.self) { try differ.changes(from: ByteList(["a"]), to: ByteList(["x", "y", "x"])) }
    #expect(inBytes?.duplicate?.id == "x")
  }

  @Test("duplicates, first wins: data and indexes alike (B01)")
  func duplicatesFirst() throws {
    let differ = Differ(.init(duplicates: .first))
    let old = try differ.firstOccurrences(of: Row.list("1 2"))
    let new = try differ.firstOccurrences(of: Row.list("1 2 2x 3 1y"))
    #expect(new == Row.list("1 2 3"))
    let changes = try differ.changes(from: Row.list("1 2"), to: Row.list("1 2 2x 3 1y"))
    #expect(changes.newCount == 3)
    #expect(Array(changes.inserts) == [2])
    #expect(try changes.apply(to: old, from: new) == new)
    // A later clean list leaves no ghost rows.
    #expect(try differ.changes(from: Row.list("1 2 2x 3 1y"), to: Row.list("1 2 3")).isEmpty)
  }

  @Test("a constant hash is only slow")
  func constantHash() throws {
    struct Same: Hashable, Diffable {
      typealias DiffID = Same
      var value: Int
      func hash(into hasher: inout Hasher) {}
    }
    let changes = try Differ().changes(from: [Same(value: 0), Same(value: 1)], to: [Same(value: 0), Same(value: 2)])
    #expect(changes.counts == "d1 i1 m0 u0")
    let old = (0..<50).map(Same.init)
    let new = old.reversed() + [Same(value: 99)]
    let reversed = try Differ().changes(from: old, to: Array(new))
    #expect(reversed.counts == "d0 i1 m49 u0")
  }
}
