public import MinervaNavigation

/// A scene as it stands after one event: where a viewer starts, and starts again after a gap.
public struct SceneSnapshot: Codable, Sendable {
  public var scene: SceneIdentity
  public var epoch: UInt64
  /// The last record that is part of it.
  public var record: UInt64
  /// The number of the last event that is part of it.
  public var event: UInt64
  /// Scene time in milliseconds.
  public var at: Int64
  public var tree: SceneTree
  /// The rendering of each screen that has reported one, when asked for.
  public var renderings: [StampedRendering]
  /// Whether no request, message or rendering is under way.
  public var settled: Bool
  /// The last events before it that the broker still knows, in order, when no renderings were asked for: a watcher that missed some takes
  /// them from here.
  public var recent: [SceneEvent]?
  /// The links that wait, the oldest first (R4).
  public var plans: [PlanReport]
  /// Whether its time is a virtual clock's (D3); `nil` is no.
  public var isVirtual: Bool?

  public init(
    scene: SceneIdentity, epoch: UInt64, record: UInt64, event: UInt64, at: Int64, tree: SceneTree, renderings: [StampedRendering],
    settled: Bool, recent: [SceneEvent]? = nil, plans: [PlanReport] = [], isVirtual: Bool? = nil
  ) {
    self.scene = scene
    self.epoch = epoch
    self.record = record
    self.event = event
    self.at = at
    self.tree = tree
    self.renderings = renderings
    self.settled = settled
    self.recent = recent
    self.plans = plans
    self.isVirtual = isVirtual
  }
}

/// What a screen shows at one version of its list.
public struct StampedRendering: Codable, Sendable {
  public var screen: ScreenID
  public var version: UInt64
  /// The framework's `ScreenRendering`, encoded; the broker passes it on unread. Empty when the screen has never shown anything.
  public var body: [UInt8]
  /// The change set that led to this version, unless the list was said as a whole.
  public var change: ListEvent?

  public init(screen: ScreenID, version: UInt64, body: [UInt8], change: ListEvent? = nil) {
    self.screen = screen
    self.version = version
    self.body = body
    self.change = change
  }
}

/// A host's report that a screen shows something new.
public struct RenderingReport: Codable, Sendable {
  public var scene: SceneIdentity
  public var rendering: StampedRendering
  public var change: ListEvent
  /// Whether this is the rendering that a turn announced.
  public var answersTurn: Bool
  /// What another life of the coordinator needs to go on from this version.
  public var shown: ShownList?
  /// Of a screen with secret fields, those whose values may be written down (P4); `nil` where all may.
  public var plainFields: [String]?
  /// Whether the list keeps something newer until its screen is seen.
  public var isBehind: Bool?

  public init(
    scene: SceneIdentity, rendering: StampedRendering, change: ListEvent, answersTurn: Bool, shown: ShownList? = nil,
    plainFields: [String]? = nil, isBehind: Bool? = nil
  ) {
    self.scene = scene
    self.rendering = rendering
    self.change = change
    self.answersTurn = answersTurn
    self.shown = shown
    self.plainFields = plainFields
    self.isBehind = isBehind
  }
}

/// What a screen showed last, in so few bytes that a broker can keep it for every screen: from it whoever resumes the screen makes the
/// rows again and continues with change sets from this version.
public struct ShownList: Codable, Hashable, Sendable {
  /// The version that was shown.
  public var version: UInt64
  /// A hash over the rows and sections, equal in every process.
  public var digest: Int
  /// How many rows there were.
  public var rows: Int
  /// The coordinator's declared state that was drawn.
  public var state: [UInt8]?

  public init(version: UInt64, digest: Int, rows: Int, state: [UInt8]?) {
    self.version = version
    self.digest = digest
    self.rows = rows
    self.state = state
  }
}
