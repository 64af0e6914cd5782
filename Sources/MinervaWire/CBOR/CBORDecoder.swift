/// Decodes values one after another from bytes it reads in place; the bytes must outlive the decoder.
///
/// Safe for hostile input: no trap, no allocation beyond what the bytes present justify, a limit of nesting. Keys in the order in which they were
/// written cost one comparison each; other orders are found by a scan that goes on from where the last key was. Coding paths are not kept while
/// decoding; an error gathers its path on the way out.
@safe package final class CBORDecoder {
  // Changed by `reset` alone, between two messages.
  @exclusivity(unchecked) private(set) var bytes: UnsafeRawBufferPointer
  private(set) var end: Int
  package let depth: Int
  var position: Int
  /// The start of the container between whose items the position stands, -1 for none; with how many of its items are left, -1 if it ends by a
  /// break.
  var owner = -1
  var left = 0
  /// The start of the value that has been read to its end through a single value container, -1 for none.
  var consumed = -1

  /// The payload frames beside the bytes, and which of them have been taken: each once, so that a small message cannot ask for many copies.
  @exclusivity(unchecked) private(set) var payloads: [UnsafeRawBufferPointer]
  var taken: UInt64 = 0

  package init(
    _ bytes: UnsafeRawBufferPointer, from position: Int = 0, depth: Int = Limits.standard.depth,
    payloads: [UnsafeRawBufferPointer] = unsafe []
  ) {
    unsafe self.bytes = bytes
    unsafe self.payloads = payloads
    end = bytes.count
    self.position = min(max(position, 0), bytes.count)
    self.depth = depth
  }

  /// Turns to other bytes, as if newly made: a hot path saves the memory of a decoder a message.
  package func reset(_ bytes: UnsafeRawBufferPointer, payloads: [UnsafeRawBufferPointer]) {
    unsafe self.bytes = bytes
    if unsafe !(payloads.isEmpty && self.payloads.isEmpty) { unsafe self.payloads = payloads }
    end = bytes.count
    position = 0
    owner = -1
    left = 0
    consumed = -1
    taken = 0
  }

  /// Decodes the next value.
  package func decode<T: Decodable>(_ type: T.Type = T.self) throws(MinervaError) -> T {
    do { return try value(type, level: 0) } catch { throw CBORDecoder.wireError(error) }
  }

  /// How many bytes have been read.
  package var offset: Int { position }

  /// Whether everything has been read.
  package var isAtEnd: Bool { position == end }

  /// Refuses bytes that follow the last value.
  package func finish() throws(MinervaError) {
    guard position == end else { throw fail(.trailingBytes).wireError }
  }

  /// Any error of a codec or of a type's own coding as one that can cross processes.
  static func wireError(_ error: any Error) -> MinervaError {
    switch error {
    case let error as CBORError: error.wireError
    case let error as MinervaError: error
    default: .badMessage(describe(error))
    }
  }

  private static func describe(_ error: any Error) -> String {
    switch error {
    case DecodingError.dataCorrupted(let context): context.debugDescription
    case DecodingError.keyNotFound(let key, _): "\(key.stringValue): missing"
    case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
      "expected \(type): \(context.debugDescription)"
    case EncodingError.invalidValue(_, let context): context.debugDescription
    default: "\(error)"
    }
  }

  /// An error on its way out, with one more step of its path.
  static func at(_ key: String, _ error: any Error) -> any Error {
    if error is MinervaError { return error }
    var error = error as? CBORError ?? CBORError(.other(describe(error)), at: 0)
    error.path.insert(key, at: 0)
    return error
  }
}

// MARK: - Values

extension CBORDecoder {
  /// Reads any value: the types of the hot path directly, every other through its `init(from:)`.
  @inline(__always) func value<T: Decodable>(_ type: T.Type, level: Int) throws -> T {
    if T.self == String.self { return try unsafe unsafeBitCast(text(), to: T.self) }
    if T.self == Int.self { return try unsafe unsafeBitCast(integer(Int.self), to: T.self) }
    if T.self == [UInt8].self { return try unsafe unsafeBitCast(blob(), to: T.self) }
    return try slow(type, level)
  }

  @inline(never) private func slow<T: Decodable>(_ type: T.Type, _ level: Int) throws -> T {
    if T.self == [String].self { return try unsafe unsafeBitCast(column({ try $0.text() }, reserving: 4096), to: T.self) }
    if T.self == [Int].self { return try unsafe unsafeBitCast(integers(Int.self), to: T.self) }
    if T.self == [Int32].self { return try unsafe unsafeBitCast(integers(Int32.self), to: T.self) }
    if T.self == [UInt32].self { return try unsafe unsafeBitCast(integers(UInt32.self), to: T.self) }
    if T.self == [Int64].self { return try unsafe unsafeBitCast(integers(Int64.self), to: T.self) }
    if T.self == [UInt64].self { return try unsafe unsafeBitCast(integers(UInt64.self), to: T.self) }
    let start = position
    owner = -1
    consumed = -1
    let value = try T(from: Scope(decoder: self, start: start, level: level))
    try leave(start, level)
    return value
  }

