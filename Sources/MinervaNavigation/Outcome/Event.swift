/// What watchers of a scene see. Numbers have no gaps: who misses one asks for a snapshot.
public struct Event: Hashable, Sendable, Codable {
  /// 1, 2, 3… of this scene.
  public let number: UInt64
  /// The position of the record it comes from.
  public let seq: UInt64
  /// What happened.
  public let kind: Kind

  /// What happened. A reference inside: each event is passed on several times and kept for a while.
  public indirect enum Kind: Hashable, Sendable, Codable {
    /// A request runs; its phases follow. Not published for requests that are answered in the same step.
    case admitted(RequestSummary)
    /// A request waits behind another.
    case queued(RequestSummary, behind: UInt64, because: String)
    /// A request that had started, or waited, was refused.
    case refused(RequestSummary, Refusal)
    /// A screen's module is being made.
    case connecting(ScreenSummary)
    /// A screen is on the tree and being shown.
    case presenting(ScreenSummary, via: Presentation?)
    /// A screen is there.
    case presented(ScreenSummary, input: [UInt8])
    /// A coordinator without a screen runs.
    case launched(ScreenSummary, input: [UInt8])
    /// A screen is off the tree and being taken away, or under a finger.
    case dismissing(ScreenSummary)
    /// A screen is gone: the last word about it (N6). The summary is as it stood; `caller` is who opened it.
    case removed(ScreenSummary, reason: RemovalReason, outputs: UInt32, result: [UInt8]?, caller: String?)
    /// A request is over.
    case settled(RequestSummary, Outcome)
    /// A module spoke; `byShell` when somebody else spoke in its place.
    case output(ScreenSummary, number: UInt32, [UInt8], listener: ScreenID?, byShell: Bool)
    /// A person did something on a screen, or an input was sent; its coordinator was given the message.
    case delivered(ScreenSummary, message: UInt32, what: String)
    /// A coordinator handled a message or acted by itself.
    case turned(ScreenSummary, number: UInt32, handled: UInt32?)
    /// A tab was selected.
    case tabSelected(container: ScreenSummary, tab: String)
    /// A split was collapsed (or taken apart).
    case split(container: ScreenSummary, collapsed: Bool)
    /// A finger does something.
    case gesture(Command.Gesture, Command.GestureStep, ScreenID)
    /// A screen's host is gone; the screen waits for the lease.
    case suspended(ScreenSummary)
    /// A lost host's screen cannot go on: its input had secrets that nobody holds any more (P4). It stays as a placeholder.
    case needsInput(ScreenSummary)
    /// Nobody has offered a screen's module since a restart (P2). It stays as a placeholder, until somebody does.
    case unclaimed(ScreenSummary)
    /// A suspended screen goes on, in the host the summary names.
    case resumed(ScreenSummary, kept: Bool)
    /// A presentation command is disabled because it executes, or enabled again (C1): of this coordinator, else of this caller.
    case gate(String, origin: ScreenID?, caller: String, isEnabled: Bool)
    /// A renderer became the primary, or the primary is gone (`nil`).
    case renderer(String?)
    /// A link waits for a screen, goes on, or does not (R4).
    case plan(PlanReport, PlanStage)
    /// The scene is over.
    case ended
  }

  /// Creates an event.
  public init(number: UInt64, seq: UInt64, kind: Kind) {
    self.number = number
    self.seq = seq
    self.kind = kind
  }
}

/// A request as watchers name it.
public struct RequestSummary: Hashable, Sendable, Codable {
  /// The position of its record.
  public let seq: UInt64
  /// Its own name.
  public let txn: String
  /// Who asked.
  public let caller: String
  /// The coordinator on whose behalf.
  public let origin: ScreenID?
  /// The verb.
  public let verb: String

  /// Creates a summary.
  public init(seq: UInt64, txn: String, caller: String, origin: ScreenID?, verb: String) {
    self.seq = seq
    self.txn = txn
    self.caller = caller
    self.origin = origin
    self.verb = verb
  }
}

extension Event.Kind {
  /// The stable dotted name, as `watch` and `wait event` match it: `screen.resumed`.
  public var name: String {
    switch self {
    case .admitted: "request.admitted"
    case .queued: "request.queued"
    case .refused: "request.refused"
    case .connecting: "screen.connecting"
    case .presenting: "screen.presenting"
    case .presented: "screen.presented"
    case .launched: "coordinator.launched"
    case .dismissing: "screen.dismissing"
    case .removed: "screen.removed"
    case .settled: "request.settled"
    case .output: "screen.output"
    case .delivered: "screen.delivered"
    case .turned: "screen.turned"
    case .tabSelected: "tab.selected"
    case .split: "split.changed"
    case .gesture: "gesture"
    case .suspended: "screen.suspended"
    case .needsInput: "screen.needs_input"
    case .unclaimed: "screen.unclaimed"
    case .resumed: "screen.resumed"
    case .gate: "command.changed"
    case .renderer: "renderer"
    case .plan(_, .waiting): "plan.waiting"
    case .plan(_, .due): "plan.due"
    case .plan(_, .followed): "plan.followed"
    case .plan(_, .ended): "plan.ended"
    case .ended: "scene.ended"
    }
  }
}
