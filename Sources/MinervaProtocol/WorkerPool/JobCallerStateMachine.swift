package import MinervaWire

/// The caller's side of the worker pool: keeps its jobs until they end, whatever dies meanwhile.
///
/// A job's payload stays with the caller. It asks the pool for a lease, sends the job to the worker the lease names, and asks again when that worker
/// is lost. It counts what a job has cost, so that the count outlives the broker. A lease that repeats one it has lost already is stale: sending the
/// job on it would give a poison job one more worker to kill. Every job ends once, at the latest at its deadline.
package struct JobCallerStateMachine: Sendable {
  package typealias JobID = WorkerPoolStateMachine.JobID
  package typealias Lease = WorkerPoolStateMachine.Lease
  package typealias Worker = WorkerPoolStateMachine.Worker

  package enum Action: Hashable, Sendable {
    /// Ask the pool for a lease, and tell it what the job has cost: also how it learns that the worker of the last lease is lost.
    case submit(JobID, costs: [Worker])
    /// Send the job to the worker of the lease, with the lease: another life of the worker refuses it.
    case send(Lease)
    /// Tell the pool that a lease is used up.
    case reportDone(Lease)
    /// Tell the pool that the job is not wanted any more.
    case withdraw(JobID)
    /// The job ends with the answer that came.
    case deliver(JobID)
    /// The job ends without one.
    case fail(JobID, MinervaError)
  }

  private enum State: Hashable, Sendable {
    /// The pool knows of it, or will when it can be reached.
    case waiting
    /// The pool was full: when to ask again.
    case backingOff(until: Moment)
    /// It is with a worker.
    case leased(Lease)
  }

  private struct Job: Hashable, Sendable {
    let deadline: Moment
    var costs: [Worker] = []
    var state = State.waiting
  }

  private var jobs: [JobID: Job] = [:]
  private var poolIsUp = false

  package init() {}

  /// How many jobs have not ended.
  package var unfinished: Int { jobs.count }

  /// When ``tick(_:)`` has to be called next, or never.
  package var nextDeadline: Moment? {
    var next = Moment.distantFuture
    for job in jobs.values {
      next = min(next, job.deadline)
      if case .backingOff(let until) = job.state { next = min(next, until) }
    }
    return next == .distantFuture ? nil : next
  }

  // MARK: The job's owner

  /// Somebody wants a job done. Ids are the caller's and never used again.
  package mutating func start(_ id: JobID, deadline: Moment, at now: Moment) -> [Action] {
    guard jobs[id] == nil else { return [.fail(id, .badMessage("job \(id) is there already"))] }
    guard now < deadline else { return [.fail(id, MinervaError(.deadline, "the deadline had passed before the job was started"))] }
    jobs[id] = Job(deadline: deadline)
    return ask(id)
  }

  /// Nobody wants the job any more.
  package mutating func cancel(_ id: JobID) -> [Action] {
    guard jobs.removeValue(forKey: id) != nil else { return [] }
    return (poolIsUp ? [.withdraw(id)] : []) + [.fail(id, MinervaError(.cancelled, "the job was cancelled"))]
  }

  /// Time passes: late jobs end, those the pool had no room for ask again.
  package mutating func tick(_ now: Moment) -> [Action] {
    var actions: [Action] = []
    for id in jobs.keys.sorted() {
      guard let job = jobs[id] else { continue }
      if job.deadline <= now {
        jobs[id] = nil
        if poolIsUp { actions.append(.withdraw(id)) }
        actions.append(.fail(id, MinervaError(.deadline, "the job did not end before its deadline")))
      } else if case .backingOff(let until) = job.state, until <= now {
        jobs[id]?.state = .waiting
        actions += ask(id)
      }
    }
    return actions
  }

  // MARK: The pool

  /// The broker can be reached again: it may know of nothing.
  package mutating func poolUp() -> [Action] {
    poolIsUp = true
    return jobs.keys.sorted().flatMap { jobs[$0]?.state == .waiting ? ask($0) : [] }
  }

  /// The broker cannot be reached. What is with a worker stays there.
  package mutating func poolDown() { poolIsUp = false }

  /// The pool grants a lease.
  package mutating func granted(_ lease: Lease) -> [Action] {
    guard var job = jobs[lease.job] else {
      // A question that crossed the job's end on the way: the worker's credit must not wait for a job that never comes.
      return poolIsUp ? [.reportDone(lease)] : []
    }
    guard lease.attempt > job.costs.count else { return [] }
    if case .leased(let earlier) = job.state {
      guard lease.attempt > earlier.attempt else { return [] }
      // A later attempt says that the one before has cost its worker.
      job.costs.append(earlier.worker)
    }
    job.state = .leased(lease)
    jobs[lease.job] = job
    return [.send(lease)]
  }

  /// The pool ends the job, or has no room for it now: then it is asked again, until the deadline.
  package mutating func refused(_ id: JobID, _ error: MinervaError, at now: Moment) -> [Action] {
    guard jobs[id] != nil else { return [] }
    if error.code == .backpressure {
      jobs[id]?.state = .backingOff(until: now + max(1, error.retryAfterMilliseconds ?? 100))
      return []
    }
    jobs[id] = nil
    return [.fail(id, error)]
  }

  // MARK: The workers

  /// A worker answered.
  package mutating func answered(_ id: JobID, attempt: Int) -> [Action] {
    guard let job = jobs[id], case .leased(let lease) = job.state, lease.attempt == attempt else { return [] }
    jobs[id] = nil
    return (poolIsUp ? [.reportDone(lease)] : []) + [.deliver(id)]
  }

  /// The worker of a lease cannot be reached, was lost, or is another life of its name.
  package mutating func lost(_ lease: Lease) -> [Action] {
    guard var job = jobs[lease.job], job.state == .leased(lease) else { return [] }
    job.costs.append(lease.worker)
    job.state = .waiting
    jobs[lease.job] = job
    return ask(lease.job)
  }

  /// The worker has dropped the job though it is alive: it was told that nobody waits.
  package mutating func dropped(_ lease: Lease) -> [Action] {
    guard jobs[lease.job]?.state == .leased(lease) else { return [] }
    jobs[lease.job]?.state = .waiting
    return ask(lease.job)
  }

  /// The worker of a lease turned the job away. One that had no room for it is given its credit back and asked again later; whatever else it
  /// said ends the job.
  package mutating func turnedAway(_ lease: Lease, _ error: MinervaError, at now: Moment) -> [Action] {
    guard jobs[lease.job]?.state == .leased(lease) else { return [] }
    return (poolIsUp ? [.reportDone(lease)] : []) + refused(lease.job, error, at: now)
  }

  private func ask(_ id: JobID) -> [Action] {
    guard poolIsUp, let job = jobs[id] else { return [] }
    return [.submit(id, costs: job.costs)]
  }
}
