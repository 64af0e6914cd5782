public import MinervaNavigation

/// What a caller asks of a scene.
public struct SceneRequest: Codable, Sendable {
  public var scene: SceneAddress
  public var command: Command

  public init(scene: SceneAddress, command: Command) {
    self.scene = scene
    self.command = command
  }
}

/// The one answer to a request that was not refused.
public struct SceneAnswer: Codable, Sendable {
  public var outcome: Outcome
  /// The position of the request's record, `#12`; `nil` when it left none.
  public var seq: UInt64?
  /// The epoch of the broker that owns the scene.
  public var epoch: UInt64

  public init(outcome: Outcome, seq: UInt64?, epoch: UInt64) {
    self.outcome = outcome
    self.seq = seq
    self.epoch = epoch
  }
}
