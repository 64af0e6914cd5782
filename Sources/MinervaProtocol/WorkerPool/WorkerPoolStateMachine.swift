package import MinervaWire

/// Who works on what: leases of jobs to diff workers, by credit.
///
/// A worker says how many jobs it wants to hold; it is never given more, and a dead one none. A caller submits a job and is granted a lease (worker
/// and attempt); its payload goes to the worker without passing here. A job whose worker is lost goes to another, at most twice; the third loss
/// answers `diff.poison` naming the dead (C05). A job that has cost a worker its life runs alone from then on, so that it can take no good job with
/// it. Small jobs go before large ones, yet a large one is passed over only so often and so long. What does not fit the bounded queue is answered
/// `bus.backpressure`. Every job ends once: finished, or with an error.
package struct WorkerPoolStateMachine: Sendable {
  package struct Settings: Hashable, Sendable {
    /// How many jobs may wait.
    package var queued = 1_024
    /// From which size on a job is large; the unit is the caller's (rows).
    package var large = 20_000
    /// How often small jobs may go before a large one that waits.
    package var smallBeforeLarge = 8
    /// How long a large job waits before it goes first, in milliseconds.
    package var largeWait: Int64 = 1_000
    /// How many workers a job may cost before it is set aside.
    package var attempts = 3
    /// The most jobs one worker may ask to hold.
    package var creditCap = 64

    package init() {}
  }

  package typealias JobID = UInt64

  /// One life of a worker.
  package struct Worker: Hashable, Sendable, Codable {
    package let name: String
    package let incarnation: UInt64

    package init(name: String, incarnation: UInt64) {
      self.name = name
      self.incarnation = incarnation
    }
  }

  /// One life of a caller: the loss of an earlier one, which may be heard of late, is nothing to its jobs.
  package struct Caller: Hashable, Sendable {
    package let name: String
    package let incarnation: UInt64

    package init(name: String, incarnation: UInt64) {
      self.name = name
      self.incarnation = incarnation
    }
  }

  /// A job as the pool sees it.
  package struct Job: Hashable, Sendable {
    package var size: Int
    /// A newer job with the same key replaces an older one; none for jobs that stand for themselves.
    package var supersedes: String?
    /// The worker that holds what the job is about; any other will do when it has no room.
    package var prefers: Worker?
    package var caller: Caller
    package var deadline: Moment

    package init(size: Int, supersedes: String? = nil, prefers: Worker? = nil, caller: Caller, deadline: Moment) {
      self.size = size
      self.supersedes = supersedes
      self.prefers = prefers
      self.caller = caller
      self.deadline = deadline
    }
  }

  /// The right of a caller to send a job to a worker.
  package struct Lease: Hashable, Sendable, Codable {
    package let job: JobID
    package let worker: Worker
    /// 1 for the first try.
    package let attempt: Int

    package init(job: JobID, worker: Worker, attempt: Int) {
      self.job = job
      self.worker = worker
      self.attempt = attempt
    }
  }

  package enum Action: Hashable, Sendable {
    /// Tell the caller where its job goes.
    case grant(Lease)
    /// Tell the caller that its job has ended with an error.
    case fail(JobID, MinervaError)
    /// Tell the worker that nobody waits for the job any more; its credit returns when it says so.
    case cancel(Lease)
  }

  struct Running: Hashable, Sendable {
    let lease: Lease
    /// Nobody waits for it: it only holds its worker's credit.
    var abandoned = false
  }

  struct Entry: Hashable, Sendable {
    let job: Job
    /// Since when it waits, or waited last.
    var since: Moment
    /// The workers it has cost.
    var dead: [Worker] = []
    /// What it was granted, while it is.
    var lease: Lease?

    var attempt: Int { dead.count + 1 }
  }

  struct Desk: Hashable, Sendable {
    /// How many jobs the worker wants to hold.
    var credit: Int
    var holds: [Running] = []
  }

  let settings: Settings
  var jobs: [JobID: Entry] = [:]
  var workers: [Worker: Desk] = [:]
  /// Workers in the order in which they joined, for decisions that repeat.
  var joined: [Worker] = []
  /// Waiting jobs, oldest first; those that have cost a worker stand before all others.
  var retries: [JobID] = []
  var small: [JobID] = []
  var large: [JobID] = []
  /// How many small jobs have gone before the oldest large one.
  var passedOver = 0
  /// The newest job of each key.
  var newest: [String: JobID] = [:]

  package init(settings: Settings = Settings()) { self.settings = settings }

  /// How many jobs wait for a worker.
  package var waiting: Int { retries.count + small.count + large.count }
  /// How many jobs have not ended.
  package var unfinished: Int { jobs.count }
  /// Whether a worker that is alive holds a lease, also one for which nobody waits.
  package func isHeld(_ lease: Lease) -> Bool { workers[lease.worker]?.holds.contains { $0.lease == lease } ?? false }

  /// The workers that are alive, in the order in which they joined.
  package var alive: [Worker] { joined }
  /// How many jobs a worker holds, those nobody waits for included.
  package func held(by worker: Worker) -> Int { workers[worker]?.holds.count ?? 0 }

  /// When ``tick(_:)`` has to be called next, or never. Linear in the unfinished jobs, which are bounded.
  package var nextDeadline: Moment? { jobs.values.lazy.map(\.job.deadline).min().flatMap { $0 == .distantFuture ? nil : $0 } }
}

