package import MinervaInterfaces
package import MinervaProtocol
import MinervaWire

/// The broker's desk for diff jobs: the pool of workers, and who waits for a lease.
///
/// Callers name their jobs by text, each its own; the pool counts them by number. A lease or an ending that comes while its caller does not ask (it is still
/// busy finding out that its worker died) is kept until it does.
package struct DiffDesk {
  /// What the desk wants done.
  enum Action {
    case grant(CallToken, DiffLease)
    case refuse(CallToken, MinervaError)
    /// Tell the worker that nobody waits for the job; its credit returns when it knows.
    case cancel(Name, WorkerPoolStateMachine.Lease)
  }

  /// A job by its caller, and the caller's name for it.
  package struct Name: Hashable, Sendable {
    package let caller: WorkerPoolStateMachine.Caller
    package let job: String
  }

  private var pool: WorkerPoolStateMachine
  /// How long a job may take from its first question to its end, in milliseconds.
  private let deadline: Int64
  private var numbers: [Name: UInt64] = [:]
  private var names: [UInt64: Name] = [:]
  private var lastNumber: UInt64 = 0
  private var waiting: [UInt64: CallToken] = [:]
  private var leases: [UInt64: WorkerPoolStateMachine.Lease] = [:]
  /// Errors of jobs whose callers have not asked since, oldest first.
  private var ended: [(job: Name, error: MinervaError)] = []
  /// The life of each worker that has joined.
  private var lives: [String: UInt64] = [:]
  /// Where the workers listen that are there.
  private(set) var endpoints: [String: String] = [:]
  private(set) var poisoned = 0

  init(settings: WorkerPoolStateMachine.Settings = WorkerPoolStateMachine.Settings(), deadline: Int64 = 60_000) {
    pool = WorkerPoolStateMachine(settings: settings)
    self.deadline = deadline
  }

  var nextDeadline: Moment? { pool.nextDeadline }

  package var status: PoolStatus {
    PoolStatus(
      workers: pool.alive.count, waiting: pool.waiting, running: pool.unfinished - pool.waiting, poisoned: poisoned,
      busy: Set(leases.values.map(\.worker.name)).sorted())
  }

  /// The life of a worker that has joined.
  func life(of worker: String) -> UInt64? { lives[worker] }

  /// Notes a life of a worker; `false` when it had joined.
  mutating func join(_ worker: String, incarnation: UInt64) -> Bool { lives.updateValue(incarnation, forKey: worker) != incarnation }

  /// Forgets a life of a worker; `false` when it had not joined, or another has since.
  mutating func leave(_ worker: String, incarnation: UInt64) -> Bool {
    guard lives[worker] == incarnation else { return false }
    lives[worker] = nil
    return true
  }

  /// A worker says where it listens and how many jobs it wants.
  mutating func offer(_ offer: DiffOffer, incarnation: UInt64, at now: Moment) -> [Action] {
    endpoints[offer.worker] = offer.endpoint
    return translate(pool.credit(.init(name: offer.worker, incarnation: incarnation), wants: offer.credit, at: now))
  }

  /// A caller asks for a worker: the first time, or again after its worker died.
  mutating func lease(_ request: DiffLeaseRequest, token: CallToken, caller: WorkerPoolStateMachine.Caller, at now: Moment) -> [Action] {
    let name = Name(caller: caller, job: request.job)
    if let index = ended.firstIndex(where: { $0.job == name }) { return [.refuse(token, ended.remove(at: index).error)] }
    let id = number(of: name)
    // Whoever asks twice is answered twice, the first time with what has become of it.
    if let earlier = waiting.updateValue(token, forKey: id) {
      return [.refuse(earlier, .badMessage("job \(request.job) was asked for again"))] + submit(request, id, caller, at: now)
    }
    return submit(request, id, caller, at: now)
  }

  private mutating func submit(_ request: DiffLeaseRequest, _ id: UInt64, _ caller: WorkerPoolStateMachine.Caller, at now: Moment)
    -> [Action]
  {
    // A caller may say whatever it likes of its own job; more losses than end it are of no use.
    let costs = request.costs.prefix(64).map { WorkerPoolStateMachine.Worker(name: $0.worker, incarnation: $0.life) }
    // A lease that the caller counts among its losses is over, whether or not the pool has heard of the death.
    if let lease = leases[id], costs.count >= lease.attempt { leases[id] = nil }
    // Lists of one name belong to different callers, but to all lives of one: what an earlier life wanted is of no use.
    let job = WorkerPoolStateMachine.Job(
      size: request.rows, supersedes: request.list.map { "\(caller.name)\u{0}\($0)" },
      prefers: request.prefers.map { .init(name: $0.worker, incarnation: $0.life) }, caller: caller, deadline: now + deadline)
    return translate(pool.submit(id, job, costs: costs, at: now))
  }

  /// A caller has its answer, or gives the job up.
  mutating func end(_ job: String, of caller: WorkerPoolStateMachine.Caller, at now: Moment) -> [Action] {
    let job = Name(caller: caller, job: job)
    ended.removeAll { $0.job == job }
    guard let id = numbers[job] else { return [] }
    var actions: [WorkerPoolStateMachine.Action] = []
    if let lease = leases[id] { actions += pool.finished(id, worker: lease.worker, attempt: lease.attempt, at: now) }
    // Its worker may have been lost since: then the job waits again, or another worker is meant to get it, and neither must stay.
    actions += pool.cancel(id, at: now)
    let translated = translate(actions)
    ended.removeAll { $0.job == job }
    forget(id)
    return translated
  }

  /// A worker knows that nobody waits for what it was given: it may have other work.
  mutating func cancelled(_ lease: WorkerPoolStateMachine.Lease, at now: Moment) -> [Action] {
    translate(pool.finished(lease.job, worker: lease.worker, attempt: lease.attempt, at: now))
  }

  /// Whether a worker that is there holds credit for a lease.
  package func isHeld(_ lease: WorkerPoolStateMachine.Lease) -> Bool { pool.isHeld(lease) }

  /// A process is gone: as a worker, or as a caller.
  mutating func lost(_ node: String, incarnation: UInt64, at now: Moment) -> [Action] {
    let life = WorkerPoolStateMachine.Worker(name: node, incarnation: incarnation)
    let actions = pool.workerLost(life, at: now) + pool.callerLost(.init(name: node, incarnation: incarnation), at: now)
    // Its next life may be there already.
    if !pool.alive.contains(where: { $0.name == node }) { endpoints[node] = nil }
    return translate(actions)
  }

  /// Jobs past their deadline end.
  mutating func tick(_ now: Moment) -> [Action] { translate(pool.tick(now)) }

  private mutating func number(of job: Name) -> UInt64 {
    if let known = numbers[job] { return known }
    lastNumber += 1
    numbers[job] = lastNumber
    names[lastNumber] = job
    return lastNumber
  }

  private mutating func forget(_ id: UInt64) {
    if let name = names.removeValue(forKey: id) { numbers[name] = nil }
    waiting[id] = nil
    leases[id] = nil
  }

  private mutating func translate(_ actions: [WorkerPoolStateMachine.Action]) -> [Action] {
    actions.compactMap { action in
      switch action {
      case .grant(let lease):
        leases[lease.job] = lease
        guard let token = waiting.removeValue(forKey: lease.job), let job = names[lease.job] else { return nil }
        return .grant(
          token,
          DiffLease(
            job: job.job, worker: lease.worker.name, endpoint: endpoints[lease.worker.name] ?? "", attempt: lease.attempt,
            life: lease.worker.incarnation))
      case .fail(let id, let error):
        if error.code == .diffPoison { poisoned += 1 }
        guard let job = names[id] else { return nil }
        let token = waiting[id]
        forget(id)
        if let token { return .refuse(token, error) }
        ended.append((job, error))
        if ended.count > 1_024 { ended.removeFirst() }
        return nil
      case .cancel(let lease): return names[lease.job].map { .cancel($0, lease) }
      }
    }
  }
}
