/// How a request names a screen. Aliases (`@login`) are resolved before they get here.
public enum ScreenRef: Hashable, Sendable {
  /// The screen with this name.
  case id(ScreenID)
  /// The topmost visible screen: the active leaf of the topmost layer.
  case top
  /// The bottom screen of the root layer.
  case root
  /// The top screen of the stack (or the child in the slot) at this path.
  case path(NavPath)
}

extension ScreenRef: LosslessStringConvertible {
  /// Reads `sN`, `top`, `root` or a navpath; `nil` for anything else.
  public init?(_ description: String) {
    switch description {
    case "top": self = .top
    case "root": self = .root
    default:
      if let id = ScreenID(description) {
        self = .id(id)
      } else if let path = NavPath(description) {
        self = .path(path)
      } else {
        return nil
      }
    }
  }

  public var description: String {
    switch self {
    case .id(let id): id.description
    case .top: "top"
    case .root: "root"
    case .path(let path): path.description
    }
  }
}

extension ScreenRef: Codable, TextCoded {}
