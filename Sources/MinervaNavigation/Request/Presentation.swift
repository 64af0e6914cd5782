/// Where an opened module goes.
public enum Presentation: Hashable, Sendable {
  /// On top of a stack.
  case push
  /// In place of the top screen of a stack.
  case replace
  /// In place of a whole stack.
  case root
  /// In a new layer on top of the topmost, whoever asks.
  case modal(ModalStyle)
  /// On top of the stack of the tab with this name, which is selected.
  case tab(String)
  /// In place of the detail stack of a split.
  case detail
  /// In the slot with this name, in place of what is there.
  case embed(String)
  /// On top of a stack, by the app's own transition block of this name.
  case custom(String)
}

/// How a modal layer is shown.
public enum ModalStyle: Hashable, Sendable {
  /// A sheet that rests at the given detents, lowest first; none given is a sheet of full height.
  case sheet(detents: [Detent])
  /// The whole screen.
  case full
  /// A bubble at its source.
  case popover
  /// A short text with buttons.
  case alert

  /// A height at which a sheet rests, in per cent of the scene's.
  public struct Detent: Hashable, Sendable, Codable {
    /// The height, 1 to 100.
    public let percent: UInt8

    /// Creates a detent; values outside 1...100 are clamped.
    public init(percent: UInt8) {
      self.percent = min(max(percent, 1), 100)
    }

    /// Half the scene.
    public static let medium = Detent(percent: 50)
    /// The whole scene.
    public static let large = Detent(percent: 100)
  }

  /// A sheet of full height.
  public static let sheet = ModalStyle.sheet(detents: [])
}

extension ModalStyle: LosslessStringConvertible {
  /// Reads `sheet`, `sheet(50,100)`, `full`, `popover` or `alert`.
  public init?(_ description: String) {
    switch description {
    case "sheet": self = .sheet
    case "full": self = .full
    case "popover": self = .popover
    case "alert": self = .alert
    case _ where description.hasPrefix("sheet(") && description.hasSuffix(")"):
      var detents: [Detent] = []
      for part in description.dropFirst(6).dropLast().split(separator: ",", omittingEmptySubsequences: false) {
        guard let percent = UInt8(part), (1...100).contains(percent) else { return nil }
        detents.append(Detent(percent: percent))
      }
      self = .sheet(detents: detents)
    default: return nil
    }
  }

  public var description: String {
    switch self {
    case .sheet(let detents) where detents.isEmpty: "sheet"
    case .sheet(let detents): "sheet(" + detents.map { String($0.percent) }.joined(separator: ",") + ")"
    case .full: "full"
    case .popover: "popover"
    case .alert: "alert"
    }
  }
}

extension ModalStyle: Codable, TextCoded {}

extension Presentation: LosslessStringConvertible {
  /// Reads the word after `via`: `push`, `replace`, `root`, `modal`, `modal:STYLE`, `tab:NAME`, `detail`, `embed:SLOT`, `custom:NAME`.
  public init?(_ description: String) {
    func name(after prefix: String) -> String? {
      guard description.hasPrefix(prefix), description.utf8.count > prefix.utf8.count else { return nil }
      return String(description.dropFirst(prefix.count))
    }
    switch description {
    case "push": self = .push
    case "replace": self = .replace
    case "root": self = .root
    case "modal": self = .modal(.sheet)
    case "detail": self = .detail
    default:
      if let text = name(after: "modal:") {
        guard let style = ModalStyle(text) else { return nil }
        self = .modal(style)
      } else if let tab = name(after: "tab:") {
        self = .tab(tab)
      } else if let slot = name(after: "embed:") {
        self = .embed(slot)
      } else if let block = name(after: "custom:") {
        self = .custom(block)
      } else {
        return nil
      }
    }
  }

  public var description: String {
    switch self {
    case .push: "push"
    case .replace: "replace"
    case .root: "root"
    case .modal(let style): style == .sheet ? "modal" : "modal:\(style)"
    case .tab(let name): "tab:\(name)"
    case .detail: "detail"
    case .embed(let slot): "embed:\(slot)"
    case .custom(let name): "custom:\(name)"
    }
  }
}

extension Presentation: Codable, TextCoded {}
