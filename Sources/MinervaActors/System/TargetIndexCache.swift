import Glibc
import MinervaWire

/// The indices of target names by where their text stands in memory.
///
/// The compiler passes each target as a literal, whose bytes stay where they are, so looking at the address saves hashing sixty characters a call.
/// The bytes are compared all the same: a string from the heap may stand where another stood before.
struct TargetIndexCache {
  private struct Entry {
    var bytes: [UInt8] = []
    var index: UInt16?
  }

  private let names: ExposedNames
  private let isEmpty: Bool
  private var entries = [Entry](repeating: Entry(), count: 64)

  init(_ names: ExposedNames) {
    self.names = names
    isEmpty = names.names.isEmpty
  }

  @inline(__always) mutating func index(of target: String) -> UInt16? {
    guard !isEmpty else { return nil }
    var target = target
    return target.withUTF8 { text -> UInt16? in
      guard let base = text.baseAddress, !text.isEmpty else { return nil }
      let place = Int(truncatingIfNeeded: (UInt(bitPattern: base) &* 0x9E37_79B9_7F4A_7C15) >> 58)
      let isKnown =
        entries[place].bytes.count == text.count
        && entries[place].bytes.withUnsafeBytes { known in known.baseAddress.map { memcmp($0, base, text.count) == 0 } ?? false }
      if isKnown { return entries[place].index }
      let index = names.index(of: String(decoding: text, as: UTF8.self))
      entries[place] = Entry(bytes: Array(text), index: index)
      return index
    }
  }
}
