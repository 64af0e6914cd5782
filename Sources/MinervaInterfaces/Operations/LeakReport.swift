public import MinervaNavigation

/// What outlives what it belongs to, and which hosts could not say (K4).
public struct LeakReport: Codable, Hashable, Sendable {
  /// By scene and screen.
  public var leaks: [Leak]
  /// The hosts that did not answer in time: what they run is not known.
  public var unanswered: [String]

  public init(leaks: [Leak] = [], unanswered: [String] = []) {
    self.leaks = leaks
    self.unanswered = unanswered
  }

  /// Whether every host answered, and nothing is left over.
  public var isEmpty: Bool { leaks.isEmpty && unanswered.isEmpty }
}

/// Something that outlives what it belongs to.
public struct Leak: Codable, Hashable, Sendable {
  public enum Kind: String, Codable, Hashable, Sendable {
    /// A coordinator whose screen is gone.
    case coordinator
    /// A task that outlives its screen, although it was cancelled.
    case task
    /// A handler that is over its deadline.
    case handler
    /// A screen whose coordinator runs nowhere.
    case screen
  }

  public var kind: Kind
  /// The scene's name.
  public var scene: String
  public var screen: ScreenID
  /// The coordinator's module.
  public var module: String
  /// Where it runs, or should.
  public var host: String
  /// Milliseconds since it is over, or since the handler began; `nil` for a screen that has no owner.
  public var age: Int?
  /// Whose child it is, whose child that is, and so on: `s2 Users`.
  public var owners: [String]
  /// What is the matter, for people.
  public var text: String

  public init(
    kind: Kind, scene: String, screen: ScreenID, module: String, host: String, age: Int?, owners: [String], text: String
  ) {
    self.kind = kind
    self.scene = scene
    self.screen = screen
    self.module = module
    self.host = host
    self.age = age
    self.owners = owners
    self.text = text
  }

  /// Whether both are the same thing, seen at two moments.
  public func isSame(as other: Leak) -> Bool {
    kind == other.kind && scene == other.scene && screen == other.screen && host == other.host && text == other.text
  }
}
