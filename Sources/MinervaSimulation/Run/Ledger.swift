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
    let wish: Wish
    let deadline: Moment
    let caller: SimulatedProcess
    let life: UInt64
    var ended = false
  }

  private var calls: [UInt64: CallEntry] = [:]
  /// Changes whose callers were told that they are done.
  private var acknowledged: Set<UInt64> = []
  /// Changes whose callers were told that they were not executed.
  private var denied: Set<UInt64> = []

  func callMade(_ id: UInt64, _ wish: Wish, deadline: Moment, by caller: SimulatedProcess) {
    calls[id] = CallEntry(wish: wish, deadline: deadline, caller: caller, life: caller.life)
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
    count(error.map { "calls: \($0.code)" } ?? "calls: answered")
    guard call.wish.repeatability != .pure else { return }
    if let error {
      if error.maybeExecuted == false, error.code != .backpressure { denied.insert(call.wish.id) }
    } else {
      acknowledged.insert(call.wish.id)
    }
  }

  /// A call that has not ended although its deadline has passed and its caller runs.
  func checkCall(_ id: UInt64, at now: Moment) {
    guard let call = calls[id], !call.ended, call.caller.life == call.life, call.caller.isRunning else { return }
    guard call.caller.disturbedUntil < call.deadline else { return }
    broken("calls end within their deadline", "call \(id) has not ended at \(now), its deadline was \(call.deadline)")
  }

  // MARK: Changes

  /// Digests of the events that were published, by number from 1: equal in every life of the broker.
  private(set) var history: [UInt64] = []
  private var historyTimes: [Moment] = []

  static func digest(_ before: UInt64, _ value: UInt64) -> UInt64 { (before ^ value) &* 0x100_0000_01b3 &+ 1 }

  func published(_ number: UInt64, _ digest: UInt64, at now: Moment) {
    if Int(number) <= history.count {
      require(history[Int(number) - 1] == digest, "published stays published", "event \(number) is another after a restart")
    } else {
      require(Int(number) == history.count + 1, "published stays published", "event \(number) was published after \(history.count)")
      history.append(digest)
      historyTimes.append(now)
    }
  }

  /// The broker has read its journal: what was promised must be there, and nothing twice.
  func recovered(_ changes: [UInt64]) {
    let present = Set(changes)
    require(present.count == changes.count, "nothing is applied twice", "a change is in the journal twice")
    let lost = acknowledged.filter { !present.contains($0) }
    require(lost.isEmpty, "what was answered is not lost", "changes \(lost.sorted()) were answered and are not in the journal")
    require(
      history.count <= changes.count, "published stays published", "\(history.count) events were published, \(changes.count) are left")
    checkDenied(present)
  }

  func checkDenied(_ present: Set<UInt64>) {
    let wrong = denied.intersection(present)
    require(wrong.isEmpty, "no false denial", "changes \(wrong.sorted()) were executed though their callers were told they were not")
  }

  // MARK: Subscribers

  func subscriberState(_ name: String, complete: Bool, last: UInt64?, digest: UInt64, running: Bool, disturbedUntil: Moment, at now: Moment)
  {
    guard running, complete, let last else { return }
    let expected = last == 0 ? 0 : Int(last) <= history.count ? history[Int(last) - 1] : nil
    require(expected == digest, "complete means complete", "\(name) says it is complete at \(last) and has another state")
    // Behind for longer than the silence it may believe in.
    guard Int(last) < history.count, disturbedUntil + 4_500 < now else { return }
    require(
      historyTimes[Int(last)] + 4_500 >= now, "complete means complete",
      "\(name) says it is complete at \(last) although \(history.count) was published long ago")
  }

  // MARK: Leases

  private var awaySince: [String: Moment] = [:]
  private var newestLease: [String: UInt64] = [:]
  private var expired: Set<UInt64> = []

  func hostAway(_ node: String, at now: Moment) { awaySince[node] = now }

  func hostAccepted(_ lease: HostLeaseStateMachine.Lease) {
    awaySince[lease.node] = nil
    newestLease[lease.node] = lease.number
  }

  func leaseExpired(_ lease: HostLeaseStateMachine.Lease, _ reason: HostLeaseStateMachine.Reason, at now: Moment) {
    require(expired.insert(lease.number).inserted, "a lease ends once", "lease \(lease.number) of \(lease.node) ended twice")
    count("leases: \(reason)")
    guard reason == .timedOut else { return }
    let away = awaySince[lease.node].map { now - $0 } ?? 0
    require(away >= 3_000, "wall jumps end no lease", "\(lease.node) was declared dead after \(away) ms away")
  }

  func turnAccepted(_ node: String, lease: UInt64) {
    count("turns")
    require(newestLease[node] == lease && !expired.contains(lease), "a stale host does not act", "\(node) acted under lease \(lease)")
  }

  /// A broker starts without leases.
  func leasesForgotten() {
    awaySince.removeAll()
    newestLease.removeAll()
  }

  // MARK: Jobs

  private struct JobEntry {
    let order: JobOrder
    let caller: SimulatedProcess
    let life: UInt64
    var ended = false
    var killed = 0
  }

  private var jobs: [UInt64: JobEntry] = [:]
  private var knownDead: Set<WorkerPoolStateMachine.Worker> = []

  func jobMade(_ order: JobOrder, by caller: SimulatedProcess) {
    jobs[order.id] = JobEntry(order: order, caller: caller, life: caller.life)
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

  func workerKnownLost(_ worker: WorkerPoolStateMachine.Worker) { knownDead.insert(worker) }
  func workerKnownAlive(_ worker: WorkerPoolStateMachine.Worker) { knownDead.remove(worker) }

  private var failedByPool: Set<UInt64> = []

  func jobFailedByPool(_ id: UInt64) { failedByPool.insert(id) }

  func granted(_ lease: WorkerPoolStateMachine.Lease) {
    count("leases of jobs")
    require(!knownDead.contains(lease.worker), "no job to a dead worker", "job \(lease.job) went to \(lease.worker.name), known to be dead")
    // A question that crossed the job's end is leased once more, and followed by nobody.
    guard !failedByPool.contains(lease.job), jobs[lease.job]?.ended == false else { return }
    let killed = jobs[lease.job]?.killed ?? 0
    require(killed < lease.attempt, "attempts are counted", "job \(lease.job) has killed \(killed) and got attempt \(lease.attempt)")
    require(lease.attempt <= 3, "poison is set aside", "job \(lease.job) got attempt \(lease.attempt)")
  }

  func workerHolds(_ name: String, _ count: Int, of capacity: Int) {
    require(count <= capacity, "credit is kept", "\(name) holds \(count) jobs and wanted \(capacity)")
  }

  func processEnded(_ name: String, _ life: UInt64) { count("kills") }

  // MARK: The end

  /// All is healed and quiet: nobody may still be waiting.
  func settled(at now: Moment) {
    for (id, call) in calls where !call.ended && call.caller.life == call.life { broken("nobody waits for ever", "call \(id) never ended") }
    for (id, job) in jobs where !job.ended && job.caller.life == job.life { broken("nobody waits for ever", "job \(id) never ended") }
  }
}
