/// Stands in a record for what must not be written down (P4): the number under which the broker keeps the text itself, in memory alone.
///
/// Numbers are never used twice, also over restarts. Whoever has the number without the text knows that there was one, and that it is lost.
public struct Seal: Hashable, Sendable {
  /// The number.
  public let number: UInt64

  /// Names a sealed text.
  public init(_ number: UInt64) {
    self.number = number
  }

  /// The code of what is refused because its text is lost.
  public static let lost = "input.lost"
}

extension Seal: Codable {
  public init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(UInt64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

extension Command.Action {
  /// What it is sealed with.
  package var seal: Seal? {
    switch self {
    case .open(let opening): opening.seal
    case .follow(let following): following.seal
    case .sendSealed(_, _, let seal), .act(_, .enterSealed(_, let seal)), .act(_, .executeSealed(_, let seal)): seal
    default: nil
    }
  }

  /// Everything it is sealed with.
  package var seals: [Seal] {
    switch self {
    case .open(let opening): (opening.configuration ?? []).compactMap(\.seal) + (opening.seal.map { [$0] } ?? [])
    case .follow(let following): [following.seal, following.linkSeal].compactMap { $0 } + following.steps.compactMap(\.seal)
    default: seal.map { [$0] } ?? []
    }
  }
}

extension Message.Body {
  /// What it is sealed with.
  package var seal: Seal? {
    switch self {
    case .sealedInput(_, let seal), .act(.enterSealed(_, let seal)), .act(.executeSealed(_, let seal)): seal
    default: nil
    }
  }
}
