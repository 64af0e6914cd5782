extension SceneState {
  /// The tree as a plain value. Linear in its screens.
  package var tree: SceneTree { SceneTree(layers: []) }

  /// FNV-1a, 64 bits, over the canonical form of the tree (D1).
  package var treeHash: UInt64 { 0 }

  /// Whether nothing is in flight: no request runs or waits, no message is undelivered or unhandled.
  package var isSettled: Bool { true }

  /// What is known of a coordinator that is open; `nil` if it never was or is gone.
  package func screen(_ id: ScreenID) -> ScreenReport? { nil }

  /// Every open coordinator in the order of their opening, with or without a screen.
  package var coordinators: [ScreenReport] { [] }

  /// The screens of the stack (or the child in the slot) at a path from the bottom; `nil` if there is no such place.
  package func stack(_ path: NavPath) -> [ScreenID]? { nil }

  /// The visible stack: the active leaf of the topmost layer.
  package var activePath: NavPath { .main }

  /// Resolves a reference now; throws `nav.stale_ref`, `nav.target_not_found`.
  package func resolve(_ ref: ScreenRef, origin: ScreenID? = nil) throws(Refusal) -> ScreenID {
    throw Refusal(code: "nav.target_not_found", message: "nothing is open")
  }

  /// The requests that run or wait, in the order of their arrival.
  package var requests: [RequestReport] { [] }

  /// The coordinators whose host is lost, with the host they had: who can take them over is told by `Record.hostBack`.
  package var suspended: [ScreenReport] { [] }

  /// The answer that was given to a `txn`, while it is remembered.
  package func answer(to txn: String) -> Answer? { nil }

  /// When `Record.timer` is due; the last `Effect.wake`.
  package var wakeTime: SceneTime? { nil }

  /// The effects that are under way, to be done again after a restart: links, messages, the renderer's transition, the next timer.
  package func outstanding() -> [Effect] { [] }
}

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
