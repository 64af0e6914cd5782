/// A scene's tree as a plain value: what a person, a renderer and a test look at.
public struct SceneTree: Hashable, Sendable, Codable {
  /// The layers from the bottom; the first is the root layer.
  public var layers: [Layer]

  /// A stack of screens, alone or above others.
  public struct Layer: Hashable, Sendable, Codable {
    /// How it is shown; `nil` for the root layer.
    public var style: ModalStyle?
    /// The screen that presented it; `nil` for the root layer.
    public var presentedBy: ScreenID?
    /// Its screens from the bottom.
    public var stack: [Screen]
  }

  /// One screen with all that stands in it.
  public struct Screen: Hashable, Sendable, Codable {
    /// Its name.
    public var id: ScreenID
    /// Its module.
    public var module: String
    /// Where its coordinator runs; empty if nowhere.
    public var host: String
    /// The input it was opened with, redacted.
    public var input: [UInt8]
    /// What it is doing.
    public var phase: ScreenPhase
    /// Whether its host is lost, and awaited.
    public var isSuspended: Bool
    /// Whether it is a placeholder, because nobody has offered its module since a restart of the broker (P2).
    public var isUnclaimed = false
    /// Whether it is a placeholder, because its host is lost and its input had secrets that nobody holds any more (P4).
    public var needsInput = false
    /// The container it brings.
    public var container: Container
    /// Its embed slots in declared order.
    public var slots: [Slot]
  }

  /// What a screen contains.
  public indirect enum Container: Hashable, Sendable, Codable {
    /// Nothing.
    case none
    /// Tabs, one of them selected (by place from 0). A tab that was not started has an empty stack.
    case tabs([Tab], selected: Int)
    /// Two stacks; while collapsed all screens stand in the primary one.
    case split(primary: [Screen], detail: [Screen], collapsed: Bool)
  }

  /// A tab.
  public struct Tab: Hashable, Sendable, Codable {
    /// Its name.
    public var name: String
    /// Its screens from the bottom.
    public var stack: [Screen]
  }

  /// An embed slot; an array of at most one screen.
  public struct Slot: Hashable, Sendable, Codable {
    /// Its name.
    public var name: String
    /// The child in it, if any.
    public var content: [Screen]
  }
}

/// What a screen is doing (N6). `admitted` is said of its request, `removed` is its last event.
public enum ScreenPhase: String, Hashable, Sendable, Codable {
  /// Its module is being made; it is not on the tree.
  case connecting
  /// It is on the tree and being shown.
  case presenting
  /// It is there.
  case presented
  /// It is off the tree and being taken away, or under a finger.
  case dismissing
}
