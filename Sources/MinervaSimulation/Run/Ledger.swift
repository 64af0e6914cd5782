import MinervaInterfaces
import MinervaProtocol
import MinervaWire

/// What really happened, kept outside the parties, and what must never: the invariants.
final class Ledger {
  struct Violation: Error {
    let rule: String
    let text: String
  }

  private(set) var violation: Violation?
  private(set) var counters: [String: Int] = [:]

  func count(_ what: String) { counters[what, default: 0] += 1 }

  /// Notes the first broken rule; what follows from it is of no interest.
  func broken(_ rule: String, _ text: @autoclosure () -> String) {
    if violation == nil { violation = Violation(rule: rule, text: text()) }
  }

  func require(_ condition: Bool, _ rule: String, _ text: @autoclosure () -> String) { if !condition { broken(rule, text()) } }

  // MARK: Calls

  private struct CallEntry {
    let question: Question
    let deadline: Moment
    let caller: SimulatedProcess
    let life: UInt64
    var ended = false
  }

  private var calls: [UInt64: CallEntry] = [:]
  /// What was done of the things that must not be done twice, and whose callers were told that it was not.
  private var executed: Set<UInt64> = []
  private var denied: Set<UInt64> = []

  func callMade(_ id: UInt64, _ question: Question, deadline: Moment, by caller: SimulatedProcess) {
    calls[id] = CallEntry(question: question, deadline: deadline, caller: caller, life: caller.life)
    count("calls")
  }

  func callEnded(_ id: UInt64, error: MinervaError?, at now: Moment) {
    guard var call = calls[id] else { return broken("calls end once", "call \(id) ended but was never made") }
    require(!call.ended, "calls end once", "call \(id) ended a second time at \(now)")
    call.ended = true
    calls[id] = call
    require(
      now <= max(call.deadline, call.caller.disturbedUntil), "calls end within their deadline",
      "call \(id) ended at \(now), its deadline was \(call.deadline)")
    require(
      error?.code != .deadline || now >= call.deadline, "calls end within their deadline",
      "call \(id) ended early at \(now), its deadline was \(call.deadline)")
    count(error.map { "calls: \($0.code)" } ?? "calls: answered")
    guard case .once(let thing) = call.question, let error, error.maybeExecuted == false else { return }
    denied.insert(thing)
    checkDenied(thing)
  }

  /// A call that has not ended although its deadline has passed and its caller runs.
  func checkCall(_ id: UInt64, at now: Moment) {
    guard let call = calls[id], !call.ended, call.caller.life == call.life, call.caller.isRunning else { return }
    guard call.caller.disturbedUntil < call.deadline else { return }
    broken("calls end within their deadline", "call \(id) has not ended at \(now), its deadline was \(call.deadline)")
  }

  /// Something that has no name was done.
  func executed(_ thing: UInt64) {
    require(executed.insert(thing).inserted, "nothing is applied twice", "\(thing) was done again")
    checkDenied(thing)
  }

  private func checkDenied(_ thing: UInt64) {
    let isWrong = denied.contains(thing) && executed.contains(thing)
    require(!isWrong, "no false denial", "\(thing) was done though its caller was told that it was not")
  }

  // MARK: Leases of hosts

  private var awaySince: [String: Moment] = [:]
  /// Since when a host has gone on with none of its screens: one that is lost again before it does has waited since the first loss.
  private var idleSince: [String: Moment] = [:]

  /// What the broker says of a host.
  func processEvent(_ event: ProcessEvent, at now: Moment) {
    count("processes: \(event.change)")
    guard event.kind == "host" else { return }
    switch event.change {
    case .suspended:
      awaySince[event.node] = now
      if idleSince[event.node] == nil { idleSince[event.node] = now }
    case .joined:
      awaySince[event.node] = nil
      idleSince[event.node] = nil
    case .resumed: awaySince[event.node] = nil
    case .expired:
      let away = [awaySince[event.node], idleSince[event.node]].compactMap { $0.map { now - $0 } }.max() ?? 0
      require(away >= 3_000, "wall jumps end no lease", "\(event.node) was given up after \(away) ms away")
    case .lost: break
    }
  }

