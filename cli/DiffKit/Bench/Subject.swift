import ListDiff
import MinervaWire

/// A row with an integer identifier.
struct IntRow: Diffable, Sendable {
  var id: Int
  var version: Int

  var diffID: Int { id }
  func hasSameContent(as other: IntRow) -> Bool { version == other.version }
}

/// A row with a string of 36 bytes for an identifier.
struct StringRow: Diffable, Sendable {
  var id: String
  var version: Int

  var diffID: String { id }
  func hasSameContent(as other: StringRow) -> Bool { version == other.version }
}

/// A section of rows.
struct BenchSection<Row: Diffable>: DiffableSection {
  var id: Row.DiffID
  var items: [Row]

  var diffID: Row.DiffID { id }
  func hasSameContent(as other: BenchSection<Row>) -> Bool { true }
  func replacingItems(_ items: [Row]) -> BenchSection<Row> { BenchSection(id: id, items: items) }
}

/// What a contender is given: one pair, in the types it takes. Nothing is shared between old and new.
protocol BenchSubject {
  init(_ workload: Workload)
  /// The differ's result.
  func engine() throws(DiffError) -> FileChanges
  func heckel() -> Int
  /// The standard library's `difference`, on identifiers.
  func standard() -> Int
  /// Every identifier of both lists hashed once.
  func floor() -> UInt64
  /// The same for the identifiers that plain Heckel was given.
  func opponentFloor() -> UInt64
}

extension BenchSubject {
  func opponentFloor() -> UInt64 { floor() }
}

/// Identifiers that are integers.
struct IntSubject: BenchSubject {
  let old: [IntRow]
  let new: [IntRow]
  let sections: (old: [BenchSection<IntRow>], new: [BenchSection<IntRow>])?
  private let hash = Hash()

  init(_ workload: Workload) {
    let sorted = workload.old.first?.number == 0
    func row(_ element: Workload.Element) -> IntRow {
      IntRow(
        id: sorted ? element.number : Int(truncatingIfNeeded: SplitMix64.mixed(UInt64(bitPattern: Int64(element.number)))),
        version: element.version)
    }
    old = workload.old.map(row)
    new = workload.new.map(row)
    sections = workload.sections(old, new) { $0 }
  }

  @inline(never)
  func engine() throws(DiffError) -> FileChanges {
    if let sections { return .sectioned(try Differ().changes(from: sections.old, to: sections.new)) }
    return .flat(try Differ().changes(from: old, to: new))
  }

  @inline(never)
  func heckel() -> Int {
    guard let sections else { return PlainHeckel.changes(old, new).count }
    return PlainHeckel.changes(sections.old, sections.new).count
      + PlainHeckel.changes(Array(sections.old.map(\.items).joined()), Array(sections.new.map(\.items).joined())).count
  }

  @inline(never)
  func standard() -> Int { new.difference(from: old) { $0.id == $1.id }.count }

  @inline(never)
  func floor() -> UInt64 {
    var sum: UInt64 = 0
    for row in old { sum ^= hash.word(UInt64(bitPattern: Int64(row.id))) }
    for row in new { sum ^= hash.word(UInt64(bitPattern: Int64(row.id))) }
    return sum
  }
}

/// Identifiers that are strings.
struct StringSubject: BenchSubject {
  let old: [StringRow]
  let new: [StringRow]
  let sections: (old: [BenchSection<StringRow>], new: [BenchSection<StringRow>])?
  private let hash = Hash()

  init(_ workload: Workload) {
    old = workload.old.map { StringRow(id: StringSubject.text($0.number), version: $0.version) }
    new = workload.new.map { StringRow(id: StringSubject.text($0.number), version: $0.version) }
    sections = workload.sections(old, new, StringSubject.text)
  }

