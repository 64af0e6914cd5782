/// One request of a caller: what it wants, on whose behalf, and on which conditions. Answered exactly once (N15).
public struct Command: Hashable, Sendable, Codable {
  /// The caller's own name for this request; a second submission gets the first's answer (N2). Unique in the scene.
  public var txn: String
  /// Who asks: a session of a shell, a client, a test; for requests of coordinators the core writes the screen's name.
  public var caller: String
  /// The coordinator on whose behalf it asks; `nil` from outside.
  public var origin: ScreenID?
  /// What is wanted.
  public var action: Action
  /// What happens when the place is busy (N3).
  public var policy: Policy
  /// Refused with `nav.stale_top` unless this is the top of the stack it works on when it starts (N4).
  public var ifTop: ScreenRef?
  /// Settles without waiting for the renderer.
  public var instant: Bool
  /// Milliseconds of scene time until it must be answered; `nil` is the scene's default.
  public var deadline: UInt32?
  /// The presentation command that is executed with this request (C1): taken from now until what it presents is removed, refused with
  /// `command.disabled` while taken. Commands that exclude each other name the same gate (C4). Counts within the origin, or the caller.
  public var gate: String?

  /// Creates a request; only `txn`, `caller` and `action` have no default.
  public init(
    txn: String, caller: String, origin: ScreenID? = nil, action: Action, policy: Policy = .queue, ifTop: ScreenRef? = nil,
    instant: Bool = false, deadline: UInt32? = nil, gate: String? = nil
  ) {
    self.txn = txn
    self.caller = caller
    self.origin = origin
    self.action = action
    self.policy = policy
    self.ifTop = ifTop
    self.instant = instant
    self.deadline = deadline
    self.gate = gate
  }
}

/// What happens to a request whose place is busy (N3).
public enum Policy: String, Hashable, Sendable, Codable, CaseIterable {
  /// It waits its turn; over 256 waiting in a scene, `bus.backpressure`.
  case queue
  /// An identical `open` still in flight is shared: its screen, its outcome.
  case join
  /// It is refused with `nav.busy`.
  case reject
  /// Waiting (never running) opens of the same caller in the same place end with `nav.superseded`.
  case supersede
}
