public import MinervaNavigation

/// The order to make a module: what the core says, and for which scene.
public struct ConnectOrder: Codable, Sendable {
  public var scene: SceneIdentity
  public var connection: Connection
  /// The scene's time; hosts have no clock of their own (D3).
  public var at: SceneTime

  public init(scene: SceneIdentity, connection: Connection, at: SceneTime = .zero) {
    self.scene = scene
    self.connection = connection
    self.at = at
  }
}

/// The order to make a module again after a loss.
public struct ResumeOrder: Codable, Sendable {
  public var scene: SceneIdentity
  public var resumption: Resumption
  /// The scene's time; hosts have no clock of their own (D3).
  public var at: SceneTime
  /// What the screen's viewers have, if the broker knows: the next change set starts from there.
  public var shown: ShownList?

  public init(scene: SceneIdentity, resumption: Resumption, at: SceneTime = .zero, shown: ShownList? = nil) {
    self.scene = scene
    self.resumption = resumption
    self.at = at
    self.shown = shown
  }
}

/// What a host takes note of without an answer of its own. Orders of one scene arrive in order.
public enum HostOrder: Codable, Sendable {
  /// A message for a coordinator, with the scene's time; answered by its turn.
  case deliver(SceneIdentity, Delivery, at: SceneTime)
  /// A coordinator is over: cancel its tasks, forget it.
  case end(SceneIdentity, Departure)
  /// A screen came into view, or left it: a list that nobody sees takes no updates. One that is awaited answers with a `RenderingReport`.
  case seen(SceneIdentity, ScreenID, isSeen: Bool, isAwaited: Bool)
}

/// A call from one coordinator to another, host to host (K7).
public struct CoordinatorCall: Codable, Sendable {
  public var scene: SceneIdentity
  public var screen: ScreenID
  /// The name under which the callee exposes the method.
  public var method: String
  /// UTF-8 JSON.
  public var argument: [UInt8]

  public init(scene: SceneIdentity, screen: ScreenID, method: String, argument: [UInt8]) {
    self.scene = scene
    self.screen = screen
    self.method = method
    self.argument = argument
  }
}

/// A turn on its way to the journal.
public struct TurnSubmission: Codable, Sendable {
  public var scene: SceneIdentity
  public var report: TurnReport
  /// Whether a `RenderingReport` follows: the scene is not settled before it.
  public var rendering: Bool

  public init(scene: SceneIdentity, report: TurnReport, rendering: Bool) {
    self.scene = scene
    self.report = report
    self.rendering = rendering
  }
}

/// Whether a turn was taken.
public struct TurnReceipt: Codable, Sendable {
  /// Why not: the host acts under an old lease, or the screen is gone. The host forgets the coordinator.
  public var refusal: Refusal?

  public init(refusal: Refusal?) {
    self.refusal = refusal
  }
}