  /// A host that is there has made something, or a turn of it was taken.
  func hostWorked(_ name: String) { idleSince[name] = nil }

  /// A broker starts and waits for the hosts that it knows from its journal.
  func leasesForgotten(at now: Moment) {
    for host in Cluster.hosts where awaySince[host.name] == nil { awaySince[host.name] = now }
  }

  // MARK: Jobs

  private struct JobEntry {
    let order: JobOrder
    let caller: SimulatedProcess
    let life: UInt64
    var ended = false
    var killed = 0
    var worker: WorkerPoolStateMachine.Worker?
  }

  private var jobs: [UInt64: JobEntry] = [:]
  private var knownDead: Set<WorkerPoolStateMachine.Worker> = []

  func jobMade(_ order: JobOrder, by caller: SimulatedProcess) {
    jobs[order.serial] = JobEntry(order: order, caller: caller, life: caller.life)
    count("jobs")
  }

  func jobEnded(_ id: UInt64, error: MinervaError?, at now: Moment) {
    guard var job = jobs[id] else { return broken("jobs end once", "job \(id) ended but was never made") }
    require(!job.ended, "jobs end once", "job \(id) ended a second time")
    job.ended = true
    jobs[id] = job
    require(
      now <= max(job.order.deadline, job.caller.disturbedUntil), "jobs end within their deadline",
      "job \(id) ended at \(now), its deadline was \(job.order.deadline)")
    count(error.map { "jobs: \($0.code)" } ?? "jobs: done")
    require(!(job.order.isPoison && error == nil), "poison is set aside", "poison job \(id) was done")
  }

  func jobKilled(_ id: UInt64) {
    jobs[id]?.killed += 1
    require((jobs[id]?.killed ?? 0) <= 3, "poison is set aside", "job \(id) has killed \(jobs[id]?.killed ?? 0) workers")
  }

  func checkJob(_ id: UInt64, at now: Moment) {
    guard let job = jobs[id], !job.ended, job.caller.life == job.life, job.caller.isRunning else { return }
    guard job.caller.disturbedUntil < job.order.deadline else { return }
    broken("jobs end within their deadline", "job \(id) has not ended at \(now), its deadline was \(job.order.deadline)")
  }

  /// The broker hears that a process is gone.
  func peerLost(_ name: String, _ incarnation: UInt64, at now: Moment) {
    knownDead.insert(WorkerPoolStateMachine.Worker(name: name, incarnation: incarnation))
  }

  func workerKnownAlive(_ worker: WorkerPoolStateMachine.Worker) { knownDead.remove(worker) }

  func granted(_ lease: DiffLease, job serial: UInt64) {
    count("leases of jobs")
    let worker = WorkerPoolStateMachine.Worker(name: lease.worker, incarnation: lease.life)
    require(!knownDead.contains(worker), "no job to a dead worker", "job \(serial) went to \(lease.worker), known to be dead")
    // A question that crossed the job's end is leased once more, and followed by nobody.
    guard let job = jobs[serial], !job.ended else { return }
    jobs[serial]?.worker = worker
    require(job.killed < lease.attempt, "attempts are counted", "job \(serial) has killed \(job.killed) and got attempt \(lease.attempt)")
    require(lease.attempt <= 3, "poison is set aside", "job \(serial) got attempt \(lease.attempt)")
  }

  /// The jobs that a worker has, with whose they are.
  func jobs(leasedTo worker: String) -> [(caller: String, incarnation: UInt64, job: String)] {
    jobs.values.filter { !$0.ended && $0.worker?.name == worker }.sorted { $0.order.serial < $1.order.serial }
      .map { ($0.caller.name, $0.caller.incarnation(ofLife: $0.life), $0.order.name) }
  }

  func processEnded(_ name: String, _ life: UInt64) { count("kills") }

  // MARK: The end

  /// All is healed and quiet: nobody may still be waiting.
  func settled(at now: Moment) {
    for (id, call) in calls where !call.ended && call.caller.life == call.life { broken("nobody waits for ever", "call \(id) never ended") }
    for (id, job) in jobs where !job.ended && job.caller.life == job.life { broken("nobody waits for ever", "job \(id) never ended") }
  }
}
