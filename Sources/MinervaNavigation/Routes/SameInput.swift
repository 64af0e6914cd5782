/// Whether two inputs mean the same module's screen: white space and the order of the outermost keys say nothing, and `{}` is no input.
///
/// Inputs are strict JSON already; what differs deeper inside, or in how a number is written, counts as different. Linear but for the sorting of
/// the members.
enum SameInput {
  static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool { a == b || members(of: a) == members(of: b) }

  static func isNone(_ input: [UInt8]) -> Bool { members(of: input).isEmpty }

  /// The members of an object without white space, in order; the parts of an array keep its brackets and so their place.
  private static func members(of bytes: [UInt8]) -> [[UInt8]] {
    var members: [[UInt8]] = []
    var member: [UInt8] = []
    var (depth, isQuoted, isEscaped) = (0, false, false)
    for byte in bytes {
      if isQuoted {
        member.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth == 1, byte == UInt8(ascii: "{") { continue }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0, byte == UInt8(ascii: "}") { continue }
      case UInt8(ascii: ",") where depth == 1:
        members.append(member)
        member = []
        continue
      case UInt8(ascii: "\""): isQuoted = true
      default: break
      }
      member.append(byte)
    }
    if !member.isEmpty { members.append(member) }
    return members.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
