@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaProtocol
import MinervaWire
import Testing

/// The desk between callers of diff jobs and their workers.
@Suite("The diff desk")
struct DiffDeskTests {
  private func staffed(_ workers: [String] = ["diff-1", "diff-2"]) -> Machine {
    var machine = Machine()
    for worker in workers {
      let offer = DiffOffer(worker: worker, endpoint: "ipc:///\(worker)", credit: 1)
      machine.take(machine.broker.offer(offer, incarnation: 1, pid: 1, now: machine.now))
    }
    return machine
  }

  private func lease(_ machine: Machine, _ token: CallToken) -> DiffLease? {
    if case .leased(let lease) = machine.reply(to: token) { return lease }
    return nil
  }

  @Test("the desk forgets where a worker listened that is gone, and not its next life's address")
  func addressesGoWithTheirWorkers() {
    var machine = staffed()
    machine.take(machine.broker.lost("diff-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    #expect(machine.broker.desk.endpoints == ["diff-2": "ipc:///diff-2"])
    let offer = DiffOffer(worker: "diff-2", endpoint: "ipc:///again", credit: 1)
    machine.take(machine.broker.offer(offer, incarnation: 2, pid: 2, now: machine.now))
    machine.take(machine.broker.lost("diff-2", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    #expect(machine.broker.desk.endpoints == ["diff-2": "ipc:///again"])
  }

  @Test("a given-up job holds its worker's credit until the worker knows, or is lost")
  func heldUntilTold() throws {
    var machine = staffed(["diff-1"])
    let first = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    #expect(lease(machine, first) != nil)
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    let cancels = machine.actions.compactMap { if case .cancelJob(_, let lease) = $0 { lease } else { nil } }
    let held = try #require(cancels.first)
    #expect(machine.broker.desk.isHeld(held))
    machine.take(machine.broker.cancelled(held, now: machine.now))
    #expect(!machine.broker.desk.isHeld(held))
    machine.take(machine.broker.lost("diff-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    #expect(!machine.broker.desk.isHeld(held))
  }

  @Test("C05: a job whose worker died goes to another, and the third loss names the dead")
  func poisonIsSetAside() {
    var machine = staffed(["diff-1", "diff-2", "diff-3"])
    var token = machine.lease(DiffLeaseRequest(job: "poison", rows: 10))
    var dead: [String] = []
    var costs: [DiffWorkerLife] = []
    for attempt in 1...3 {
      guard let lease = lease(machine, token) else {
        Issue.record("no lease for attempt \(attempt)")
        return
      }
      #expect(lease.attempt == attempt)
      #expect(!dead.contains(lease.worker))
      dead.append(lease.worker)
      machine.take(machine.broker.lost(lease.worker, incarnation: 1, reason: "killed", pid: 1, now: machine.now))
      costs.append(lease.loss)
      token = machine.lease(DiffLeaseRequest(job: "poison", rows: 10, costs: costs))
    }
    guard case .refused(let error) = machine.reply(to: token) else {
      Issue.record("the job did not end")
      return
    }
    #expect(error.code == .diffPoison)
    for worker in dead { #expect(error.message.contains(worker)) }
    #expect(machine.broker.desk.status.poisoned == 1)
  }

  @Test("C05: the third loss ends a job whose broker was restarted between the losses, with the lives of all the dead")
  func lossesOutliveTheBroker() {
    var costs: [DiffWorkerLife] = []
    for life in 1...2 {
      // A broker that knows nothing, after each loss.
      var machine = staffed(["diff-1"])
      let token = machine.lease(DiffLeaseRequest(job: "poison", rows: 10, costs: costs))
      guard let lease = lease(machine, token) else {
        Issue.record("no lease after \(costs)")
        return
      }
      #expect(lease.attempt == life)
      costs.append(lease.loss)
    }
    var machine = staffed(["diff-1", "diff-2"])
    costs.append(DiffWorkerLife(worker: "diff-2", life: 255))
    let token = machine.lease(DiffLeaseRequest(job: "poison", rows: 10, costs: costs))
    guard case .refused(let error) = machine.reply(to: token) else {
      Issue.record("the job went to a fourth worker")
      return
    }
    #expect(error.code == .diffPoison)
    #expect(error.details[MinervaError.Detail.deadWorkers] == "diff-1-1, diff-1-1, diff-2-ff")
    #expect(machine.broker.desk.status.poisoned == 1)
  }

  @Test("A job that is given up after its worker died goes to nobody")
  func givenUpAfterALoss() {
    var machine = staffed(["diff-1"])
    _ = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    machine.take(machine.broker.lost("diff-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.take(machine.broker.endLease("a", node: "shop-1", incarnation: 1, now: machine.now))
    let offer = DiffOffer(worker: "diff-1", endpoint: "ipc:///diff-1", credit: 1)
    machine.take(machine.broker.offer(offer, incarnation: 2, pid: 2, now: machine.now))
    #expect(machine.broker.desk.status.running == 0)
    #expect(machine.broker.desk.status.waiting == 0)
    let token = machine.lease(DiffLeaseRequest(job: "b", rows: 10))
    #expect(lease(machine, token)?.worker == "diff-1")
  }

  @Test("Callers with one name for their jobs do not touch each other's")
  func namesOfCallers() {
    var machine = staffed(["diff-1"])
    let own = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    let waits = machine.lease(DiffLeaseRequest(job: "a", rows: 10), from: "shop-2")
    #expect(lease(machine, own)?.worker == "diff-1")
    // A stranger's ending, and one's own of a job that another has under that name.
    machine.take(machine.broker.endLease("a", node: "eve", incarnation: 1, now: machine.now))
    #expect(machine.reply(to: waits) == nil)
    machine.take(machine.broker.endLease("a", node: "shop-1", incarnation: 1, now: machine.now))
    #expect(lease(machine, waits)?.job == "a")
    machine.take(machine.broker.endLease("a", node: "shop-2", incarnation: 1, now: machine.now))
    #expect(machine.broker.desk.status.running == 0)
  }

  @Test("A caller that is back keeps its jobs when the loss of its earlier life is heard of late, and that life's end")
  func lateLossOfACaller() {
    var machine = staffed(["diff-1"])
    let old = machine.lease(DiffLeaseRequest(job: "a", rows: 10), incarnation: 1)
    #expect(lease(machine, old)?.worker == "diff-1")
    let unheard = machine.lease(DiffLeaseRequest(job: "b", rows: 10), incarnation: 1)
    // The new life's jobs, one of a name that the old one used as well.
    let (again, other) = (
      machine.lease(DiffLeaseRequest(job: "a", rows: 10), incarnation: 2),
      machine.lease(DiffLeaseRequest(job: "c", rows: 10), incarnation: 2)
    )
    #expect(machine.broker.desk.status.waiting == 3)
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    #expect(machine.refusal(of: unheard) == "bus.cancelled")
    #expect(machine.reply(to: again) == nil && machine.reply(to: other) == nil, "jobs of the new life wait for a worker")
    var told: [(name: DiffDesk.Name, lease: WorkerPoolStateMachine.Lease)] = []
    for case .cancelJob(let name, let lease) in machine.actions { told.append((name, lease)) }
    #expect(told.map(\.name) == [.init(caller: .init(name: "shop-1", incarnation: 1), job: "a")])
    guard let held = told.first?.lease else { return }
    machine.take(machine.broker.cancelled(held, now: machine.now))
    #expect(lease(machine, again)?.worker == "diff-1")
    // What the old life still says of the job is not the new one's word.
    machine.take(machine.broker.endLease("a", node: "shop-1", incarnation: 1, now: machine.now))
    #expect(machine.broker.desk.status.running == 1)
    machine.take(machine.broker.endLease("a", node: "shop-1", incarnation: 2, now: machine.now))
    #expect(lease(machine, other)?.job == "c")
  }

  @Test("Whoever asks twice for one job is answered twice")
  func askedTwice() {
    var machine = staffed([])
    let first = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    let second = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    guard case .refused(let error) = machine.reply(to: first) else {
      Issue.record("the first question is not answered")
      return
    }
    #expect(error.code == .badMessage)
    #expect(machine.reply(to: second) == nil)
    machine.take(
      machine.broker.offer(DiffOffer(worker: "diff-1", endpoint: "ipc:///diff-1", credit: 1), incarnation: 1, pid: 1, now: machine.now))
    #expect(lease(machine, second)?.worker == "diff-1")
  }

  @Test("A job waits for a worker that has credit, and each job is leased once")
  func jobsWaitForCredit() {
    var machine = staffed(["diff-1"])
    let first = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    let second = machine.lease(DiffLeaseRequest(job: "b", rows: 10))
    #expect(lease(machine, first)?.worker == "diff-1")
    #expect(machine.reply(to: second) == nil)
    machine.take(machine.broker.endLease("a", node: "shop-1", incarnation: 1, now: machine.now))
    #expect(lease(machine, second)?.worker == "diff-1")
  }

  @Test("C05: a worker that is back under its name before its caller asks again costs the job one attempt, not two")
  func quickRestart() {
    var machine = staffed(["diff-1"])
    var token = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    guard let first = lease(machine, token) else {
      Issue.record("no lease")
      return
    }
    machine.take(machine.broker.lost("diff-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    let offer = DiffOffer(worker: "diff-1", endpoint: "ipc:///diff-1", credit: 1)
    machine.take(machine.broker.offer(offer, incarnation: 2, pid: 2, now: machine.now))
    token = machine.lease(DiffLeaseRequest(job: "a", rows: 10, costs: [first.loss]))
    #expect(lease(machine, token)?.attempt == 2)
  }

  @Test("A worker that was given up and lives has its credit again once it knows")
  func creditReturns() {
    var machine = staffed(["diff-1"])
    let token = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    let first = lease(machine, token)
    // Its caller could not reach it; nobody else has a word to say against it.
    let again = machine.lease(DiffLeaseRequest(job: "a", rows: 10, costs: first.map { [$0.loss] } ?? []))
    #expect(machine.reply(to: again) == nil)
    guard case .cancelJob(let name, let held)? = machine.actions.last, name.job == "a", name.caller.name == "shop-1" else {
      Issue.record("the worker was not told")
      return
    }
    machine.take(machine.broker.cancelled(held, now: machine.now))
    #expect(lease(machine, again)?.attempt == 2)
  }

  @Test("A newer job for a list takes the place of one that waits")
  func newerJobsSupersede() {
    var machine = staffed(["diff-1"])
    _ = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    let older = machine.lease(DiffLeaseRequest(job: "b", rows: 10, list: "users"))
    _ = machine.lease(DiffLeaseRequest(job: "c", rows: 10, list: "users"))
    #expect(machine.refusal(of: older) == "diff.superseded")
  }

  @Test("Without a worker a job ends by its deadline")
  func jobsEndWithoutWorkers() {
    var machine = Machine()
    let token = machine.lease(DiffLeaseRequest(job: "a", rows: 10))
    machine.wait(60_001)
    #expect(machine.refusal(of: token) == "diff.no_worker")
  }
}
