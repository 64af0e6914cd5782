/// What is known of an open coordinator.
public struct ScreenReport: Hashable, Sendable, Codable {
  /// Its name, module, host, place and parent.
  public let summary: ScreenSummary
  /// The module and, if pinned, the host it was asked on.
  public let module: ModuleAddress
  /// The input it was opened with, redacted.
  public let input: [UInt8]
  /// The state it declared last.
  public let state: [UInt8]?
  /// What it is doing.
  public let phase: ScreenPhase
  /// The lease under which its host acts.
  public let lease: UInt32
  /// Whether its host is lost.
  public let isSuspended: Bool
  /// Whether it is a placeholder, because nobody has offered its module since a restart of the broker (P2).
  public let isUnclaimed: Bool
  /// Whether a host runs it, or is to: a placeholder has none.
  public let isHosted: Bool
  /// Whether it is a placeholder, because its host is lost and its input had secrets that nobody holds any more (P4).
  public let needsInput: Bool
  /// Whether a person sees it: on top where it stands, and nothing over it.
  public let isVisible: Bool
  /// Whether it is a coordinator without a screen.
  public let isScreenless: Bool
  /// Its children in order.
  public let children: [ScreenID]
  /// How many outputs it gave.
  public let outputs: UInt32
  /// How many turns were recorded.
  public let turns: UInt32
  /// How many messages it has not handled.
  public let unhandled: Int
  /// Who asked for it.
  public let caller: String
}

/// What is known of a request that is not answered.
public struct RequestReport: Hashable, Sendable, Codable {
  /// Its names.
  public let summary: RequestSummary
  /// Whether it runs; else it waits.
  public let isRunning: Bool
  /// What it is doing, for people: `dismissing s9`.
  public let doing: String
  /// When it must be answered.
  public let deadline: SceneTime
}
