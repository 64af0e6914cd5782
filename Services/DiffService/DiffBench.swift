import Dispatch
import ListDiff
import MinervaInterfaces
import MinervaWire
import Synchronization

/// The threads on which a worker computes, beside the bus's loop and the cooperative pool, and the jobs that are on them.
///
/// Long jobs have threads of their own, so a small one is never stuck behind a large one.
final class DiffBench: Sendable {
  /// How many rows make a long job.
  static let longJob = 20_000

  private struct State {
    var jobs: [String: DiffStop] = [:]
    var bytes = 0
  }

  private let limits: DiffLimits
  private let state = Mutex(State())
  private let short = DispatchQueue(label: "minerva.diff.short")
  private let long = DispatchQueue(label: "minerva.diff.long", attributes: .concurrent)

  /// Of how many answers one is wrong on purpose.
  private let lie: Int?
  private let answers = Atomic<Int>(0)

  init(limits: DiffLimits, lie: Int? = nil) {
    self.limits = limits
    self.lie = lie
  }

  /// The jobs that are being computed.
  var running: Int { state.withLock { $0.jobs.count } }

  /// Computes a job.
  /// - Throws: `bus.too_large` and `bus.backpressure` at the limits, `bus.bad_message` for columns that do not fit together,
  ///   `bus.cancelled`.
  func changes(of job: DiffJob) async throws -> [UInt8] {
    let size = job.old.byteCount + job.new.byteCount
    guard size <= limits.jobBytes else { throw MinervaError.tooLarge("diff job \(job.id)", bytes: size, limit: limits.jobBytes) }
    let stop = DiffStop()
    try state.withLock { state in
      guard state.bytes + size <= limits.bytes else {
        throw MinervaError.backpressure("the worker's memory for jobs", limit: limits.bytes, retryAfterMilliseconds: 50)
      }
      guard state.jobs[job.id] == nil else { throw MinervaError(.badMessage, "job \(job.id) is being computed here already") }
      state.jobs[job.id] = stop
      state.bytes += size
    }
    defer {
      state.withLock { state in
        state.jobs[job.id] = nil
        state.bytes -= size
      }
    }
    return try await withTaskCancellationHandler {
      let changes = try await compute(job, stop)
      if job.hold > 0 { try await stop.sleep(milliseconds: min(job.hold, limits.hold)) }
      return changes
    } onCancel: {
      stop.set()
    }
  }

  /// Gives up a job, if it is here.
  func cancel(_ job: String) {
    state.withLock { $0.jobs[job] }?.set()
  }

  private func compute(_ job: DiffJob, _ stop: DiffStop) async throws -> [UInt8] {
    let new = lying(about: job.new)
    let queue = job.old.count + job.new.count >= Self.longJob ? long : short
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Result { try job.old.changes(to: new, isCancelled: { stop.isSet }).encoded() }.mapError(Self.crossing))
      }
    }
  }

  /// The rows that the job asks for, or when it is time for a lie the same without the last one: a change set like any other, that turns the
  /// old rows into something else.
  private func lying(about rows: DiffRows) -> DiffRows {
    guard let lie, answers.wrappingAdd(1, ordering: .relaxed).newValue % lie == 0, rows.count > 0 else { return rows }
    var rows = rows
    rows.ends.removeLast()
    rows.contents.removeLast()
    rows.identifiers.removeLast(rows.identifiers.count - Int(rows.ends.last ?? 0))
    if let last = rows.sections.lastIndex(where: { $0.rows > 0 }) { rows.sections[last].rows -= 1 }
    return rows
  }

  private static func crossing(_ error: any Error) -> any Error {
    guard let error = error as? DiffError else { return error }
    return error.code == .cancelled
      ? MinervaError(.cancelled, "the diff was given up") : MinervaError(.badMessage, "the lists cannot be compared: \(error)")
  }
}

/// What a worker takes on.
public struct DiffLimits: Hashable, Sendable {
  /// The largest job in bytes.
  public var jobBytes: Int
  /// All jobs at a time in bytes.
  public var bytes: Int
  /// How long a job may ask to be held, in milliseconds.
  public var hold: Int

  public init(jobBytes: Int = 64 << 20, bytes: Int = 256 << 20, hold: Int = 10_000) {
    self.jobBytes = jobBytes
    self.bytes = bytes
    self.hold = hold
  }
}

/// The end of a job before its time.
final class DiffStop: Sendable {
  private let state = Mutex<(isSet: Bool, sleeper: Task<Void, any Error>?)>((false, nil))

  var isSet: Bool { state.withLock { $0.isSet } }

  func set() {
    state.withLock { state in
      state.isSet = true
      return state.sleeper
    }?.cancel()
  }

  /// Sleeps, unless the job is given up before or meanwhile.
  func sleep(milliseconds: Int) async throws {
    let sleeper = Task { try await Task.sleep(for: .milliseconds(milliseconds)) }
    let isSet = state.withLock { state in
      state.sleeper = sleeper
      return state.isSet
    }
    if isSet { sleeper.cancel() }
    do {
      try await sleeper.value
    } catch {
      throw MinervaError(.cancelled, "the diff was given up")
    }
  }
}
