/// A wish that a virtual clock goes on (D3): to the next moment at which something is due, and no further.
///
/// The clock is the broker's own, so every scene, lease and deadline of its set moves with it.
public struct ClockStep: Codable, Hashable, Sendable {
  /// The scene whose time the moments below are.
  public var scene: SceneAddress
  /// A moment at which something of the asker is due, in milliseconds of scene time; `nil` when nothing is.
  public var due: Int64?
  /// The clock goes nowhere rather than beyond this moment.
  public var bound: Int64?
  /// The last event of the scene that the asker has seen: while there are later ones, it does not know enough to let time pass.
  public var event: UInt64
  /// The request that the asker waits for: once it is answered, time does not pass for it. `nil` when it waits for something else.
  public var txn: String?
  /// Whether time passes although a lost host may come back: its lease runs out then.
  public var passesLeases: Bool
  /// Whether time passes although something is under way, as when a process hangs.
  public var isForced: Bool

  public init(
    scene: SceneAddress, due: Int64? = nil, bound: Int64? = nil, event: UInt64, txn: String? = nil, passesLeases: Bool = false,
    isForced: Bool = false
  ) {
    self.scene = scene
    self.due = due
    self.bound = bound
    self.event = event
    self.txn = txn
    self.passesLeases = passesLeases
    self.isForced = isForced
  }
}

/// What a virtual clock shows after a step.
public struct ClockReading: Codable, Hashable, Sendable {
  /// What became of the step.
  public enum Verdict: String, Codable, Hashable, Sendable {
    /// The clock went on, or what was due already was done.
    case moved
    /// Nothing is due within the bound.
    case rests
    /// Something is under way that needs no time.
    case busy
    /// There are events that the asker has not seen.
    case behind
    /// The request is not under way.
    case answered
  }

  /// Milliseconds of scene time.
  public var at: Int64
  public var verdict: Verdict

  public init(at: Int64, verdict: Verdict) {
    self.at = at
    self.verdict = verdict
  }
}
