import MinervaWire

/// Whether two payloads mean the same: keys in any order, numbers by value.
enum SameJSON {
  static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    if a == b { return true }
    guard let first = try? JSONValue(parsing: a), let second = try? JSONValue(parsing: b) else { return false }
    return isSame(first, second)
  }

  private static func isSame(_ a: JSONValue, _ b: JSONValue) -> Bool {
    switch (a, b) {
    case (.object(let a), .object(let b)):
      a.count == b.count && a.members.allSatisfy { member in b[member.key].map { isSame(member.value, $0) } ?? false }
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { isSame($0, $1) }
    case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Double(exactly: a) == b
    default: a == b
    }
  }
}
