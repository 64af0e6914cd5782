import Glibc
import MinervaWire

/// The indices of target names by where their text stands in memory.
///
/// The compiler passes each target as a literal, whose bytes stay where they are, so looking at the address saves hashing sixty characters a call.
/// The bytes are compared all the same: a string from the heap may stand where another stood before.
struct TargetIndexCache {
  private struct Entry {
    var start = 0
    var count = 0
    var index: UInt16?
  }

  private let names: ExposedNames
  private let isEmpty: Bool
  private var entries = [Entry](repeating: Entry(), count: 64)
  /// The texts of the entries, and of those they have replaced.
  private var texts: [UInt8] = []

  /// When the texts are this long, the cache begins anew.
  private static let longestTexts = 64 << 10

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
      let entry = entries[place]
      let isKnown =
        entry.count == text.count
        && texts.withUnsafeBufferPointer { texts in texts.baseAddress.map { memcmp($0 + entry.start, base, text.count) == 0 } ?? false }
      return isKnown ? entry.index : learn(text, at: place)
    }
  }

  @inline(never) private mutating func learn(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> UInt16? {
    let index = names.index(of: String(decoding: text, as: UTF8.self))
    if texts.count + text.count > Self.longestTexts {
      texts = []
      entries = [Entry](repeating: Entry(), count: 64)
    }
    entries[place] = Entry(start: texts.count, count: text.count, index: index)
    texts += text
    return index
  }
}
