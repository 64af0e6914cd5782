/// A reader of one scene's numbered events: a snapshot first, then every event once and in order, and never the claim to be complete when it is not.
///
/// The cure for slow readers and for the events before the subscription took hold (C06): numbers, a snapshot for a gap (the Clone pattern of the
/// ZeroMQ guide, chapter 5), and a watermark the publisher repeats, by which the loss of the last events is noticed too.
package struct SubscriberStateMachine<Event: Sendable>: Sendable {
  package struct Settings: Hashable, Sendable {
    /// How many events are kept while a snapshot is on its way.
    package var buffered = 4_096
    /// How long a snapshot may take before it is asked for again, in milliseconds.
    package var snapshotTimeout: Int64 = 1_000
    /// After how long without a word of the publisher the view counts as possibly stale, in milliseconds.
    package var silence: Int64 = 3_000

    package init() {}
  }

  package enum Action: Sendable {
    /// Ask the publisher for a snapshot; the answer goes to ``snapshot(_:through:publisher:at:)`` with the same number.
    case requestSnapshot(UInt64)
    /// Replace everything by the snapshot that came.
    case reset(through: UInt64)
    /// Apply the next event.
    case apply(Event, number: UInt64)
    /// What is shown is no longer known to be complete.
    case incomplete(Reason)
    /// What is shown is complete again.
    case complete
  }

  package enum Reason: String, Hashable, Sendable {
    case starting
    case gap
    case publisherChanged
    case silent
    case connectionLost
  }

  private enum State: Sendable {
    /// A snapshot has been asked for; events wait, oldest first, without a gap among them.
    case waiting(request: UInt64, since: Moment, buffer: [Pending])
    /// Everything up to `last` has been applied.
    case live(last: UInt64)
  }

  private struct Pending: Sendable {
    let number: UInt64
    let event: Event
  }

  private let settings: Settings
  private var state: State
  private var publisher: UInt64?
  private var heard: Moment
  private var requests: UInt64 = 1
  /// Whether the reader has been told that its view is complete.
  package private(set) var isComplete = false
  /// How many gaps have been noticed.
  package private(set) var gaps = 0

  /// Creates a reader that has nothing yet; perform the actions of ``start(at:)`` first.
  package init(settings: Settings = Settings()) {
    self.settings = settings
    state = .waiting(request: 0, since: .zero, buffer: [])
    heard = .zero
  }

  /// The number of the last event applied, or nothing before the first snapshot.
  package var lastApplied: UInt64? { if case .live(let last) = state { last } else { nil } }

  /// How many events are kept.
  package var bufferedCount: Int { if case .waiting(_, _, let buffer) = state { buffer.count } else { 0 } }

  /// When ``tick(_:)`` has to be called next.
  package var nextDeadline: Moment? {
    switch state {
    case .waiting(_, let since, _): since + settings.snapshotTimeout
    case .live: isComplete ? heard + settings.silence : nil
    }
  }

  /// The subscription has been made: the first snapshot is asked for.
  package mutating func start(at now: Moment) -> [Action] {
    heard = now
    return resync(.starting, keeping: [], at: now)
  }

  /// An event came, from the given life of the publisher.
  package mutating func event(_ event: Event, number: UInt64, publisher: UInt64, at now: Moment) -> [Action] {
    heard = now
    if let changed = changed(publisher, keeping: [Pending(number: number, event: event)], at: now) { return changed }
    switch state {
    case .live(let last):
      if number <= last { return [] }
      guard number == last + 1 else {
        gaps += 1
        return resync(.gap, keeping: [Pending(number: number, event: event)], at: now)
      }
      state = .live(last: number)
      return [.apply(event, number: number)]
    case .waiting(let request, let since, var buffer):
      if let last = buffer.last {
        if number <= last.number { return [] }
        // Only a run without a gap can follow a snapshot: an older run is of no use any more.
        if number != last.number + 1 { buffer.removeAll(keepingCapacity: true) }
      }
      if buffer.count >= settings.buffered { buffer.removeAll(keepingCapacity: true) }
      buffer.append(Pending(number: number, event: event))
      state = .waiting(request: request, since: since, buffer: buffer)
      return []
    }
  }

  /// The publisher says what its last number is: how the loss of the last events is noticed.
  package mutating func watermark(_ number: UInt64, publisher: UInt64, at now: Moment) -> [Action] {
    heard = now
    if let changed = changed(publisher, keeping: [], at: now) { return changed }
    guard case .live(let last) = state else { return [] }
    guard number > last else { return [] }
    gaps += 1
    return resync(.gap, keeping: [], at: now)
  }

  /// The answer to a request: everything up to and including `through`. An answer to an earlier request is nothing.
  package mutating func snapshot(_ request: UInt64, through: UInt64, publisher: UInt64, at now: Moment) -> [Action] {
    guard case .waiting(let awaited, _, let buffer) = state, awaited == request else { return [] }
    heard = now
    if let known = self.publisher, known != publisher, !buffer.isEmpty {
      // The snapshot is of another life than the events kept: which of the two is newer cannot be told.
      self.publisher = nil
      return resync(.publisherChanged, keeping: [], at: now)
    }
    self.publisher = publisher
    var actions: [Action] = [.reset(through: through)]
    var last = through
    for pending in buffer where pending.number > last {
      guard pending.number == last + 1 else {
        gaps += 1
        state = .live(last: last)
        return actions + resync(.gap, keeping: buffer.filter { $0.number > last }, at: now)
      }
      actions.append(.apply(pending.event, number: pending.number))
      last = pending.number
    }
    state = .live(last: last)
    isComplete = true
    actions.append(.complete)
    return actions
  }

  /// The connection to the publisher is gone, or came back: only a snapshot can tell what was missed.
  package mutating func connectionLost(at now: Moment) -> [Action] { resync(.connectionLost, keeping: [], at: now) }

  /// Time passes: a snapshot that does not come is asked for again, a publisher that is silent is not trusted.
  package mutating func tick(_ now: Moment) -> [Action] {
    switch state {
    case .waiting(_, let since, let buffer):
      guard now >= since + settings.snapshotTimeout else { return [] }
      return ask(keeping: buffer, at: now)
    case .live:
      guard isComplete, now >= heard + settings.silence else { return [] }
      return resync(.silent, keeping: [], at: now)
    }
  }

  // MARK: Parts

  /// Another life of the publisher numbers its events anew.
  private mutating func changed(_ publisher: UInt64, keeping buffer: [Pending], at now: Moment) -> [Action]? {
    guard publisher != self.publisher else { return nil }
    let first = self.publisher == nil
    self.publisher = publisher
    // The first word of a publisher while its snapshot is awaited changes nothing but the events kept.
    if first, case .waiting = state { return nil }
    return resync(.publisherChanged, keeping: buffer, at: now)
  }

  private mutating func resync(_ reason: Reason, keeping buffer: [Pending], at now: Moment) -> [Action] {
    let told = isComplete || reason == .starting
    isComplete = false
    return (told ? [.incomplete(reason)] : []) + ask(keeping: buffer, at: now)
  }

  private mutating func ask(keeping buffer: [Pending], at now: Moment) -> [Action] {
    let request = requests
    requests += 1
    state = .waiting(request: request, since: now, buffer: buffer)
    return [.requestSnapshot(request)]
  }
}