  /// Moves to the end of the value that starts at `start`, past whatever its type left unread.
  @inline(__always) private func leave(_ start: Int, _ level: Int) throws {
    if consumed == start { return }
    if owner == start {
      if left == 0 { return finished(start) }
      if left < 0, position < end, unsafe bytes[position] == 0xFF {
        position += 1
        return finished(start)
      }
    }
    position = start
    try skip(levels: depth - level)
    finished(start)
  }

  @inline(__always) private func finished(_ start: Int) {
    owner = -1
    consumed = start
  }

  /// The place of one value: what `init(from:)` sees. Three words, so that an existential holds it without memory of its own.
  struct Scope: Decoder {
    let decoder: CBORDecoder
    let start: Int
    let level: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      KeyedDecodingContainer(try decoder.keyed(at: start, level))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder.unkeyed(at: start, level) }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: decoder, start: start, level: level) }
  }

  func keyed<Key: CodingKey>(at start: Int, _ level: Int) throws -> Keyed<Key> {
    position = start
    guard level < depth else { throw fail(.tooDeep) }
    let (first, count) = try open(major: 5, "a map")
    owner = start
    left = count
    consumed = -1
    return Keyed(decoder: self, map: Map(start: start, first: first, count: count, level: level + 1))
  }

  func unkeyed(at start: Int, _ level: Int) throws -> Unkeyed {
    position = start
    guard level < depth else { throw fail(.tooDeep) }
    let (first, count) = try open(major: 4, "an array")
    owner = start
    left = count
    consumed = -1
    return Unkeyed(decoder: self, start: start, position: first, left: count, level: level + 1)
  }
}

// MARK: - Maps

extension CBORDecoder {
  /// Where a map lies.
  struct Map {
    let start: Int
    let first: Int
    let count: Int
    let level: Int
  }

  /// Moves to the value of a key; gives how many pairs are left after it, or nothing when the map has no such key.
  @inline(__always) func seek(_ key: String, in map: Map) throws -> Int? {
    if owner == map.start, left != 0 {
      let here = position
      if position < end, unsafe bytes[position] >> 5 == 3, try matches(key) {
        owner = -1
        return left - 1
      }
      position = here
    }
    return try search(key, in: map)
  }

  /// Scans from the current pair to the end, then from the first to the current one.
  @inline(never) private func search(_ key: String, in map: Map) throws -> Int? {
    if owner != map.start {
      position = map.first
      left = map.count
    }
    let resume = (position, left)
    let result = try scan(key, in: map, until: end) ?? wrapped(key, in: map, resume.0)
    if result == nil {
      (position, left) = resume
      owner = map.start
    } else {
      owner = -1
    }
    return result
  }

  private func wrapped(_ key: String, in map: Map, _ until: Int) throws -> Int? {
    position = map.first
    left = map.count
    return try scan(key, in: map, until: until)
  }

  private func scan(_ key: String, in map: Map, until: Int) throws -> Int? {
    while left != 0, position < until {
      if left < 0, unsafe bytes[position] == 0xFF { return nil }
      if unsafe bytes[position] >> 5 == 3 {
        if try matches(key) { return left - 1 }
      } else {
        try skip(levels: depth - map.level)
      }
      try skip(levels: depth - map.level)
      left -= 1
    }
    if left != 0, position >= end { throw fail(.truncated) }
    return nil
  }

  /// Reads the text here and compares it.
  @inline(__always) private func matches(_ key: String) throws -> Bool {
    let text = try unsafe span(3, "text")
    var key = key
    return key.withUTF8 { utf8 in
      guard utf8.count == text.count else { return false }
      for index in 0..<utf8.count where unsafe utf8[index] != text[index] { return false }
      return true
    }
  }

  /// All keys of a map, each once, in their order; what cannot be read ends the list.
  func keys(of map: Map) -> [String] {
    let resume = (position, owner, left)
    defer { (position, owner, left) = resume }
    position = map.first
    var left = map.count
    var seen: Set<String> = []
    var keys: [String] = []
    while left != 0, position < end {
      if left < 0, unsafe bytes[position] == 0xFF { break }
      do {
        if unsafe bytes[position] >> 5 == 3 {
          let key = try text()
          if seen.insert(key).inserted { keys.append(key) }
        } else {
          try skip(levels: depth - map.level)
        }
        try skip(levels: depth - map.level)
      } catch { break }
      left -= 1
    }
    return keys
  }

  /// Goes back to the first pair, which is right whatever was read.
  func rewind(_ map: Map) {
    position = map.first
    owner = map.start
    left = map.count
    consumed = -1
  }
}
