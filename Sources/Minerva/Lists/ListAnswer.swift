/// What became of a value that a list was given; every value gets one answer, once.
public enum ListAnswer: Hashable, Sendable, CustomStringConvertible {
  /// It is shown, as this version.
  case applied(version: UInt64)
  /// A newer one was shown in its place, as this version.
  case superseded(by: UInt64)
  /// The screen is gone.
  case closed

  public var description: String {
    switch self {
    case .applied(let version): "applied as v\(version)"
    case .superseded(let version): "superseded by v\(version)"
    case .closed: "closed"
    }
  }
}
