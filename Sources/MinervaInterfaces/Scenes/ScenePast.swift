public import MinervaNavigation

/// A scene as it stood after one of its records.
public struct ScenePast: Codable, Sendable {
  public var scene: SceneIdentity
  /// The version of the broker whose core made it.
  public var version: String
  /// The record that is the last part of it.
  public var record: UInt64
  /// Scene time in milliseconds.
  public var at: Int64
  public var tree: SceneTree
  /// Every open coordinator, in the order of their opening.
  public var coordinators: [ScreenReport]
  /// The links that waited, the oldest first (R4).
  public var plans: [PlanReport]
  /// Whether no request and no message was under way.
  public var settled: Bool
  /// The whole state, when it was asked for: what a recording begins with. Secrets are sealed in it (P4).
  public var image: [UInt8]?

  public init(
    scene: SceneIdentity, version: String, record: UInt64, at: Int64, tree: SceneTree, coordinators: [ScreenReport],
    plans: [PlanReport], settled: Bool, image: [UInt8]? = nil
  ) {
    self.scene = scene
    self.version = version
    self.record = record
    self.at = at
    self.tree = tree
    self.coordinators = coordinators
    self.plans = plans
    self.settled = settled
    self.image = image
  }
}

/// Some of a scene's records, in the journal's bytes.
public struct RecordPage: Codable, Sendable {
  /// In their order, from the one behind the number that was asked for; empty when there is none yet.
  public var records: [[UInt8]]
  /// Whether there are more.
  public var isMore: Bool

  public init(records: [[UInt8]], isMore: Bool) {
    self.records = records
    self.isMore = isMore
  }

  /// At most so many records a page, and about so many bytes.
  public static let limit = (count: UInt64(512), bytes: 1 << 20)
}
