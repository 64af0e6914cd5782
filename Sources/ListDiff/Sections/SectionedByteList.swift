/// A list of sections whose identifiers are bytes: one column for the sections, one for the items of all of them.
public struct SectionedByteList: Sendable, Hashable {
  /// The sections, in order.
  public let sections: ByteList
  /// The items of all sections, one after the other.
  public let items: ByteList
  package let layout: SectionLayout

  /// The number of items in each section.
  public var counts: [Int] { (0..<layout.sectionCount).map(layout.count) }

  /// Creates a list of sections.
  ///
  /// - Parameters:
  ///   - sections: The identifiers and contents of the sections.
  ///   - items: The identifiers and contents of all items, section after section.
  ///   - counts: The number of items in each section.
  /// - Throws: `diff.malformed` unless there is a count, not negative, for each section and they add up to the items;
  ///   `diff.too_large` from 2³¹ items.
  public init(sections: ByteList, items: ByteList, counts: [Int]) throws(DiffError) {
    try requireIndexable(old: items.count, new: sections.count)
    guard counts.count == sections.count else { throw .malformed("\(counts.count) item counts for \(sections.count) sections") }
    var sum = 0
    for count in counts {
      guard count >= 0, count <= items.count - sum else { throw .malformed("the item counts do not add up to \(items.count) items") }
      sum += count
    }
    guard sum == items.count else { throw .malformed("the item counts add up to \(sum), not to \(items.count) items") }
    self.sections = sections
    self.items = items
    layout = SectionLayout(counts: counts)
  }
}

extension ByteList {
  /// The elements at some positions, in that order.
  func selecting(_ positions: [Int]) -> ByteList {
    var ids = Blob()
    for position in positions { ids.append(self[position]) }
    let selected: Contents
    switch contents {
    case .none: selected = .none
    case .hashes(let hashes): selected = .hashes(positions.map { hashes[$0] })
    case .bytes(let bytes, let offsets):
      var blob = Blob()
      for position in positions { blob.append(bytes[Int(offsets[position])..<Int(offsets[position + 1])]) }
      selected = .bytes(blob.bytes, offsets: blob.offsets)
    }
    return ByteList(trusted: ids.bytes, ids.offsets, selected)
  }

  /// Bytes of many values, and where each begins.
  private struct Blob {
    var bytes: [UInt8] = []
    var offsets: [UInt32] = [0]

    mutating func append(_ value: ArraySlice<UInt8>) {
      bytes.append(contentsOf: value)
      offsets.append(UInt32(truncatingIfNeeded: bytes.count))
    }
  }
}

/// Two sectioned byte lists; the address of an item is its number.
struct SectionedBytes: SectionedSource {
  let sections: BytePair
  let items: BytePair
  let old: SectionLayout
  let new: SectionLayout

  func local(_ old: Int, _ new: Int) -> Window<BytePair> { Window(items, old: self.old.range(old), new: self.new.range(new)) }
  func oldItemCount(_ section: Int) -> Int { old.count(section) }
  func newItemCount(_ section: Int) -> Int { new.count(section) }
  func oldAddress(_ section: Int) -> Int { old.range(section).lowerBound }
  func newAddress(_ section: Int) -> Int { new.range(section).lowerBound }
  var addressStride: Int { 1 }
}
