package import MinervaProtocol

/// A whole cluster in one thread, on virtual time, from one seed: the product's own state machines over a network, a disk and clocks that fail.
///
/// How FoundationDB and TigerBeetle earn trust. A seed that breaks a rule breaks it again, exactly, and can be traced.
package enum Simulation {
  /// A fault planted on purpose into what stands around the product's machines: what shows that the simulation can find it.
  package enum Fault: String, CaseIterable, Sendable {
    /// The jobs of a dead worker are taken for new ones.
    case attemptsForgotten = "attempts-forgotten"
    /// A subscriber takes whatever comes for the next event.
    case gapIgnored = "gap-ignored"
    /// A call without a key is sent a second time.
    case unkeyedRetried = "unkeyed-retried"
    /// Nobody sweeps the deadlines of calls.
    case deadlineSweepMissing = "deadline-sweep-missing"
    /// Nobody listens for the silence of a peer.
    case silenceUnheard = "silence-unheard"
    /// Leases are measured by the clock on the wall.
    case wallClockTrusted = "wall-clock-trusted"
    /// A restarted broker does not know the requests of its earlier lives.
    case txnForgotten = "txn-forgotten"
    /// A presentation command runs although what it presented is still there.
    case gateFreedEarly = "gate-freed-early"
    /// The broker is told that a record is safe when it was only written.
    case committedBeforeSync = "committed-before-sync"
    /// What a host says counts whatever lease it says it under.
    case deadHostActs = "dead-host-acts"
    /// A coordinator's end is told neither to its host nor to its parent.
    case endingDropped = "ending-dropped"
    /// A request that is said again over another connection is taken for a new one.
    case retryTakenForNew = "retry-taken-for-new"
    /// Who asks again while the first question is under way is answered where that came from.
    case oldLinkAnswered = "old-link-answered"
    /// The news that a connection has ended comes late, and counts although its peer is back.
    case oldLossCounts = "old-loss-counts"
  }

  /// A rule that was broken.
  package struct Violation: Hashable, Sendable {
    package let rule: String
    package let text: String
    package let at: Moment
  }

  /// What became of one seed.
  package struct Outcome: Sendable {
    package let steps: Int
    /// Equal for equal runs.
    package let digest: UInt64
    package let violation: Violation?
    /// How often what happened.
    package let counters: [String: Int]
    package let trace: [String]?
  }

  /// What became of many seeds.
  package struct Report: Sendable {
    package var seeds = 0
    package var steps = 0
    package var counters: [String: Int] = [:]
    package var failures: [(seed: UInt64, violation: Violation)] = []
    /// The lines of the traced seed.
    package var trace: [String] = []
  }

  /// Runs one seed.
  package static func run(seed: UInt64, fault: Fault? = nil, tracing: Bool = false) -> Outcome {
    Cluster(seed: seed, fault: fault, tracing: tracing).run()
  }

  /// Runs seeds one after another.
  ///
  /// - Parameters:
  ///   - trace: the seed whose every step is kept.
  ///   - stopAtFailure: ends with the first seed that breaks a rule.
  package static func run(seeds: Range<UInt64>, trace: UInt64? = nil, fault: Fault? = nil, stopAtFailure: Bool = false) -> Report {
    var report = Report()
    for seed in seeds {
      let outcome = run(seed: seed, fault: fault, tracing: seed == trace)
      report.seeds += 1
      report.steps += outcome.steps
      report.counters.merge(outcome.counters) { $0 + $1 }
      if let trace = outcome.trace { report.trace = trace }
      if let violation = outcome.violation {
        report.failures.append((seed, violation))
        if stopAtFailure { break }
      }
    }
    return report
  }
}
