import MinervaSimulation
import MinervaWire
import Testing

/// The product's parties in a simulated cluster, and the proof that the simulation finds what is wrong.
@Suite("Simulation") struct SimulationTests {
  /// In parts, so that two cores share them.
  @Test("C05, C06, C07, P1, N2, N16: 1,000 seeds break no rule", arguments: [1, 251, 501, 751] as [UInt64])
  func manySeeds(first: UInt64) {
    let report = Simulation.run(seeds: first..<first + 250)
    for (seed, violation) in report.failures { Issue.record("seed \(seed) at \(violation.at): \(violation.rule): \(violation.text)") }
    // Chaos that reaches nothing would prove nothing.
    for what in [
      "calls: answered", "calls: bus.peer_lost", "calls: bus.unreachable", "calls: bus.deadline", "jobs: done", "jobs: diff.poison",
      "jobs: diff.superseded", "jobs: pushed back", "jobs: turned away", "kills", "resets", "links: connected again",
      "links: a second life refused", "processes: suspended", "processes: resumed", "processes: expired", "broker: answered",
      "broker: repeated", "broker: sent again", "broker: crashes", "broker: failed commits", "broker: refused command.disabled",
      "broker: removed popped", "broker: removed hostLost", "broker: removed requesterLost", "broker: snapshots", "broker: looks",
      "broker: hosts cut off", "broker: callers cut off", "broker: delivered again", "broker: stale turns",
      "broker: turns",
      "broker: renderers attached", "broker: renderers refused", "broker: renderers lost", "broker: owners asked", "broker: plans",
      "broker: plans followed", "broker: secrets given", "broker: wakes", "broker: rests", "broker: loads", "readers: gap",
      "readers: publisherChanged", "readers: connectionLost", "readers: complete",
    ] { #expect(report.counters[what, default: 0] > 0, "\(what) never happened") }
  }

  @Test("a planted fault is found within 500 seeds, by the rule it breaks", arguments: Simulation.Fault.allCases)
  func plantedFaults(fault: Simulation.Fault) throws {
    let report = Simulation.run(seeds: 1..<501, fault: fault, stopAtFailure: true)
    let failure = try #require(report.failures.first, "\(fault) was not found")
    let rules =
      switch fault {
      case .attemptsForgotten: ["attempts are counted"]
      case .gapIgnored: ["complete means complete"]
      case .unkeyedRetried: ["nothing is applied twice"]
      case .deadlineSweepMissing: ["calls end within their deadline"]
      case .silenceUnheard: ["silence is noticed", "nobody waits for ever"]
      case .wallClockTrusted: ["wall jumps end no lease"]
      case .txnForgotten: ["an equal txn gets the first answer"]
      case .gateFreedEarly: ["a gate is held until the removal"]
      case .deadHostActs: ["a stale host does not act"]
      case .endingDropped: ["no message is lost", "every ending is told"]
      case .committedBeforeSync: ["nothing is said before it is durable"]
      case .retryTakenForNew: ["an equal txn gets the first answer"]
      case .oldLinkAnswered: ["no question is met with silence"]
      case .oldLossCounts: ["nobody waits for ever", "every ending is told", "no question is met with silence"]
      }
    #expect(rules.contains(failure.violation.rule), "\(failure.violation)")
    #expect(failure.seed <= 500)
  }

  @Test func `a seed repeats exactly, traced or not`() throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let first = Simulation.run(seed: seed)
      let again = Simulation.run(seed: seed, tracing: true)
      #expect(first.digest == again.digest && first.steps == again.steps)
      let differing = first.counters.merging(again.counters) { $0 - $1 }.filter { $0.value != 0 }
      #expect(first.counters == again.counters, "\(differing)")
      #expect(try #require(again.trace).count > 100)
      #expect(Simulation.run(seed: seed + 1_000).digest != first.digest)
    }
    let broken = Simulation.run(seed: 1, fault: .gapIgnored)
    #expect(broken.violation != nil && broken.violation == Simulation.run(seed: 1, fault: .gapIgnored, tracing: true).violation)
  }

  @Test func `the disk forgets what no completed sync covers`() throws {
    var random = SplitMix64(seed: 4)
    var kept: Set<Int> = []
    for _ in 0..<200 {
      let disk = SimulatedDisk()
      disk.append(Array(repeating: 1, count: 10))
      try disk.completeSync(disk.beginSync())
      let covered = disk.beginSync()
      disk.append(Array(repeating: 2, count: 10))
      try disk.completeSync(covered)
      disk.crash(using: &random)
      #expect(disk.contents.count >= 10 && disk.contents.prefix(9) == Array(repeating: 1, count: 10)[0..<9])
      #expect(disk.contents[9] == 1)
      kept.insert(disk.contents.count)
    }
    #expect(kept.count == 11, "every tear is tried")
  }

  @Test func `a failed sync has lost its data for good`() throws {
    var random = SplitMix64(seed: 5)
    let disk = SimulatedDisk()
    disk.append([1])
    try disk.completeSync(disk.beginSync())
    disk.append([2])
    disk.failingSyncs = 1
    let covered = disk.beginSync()
    #expect(throws: SimulatedDisk.SyncFailed.self) { try disk.completeSync(covered) }
    #expect(throws: SimulatedDisk.SyncFailed.self) { try disk.completeSync(disk.beginSync()) }
    #expect(disk.contents == [1, 2])
    disk.crash(using: &random)
    #expect(disk.contents == [1])
  }
}
