import ListDiff
import MinervaActors
import MinervaInterfaces
import MinervaTransport
import MinervaWire
import Synchronization

/// Where a worker's jobs are done: takes them on the shelf, computes them on threads, and knows which are under way.
final class DiffBench: Sendable {
  typealias Owner = DiffShelf.Owner

  private struct State {
    var shelf: DiffShelf
    var running: [DiffShelf.JobKey: (stop: DiffStop, rows: Int)] = [:]
  }

  private let state: Mutex<State>
  private let limits: DiffLimits
  private let lanes: DiffLanes
  private let node: String

  /// Of how many answers one is wrong on purpose.
  private let lie: Int?
  private let answers = Atomic<Int>(0)

  init(limits: DiffLimits, node: String = "worker", lie: Int? = nil, lanes: DiffLanes = DiffLanes()) {
    state = Mutex(State(shelf: DiffShelf(limits: limits)))
    self.limits = limits
    self.node = node
    self.lie = lie
    self.lanes = lanes
  }

  private var now: Int64 { MonotonicTime.milliseconds }

  var status: DiffWorkerStatus { state.withLock { $0.shelf.status } }

  // MARK: Jobs

  /// Computes a job.
  ///
  /// - Throws: What ``DiffShelf/admit(_:of:at:)`` throws; `bus.bad_message` for columns that do not fit together, `diff.duplicate`;
  ///   `bus.cancelled`, `diff.superseded`, `bus.deadline` when it ended before its time.
  func diff(_ job: DiffJob, of owner: Owner) async throws -> DiffAnswer {
    let stop = DiffStop(deadline: job.deadline)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in start(job, of: owner, until: stop) { continuation.resume(with: $0) } }
    } onCancel: {
      stop.set(.cancelled)
    }
  }

  /// The same without a task that waits.
  ///
  /// - Parameters:
  ///   - stop: Gives the job up when it is set.
  ///   - tell: Told the end once, from the thread that came to it: this one, before this returns, for a job that is refused.
  func start(
    _ job: DiffJob, of owner: Owner, until stop: DiffStop, _ tell: @escaping @Sendable (Result<DiffAnswer, any Error>) -> Void
  ) {
    let (work, superseded): (DiffShelf.Work, [DiffStop])
    do throws(MinervaError) {
      (work, superseded) = try state.withLock { state throws(MinervaError) in
        let work = try state.shelf.admit(job, of: owner, at: now)
        let superseded = work.superseded.compactMap { state.running[$0]?.stop }
        state.running[work.key] = (stop, work.rows)
        return (work, superseded)
      }
    } catch {
      return tell(.failure(error))
    }
    // Not inside the lock: the end of a job that waits for its lane is booked before `set` returns.
    for stop in superseded { stop.set(.superseded) }
    let (key, hold) = (work.key, min(job.hold, limits.hold))
    compute(work, job, stop) { result in
      guard hold > 0, case .success = result else { return tell(self.ended(key, result)) }
      Task {
        do {
          try await stop.sleep(milliseconds: hold)
          tell(self.ended(key, result))
        } catch {
          tell(self.ended(key, .failure(BusSystem.crossing(error))))
        }
      }
    }
  }

  /// Books the end of a job; what does not fit into its answer waits to be fetched.
  private func ended(_ key: DiffShelf.JobKey, _ result: Result<DiffAnswer, MinervaError>) -> Result<DiffAnswer, any Error> {
    do throws(MinervaError) {
      var answer = try result.get()
      (answer.changes, answer.held) = try state.withLock { state throws(MinervaError) in
        state.running[key] = nil
        return try state.shelf.answered(key, answer.changes, at: now)
      }
      return .success(answer)
    } catch {
      state.withLock { state in
        state.running[key] = nil
        state.shelf.ended(key)
      }
      return .failure(error)
    }
  }

  private func compute(
    _ work: DiffShelf.Work, _ job: DiffJob, _ stop: DiffStop, _ end: @escaping @Sendable (Result<DiffAnswer, MinervaError>) -> Void
  ) {
    let new = lying(about: work.new)
    let clock = ContinuousClock()
    let came = clock.now
    let options = Differ.Options(duplicates: job.duplicates.policy)
    let (node, id) = (node, job.id)
    lanes.run(rows: work.rows, until: stop) {
      Result { () throws(MinervaError) in
        let began = clock.now
        try stop.check()
        stop.begin()
        do throws(DiffError) {
          let changes = try work.old.encodedChanges(to: new, options, isCancelled: { stop.isSet })
          return DiffAnswer(
            id: id, changes: changes, worker: node, microseconds: (clock.now - began).microseconds, waited: (began - came).microseconds)
        } catch {
          throw Self.crossing(error, stop)
        }
      }
    } then: {
      end($0 ?? .failure(DiffStop.error(stop.reason ?? .cancelled)))
    }
  }

  /// The rows that the job asks for, or when it is time for a lie the same without the last one: a change set like any other, that turns the
  /// old rows into something else.
  private func lying(about rows: DiffRows) -> DiffRows {
    guard let lie, answers.wrappingAdd(1, ordering: .relaxed).newValue % lie == 0 else { return rows }
    return rows.withoutLast
  }

  private static func crossing(_ error: DiffError, _ stop: DiffStop) -> MinervaError {
    switch error.code {
    case .cancelled: DiffStop.error(stop.reason ?? .cancelled)
    case .duplicate: MinervaError(.diffDuplicate, error.message, details: error.duplicate?.details ?? [:])
    case .tooLarge: MinervaError(.tooLarge, error.message)
    default: MinervaError(.badMessage, "the lists cannot be compared: \(error.message)")
    }
  }

  // MARK: Pieces, answers, lists

  func take(_ piece: DiffPiece, of owner: Owner) throws(MinervaError) {
    try state.withLock { state throws(MinervaError) in try state.shelf.take(piece, of: owner, at: now) }
  }

  func rest(of job: String, from position: Int, owner: Owner) throws(MinervaError) -> [UInt8] {
    try state.withLock { state throws(MinervaError) in try state.shelf.rest(of: job, from: position, owner: owner) }
  }

  func progress(of job: String, owner: Owner) throws(MinervaError) -> DiffProgress {
    let key = DiffShelf.JobKey(owner: owner, job: job)
    let found: DiffProgress? = state.withLock { state in
      if let (stop, rows) = state.running[key] {
        let progress = stop.progress(rows: rows)
        return DiffProgress(
          phase: progress.isComparing ? .comparing : .waiting, rows: rows, handled: progress.handled, milliseconds: progress.milliseconds)
      }
      if let (rows, since) = state.shelf.coming(key) {
        return DiffProgress(phase: .receiving, rows: rows, handled: 0, milliseconds: Int(now - since))
      }
      return state.shelf.hasAnswer(key) ? DiffProgress(phase: .answered, rows: 0, handled: 0, milliseconds: 0) : nil
    }
    guard let found else { throw .badMessage("job \(job) is not here; it may have been answered just now") }
    return found
  }

  func forget(_ list: String, of owner: Owner) { state.withLock { $0.shelf.forget(list, of: owner) } }

  /// Gives up a job of a caller, if it is here.
  func cancel(_ job: String, of owner: Owner) {
    state.withLock { $0.running[DiffShelf.JobKey(owner: owner, job: job)]?.stop }?.set(.cancelled)
  }

  /// A caller is gone: nobody waits for its jobs, and nothing of it is kept.
  func lost(_ owner: Owner) {
    let stops = state.withLock { state in
      state.shelf.lost(owner)
      return state.running.filter { $0.key.owner == owner }.map(\.value.stop)
    }
    for stop in stops { stop.set(.cancelled) }
  }

  /// Drops what waits for nobody.
  func sweep() { state.withLock { $0.shelf.sweep(at: now) } }
}

extension DiffRows {
  /// The same list without its last row, which may be the last of an earlier section.
  fileprivate var withoutLast: DiffRows {
    guard count > 0, (try? check()) != nil else { return self }
    var rows = self
    rows.offsets.removeLast()
    switch rows.contents {
    case .none: break
    case .hashes(let hashes): rows.contents = .hashes(Array(hashes.dropLast()))
    case .bytes(let bytes, let ends): rows.contents = .bytes(bytes, offsets: Array(ends.dropLast()))
    }
    if let last = rows.sections?.rows.lastIndex(where: { $0 > 0 }) { rows.sections?.rows[last] -= 1 }
    return rows
  }
}

extension DiffDuplicates {
  fileprivate var policy: Differ.Options.Duplicates {
    switch self {
    case .occurrence: .occurrence
    case .first: .first
    case .reject: .reject
    }
  }
}

extension DiffError.Duplicate {
  /// As an error carries them: `side`, and `first`, `second` as `4`, `section 2` or `2.4`.
  fileprivate var details: [String: String] {
    ["id": id, "side": side.rawValue, "first": first.description, "second": second.description]
  }
}

extension Duration {
  fileprivate var microseconds: Int { Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000) }
}
