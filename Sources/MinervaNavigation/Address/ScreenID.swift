/// The name of one occurrence of a module in a scene: `s12`.
///
/// Numbers start at 1, grow in the order in which the core opened the coordinators, and are never reused. A coordinator without a
/// screen has one too.
public struct ScreenID: Hashable, Comparable, Sendable {
  /// The number behind the `s`.
  public let number: UInt32

  /// Creates the name with the given number.
  public init(_ number: UInt32) {
    self.number = number
  }

  public static func < (a: ScreenID, b: ScreenID) -> Bool {
    a.number < b.number
  }
}

extension ScreenID: LosslessStringConvertible {
  /// Reads `s` followed by a number without sign or leading zero; `nil` for anything else.
  public init?(_ description: String) {
    let digits = description.utf8.dropFirst()
    guard description.utf8.first == UInt8(ascii: "s"), let first = digits.first, first != UInt8(ascii: "0"), first != UInt8(ascii: "+"),
      let number = UInt32(description.dropFirst())
    else { return nil }
    self.init(number)
  }

  public var description: String { "s\(number)" }
}

extension ScreenID: Codable {
  public init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(UInt32.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}
