/// The publisher's side of one subscription over a link: events go out by credit, and what waits for credit is bounded.
///
/// When a bound is reached everything that waits is given up but the newest event. By its number the reader sees the gap, and a reader with a gap
/// begins anew from a snapshot: older events would be of no use to it (C06). The other side is ``SubscriberStateMachine``.
package struct EventLaneStateMachine<Event: Sendable>: Sendable {
  /// The bounds of one subscription.
  package struct Settings: Hashable, Sendable {
    /// How many events may wait for credit.
    package var events = 4_096
    /// How many bytes they may have together; a single event may have more.
    package var bytes = 1 << 20
    /// How much credit a reader may have at once; what it grants beyond that is nothing.
    package var credit: UInt32 = 65_536

    package init() {}
  }

  private struct Pending: Sendable {
    let event: Event
    let bytes: Int
  }

  private let settings: Settings
  private var queue: [Pending] = []
  private var head = 0
  private var bytes = 0
  /// How many events may go out before the reader grants more.
  package private(set) var credit: UInt32 = 0
  /// How many events were given up.
  package private(set) var dropped = 0

  package init(settings: Settings = Settings()) { self.settings = settings }

  /// How many events wait.
  package var waiting: Int { queue.count - head }

  /// The event that may go out now. It stays the next one until ``sent()``, so that a link that takes no more loses nothing.
  package var next: Event? { credit > 0 && head < queue.count ? queue[head].event : nil }

  /// The reader wants so many more.
  package mutating func grant(_ events: UInt32) {
    credit = events > settings.credit - credit ? settings.credit : credit + events
  }

  /// An event of the topic; it waits for its turn.
  package mutating func publish(_ event: Event, bytes count: Int) {
    if waiting > 0, waiting >= settings.events || bytes + count > settings.bytes {
      dropped += waiting
      queue.removeAll()
      (head, bytes) = (0, 0)
    }
    queue.append(Pending(event: event, bytes: count))
    bytes += count
  }

  /// ``next`` went out.
  package mutating func sent() {
    guard credit > 0, head < queue.count else { return }
    credit -= 1
    bytes -= queue[head].bytes
    head += 1
    if head == queue.count {
      queue.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head >= 256, head * 2 >= queue.count {
      queue.removeFirst(head)
      head = 0
    }
  }
}
