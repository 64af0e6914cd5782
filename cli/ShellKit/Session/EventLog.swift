package import MinervaInterfaces
package import MinervaNavigation

/// The events a session has seen, in order, bounded; readers may wait for the next.
package actor EventLog {
  /// How many events are kept.
  package static let limit = 65_536

  private var events: [SceneEvent] = []
  /// How many events were dropped at the front.
  private var dropped = 0
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var nextWaiter = 0
  /// The last event number seen of each scene.
  private var numbers: [String: UInt64] = [:]

  package init() {}

  /// The position behind the last event.
  package var end: Int { dropped + events.count }

  package func append(_ event: SceneEvent) {
    events.append(event)
    numbers[event.scene] = event.number
    if events.count > Self.limit {
      let excess = events.count - Self.limit / 2
      events.removeFirst(excess)
      dropped += excess
    }
    wake()
  }

  /// Wakes every reader without an event: something else changed.
  package func wake() {
    let readers = waiting
    waiting = [:]
    for continuation in readers.values { continuation.resume() }
  }

  /// Returns the events from a position on.
  package func since(_ position: Int) -> ArraySlice<SceneEvent> { events[max(0, position - dropped)...] }

  /// Returns the number of the last event seen of a scene.
  package func number(of scene: String) -> UInt64 { numbers[scene] ?? 0 }

  /// Suspends until there is an event behind a position, or the task is cancelled.
  package func changed(behind position: Int) async {
    guard end <= position, !Task.isCancelled else { return }
    let id = nextWaiter
    nextWaiter += 1
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if end > position || Task.isCancelled { continuation.resume() } else { waiting[id] = continuation }
      }
    } onCancel: {
      Task { await self.release(id) }
    }
  }

  private func release(_ id: Int) { waiting.removeValue(forKey: id)?.resume() }

  /// Returns the last removal of a screen, or of a module's screen whose alias is the name.
  package func lastRemoval(where isMeant: (ScreenSummary) -> Bool) -> (summary: ScreenSummary, record: UInt64, reason: RemovalReason)? {
    for event in events.reversed() {
      if case .navigation(let navigation) = event.kind, case .removed(let summary, let reason, _, _, _) = navigation.kind, isMeant(summary)
      {
        return (summary, navigation.seq, reason)
      }
    }
    return nil
  }
}
