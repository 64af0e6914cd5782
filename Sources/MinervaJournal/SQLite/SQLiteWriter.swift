import MinervaWire

internal import MinervaSupervision
internal import MinervaWire
internal import Synchronization

/// The journal's thread: takes what is queued, commits it as one, answers.
final class SQLiteWriter {
  let opening: SQLiteJournal.Opening
  private let path: String
  private let settings: SQLiteJournal.Settings
  private let board: JournalBoard
  private let lock: LockFile
  private var file: JournalFile?
  /// Up to where retention has looked, and how many records ago.
  private var trimmed: Int64 = 0
  /// When it last came to the end, by the wall clock.
  private var passEnded: Int64?
  private var recordsSinceTrim = SQLiteWriter.trimEvery
  /// Why nothing is taken, after a failure.
  private var refusal: MinervaError?
  /// What was found damaged in the open file: the next opening salvages what is whole.
  private var damage: String?

  init(path: String, settings: SQLiteJournal.Settings, board: JournalBoard) throws(MinervaError) {
    self.path = path
    self.settings = settings
    self.board = board
    do { lock = try LockFile.acquire(path + ".lock") } catch {
      throw MinervaError(error.code == .endpointTaken ? .journalLocked : .journalFile, error.message)
    }
    let started = MonotonicTime.now
    let (file, damage) = try JournalRecovery.open(path, settings: settings, epochAtLeast: 0)
    self.file = file
    board.epoch.store(file.epoch, ordering: .releasing)
    board.forgotten.store(file.forgotten, ordering: .releasing)
    if let damage { board.damages.withLock { $0.append(damage) } }
    opening = SQLiteJournal.Opening(
      formatBefore: Int(file.formatBefore), format: Int(settings.format.version), epoch: file.epoch, scenes: file.heads.count,
      records: file.recordCount, damage: damage, milliseconds: Int(clamping: (MonotonicTime.now - started).milliseconds))
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
    if refusal == nil { file?.markAll() }
    file = nil
    lock.release()
    queue.abandon()
  }

  /// How many records pass between two looks at what may go: seldom enough to cost nothing, and at the start.
  private static let trimEvery = 4096

  /// How many milliseconds pass before what a pass has left is looked at again.
  private static let passPause: Int64 = 60_000

  /// Lets go of a few batches of the past; the rest waits for the next look, so that nobody waits for it.
  private func trim() {
    recordsSinceTrim = 0
    guard let file, refusal == nil else { return }
    do {
      let now = settings.wallClock()
      // What nothing covered when the last pass came by may be covered by now.
      if let ended = passEnded, now - ended >= Self.passPause || now < ended {
        trimmed = 0
        passEnded = nil
      }
      for _ in 0..<4 {
        guard try file.trim(settings.retention, cursor: &trimmed, now: now) else {
          // The records of those that ended first are gone first. Many may be due together: one batch a look.
          let isMore = try file.forgetOver(upTo: trimmed)
          board.forgotten.store(file.forgotten, ordering: .releasing)
          if isMore { recordsSinceTrim = Self.trimEvery } else if passEnded == nil { passEnded = now }
          return
        }
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
      if error.isDamage { damage = error.message }
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
    case .rest(let rest, let epoch, _):
      guard epoch == file.epoch else { return .failure(.stale(epoch, now: file.epoch)) }
      return try file.write(rest, &pending) ? .success(()) : .failure(.early(rest))
    case .load, .records, .scenes, .setAside, .reopen: return .success(())
    }
  }

  private func read(_ job: JournalJob) {
    switch job {
    case .load(let scene, let limit, let completion):
      guard let file, refusal == nil else { return completion(.failure(refusal ?? .closedJournal)) }
      do throws(MinervaError) { completion(.success(try file.load(scene, upTo: limit))) } catch {
        // The present of a scene is damaged: nothing more is built on this file before what is whole was salvaged (P3).
        if limit == nil, error.code == .journalCorrupt {
          damage = error.message
          refusal = .refusing("\(path) is damaged: \(error.message)")
        }
        completion(.failure(error))
      }
    case .records(let scene, let sequence, let limit, let completion):
      guard let file, refusal == nil else { return completion(.failure(refusal ?? .closedJournal)) }
      do throws(MinervaError) { completion(.success(try file.records(scene, after: sequence, upTo: limit))) } catch {
        completion(.failure(error))
      }
    case .scenes(let completion):
      guard let file, refusal == nil else { return completion(.failure(refusal ?? .closedJournal)) }
      completion(.success(file.list()))
    case .setAside(let part, let scene, let reason, let epoch, let completion):
      completion(setAside(part, of: scene, reason: reason, epoch: epoch))
    case .reopen(let completion): completion(reopen())
    case .append, .snapshot, .rest: return
    }
  }

  private func setAside(_ part: JournalPart, of scene: String, reason: String, epoch: UInt64) -> Result<JournalAside, MinervaError> {
    guard let file, refusal == nil else { return .failure(refusal ?? .closedJournal) }
    guard epoch == file.epoch else { return .failure(.stale(epoch, now: file.epoch)) }
    do throws(SQLiteFailure) { return .success(try file.setAside(part, of: scene, reason: reason, now: settings.wallClock())) } catch {
      let failure = MinervaError.refusing("\(path): a part of scene \(scene) could not be set aside: \(error.message)")
      refusal = failure
      if error.isDamage { damage = error.message }
      return .failure(failure)
    }
  }

  private func reopen() -> Result<UInt64, MinervaError> {
    // The epoch grows even where the file forgot the last one.
    let last = board.epoch.load(ordering: .acquiring)
    file = nil
    do throws(MinervaError) {
      let (opened, found) = try JournalRecovery.open(path, settings: settings, epochAtLeast: last, known: damage)
      file = opened
      refusal = nil
      damage = nil
      trimmed = 0
      passEnded = nil
      if let found { board.damages.withLock { $0.append(found) } }
      board.forgotten.store(opened.forgotten, ordering: .releasing)
      board.epoch.store(opened.epoch, ordering: .releasing)
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
    case .append, .snapshot, .rest: true
    case .load, .records, .scenes, .setAside, .reopen: false
    }
  }

  fileprivate var recordCount: Int {
    if case .append(let group, _, _) = self { group.count } else { 0 }
  }

  fileprivate func answerWrite(_ answer: Result<Void, MinervaError>) {
    switch self {
    case .append(_, _, let completion), .snapshot(_, _, let completion), .rest(_, _, let completion): completion(answer)
    case .load, .records, .scenes, .setAside, .reopen: return
    }
  }
}
