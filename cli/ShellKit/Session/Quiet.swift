/// Whether a scene has been settled for a moment without an event: then what is expected of its state does not come any more.
///
/// A moment, not at once: a screen may show something new on its own, which nobody asked for.
struct Quiet {
  /// What was there when nothing had happened yet.
  private struct Moment: Equatable {
    var events: Int
    var record: UInt64
    /// Of a virtual clock; the machine's always goes on.
    var at: Int64
  }

  static let span = Duration.milliseconds(500)

  /// Nil where only the deadline decides.
  private let clock: SessionClock?
  private var last: Moment?
  private var since = Duration.zero

  init(_ clock: SessionClock?) { self.clock = clock }

  /// The scene is under way or cannot be reached.
  mutating func disturb() { last = nil }

  /// Takes notice of one more look at a settled scene; returns whether it has been quiet for the whole span.
  mutating func decides(events: Int, _ look: SceneLook) -> Bool {
    guard let clock else { return false }
    let moment = Moment(events: events, record: look.record, at: look.isVirtual ? look.at : 0)
    if last != moment { (last, since) = (moment, clock.now()) }
    return clock.now() - since >= Self.span
  }
}