  /// 36 characters, built from bytes each time.
  static func text(_ number: Int) -> String {
    let words = (SplitMix64.mixed(UInt64(bitPattern: Int64(number))), SplitMix64.mixed(~UInt64(bitPattern: Int64(number))))
    return String(unsafeUninitializedCapacity: 36) { buffer in
      var nibble = 0
      for index in 0..<36 {
        if index == 8 || index == 13 || index == 18 || index == 23 {
          buffer[index] = 0x2D
          continue
        }
        let word = nibble < 16 ? words.0 : words.1
        let value = UInt8(truncatingIfNeeded: word >> UInt64(4 * (nibble % 16))) & 15
        buffer[index] = value < 10 ? 0x30 + value : 0x57 + value
        nibble += 1
      }
      return 36
    }
  }

  @inline(never)
  func engine() throws(DiffError) -> FileChanges {
    if let sections { return .sectioned(try Differ().changes(from: sections.old, to: sections.new)) }
    return .flat(try Differ().changes(from: old, to: new))
  }

  @inline(never)
  func heckel() -> Int {
    guard let sections else { return PlainHeckel.changes(old, new).count }
    return PlainHeckel.changes(sections.old, sections.new).count
      + PlainHeckel.changes(Array(sections.old.map(\.items).joined()), Array(sections.new.map(\.items).joined())).count
  }

  @inline(never)
  func standard() -> Int { new.difference(from: old) { $0.id == $1.id }.count }

  @inline(never)
  func floor() -> UInt64 {
    var sum: UInt64 = 0
    for rows in [old, new] {
      for row in rows {
        sum ^= row.id.utf8.withContiguousStorageIfAvailable { $0.baseAddress.map { hash.bytes($0, 36) } ?? 0 } ?? 0
      }
    }
    return sum
  }
}

/// Identifiers that are bytes in one run; Heckel and the standard library get the same as strings, as a user of theirs would.
struct ByteSubject: BenchSubject {
  let old: ByteList
  let new: ByteList
  let sections: (old: SectionedByteList, new: SectionedByteList)?
  let strings: StringSubject
  private let hash = Hash()

  init(_ workload: Workload) {
    strings = StringSubject(workload)
    func list(_ rows: [StringRow]) -> ByteList { ByteList(rows.map(\.id), hashes: rows.map { UInt64($0.version) }) }
    let (before, after) = (list(strings.old), list(strings.new))
    old = before
    new = after
    func sectioned(_ sections: [BenchSection<StringRow>], _ items: ByteList) -> SectionedByteList? {
      try? SectionedByteList(sections: ByteList(sections.map(\.id)), items: items, counts: sections.map(\.items.count))
    }
    if let pair = strings.sections, let one = sectioned(pair.old, before), let other = sectioned(pair.new, after) {
      sections = (one, other)
    } else {
      sections = nil
    }
  }

  @inline(never)
  func engine() throws(DiffError) -> FileChanges {
    if let sections { return .sectioned(try Differ().changes(from: sections.old, to: sections.new)) }
    return .flat(try Differ().changes(from: old, to: new))
  }

  func heckel() -> Int { strings.heckel() }
  func standard() -> Int { strings.standard() }
  func opponentFloor() -> UInt64 { strings.floor() }

  @inline(never)
  func floor() -> UInt64 {
    var sum: UInt64 = 0
    for list in [old, new] {
      list.bytes.withUnsafeBytes { bytes in
        list.offsets.withUnsafeBufferPointer { offsets in
          guard let base = bytes.baseAddress else { return }
          for index in 0..<(offsets.count - 1) { sum ^= hash.bytes(base + Int(offsets[index]), Int(offsets[index + 1] &- offsets[index])) }
        }
      }
    }
    return sum
  }
}

extension Workload {
  /// Cuts rows into sections; nil for a flat pair.
  func sections<Row: Diffable>(
    _ oldRows: [Row], _ newRows: [Row], _ id: (Int) -> Row.DiffID
  ) -> (old: [BenchSection<Row>], new: [BenchSection<Row>])? {
    guard let length = sectionLength else { return nil }
    func cut(_ rows: [Row], _ ids: [Int]) -> [BenchSection<Row>] {
      ids.enumerated().map { BenchSection(id: id($1), items: Array(rows[($0 * length)..<(($0 + 1) * length)])) }
    }
    return (cut(oldRows, Array(sectionOrder.indices)), cut(newRows, sectionOrder))
  }
}
