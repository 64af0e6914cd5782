import MinervaWire

extension WorkerPoolStateMachine {
  // MARK: Endings

  /// Ends a job with an error, wherever it is.
  mutating func end(_ id: JobID, _ error: MinervaError) -> [Action] {
    guard let entry = jobs[id] else { return [] }
    var actions: [Action] = []
    if let lease = entry.lease {
      abandon(lease)
      actions.append(.cancel(lease))
    }
    forget(id)
    return actions + [.fail(id, error)]
  }

  mutating func forget(_ id: JobID) {
    guard let entry = jobs.removeValue(forKey: id) else { return }
    if let key = entry.job.supersedes, newest[key] == id { newest[key] = nil }
    if entry.lease == nil { unqueue(id) }
  }

  private mutating func unqueue(_ id: JobID) {
    retries.removeAll { $0 == id }
    small.removeAll { $0 == id }
    large.removeAll { $0 == id }
  }

  /// The worker keeps the lease's credit, but nobody waits for its answer.
  mutating func abandon(_ lease: Lease) {
    guard let index = workers[lease.worker]?.holds.firstIndex(where: { $0.lease == lease }) else { return }
    workers[lease.worker]?.holds[index].abandoned = true
  }

  mutating func release(_ id: JobID, _ worker: Worker, _ attempt: Int) -> Running? {
    guard let index = workers[worker]?.holds.firstIndex(where: { $0.lease.job == id && $0.lease.attempt == attempt }) else { return nil }
    return workers[worker]?.holds.remove(at: index)
  }

  /// Counts a worker against a job: it waits for another, or is set aside.
  mutating func charge(_ id: JobID, _ worker: Worker, at now: Moment) -> [Action] {
    guard var entry = jobs[id] else { return [] }
    entry.lease = nil
    entry.dead.append(worker)
    entry.since = now
    jobs[id] = entry
    guard entry.dead.count < settings.attempts else {
      forget(id)
      return [.fail(id, poison(entry.dead))]
    }
    retries.append(id)
    return []
  }

  /// What a job ends with that has cost too many workers.
  func poison(_ dead: [Worker]) -> MinervaError {
    let names = dead.map { "\($0.name)-\(String($0.incarnation, radix: 16))" }.joined(separator: ", ")
    return MinervaError(
      .diffPoison, "every worker that took the job died: \(names)", details: [MinervaError.Detail.deadWorkers: names])
  }

  /// A guess from how many wait for how many places: better than all coming back at once.
  var retryAfter: Int64 {
    let places = max(1, workers.values.reduce(0) { $0 + $1.credit })
    return min(2_000, max(20, Int64(waiting / places) * 5))
  }

  // MARK: Assignment

  /// Gives out what can be given out.
  mutating func assign(at now: Moment) -> [Action] {
    var actions: [Action] = []
    while let (id, worker) = nextPair(at: now) {
      guard var entry = jobs[id] else { continue }
      let lease = Lease(job: id, worker: worker, attempt: entry.attempt)
      entry.lease = lease
      jobs[id] = entry
      workers[worker]?.holds.append(Running(lease: lease))
      actions.append(.grant(lease))
    }
    return actions
  }

  /// The next job and the worker for it, taken out of its queue.
  private mutating func nextPair(at now: Moment) -> (JobID, Worker)? {
    if let id = retries.first, let worker = emptyWorker(avoiding: jobs[id]?.dead ?? []) {
      retries.removeFirst()
      return (id, worker)
    }
    guard let worker = freeWorker() else { return nil }
    if let id = large.first, small.isEmpty || passedOver >= settings.smallBeforeLarge || hasWaited(id, now) {
      large.removeFirst()
      passedOver = 0
      return (id, preferred(by: id) ?? worker)
    }
    guard !small.isEmpty else { return nil }
    if !large.isEmpty { passedOver += 1 }
    let id = small.removeFirst()
    return (id, preferred(by: id) ?? worker)
  }

  private func hasWaited(_ id: JobID, _ now: Moment) -> Bool { jobs[id].map { now - $0.since >= settings.largeWait } ?? false }

  /// A worker that holds nothing, for a job that may kill it; one it has not lost by a broken link before, if there is one.
  private func emptyWorker(avoiding dead: [Worker]) -> Worker? {
    let empty = joined.filter { workers[$0].map { $0.credit > 0 && $0.holds.isEmpty } ?? false }
    return empty.first { !dead.contains($0) } ?? empty.first
  }

  /// The worker with the largest part of its credit free, none of whose jobs has cost a worker.
  private func freeWorker() -> Worker? {
    var best: (worker: Worker, held: Int)?
    let reserved = reservedWorker
    for worker in joined where isFree(worker, reserved) {
      let held = held(by: worker)
      if best.map({ held < $0.held }) ?? true { best = (worker, held) }
    }
    return best?.worker
  }

  /// The worker that a job asks for, if it has room.
  private func preferred(by id: JobID) -> Worker? {
    guard let worker = jobs[id]?.job.prefers, isFree(worker, reservedWorker) else { return nil }
    return worker
  }

  /// While a job waits to run alone, one worker is left to empty itself, or it would wait for ever under load.
  private var reservedWorker: Worker? {
    retries.isEmpty ? nil : joined.filter { (workers[$0]?.credit ?? 0) > 0 }.min { held(by: $0) < held(by: $1) }
  }

  private func isFree(_ worker: Worker, _ reserved: Worker?) -> Bool {
    guard worker != reserved, let desk = workers[worker], desk.holds.count < desk.credit else { return false }
    return !desk.holds.contains { $0.lease.attempt > 1 }
  }
}
