/// One entry of a coordinator's outbox: kept until the turn that handled it is recorded, delivered again after a loss.
public struct Message: Hashable, Sendable, Codable {
  /// 1, 2, 3… of this coordinator, in the order in which it must be handled.
  public let number: UInt32
  /// What it is about.
  public let body: Body
  /// The message before it, when that is not the one with the number before: those between are not kept any more (N7). 0 is none.
  public var after: UInt32?

  /// What a coordinator is told.
  public enum Body: Hashable, Sendable, Codable {
    /// One more input.
    case input([UInt8])
    /// The same of one with secrets whose text the broker keeps (P4); a host gets it only when that text is lost.
    case sealedInput([UInt8], Seal)
    /// A person did something on its screen.
    case act(Command.Act)
    /// A child's output; `number` counts that child's outputs from 1.
    case childOutput(child: ScreenID, module: String, number: UInt32, [UInt8])
    /// A child is gone; a result only with `finished`.
    case childEnded(child: ScreenID, module: String, reason: RemovalReason, result: [UInt8]?)
    /// So many messages waited that those of children that left were not kept: every child up to this one has left, but these (N7).
    case childrenLeft(through: ScreenID, open: [ScreenID])
    /// A request it made was answered.
    case requestSettled(RequestKey, Resolution)
    /// Something about its own screen (K5).
    case lifecycle(Lifecycle)
    /// The time has come that it wanted to be woken at, under this name.
    case timer(String)
    /// A message that cannot reach its host, and why: said by the broker in its place, never kept. Whoever waits for it is answered with this.
    case undelivered(Refusal)
  }

  /// Creates an entry.
  public init(number: UInt32, body: Body, after: UInt32? = nil) {
    self.number = number
    self.body = body
    self.after = after
  }

  /// This message with another body, at its place in the order (N7).
  package func saying(_ body: Body) -> Message { Message(number: number, body: body, after: after) }
}

/// What happens to a screen's visibility. Covered is not removed. `load` is the connect itself, `unload` is `Effect.end`.
public enum Lifecycle: String, Hashable, Sendable, Codable {
  case willAppear, didAppear, willDisappear, didDisappear
}
