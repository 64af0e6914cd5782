/// A strict JSON reader over bytes (RFC 8259): one pass, recursion bounded by the limit of nesting.
@safe struct JSONParser {
  private let bytes: UnsafeRawBufferPointer
  private let length: Int
  private let depth: Int
  private var position = 0
  private var path: [JSONPath.Step] = []

  init(_ bytes: UnsafeRawBufferPointer, depth: Int) {
    unsafe self.bytes = bytes
    length = bytes.count
    self.depth = depth
  }

  mutating func parse() throws(JSONError) -> JSONValue {
    if length >= 3, self[0] == 0xEF, self[1] == 0xBB, self[2] == 0xBF {
      throw fail("a byte order mark stands before the value")
    }
    skipSpace()
    let value = try value(level: 0)
    skipSpace()
    guard position == length else { throw fail("something follows the value") }
    return value
  }

  // MARK: Bytes

  private subscript(index: Int) -> UInt8 { unsafe bytes[index] }

  /// The byte here, or 0 at the end, which no rule accepts.
  private var byte: UInt8 { position < length ? self[position] : 0 }

  private mutating func skipSpace() {
    while position < length {
      switch self[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private func fail(_ text: String, at offset: Int? = nil) -> JSONError {
    var line = 1
    var column = 1
    for index in 0..<min(offset ?? position, length) {
      let byte = self[index]
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return JSONError(path: JSONPath(path), place: JSONError.Place(line: line, column: column), expectation: text)
  }

  // MARK: Values

  private mutating func value(level: Int) throws(JSONError) -> JSONValue {
    switch byte {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return try object(level: level)
    case UInt8(ascii: "["): return try array(level: level)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw position >= length ? fail("the text ends where a value is expected") : fail("a value is expected here")
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    let start = position
    for expected in word.utf8 {
      guard byte == expected else { throw fail("a value is expected here", at: start) }
      position += 1
    }
    return value
  }

  private mutating func array(level: Int) throws(JSONError) -> JSONValue {
    guard level < depth else { throw fail("more than \(depth) levels") }
    position += 1
    skipSpace()
    if byte == UInt8(ascii: "]") {
      position += 1
      return .array([])
    }
    var items: [JSONValue] = []
    while true {
      path.append(.index(items.count))
      items.append(try value(level: level + 1))
      path.removeLast()
      skipSpace()
      switch byte {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "]"):
        position += 1
        return .array(items)
      default: throw fail("a comma or ] is expected here")
      }
      skipSpace()
    }
  }

  private mutating func object(level: Int) throws(JSONError) -> JSONValue {
    guard level < depth else { throw fail("more than \(depth) levels") }
    position += 1
    skipSpace()
    if byte == UInt8(ascii: "}") {
      position += 1
      return .object(JSONObject())
    }
    var members: [JSONObject.Member] = []
    var seen: Set<String> = []
    while true {
      guard byte == UInt8(ascii: "\"") else { throw fail("a key in double quotes is expected here") }
      let start = position
      let key = try string()
      path.append(.key(key))
      // A set pays off only for objects with many keys.
      let repeated = members.count < 12 ? members.contains { $0.key == key } : !insert(key, into: &seen, members)
      if repeated { throw fail("the key is there twice", at: start) }
      skipSpace()
      guard byte == UInt8(ascii: ":") else { throw fail("a colon is expected here") }
      position += 1
      skipSpace()
      members.append(JSONObject.Member(key, try value(level: level + 1)))
      path.removeLast()
      skipSpace()
      switch byte {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "}"):
        position += 1
        return .object(JSONObject(distinct: members))
      default: throw fail("a comma or } is expected here")
      }
      skipSpace()
    }
  }

  private func insert(_ key: String, into seen: inout Set<String>, _ members: [JSONObject.Member]) -> Bool {
    if seen.isEmpty { for member in members { seen.insert(member.key) } }
    return seen.insert(key).inserted
  }

  // MARK: Numbers

  private mutating func digits() -> Int {
    let start = position
    while position < length, self[position] &- 0x30 < 10 { position += 1 }
    return position - start
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    let negative = byte == UInt8(ascii: "-")
    if negative { position += 1 }
    let first = position
    let count = digits()
    guard count > 0 else { throw fail("a digit is expected here") }
    guard count == 1 || self[first] != 0x30 else { throw fail("a number does not begin with 0", at: first) }
    var isInteger = true
    if byte == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      guard digits() > 0 else { throw fail("a digit is expected here") }
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
      guard digits() > 0 else { throw fail("a digit is expected here") }
    }
    if isInteger, let value = try integer(from: first, count: count, negative: negative, start: start) { return .integer(value) }
    let text = unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    guard let value = Double(text), value.isFinite else { throw fail("the number is too large for a double", at: start) }
    guard value != 0 || isZero(from: first) else { throw fail("the number is too small for a double", at: start) }
    return .number(value)
  }

  /// The integer, or nothing for `-0`, whose sign only a double keeps.
  private func integer(from first: Int, count: Int, negative: Bool, start: Int) throws(JSONError) -> Int64? {
    guard count <= 19 else { throw fail("the integer does not fit 64 bits", at: start) }
    var magnitude: UInt64 = 0
    for index in first..<first + count { magnitude = magnitude &* 10 &+ UInt64(self[index] &- 0x30) }
    if negative {
      if magnitude == 0 { return nil }
      guard magnitude <= 1 << 63 else { throw fail("the integer does not fit 64 bits", at: start) }
      return Int64(truncatingIfNeeded: 0 &- magnitude)
    }
    guard magnitude < 1 << 63 else { throw fail("the integer does not fit 64 bits", at: start) }
    return Int64(magnitude)
  }

  /// Whether the digits before an exponent are all zero.
  private func isZero(from first: Int) -> Bool {
    var index = first
    while index < position, self[index] | 0x20 != UInt8(ascii: "e") {
      if self[index] >= 0x31, self[index] <= 0x39 { return false }
      index += 1
    }
    return true
  }

  // MARK: Strings

  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    while position < length {
      let byte = self[position]
      if byte == UInt8(ascii: "\"") {
        defer { position += 1 }
        return try text(start, position)
      }
      if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
      guard byte >= 0x20 else { throw fail("a control character stands in a string; write it as \\u00…") }
      position += 1
    }
    throw fail("the text ends inside a string")
  }

  private func text(_ start: Int, _ end: Int) throws(JSONError) -> String {
    let span = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    guard let text = unsafe String(span) else {
      throw fail("the string is not UTF-8", at: start)
    }
    return text
  }

  private mutating func escapedString(from start: Int) throws(JSONError) -> String {
    var utf8: [UInt8] = []
    unsafe utf8.append(contentsOf: bytes[start..<position])
    while position < length {
      let byte = self[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let text = String(validating: utf8, as: UTF8.self) else { throw fail("the string is not UTF-8", at: start) }
        return text
      case UInt8(ascii: "\\"): try escape(into: &utf8)
      case 0..<0x20: throw fail("a control character stands in a string; write it as \\u00…")
      default:
        utf8.append(byte)
        position += 1
      }
    }
    throw fail("the text ends inside a string")
  }

  private mutating func escape(into utf8: inout [UInt8]) throws(JSONError) {
    let start = position
    position += 1
    let letter = byte
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): utf8.append(letter)
    case UInt8(ascii: "b"): utf8.append(0x08)
    case UInt8(ascii: "f"): utf8.append(0x0C)
    case UInt8(ascii: "n"): utf8.append(0x0A)
    case UInt8(ascii: "r"): utf8.append(0x0D)
    case UInt8(ascii: "t"): utf8.append(0x09)
    case UInt8(ascii: "u"):
      var code = UInt32(try hex(start))
      if code & 0xFC00 == 0xD800 {
        guard byte == UInt8(ascii: "\\"), position + 1 < length, self[position + 1] == UInt8(ascii: "u") else {
          throw fail("half of a surrogate pair stands alone", at: start)
        }
        position += 2
        let low = UInt32(try hex(start))
        guard low & 0xFC00 == 0xDC00 else { throw fail("half of a surrogate pair stands alone", at: start) }
        code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
      }
      guard let scalar = Unicode.Scalar(code) else { throw fail("half of a surrogate pair stands alone", at: start) }
      utf8.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
    default: throw fail("there is no such escape", at: start)
    }
  }

  private mutating func hex(_ start: Int) throws(JSONError) -> UInt16 {
    guard length - position >= 4 else { throw fail("four hex digits are expected after \\u", at: start) }
    var value: UInt16 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw fail("four hex digits are expected after \\u", at: start)
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }
}
