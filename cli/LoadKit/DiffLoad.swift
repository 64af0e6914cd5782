package import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaSupervision
import MinervaTransport
import MinervaWire
import Synchronization

/// A load of diff jobs on the workers of a broker: makes lists, has them compared, checks every answer.
package final class DiffLoad: Sendable {
  /// What the load is.
  package struct Settings: Sendable {
    /// Makes the lists of each slot.
    package var lists: @Sendable (_ slot: Int) -> any LoadSource
    /// How many jobs are under way at the same time.
    package var concurrency = 4
    /// Jobs a second; nil sends the next one when one is answered.
    package var rate: Double?
    package var duration: Duration = .seconds(10)

    package init(lists: @escaping @Sendable (_ slot: Int) -> any LoadSource) { self.lists = lists }
  }

  /// What came of it.
  package struct Tally: Sendable {
    package var started = 0
    package var verified = 0
    package var latencies = LatencyHistogram()
    /// Microseconds that the workers computed.
    package var computing = LatencyHistogram()
    package var computed = 0
    /// Microseconds that this process made lists and checked answers.
    package var own = 0
    package var perWorker: [String: Int] = [:]
    /// Error codes of jobs that were turned away with a typed refusal.
    package var refusals: [String: Int] = [:]
    /// What ended jobs that have no answer: every one of these is a loss.
    package var losses: [String: Int] = [:]
    package var duplicated = 0
    /// Jobs that took more than one lease.
    package var retried = 0
    /// What was wrong with answers, oldest first; the first hundred.
    package var lies: [String] = []
    package var lieCount = 0
    package var liars: [String: Int] = [:]
    package var operations = 0
    package var inFlight: [String: Int] = [:]
    package var kills: [Kill] = []
    package var elapsed: Duration = .zero

    package init() {}

    package var refused: Int { refusals.values.reduce(0, +) }
    package var lost: Int { started - verified - lieCount - refused }
    package var jobsInFlight: Int { inFlight.values.reduce(0, +) }
    /// Whether every answer was right, and every job has one answer.
    package var isClean: Bool { lieCount == 0 && lost == 0 && duplicated == 0 }
  }

  /// A worker that was killed on purpose.
  package struct Kill: Sendable, Hashable {
    package var worker: String
    /// How many jobs it held.
    package var held: Int
    /// How many jobs all held.
    package var inFlight: Int
  }

  private let client: Client
  private let settings: Settings
  private let tally = Mutex(Tally())
  private let answered = Mutex<Set<Int>>([])
  private let nextNumber = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)

  package init(client: Client, settings: Settings) {
    self.client = client
    self.settings = settings
  }

  package var now: Tally { tally.withLock { $0 } }

  /// No further job is started.
  package func stop() { isOver.store(true, ordering: .relaxed) }

  /// A worker is about to be killed.
  package func kill(_ worker: String) {
    tally.withLock { tally in
      tally.kills.append(Kill(worker: worker, held: tally.inFlight[worker] ?? 0, inFlight: tally.jobsInFlight))
    }
  }

  /// Runs the load to its end: when it returns every job has ended.
  package func run() async -> Tally {
    let clock = ContinuousClock()
    let begin = clock.now
    await withTaskGroup(of: Void.self) { group in
      for slot in 0..<settings.concurrency { group.addTask { await self.serve(slot, begin, clock) } }
    }
    return tally.withLock { tally in
      tally.elapsed = clock.now - begin
      return tally
    }
  }

  private func serve(_ slot: Int, _ begin: ContinuousClock.Instant, _ clock: ContinuousClock) async {
    var source = settings.lists(slot)
    let end = begin + settings.duration
    while !isOver.load(ordering: .relaxed), clock.now < end {
      let making = clock.now
      let (old, new) = source.pair()
      let number = nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
      var job = DiffJob(id: "\(client.name)-\(client.bus.incarnation)-\(number)", old: old.columns(), new: new.columns())
      var spent = Self.microseconds(clock.now - making)
      var intended = clock.now
      if let rate = settings.rate {
        intended = begin + .nanoseconds(Int64(Double(number - 1) / rate * 1e9))
        guard intended < end else { break }
        if clock.now < intended { try? await clock.sleep(until: intended) }
      }
      tally.withLock { $0.started += 1 }
      do {
        let (answer, leases) = try await answer(&job)
        let latency = Self.microseconds(clock.now - intended)
        let checking = clock.now
        let fault = Self.fault(of: answer, old, new, job.id)
        spent += Self.microseconds(clock.now - checking)
        let isSecond = answered.withLock { !$0.insert(number).inserted }
        book(answer, latency: latency, leases: leases, fault: fault, isSecond: isSecond, own: spent)
      } catch {
        await refused(error, own: spent)
      }
    }
  }

  private static func fault(of answer: DiffAnswer, _ old: LoadRows, _ new: LoadRows, _ job: String) -> String? {
    guard answer.id == job else { return "the answer is for job \(answer.id)" }
    do throws(AnswerReader.Fault) {
      try old.check(answer.changes, against: new)
      return nil
    } catch {
      return error.text
    }
  }

  private func book(_ answer: DiffAnswer, latency: Int, leases: Int, fault: String?, isSecond: Bool, own: Int) {
    let operations = (try? AnswerReader(answer.changes).operations) ?? 0
    tally.withLock { tally in
      tally.latencies.add(latency)
      tally.computing.add(answer.microseconds)
      tally.computed += answer.microseconds
      tally.own += own
      tally.operations += operations
      tally.perWorker[answer.worker, default: 0] += 1
      if leases > 1 { tally.retried += 1 }
      if isSecond { tally.duplicated += 1 }
      guard let fault else {
        tally.verified += 1
        return
      }
      tally.lieCount += 1
      tally.liars[answer.worker, default: 0] += 1
      if tally.lies.count < 100 { tally.lies.append("\(answer.worker), job \(answer.id): \(fault)") }
    }
  }

  private func refused(_ error: any Error, own: Int) async {
    let error = error as? MinervaError ?? MinervaError(.badMessage, "\(error)")
    let isRefusal = error.code == .backpressure || error.code == .tooLarge || error.code == .diffSuperseded
    tally.withLock { tally in
      tally.own += own
      if isRefusal {
        tally.refusals["\(error.code)", default: 0] += 1
      } else {
        tally.losses["\(error.code): \(error.message)", default: 0] += 1
      }
    }
    // Whoever is turned away comes back later.
    try? await Task.sleep(for: .milliseconds(error.retryAfterMilliseconds ?? 20))
  }

  /// Leases a worker and sends it the job, again while workers die of it or under it.
  private func answer(_ job: inout DiffJob) async throws -> (DiffAnswer, leases: Int) {
    var costs: [DiffLoss] = []
    let rows = job.old.count + job.new.count
    while true {
      let lease = try await client.lease(DiffLeaseRequest(job: job.id, rows: rows, costs: costs), within: .seconds(60))
      job.life = lease.life
      let sent = job
      tally.withLock { $0.inFlight[lease.worker, default: 0] += 1 }
      defer { tally.withLock { $0.inFlight[lease.worker, default: 1] -= 1 } }
      do {
        await client.bus.route(node: lease.worker, to: try Endpoint(lease.endpoint))
        let worker = try $DiffWorker.resolve(id: ActorAddress(node: lease.worker, name: WellKnown.worker), using: client.bus)
        let answer = try await BusSystem.$carriesLists.withValue(true) {
          try await BusSystem.$deadline.withValue(.seconds(60)) { try await worker.diff(sent) }
        }
        try? await client.endLease(job: job.id)
        return (answer, costs.count + 1)
      } catch let error as MinervaError where error.code == .peerLost || error.code == .unreachable {
        costs.append(lease.loss)
      } catch {
        try? await client.endLease(job: job.id)
        throw error
      }
    }
  }

  static func microseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
  }
}

/// Where the lists of a load come from.
package protocol LoadSource: Sendable {
  mutating func pair() -> (old: LoadRows, new: LoadRows)
}

extension LoadLists: LoadSource {}

/// Two lists there and back again: lines of two files.
package struct LoadedPair: LoadSource {
  private var old: LoadRows
  private var new: LoadRows

  package init(old: LoadRows, new: LoadRows) {
    self.old = old
    self.new = new
  }

  package mutating func pair() -> (old: LoadRows, new: LoadRows) {
    swap(&old, &new)
    return (new, old)
  }
}
