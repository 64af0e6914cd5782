import MinervaProtocol
import MinervaWire
import Testing

@Suite("Worker pool") struct WorkerPoolTests {
  typealias Pool = WorkerPoolStateMachine

  private func at(_ milliseconds: Int64) -> Moment { Moment(milliseconds: milliseconds) }
  private func worker(_ name: String, _ life: UInt64 = 1) -> Pool.Worker { Pool.Worker(name: name, incarnation: life) }
  private func job(_ size: Int = 10, key: String? = nil, caller: String = "c", deadline: Int64 = 10_000) -> Pool.Job {
    Pool.Job(size: size, supersedes: key, caller: .init(name: caller, incarnation: 1), deadline: at(deadline))
  }
  private func grants(_ actions: [Pool.Action]) -> [Pool.Lease] {
    actions.compactMap { if case .grant(let lease) = $0 { lease } else { nil } }
  }
  private func failures(_ actions: [Pool.Action]) -> [Pool.JobID: MinervaError] {
    var result: [Pool.JobID: MinervaError] = [:]
    for case .fail(let id, let error) in actions { result[id] = error }
    return result
  }

  @Test func `a worker never holds more than it wants`() {
    var pool = Pool()
    for id in 1...5 as ClosedRange<UInt64> { #expect(pool.submit(id, job(), at: at(0)) == []) }
    #expect(grants(pool.credit(worker("w"), wants: 2, at: at(1))).map(\.job) == [1, 2])
    #expect(pool.waiting == 3)
    #expect(grants(pool.finished(1, worker: worker("w"), attempt: 1, at: at(2))).map(\.job) == [3])
    #expect(pool.credit(worker("w"), wants: 0, at: at(3)) == [])
    #expect(pool.finished(2, worker: worker("w"), attempt: 1, at: at(4)) == [])
    #expect(pool.finished(2, worker: worker("w"), attempt: 1, at: at(4)) == [])
    #expect(pool.held(by: worker("w")) == 1)
  }

  @Test func `C05: a job whose worker dies goes to another; no job goes to a dead worker`() {
    var pool = Pool()
    _ = pool.credit(worker("a"), wants: 1, at: at(0))
    _ = pool.credit(worker("b"), wants: 1, at: at(0))
    let lease = grants(pool.submit(1, job(), at: at(1)))[0]
    #expect(lease.attempt == 1)
    let next = grants(pool.workerLost(lease.worker, at: at(2)))
    #expect(next.map(\.attempt) == [2] && next[0].worker != lease.worker)
    #expect(pool.alive == [next[0].worker])
    _ = pool.submit(2, job(), at: at(3))
    #expect(pool.finished(1, worker: lease.worker, attempt: 1, at: at(4)) == [])
    #expect(grants(pool.finished(1, worker: next[0].worker, attempt: 2, at: at(4))).map(\.job) == [2])
  }

  @Test func `C05: the job that kills every worker is set aside at the third, naming the dead; good jobs flow`() throws {
    var pool = Pool()
    var life: UInt64 = 1
    _ = pool.credit(worker("a", 1), wants: 4, at: at(0))
    _ = pool.credit(worker("b", 1), wants: 4, at: at(0))
    var actions: [Pool.Action] = []
    for id in 0..<100 as Range<UInt64> { actions += pool.submit(id, job(), at: at(1)) }
    var ended: [UInt64: String] = [:]
    var now: Int64 = 2
    while !actions.isEmpty {
      let action = actions.removeFirst()
      now += 1
      switch action {
      case .fail(let id, let error):
        #expect(ended[id] == nil)
        ended[id] = error.code.rawValue
        #expect(error.details["dead_workers"]?.split(separator: ",").count == 3)
      case .grant(let lease):
        guard pool.alive.contains(lease.worker) else { continue }
        if lease.job == 50 {
          actions += pool.workerLost(lease.worker, at: at(now))
          life += 1
          actions += pool.credit(worker(lease.worker.name, life), wants: 4, at: at(now))
        } else {
          let before = pool.unfinished
          actions += pool.finished(lease.job, worker: lease.worker, attempt: lease.attempt, at: at(now))
          if pool.unfinished < before { ended[lease.job] = "ok" }
        }
      case .cancel: break
      }
    }
    #expect(ended.count == 100)
    #expect(ended[50] == "diff.poison")
    #expect(ended.values.filter { $0 == "ok" }.count == 99)
    #expect(life == 4)
    #expect(pool.unfinished == 0)
  }

  @Test func `a job that has cost a worker runs alone`() {
    var pool = Pool()
    _ = pool.credit(worker("a"), wants: 2, at: at(0))
    for id in 1...4 as ClosedRange<UInt64> { _ = pool.submit(id, job(), at: at(0)) }
    let b = worker("b")
    _ = pool.workerLost(worker("a"), at: at(1))
    let first = grants(pool.credit(b, wants: 2, at: at(2)))
    #expect(first.count == 1 && first[0].attempt == 2)
    let second = grants(pool.finished(first[0].job, worker: b, attempt: 2, at: at(3)))
    #expect(second.count == 1 && second[0].attempt == 2)
    #expect(grants(pool.finished(second[0].job, worker: b, attempt: 2, at: at(4))).map(\.attempt) == [1, 1])
  }

  @Test func `a caller that lost its worker asks for the next lease with the same id`() {
    var pool = Pool()
    _ = pool.credit(worker("a"), wants: 1, at: at(0))
    _ = pool.credit(worker("b"), wants: 1, at: at(0))
    let lease = grants(pool.submit(1, job(), at: at(1)))[0]
    #expect(grants(pool.submit(1, job(), at: at(1))) == [lease])
    let actions = pool.lost(1, attempt: 1, at: at(2))
    #expect(actions.first == .cancel(lease))
    let next = grants(actions)[0]
    #expect(next.attempt == 2 && next.worker != lease.worker)
    #expect(pool.lost(1, attempt: 1, at: at(3)) == [])
    #expect(pool.workerLost(lease.worker, at: at(4)) == [])
    #expect(grants(pool.submit(1, job(), costs: [lease.worker], at: at(5))) == [next])
    _ = pool.credit(worker("c"), wants: 1, at: at(6))
    let third = grants(pool.submit(1, job(), costs: [lease.worker, next.worker], at: at(7)))
    #expect(third.map(\.attempt) == [3] && third[0].worker == worker("c"), "what it has cost says that the lease is lost")
  }

  @Test func `C05: the count outlives the broker, since the caller brings what the job has cost`() {
    var pool = Pool()
    _ = pool.credit(worker("c"), wants: 4, at: at(0))
    let lease = grants(pool.submit(1, job(), costs: [worker("a"), worker("b")], at: at(0)))[0]
    #expect(lease.attempt == 3)
    #expect(failures(pool.workerLost(worker("c"), at: at(1)))[1]?.code == .diffPoison)
    #expect(failures(pool.submit(2, job(), costs: [worker("a"), worker("b"), worker("c")], at: at(2)))[2]?.code == .diffPoison)
  }

  @Test func `small jobs go before large ones, which are passed over only so often and so long`() {
    var pool = Pool()
    let w = worker("w")
    for id in 0..<4 as Range<UInt64> { _ = pool.submit(id, job(1_000_000), at: at(0)) }
    for id in 10..<40 as Range<UInt64> { _ = pool.submit(id, job(), at: at(0)) }
    var order: [UInt64] = []
    var next = grants(pool.credit(w, wants: 1, at: at(1)))
    while let lease = next.first {
      order.append(lease.job)
      next = grants(pool.finished(lease.job, worker: w, attempt: 1, at: at(2)))
    }
    #expect(order.count == 34)
    #expect(order.prefix(8).allSatisfy { $0 >= 10 } && order[8] == 0 && order[17] == 1)
    _ = pool.submit(100, job(), at: at(5_000))
    _ = pool.submit(101, job(1_000_000), at: at(5_000))
    _ = pool.submit(102, job(), at: at(5_000))
    #expect(grants(pool.finished(100, worker: w, attempt: 1, at: at(6_000))).map(\.job) == [101])
  }

  @Test func `a newer job for the same list replaces the older, waiting or running`() {
    var pool = Pool()
    let w = worker("w")
    _ = pool.credit(w, wants: 1, at: at(0))
    let running = grants(pool.submit(1, job(key: "users"), at: at(0)))[0]
    let second = pool.submit(2, job(key: "users"), at: at(1))
    #expect(second.first == .cancel(running) && failures(second)[1]?.code == .diffSuperseded)
    #expect(grants(second).isEmpty, "the credit comes back when the worker says so")
    #expect(failures(pool.submit(3, job(key: "users"), at: at(2)))[2]?.code == .diffSuperseded)
    #expect(grants(pool.finished(1, worker: w, attempt: 1, at: at(3))).map(\.job) == [3])
    #expect(failures(pool.submit(4, job(key: "other"), at: at(4))).isEmpty)
  }

  @Test func `overload is said with a time to come back, and a job ends at its deadline`() {
    var settings = Pool.Settings()
    settings.queued = 3
    var pool = Pool(settings: settings)
    for id in 1...3 as ClosedRange<UInt64> { _ = pool.submit(id, job(deadline: 500), at: at(0)) }
    let error = failures(pool.submit(4, job(), at: at(0)))[4]
    #expect(error?.code == .backpressure && (error?.retryAfterMilliseconds ?? 0) > 0)
    #expect(pool.nextDeadline == at(500))
    let late = failures(pool.tick(at(500)))
    #expect(late.count == 3 && late.values.allSatisfy { $0.code == .diffNoWorker })
    let w = worker("w")
    _ = pool.credit(w, wants: 1, at: at(501))
    let lease = grants(pool.submit(5, job(deadline: 600), at: at(501)))[0]
    let actions = pool.tick(at(600))
    #expect(actions.contains(.cancel(lease)) && failures(actions)[5]?.code == .deadline)
    #expect(failures(pool.submit(6, job(deadline: 600), at: at(600)))[6]?.code == .deadline)
    #expect(pool.held(by: w) == 1)
  }

  @Test func `cancelled jobs and those of a lost caller end`() {
    var pool = Pool()
    _ = pool.submit(1, job(caller: "x"), at: at(0))
    _ = pool.submit(2, job(caller: "y"), at: at(0))
    #expect(failures(pool.cancel(2, at: at(1)))[2]?.code == .cancelled)
    #expect(pool.callerLost(.init(name: "x", incarnation: 2), at: at(1)).isEmpty, "another life of the caller")
    #expect(failures(pool.callerLost(.init(name: "x", incarnation: 1), at: at(1))).keys.sorted() == [1])
    #expect(pool.unfinished == 0 && pool.waiting == 0)
  }
}
