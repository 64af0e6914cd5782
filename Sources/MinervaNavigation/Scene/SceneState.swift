/// What one record did.
public struct Step: Hashable, Sendable, Codable {
  /// The record's position in the scene's journal; `nil` when it changed nothing and must not be journaled.
  public var seq: UInt64?
  /// What to do, in order.
  public var effects: [Effect]
}

/// The whole of one scene: the pure core (N17: the same records give the same state, effects and bytes).
///
/// Total over its input: a record that cannot be is ignored, a command that cannot be is answered with a refusal, nothing traps.
package struct SceneState: Hashable, Sendable, Codable {
  /// The scene's name.
  package let scene: String
  /// The app whose modules it shows.
  package let app: String
  /// Its times.
  package let settings: SceneSettings
  /// The position of the last record that changed anything; 0 before the first.
  package private(set) var seq: UInt64 = 0

  /// Creates an empty scene.
  package init(scene: String, app: String, settings: SceneSettings = SceneSettings()) {
    self.scene = scene
    self.app = app
    self.settings = settings
  }

  /// Feeds one record at a moment of scene time (never earlier than the last one's) and returns what to do.
  package mutating func apply(_ record: Record, at time: SceneTime) -> Step {
    Step(seq: nil, effects: [])
  }
}

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