// MARK: - Jobs

extension WorkerPoolStateMachine {
  /// A caller submits a job, or asks again for one it has submitted: then it is told once more what it holds, or gets the next lease when it has
  /// lost the worker of that one.
  ///
  /// - Parameter costs: the workers the job has cost already, as the caller knows them from its leases: a broker that was restarted in between
  ///   would else count anew and let a poison job kill for ever.
  package mutating func submit(_ id: JobID, _ job: Job, costs: [Worker] = [], at now: Moment) -> [Action] {
    if let known = jobs[id] {
      guard let lease = known.lease else { return [] }
      // A caller that counts the lease it holds among what the job has cost has lost its worker.
      return costs.count < lease.attempt ? [.grant(lease)] : lost(id, attempt: lease.attempt, at: now)
    }
    guard now < job.deadline else { return [.fail(id, MinervaError(.deadline, "the deadline had passed before the job was submitted"))] }
    var actions: [Action] = []
    if let key = job.supersedes, let older = newest[key] {
      actions += end(older, MinervaError(.diffSuperseded, "a newer job for the same list took its place", details: ["by": "\(id)"]))
    }
    guard waiting < settings.queued else {
      return actions + [
        .fail(id, .backpressure("the queue for diff workers", limit: settings.queued, retryAfterMilliseconds: retryAfter))
      ]
    }
    guard costs.count < settings.attempts else { return actions + [.fail(id, poison(costs))] }
    jobs[id] = Entry(job: job, since: now, dead: costs)
    if let key = job.supersedes { newest[key] = id }
    if !costs.isEmpty { retries.append(id) } else if job.size >= settings.large { large.append(id) } else { small.append(id) }
    return actions + assign(at: now)
  }

  /// A worker (or the caller that got its answer) says that a lease is used up. One that is not held is nothing.
  package mutating func finished(_ id: JobID, worker: Worker, attempt: Int, at now: Moment) -> [Action] {
    guard let running = release(id, worker, attempt) else { return [] }
    if !running.abandoned { forget(id) }
    return assign(at: now)
  }

  /// A caller could not reach the worker of its lease, or lost it, and asks for the next one.
  package mutating func lost(_ id: JobID, attempt: Int, at now: Moment) -> [Action] {
    guard let entry = jobs[id], let lease = entry.lease, lease.attempt == attempt else { return [] }
    // The worker may be alive all the same: it keeps the credit until it gives it back or is lost itself.
    abandon(lease)
    return [.cancel(lease)] + charge(id, lease.worker, at: now) + assign(at: now)
  }

  /// The caller does not want the answer any more.
  package mutating func cancel(_ id: JobID, at now: Moment) -> [Action] {
    end(id, MinervaError(.cancelled, "the job was cancelled")) + assign(at: now)
  }

  /// A life of a caller is gone: nobody waits for its jobs. Their ends are said all the same, for whoever keeps books.
  package mutating func callerLost(_ caller: Caller, at now: Moment) -> [Action] {
    let ids = jobs.filter { $0.value.job.caller == caller }.keys.sorted()
    return ids.flatMap { end($0, MinervaError(.cancelled, "its caller went away")) } + assign(at: now)
  }

  /// Time passes: jobs past their deadline end.
  package mutating func tick(_ now: Moment) -> [Action] {
    let late = jobs.filter { $0.value.job.deadline <= now }.keys.sorted()
    guard !late.isEmpty else { return assign(at: now) }
    let error =
      joined.isEmpty
      ? MinervaError(.diffNoWorker, "no diff worker was running before the deadline; start one (minerva up)")
      : MinervaError(.deadline, "the diff did not end before its deadline")
    return late.flatMap { end($0, error) } + assign(at: now)
  }
}

// MARK: - Workers

extension WorkerPoolStateMachine {
  /// A worker says how many jobs it wants to hold; the first word of a worker lets it in, and ends an earlier life of its name.
  package mutating func credit(_ worker: Worker, wants: Int, at now: Moment) -> [Action] {
    var actions: [Action] = []
    let credit = min(max(0, wants), settings.creditCap)
    if workers[worker] == nil {
      for earlier in joined where earlier.name == worker.name { actions += workerLost(earlier, at: now) }
      workers[worker] = Desk(credit: credit)
      joined.append(worker)
    } else {
      workers[worker]?.credit = credit
    }
    return actions + assign(at: now)
  }

  /// A worker is dead: what it held goes to others, or has cost too many.
  package mutating func workerLost(_ worker: Worker, at now: Moment) -> [Action] {
    guard let desk = workers.removeValue(forKey: worker) else { return [] }
    joined.removeAll { $0 == worker }
    var actions: [Action] = []
    for running in desk.holds where !running.abandoned { actions += charge(running.lease.job, worker, at: now) }
    return actions + assign(at: now)
  }
}
