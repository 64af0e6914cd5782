/// Something that an event loop polls: a socket or the inbox of an in-process connection. Confined to the loop's thread.
protocol EventSource: AnyObject {
  /// The descriptor to poll, or -1 when the loop's own wake covers it.
  var descriptor: Int32 { get }
  /// True when the source may hold something to take; set by the loop after a poll, cleared after a full drain.
  var isReady: Bool { get set }
  /// Takes at most `budget` messages; true when more may wait.
  func drain(budget: Int) -> Bool
  /// Asked last before sleeping: true when there is something to take after all.
  var needsDrain: Bool { get }
}
