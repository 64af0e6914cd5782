/// The times of a scene in milliseconds, and its bounds.
public struct SceneSettings: Hashable, Sendable, Codable {
  /// How long a transition waits for the primary renderer.
  public var renderer: UInt32 = 1000
  /// How long a module may take to be made and configured.
  public var link: UInt32 = 2000
  /// How long the screens of a lost host wait.
  public var lease: UInt32 = 3000
  /// How long a request may take that does not say.
  public var request: UInt32 = 5000
  /// How many requests may wait in a scene (N3).
  public var waiting: Int = 256
  /// How many answers are remembered (N2)…
  public var remembered: Int = 4096
  /// …for how long…
  public var memory: UInt32 = 3_600_000
  /// …and how many however old.
  public var rememberedAlways: Int = 64

  /// Creates the defaults.
  public init() {}
}
