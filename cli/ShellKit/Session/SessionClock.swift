/// The time a session waits by; a test turns it by hand.
package struct SessionClock: Sendable {
  /// The span since some fixed moment.
  package var now: @Sendable () -> Duration
  package var sleep: @Sendable (Duration) async throws -> Void

  package init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
    self.now = now
    self.sleep = sleep
  }

  /// The machine's monotonic clock.
  package static func continuous() -> SessionClock {
    let start = ContinuousClock.now
    return SessionClock(now: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) })
  }
}
