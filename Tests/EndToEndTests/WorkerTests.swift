import Glibc
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaTesting
import MinervaWire
import Testing

/// Diff workers that die with jobs in their hands, and the job that kills them (C05).
@Suite("Real diff workers that die", .serialized, .oneAtATime, .timeLimit(.minutes(2)))
struct WorkerTests {
  /// A broker with workers that offered themselves, and a caller.
  private func withWorkers(_ count: Int, _ body: (ProcessSet, DiffCaller) async throws -> Void) async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    for number in 1...count { try set.start("diff-\(number)", "minerva-diff") }
    let client = try await set.client()
    #expect(try await set.wait { try await client.status().pool.workers == count })
    try await body(set, DiffCaller(client: client))
    await client.close()
  }

  @Test("Processes: 100 jobs, one of two workers killed in the middle: each job ends once, with a right answer (C05)")
  func workerDies() async throws {
    try await withWorkers(2) { set, caller in
      let answered = Shared<[DiffCaller.Ending]>([])
      let isKnownDead = Shared(false)
      let latecomers = Shared<[String]>([])
      let right = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<100 {
          let known = KnownJob("job-\(number)", seed: UInt64(number), hold: 40)
          group.addTask {
            let ending = try await caller.run(known.job) { lease in
              if isKnownDead.value, lease.worker == "diff-1" { latecomers.change { $0.append(lease.job) } }
            }
            answered.change { $0.append(ending) }
            return try known.isAnswered(by: ending.answer)
          }
        }
        // In the middle, and with jobs in its hands.
        #expect(await set.wait { answered.value.count >= 20 })
        set.kill("diff-1")
        #expect(try await set.wait { try await caller.client.status().pool.workers == 1 })
        // Leases that were on their way when the broker learned of it are its past; what it grants from here on is not.
        for _ in 0..<20 { _ = try await caller.client.status() }
        isKnownDead.change { $0 = true }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(right == 100)
      let endings = answered.value
      #expect(Set(endings.map(\.answer.id)).count == 100)
      #expect(endings.contains { $0.workers.count == 2 && $0.workers.first == "diff-1" }, "the dead worker held a job")
      #expect(endings.allSatisfy { $0.workers.count <= 2 }, "one death costs a job one attempt")
      #expect(latecomers.value == [], "no job goes to a worker known dead")
      let pool = try await caller.client.status().pool
      #expect((pool.running, pool.waiting, pool.poisoned) == (0, 0, 0))
    }
  }

  @Test(
    "Processes: a peer that dies or stops ends the calls in its hands, which may have been executed, and is told of once (C07)",
    arguments: [(SIGKILL, Duration.seconds(1)), (SIGSTOP, .seconds(4))])
  func peerDies(signal: Int32, patience: Duration) async throws {
    try await withWorkers(1) { set, caller in
      let bus = caller.client.bus
      let pid = try #require(set.pid(of: "diff-1"))
      let heard = Shared<[ProcessEvent]>([])
      let events = try await caller.client.processEvents()
      let hearing = Task {
        for await event in events { if case .process(let process) = event.kind { heard.change { $0.append(process) } } }
      }
      defer { hearing.cancel() }
      let lease = try await caller.client.lease(DiffLeaseRequest(job: "held-0", rows: 120), within: .seconds(10))
      try await withThrowingTaskGroup(of: (MinervaError?, ContinuousClock.Instant).self) { group in
        for number in 0..<3 {
          let held = KnownJob("held-\(number)", seed: UInt64(number), hold: 10_000)
          group.addTask { (await failure { _ = try await caller.send(held.job, to: lease) }, .now) }
        }
        #expect(await set.wait { await bus.peers().contains { $0.node == "diff-1" && $0.callsInFlight == 3 } })
        let watching = Shared(0), told = Shared<[Termination]>([])
        let watchers = (0..<2).map { _ in
          Task {
            watching.change { $0 += 1 }
            let termination = try await bus.terminated(ActorAddress(node: "diff-1", name: WellKnown.worker))
            told.change { $0.append(termination) }
          }
        }
        #expect(await set.wait { watching.value == 2 })
        _ = try await caller.client.status()
        let begin = ContinuousClock.now
        set.signal("diff-1", signal)
        for try await (error, end) in group {
          #expect(error?.code == .peerLost && error?.maybeExecuted == true, "\(String(describing: error))")
          #expect(end - begin < patience, "\(end - begin)")
        }
        for watcher in watchers { try await watcher.value }
        #expect(told.value.count == 2 && told.value.allSatisfy { $0.address.node == "diff-1" && $0.reason != "not connected" })
      }
      // Once is all: a next life comes, and nothing more was said of the one before.
      set.kill("diff-1")
      let next = try set.start("diff-1", "minerva-diff")
      #expect(await set.wait { heard.value.contains { $0.change == .joined && $0.pid == next } })
      #expect(heard.value.filter { $0.pid == pid && $0.change != .joined }.map(\.change) == [.lost], "\(heard.value)")
    }
  }

  @Test("Processes: a worker refuses a job that was leased to an earlier life of its name (C05)")
  func earlierLife() async throws {
    try await withWorkers(1) { set, caller in
      let known = KnownJob("job", seed: 1)
      let lease = try await caller.client.lease(DiffLeaseRequest(job: "job", rows: 120), within: .seconds(10))
      set.kill("diff-1")
      try set.start("diff-1", "minerva-diff")
      // Asked again with its loss, the job goes to the next life.
      let again = try await caller.client.lease(
        DiffLeaseRequest(job: "job", rows: 120, costs: [lease.loss]), within: .seconds(20))
      #expect((again.worker, again.attempt) == ("diff-1", 2))
      #expect(again.life != lease.life)
      let error = await failure { _ = try await caller.send(known.job, to: lease) }
      #expect(error?.code == .peerLost)
      #expect(try known.isAnswered(by: try await caller.send(known.job, to: again)))
    }
  }

  @Test("Processes: a job that kills three workers ends as diff.poison with their names, and good jobs keep flowing (C05)")
  func poison() async throws {
    try await withWorkers(2) { set, caller in
      let poisoner = DiffCaller(client: try await set.client("poisoner"))
      let isOver = Shared(false)
      let good = Shared(0)
      async let flowing: Bool = withThrowingTaskGroup(of: Bool.self) { group in
        for stream in 0..<3 {
          group.addTask {
            var number = 0
            while !isOver.value {
              number += 1
              let known = KnownJob("good-\(stream)-\(number)", seed: UInt64(number), hold: 20)
              guard try known.isAnswered(by: try await caller.run(known.job).answer) else { return false }
              good.change { $0 += 1 }
            }
            return true
          }
        }
        return try await group.reduce(true) { $0 && $1 }
      }
      let leases = AsyncStream.makeStream(of: DiffLease.self)
      async let ended = failure {
        _ = try await poisoner.run(KnownJob("poison", seed: 1, hold: 10_000).job) { leases.continuation.yield($0) }
      }
      var deaths: [String] = []
      var attempts: [Int] = []
      for await lease in leases.stream {
        // Killed once it has the job, and back at once, as a supervisor has it.
        let hasJob = await set.wait {
          await poisoner.client.bus.peers().contains { $0.node == lease.worker && $0.callsInFlight > 0 }
        }
        #expect(hasJob)
        set.kill(lease.worker)
        deaths.append(lease.worker)
        attempts.append(lease.attempt)
        try set.start(lease.worker, "minerva-diff")
        // The job runs alone from now on, so it has one worker for itself; the good ones have the other.
        let flowed = good.value
        #expect(await set.wait { good.value > flowed + 5 }, "good jobs stood still after the death of \(lease.worker)")
        if deaths.count == 3 { break }
      }
      let error = await ended
      #expect(error?.code == .diffPoison)
      #expect(attempts == [1, 2, 3])
      let named = error?.details[MinervaError.Detail.deadWorkers] ?? ""
      #expect(named.split(separator: ", ").count == 3)
      for worker in deaths { #expect(named.contains(worker), "\(named)") }
      #expect(try await caller.client.status().pool.poisoned == 1)
      isOver.change { $0 = true }
      #expect(try await flowing)
      // Set aside, not forgotten: both workers are there and take new work.
      #expect(try await set.wait { try await caller.client.status().pool.workers == 2 })
      let known = KnownJob("after", seed: 3)
      #expect(try known.isAnswered(by: try await caller.run(known.job).answer))
      await poisoner.client.close()
    }
  }
}

/// The error that a body ends with; nothing when it does not fail.
func failure(_ body: () async throws -> Void) async -> MinervaError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? MinervaError ?? MinervaError("test.other", "\(error)")
  }
}
