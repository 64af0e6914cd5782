import MinervaTransport
import MinervaWire
import Synchronization

/// The end of a job before its time, and how far it is.
final class DiffStop: Sendable {
  enum Reason: Sendable {
    case cancelled, superseded, deadline
  }

  private struct State {
    var reason: Reason?
    var sleeper: Task<Void, any Error>?
    var whenSet: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  /// In monotonic milliseconds.
  private let deadline: Int64
  /// Rows that were looked at, over all passes.
  private let looks = Atomic<Int>(0)
  let began: Int64
  private let isComparing = Atomic<Bool>(false)

  /// - Parameter deadline: In milliseconds from now; 0 for none.
  init(deadline: Int = 0) {
    began = MonotonicTime.milliseconds
    self.deadline = deadline > 0 ? began + Int64(min(deadline, 1 << 40)) : .max
  }

  var reason: Reason? {
    if let reason = state.withLock({ $0.reason }) { return reason }
    return MonotonicTime.milliseconds >= deadline ? .deadline : nil
  }

  /// Asked by the differ every 65,536 rows.
  var isSet: Bool {
    looks.wrappingAdd(1, ordering: .relaxed)
    return reason != nil
  }

  func set(_ reason: Reason) {
    let (sleeper, whenSet) = state.withLock { state in
      state.reason = state.reason ?? reason
      defer { state.whenSet = nil }
      return (state.sleeper, state.whenSet)
    }
    sleeper?.cancel()
    whenSet?()
  }

  /// Calls `body` once when the job is given up, at once if it was already; the last one said counts.
  func whenSet(_ body: @escaping @Sendable () -> Void) {
    let isSet = state.withLock { state in
      if state.reason == nil { state.whenSet = body }
      return state.reason != nil
    }
    if isSet { body() }
  }

  /// The differ begins.
  func begin() { isComparing.store(true, ordering: .relaxed) }

  func progress(rows: Int) -> DiffStop.Progress {
    Progress(
      isComparing: isComparing.load(ordering: .relaxed), handled: min(looks.load(ordering: .relaxed) << 16, rows * 6),
      milliseconds: Int(MonotonicTime.milliseconds - began))
  }

  struct Progress: Sendable {
    var isComparing: Bool
    var handled: Int
    var milliseconds: Int
  }

  /// Throws when the job is given up.
  func check() throws(MinervaError) {
    if let reason { throw Self.error(reason) }
  }

  static func error(_ reason: Reason) -> MinervaError {
    switch reason {
    case .cancelled: MinervaError(.cancelled, "the diff was given up")
    case .superseded: MinervaError(.diffSuperseded, "a newer job for the same list took its place")
    case .deadline: MinervaError(.deadline, "the diff did not end before its deadline")
    }
  }

  /// Sleeps, unless the job is given up before or meanwhile.
  func sleep(milliseconds: Int) async throws {
    let left = min(Int64(milliseconds), max(0, deadline - MonotonicTime.milliseconds))
    let sleeper = Task { try await Task.sleep(for: .milliseconds(left)) }
    let isSet = state.withLock { state in
      state.sleeper = sleeper
      return state.reason != nil
    }
    if isSet { sleeper.cancel() }
    _ = await sleeper.result
    try check()
  }
}
