internal import MinervaSupervision
internal import MinervaWire
internal import Synchronization

/// The journal's thread: takes what is queued, commits it as one, answers.
final class SQLiteWriter {
  let opening: SQLiteJournal.Opening
  private let path: String
  private let settings: SQLiteJournal.Settings
  private let epoch: EpochBox
  private let lock: LockFile
  private var file: JournalFile?
  /// Up to where retention has looked, and how many records ago.
  private var trimmed: Int64 = 0
  private var recordsSinceTrim = SQLiteWriter.trimEvery
  /// Why nothing is taken, after a failure.
  private var refusal: MinervaError?

  init(path: String, settings: SQLiteJournal.Settings, epoch: EpochBox) throws(MinervaError) {
    self.path = path
    self.settings = settings
    self.epoch = epoch
    do { lock = try LockFile.acquire(path + ".lock") } catch {
      throw MinervaError(error.code == .endpointTaken ? .journalLocked : .journalFile, error.message)
    }
    let started = MonotonicTime.now
    let (file, damage) = try JournalRecovery.open(path, settings: settings, epochAtLeast: 0)
    self.file = file
    epoch.value.store(file.epoch, ordering: .releasing)
    let (seconds, attoseconds) = (MonotonicTime.now - started).components
    opening = SQLiteJournal.Opening(
      formatBefore: Int(file.formatBefore), format: Int(settings.format.version), epoch: file.epoch, scenes: file.heads.count,
      records: file.recordCount, damage: damage, milliseconds: Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }

  /// Works until the queue is closed and empty.
  func run(_ queue: JobQueue) {
    while let jobs = queue.takeAll() {
      var next = 0
      while next < jobs.count {
        let writes = jobs[next...].prefix { $0.isWrite }
        if writes.isEmpty {
          read(jobs[next])
          next += 1
        } else {
          commit(writes)
          next += writes.count
          recordsSinceTrim += writes.reduce(0) { $0 + $1.recordCount }
        }
      }
      if recordsSinceTrim >= Self.trimEvery { trim() }
    }
    file = nil
    lock.release()
    queue.abandon()
  }

  /// How many records pass between two looks at what may go: seldom enough to cost nothing, and at the start.
  private static let trimEvery = 4096

  /// Lets go of a few batches of the past; the rest waits for the next look, so that nobody waits for it.
  private func trim() {
    recordsSinceTrim = 0
    guard let file, refusal == nil else { return }
    do {
      for _ in 0..<4 {
        guard try file.trim(settings.retention, cursor: &trimmed, now: settings.wallClock()) else { return }
      }
      recordsSinceTrim = Self.trimEvery
    } catch {
      // Nothing that was answered depends on it: the past stays until the next look.
      file.rollback()
    }
  }

  /// Writes neighbouring jobs in one transaction and answers them in their order.
  private func commit(_ jobs: ArraySlice<JournalJob>) {
    guard let file, refusal == nil else {
      for job in jobs { job.answerWrite(.failure(refusal ?? .refusing("the journal could not be opened"))) }
      return
    }
    var answers: [Result<Void, MinervaError>] = []
    answers.reserveCapacity(jobs.count)
    do {
      let written = settings.wallClock()
      var pending = try file.beginTransaction()
      for job in jobs { answers.append(try write(job, to: file, written: written, &pending)) }
      try file.commit(pending)
    } catch {
      file.rollback()
      // Not even those that were refused for a reason of their own are told it: what they were compared with is gone.
      let failure = MinervaError.refusing("\(path): the commit failed: \(error.message)")
      refusal = failure
      for job in jobs { job.answerWrite(.failure(failure)) }
      return
    }
    for (job, answer) in zip(jobs, answers) { job.answerWrite(answer) }
  }

  private func write(
    _ job: JournalJob, to file: JournalFile, written: Int64, _ pending: inout JournalFile.Pending
  ) throws(SQLiteFailure) -> Result<Void, MinervaError> {
    switch job {
    case .append(let group, let epoch, _):
      guard epoch == file.epoch else { return .failure(.stale(epoch, now: file.epoch)) }
      do throws(MinervaError) { try file.check(group, pending) } catch { return .failure(error) }
      try file.write(group, written: written, &pending)
      return .success(())
    case .snapshot(let snapshot, let epoch, _):
      guard epoch == file.epoch else { return .failure(.stale(epoch, now: file.epoch)) }
      return try file.write(snapshot, written: written, &pending) ? .success(()) : .failure(.early(snapshot))
    case .load, .scenes, .reopen: return .success(())
    }
  }

  private func read(_ job: JournalJob) {
    switch job {
    case .load(let scene, let limit, let completion):
      guard let file, refusal == nil else { return completion(.failure(refusal ?? .closedJournal)) }
      do throws(MinervaError) { completion(.success(try file.load(scene, upTo: limit))) } catch { completion(.failure(error)) }
    case .scenes(let completion):
      guard let file, refusal == nil else { return completion(.failure(refusal ?? .closedJournal)) }
      completion(.success(file.list()))
    case .reopen(let completion): completion(reopen())
    case .append, .snapshot: return
    }
  }

  private func reopen() -> Result<UInt64, MinervaError> {
    // The epoch grows even where the file forgot the last one.
    let last = epoch.value.load(ordering: .acquiring)
    file = nil
    do throws(MinervaError) {
      let (opened, _) = try JournalRecovery.open(path, settings: settings, epochAtLeast: last)
      file = opened
      refusal = nil
      epoch.value.store(opened.epoch, ordering: .releasing)
      return .success(opened.epoch)
    } catch {
      refusal = MinervaError.refusing("\(path) could not be reopened: \(error.message)")
      return .failure(error)
    }
  }
}

extension JournalJob {
  fileprivate var isWrite: Bool {
    switch self {
    case .append, .snapshot: true
    case .load, .scenes, .reopen: false
    }
  }

  fileprivate var recordCount: Int {
    if case .append(let group, _, _) = self { group.count } else { 0 }
  }

  fileprivate func answerWrite(_ answer: Result<Void, MinervaError>) {
    switch self {
    case .append(_, _, let completion), .snapshot(_, _, let completion): completion(answer)
    case .load, .scenes, .reopen: return
    }
  }
}
