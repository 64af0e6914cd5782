import MinervaProtocol
import MinervaWire
import Testing

@Suite("Job caller") struct JobCallerTests {
  private let a = WorkerPoolStateMachine.Worker(name: "a", incarnation: 1)
  private let b = WorkerPoolStateMachine.Worker(name: "b", incarnation: 1)

  private func at(_ milliseconds: Int64) -> Moment { Moment(milliseconds: milliseconds) }

  /// Leases are made by the pool alone: a pool that grants to the given worker at the given attempt.
  private func lease(_ id: UInt64, _ worker: WorkerPoolStateMachine.Worker, costs: [WorkerPoolStateMachine.Worker] = []) throws
    -> WorkerPoolStateMachine.Lease
  {
    var pool = WorkerPoolStateMachine()
    _ = pool.credit(worker, wants: 1, at: at(0))
    let actions = pool.submit(
      id, WorkerPoolStateMachine.Job(size: 1, caller: .init(name: "c", incarnation: 1), deadline: at(9_999)), costs: costs, at: at(0))
    guard case .grant(let lease)? = actions.first else { throw MinervaError(.badMessage, "no grant") }
    return lease
  }

  private func up() -> JobCallerStateMachine {
    var caller = JobCallerStateMachine()
    _ = caller.poolUp()
    return caller
  }

  @Test func `a job is asked for, sent, answered, once`() throws {
    var caller = up()
    #expect(caller.start(1, deadline: at(100), at: at(0)) == [.submit(1, costs: [])])
    let lease = try lease(1, a)
    #expect(caller.granted(lease) == [.send(lease)])
    #expect(caller.granted(lease) == [], "the same lease once more")
    #expect(caller.answered(1, attempt: 1) == [.reportDone(lease), .deliver(1)])
    #expect(caller.answered(1, attempt: 1) == [])
    #expect(caller.nextDeadline == nil && caller.unfinished == 0)
    #expect(caller.granted(lease) == [.reportDone(lease)], "a lease for a job that has ended is given back")
  }

  @Test func `C05: a lost worker is a cost, a stale lease is not followed`() throws {
    var caller = up()
    _ = caller.start(1, deadline: at(100), at: at(0))
    let first = try lease(1, a)
    _ = caller.granted(first)
    #expect(caller.lost(first) == [.submit(1, costs: [a])])
    #expect(caller.lost(first) == [])
    #expect(caller.granted(first) == [], "the pool's repetition of the lease that was lost")
    let second = try lease(1, b, costs: [a])
    #expect(caller.granted(second) == [.send(second)])
    #expect(caller.answered(1, attempt: 1) == [], "an answer of an attempt given up")
    #expect(caller.dropped(second) == [.submit(1, costs: [a])])
  }

  @Test func `what a job has cost outlives the broker`() throws {
    var caller = up()
    _ = caller.start(1, deadline: at(100), at: at(0))
    _ = caller.granted(try lease(1, a))
    let second = try lease(1, b, costs: [a])
    #expect(caller.granted(second) == [.send(second)], "a later attempt says that the one before was lost")
    caller.poolDown()
    #expect(caller.lost(second) == [])
    #expect(caller.poolUp() == [.submit(1, costs: [a, b])])
  }

  @Test func `a full pool is asked again, until the deadline`() {
    var caller = up()
    _ = caller.start(1, deadline: at(100), at: at(0))
    #expect(caller.refused(1, .backpressure("q", limit: 1, retryAfterMilliseconds: 40), at: at(10)) == [])
    #expect(caller.nextDeadline == at(50))
    #expect(caller.tick(at(50)) == [.submit(1, costs: [])])
    let late = caller.tick(at(100))
    #expect(late.first == .withdraw(1))
    guard case .fail(1, let error)? = late.last else { return #expect(Bool(false), "not ended") }
    #expect(error.code == .deadline)
    #expect(caller.refused(1, .badMessage("late"), at: at(101)) == [])
  }

  @Test func `other refusals end the job`() {
    var caller = up()
    _ = caller.start(1, deadline: at(100), at: at(0))
    let poison = MinervaError(.diffPoison, "x")
    #expect(caller.refused(1, poison, at: at(1)) == [.fail(1, poison)])
    _ = caller.start(2, deadline: at(100), at: at(0))
    #expect(caller.cancel(2).first == .withdraw(2))
    #expect(caller.cancel(2) == [])
  }
}
