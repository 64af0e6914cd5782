import Synchronization

/// Whether a host is registered at its broker, and those who wait until it is.
final class Standing: Sendable {
  private struct State {
    var isRegistered = false
    var isClosed = false
    var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Whether the broker knows the host now.
  var isRegistered: Bool { state.withLock { $0.isRegistered } }

  func set(_ isRegistered: Bool) {
    let waiters = state.withLock { state in
      state.isRegistered = isRegistered
      guard isRegistered else { return [CheckedContinuation<Void, any Error>]() }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(throwing: CancellationError()) }
  }

  /// Returns when the host is registered.
  /// - Throws: `CancellationError` when the task is cancelled or the host closes.
  func wait() async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if state.isClosed || Task.isCancelled { return .failure(CancellationError()) }
          if state.isRegistered { return .success(()) }
          state.waiters[number] = continuation
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
  }
}
