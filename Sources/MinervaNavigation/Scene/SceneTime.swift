/// A moment of a scene's clock in milliseconds since the scene began; real or virtual, never a wall clock.
public struct SceneTime: Hashable, Comparable, Sendable {
  /// Milliseconds since the scene began.
  public let milliseconds: UInt64

  /// Creates a moment.
  public init(milliseconds: UInt64) {
    self.milliseconds = milliseconds
  }

  /// The beginning.
  public static let zero = SceneTime(milliseconds: 0)

  /// The end of time: no deadline.
  public static let never = SceneTime(milliseconds: .max)

  /// The last moment that a scene's clock shows, 285,000 years after its beginning: there it stands still.
  ///
  /// A state that was read may hold any number; no sum or conversion of moments up to this one overflows.
  public static let last = SceneTime(milliseconds: 1 << 53)

  /// Returns the moment that many milliseconds later; the end of time if there is no such moment.
  public func advanced(by milliseconds: UInt64) -> SceneTime {
    let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
    return SceneTime(milliseconds: overflow ? .max : sum)
  }

  public static func < (a: SceneTime, b: SceneTime) -> Bool {
    a.milliseconds < b.milliseconds
  }
}

extension SceneTime: Codable {
  public init(from decoder: any Decoder) throws {
    milliseconds = try decoder.singleValueContainer().decode(UInt64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }
}
