import MinervaActors
import MinervaInterfaces
import MinervaProtocol
import MinervaTransport
import MinervaWire

/// The jobs of a caller, on the bus's loop: what the machine says is performed here.
actor DiffRunner {
  private struct Job {
    /// How the broker knows it: by its own number, or by the lease that was there for it.
    var name: String
    let order: DiffOrder
    let continuation: CheckedContinuation<DiffResult, any Error>
    /// The lease as the broker said it: where the worker listens.
    var lease: DiffLease?
    /// When it was granted.
    var leasedAt = Moment.distantFuture
    /// Whether the broker knows the lease by a list, whose next job would end it.
    var isOfList = false
    var sending: Task<Void, Never>?
    var result: DiffResult?
    var leases = 0
    var turnedAway = 0
  }

  nonisolated let bus: BusSystem
  nonisolated var unownedExecutor: UnownedSerialExecutor { bus.loop.asUnownedSerialExecutor() }

  private let leasing: any DiffLeasing
  private let courier: DiffCourier
  private var machine = JobCallerStateMachine()
  private var jobs: [UInt64: Job] = [:]
  private var lastJob: UInt64 = 0
  private var spare: SpareLease
  private var isWatchingSpare = false
  /// When the next tick is due.
  private var armed: Moment?
  /// Part of every job's name, so that two runners of a process never share one.
  private let life: String

  init(bus: BusSystem, leasing: any DiffLeasing) {
    self.bus = bus
    self.leasing = leasing
    courier = DiffCourier(bus: bus)
    life = "\(bus.settings.node).\(String(bus.incarnation, radix: 36)).\(String(UInt32.random(in: .min ... .max), radix: 36))"
    spare = SpareLease(prefix: life)
    // Whoever grants leases rides over the broker's restarts by itself, or says that it does not.
    _ = machine.poolUp()
  }

  private var now: Moment { Moment(milliseconds: bus.loop.now) }

  /// Runs a job to its one end.
  func run(_ order: DiffOrder) async throws -> DiffResult {
    if Task.isCancelled { throw MinervaError(.cancelled, "the caller had given up before the job") }
    lastJob += 1
    let id = lastJob
    spare.begins(at: now)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        jobs[id] = Job(name: "\(life).\(id)", order: order, continuation: continuation)
        perform(machine.start(id, deadline: now + order.options.deadline.wholeMilliseconds, at: now))
      }
    } onCancel: {
      Task { await self.cancel(id) }
    }
  }

  private func cancel(_ id: UInt64) { perform(machine.cancel(id)) }

  /// - Parameter kept: The name of a lease that is not given back.
  private func perform(_ actions: [JobCallerStateMachine.Action], keeping kept: String? = nil) {
    for action in actions {
      switch action {
      case .reportDone(let lease) where kept != nil && jobs[lease.job]?.name == kept: continue
      case .submit(let id, let costs) where costs.isEmpty && take(id): continue
      case .submit(let id, let costs): Task(executorPreference: bus.taskExecutor) { await self.lease(id, costs) }
      case .send(let lease): send(lease)
      case .reportDone(let lease): giveBack(lease.job)
      case .withdraw(let id): giveBack(id)
      case .deliver(let id): end(id, nil)
      case .fail(let id, let error): end(id, error)
      }
    }
    arm()
  }

  /// Uses the lease that is there, if it fits the job.
  private func take(_ id: UInt64) -> Bool {
    // A list that the caller names itself supersedes at the broker, which has to hear of it.
    guard let order = jobs[id]?.order, order.options.list == nil, let (lease, since) = spare.take(preferring: order.holder?.worker) else {
      return false
    }
    jobs[id]?.name = lease.job
    jobs[id]?.lease = lease
    jobs[id]?.leasedAt = since
    perform(machine.granted(.init(job: id, worker: .init(name: lease.worker, incarnation: lease.life), attempt: lease.attempt)))
    return true
  }

  /// Asks for the lease of the job that may come.
  private func askAhead(like order: DiffOrder, _ worker: DiffWorkerLife, as name: String?) {
    guard let name else { return }
    let request = DiffLeaseRequest(job: name, rows: order.old.count + order.new.count, prefers: worker)
    Task(executorPreference: bus.taskExecutor) { [leasing] in
      do {
        await self.hasSpare(try await leasing.lease(request, within: .seconds(2)))
      } catch {
        await self.hasNoSpare(name)
      }
    }
  }

  private func hasSpare(_ lease: DiffLease) {
    guard spare.granted(lease, at: now) else { return giveBack(lease.job) }
    watchSpare()
  }

  /// Gives a lease back that nobody needs; one sleeper for all of a burst.
  private func watchSpare() {
    guard !isWatchingSpare else { return }
    isWatchingSpare = true
    Task(executorPreference: bus.taskExecutor) { await self.followSpare() }
  }

  private func followSpare() async {
    var quiet = 0
    // A lease that is in use now may be kept in a moment: the sleeper outlives such pauses.
    while quiet < 2 {
      let wait = spare.expiry.map { max(1, $0 - now) } ?? SpareLease.patience
      try? await ContinuousClock().sleep(for: .milliseconds(wait))
      quiet = spare.expiry == nil ? quiet + 1 : 0
      if let name = spare.expire(at: now) { giveBack(name) }
    }
    isWatchingSpare = false
  }

  private func hasNoSpare(_ name: String) {
    spare.refused(name)
    giveBack(name)
  }

  private func lease(_ id: UInt64, _ costs: [WorkerPoolStateMachine.Worker]) async {
    guard let job = jobs[id] else { return }
    let order = job.order
    let request = DiffLeaseRequest(
      job: job.name, rows: order.old.count + order.new.count, list: order.list?.name, prefers: order.holder?.worker,
      costs: costs.map { DiffWorkerLife(worker: $0.name, life: $0.incarnation) })
    let asked = now
    do {
      let lease = try await leasing.lease(request, within: order.options.deadline)
      if now - asked >= SpareLease.crowding { spare.crowd() }
      jobs[id]?.lease = lease
      jobs[id]?.leasedAt = now
      jobs[id]?.isOfList = order.list != nil
      perform(
        machine.granted(.init(job: id, worker: .init(name: lease.worker, incarnation: lease.life), attempt: lease.attempt)))
    } catch {
      let error = BusSystem.crossing(error)
      if error.code == .backpressure {
        jobs[id]?.turnedAway += 1
      } else {
        // The broker may have the job all the same: it must not get a worker that nobody sends anything.
        giveBack(job.name)
      }
      perform(machine.refused(id, error, at: now))
    }
  }

  private func send(_ lease: WorkerPoolStateMachine.Lease) {
    guard let job = jobs[lease.job], let granted = job.lease else { return }
    jobs[lease.job]?.leases += 1
    job.order.options.leased?(granted)
    jobs[lease.job]?.sending = Task(executorPreference: bus.taskExecutor) { [courier] in
      do {
        let result = try await courier.send(job.order, as: job.name, to: granted)
        await self.answered(lease, result)
      } catch {
        await self.failed(lease, BusSystem.crossing(error))
      }
    }
    askAhead(like: job.order, granted.loss, as: spare.sent(since: job.leasedAt, at: now))
  }

  private func answered(_ lease: WorkerPoolStateMachine.Lease, _ result: DiffResult) {
    jobs[lease.job]?.result = result
    let actions = machine.answered(lease.job, attempt: lease.attempt)
    guard !actions.isEmpty, let job = jobs[lease.job], let granted = job.lease else { return perform(actions) }
    let isKept = spare.keeps(granted, ofList: job.isOfList, since: job.leasedAt, at: now)
    if isKept { watchSpare() } else { askAhead(like: job.order, granted.loss, as: spare.ended()) }
    perform(actions, keeping: isKept ? granted.job : nil)
  }

  private func failed(_ lease: WorkerPoolStateMachine.Lease, _ error: MinervaError) {
    switch error.code {
    case .peerLost, .unreachable: perform(machine.lost(lease))
    // Not by us: the broker knows why.
    case .cancelled: perform(machine.dropped(lease))
    default:
      if error.code == .backpressure { jobs[lease.job]?.turnedAway += 1 }
      perform(machine.turnedAway(lease, error, at: now))
    }
  }

  /// Gives a lease back, which may be of a job that has ended since.
  private func giveBack(_ id: UInt64) { giveBack(jobs[id]?.name ?? "\(life).\(id)") }

  private func giveBack(_ name: String) {
    Task(executorPreference: bus.taskExecutor) { [leasing] in try? await leasing.endLease(job: name) }
  }

  private func end(_ id: UInt64, _ error: MinervaError?) {
    guard let job = jobs.removeValue(forKey: id) else { return }
    if var result = job.result, error == nil {
      (result.leases, result.turnedAway) = (job.leases, job.turnedAway)
      job.continuation.resume(returning: result)
    } else {
      // The worker hears that nobody waits.
      job.sending?.cancel()
      job.continuation.resume(throwing: error ?? MinervaError(.badMessage, "an answer came without a result"))
    }
  }

  /// Wakes up for the earliest deadline or back-off; one sleeper for all jobs.
  private func arm() {
    guard let next = machine.nextDeadline, armed.map({ next < $0 }) ?? true else { return }
    armed = next
    let wait = max(0, next - now)
    Task { [weak self] in
      try? await ContinuousClock().sleep(for: .milliseconds(wait))
      await self?.tick(next)
    }
  }

  private func tick(_ moment: Moment) {
    guard armed == moment else { return }
    armed = nil
    perform(machine.tick(now))
  }
}

extension Duration {
  /// Milliseconds, none for what is past.
  var wholeMilliseconds: Int64 {
    max(0, milliseconds)
  }
}
