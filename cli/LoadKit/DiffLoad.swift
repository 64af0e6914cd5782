package import Minerva
import MinervaActors
import MinervaInterfaces
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
    /// Whether workers keep the lists between jobs, so that only new ones are sent.
    package var holds = false

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
    /// How often a job found no room, and was sent again later.
    package var turnedAway = 0
    /// Bytes of lists that were sent.
    package var sentBytes = 0
    /// Error codes of jobs that ended with a typed refusal.
    package var refusals: [String: Int] = [:]
    /// What ended jobs that have no answer: every one of these is a loss.
    package var losses: [String: Int] = [:]
    /// Answers that came to this process a second time; the bus drops and counts them.
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
  private let differ: DiffClient
  private let settings: Settings
  private let tally = Mutex(Tally())
  private let nextNumber = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)

  package init(client: Client, settings: Settings) {
    self.client = client
    differ = DiffClient(client)
    self.settings = settings
  }

  package var now: Tally { tally.withLock { $0 } }

  /// No further job is started.
  package func stop() { isOver.store(true, ordering: .relaxed) }

  /// How many jobs a worker holds.
  package func held(by worker: String) -> Int { tally.withLock { $0.inFlight[worker] ?? 0 } }

  /// A worker is about to be killed.
  package func kill(_ worker: String) {
    tally.withLock { tally in
      tally.kills.append(Kill(worker: worker, held: tally.inFlight[worker] ?? 0, inFlight: tally.jobsInFlight))
    }
  }

  /// Runs the load to its end: when it returns every job has ended.
  package func run() async -> Tally {
    let clock = ContinuousClock()
    let repeated = await client.bus.counters().answersRepeated
    let begin = clock.now
    await withTaskGroup(of: Void.self) { group in
      for slot in 0..<settings.concurrency { group.addTask { await self.serve(slot, begin, clock) } }
    }
    let elapsed = clock.now - begin
    let duplicated = Int(clamping: await client.bus.counters().answersRepeated - repeated)
    return tally.withLock { tally in
      (tally.elapsed, tally.duplicated) = (elapsed, duplicated)
      return tally
    }
  }

  private func serve(_ slot: Int, _ begin: ContinuousClock.Instant, _ clock: ContinuousClock) async {
    var source = settings.lists(slot)
    let list = settings.holds ? differ.list("slot \(slot)") : nil
    var columns = Columns()
    let end = begin + settings.duration
    while !isOver.load(ordering: .relaxed), clock.now < end {
      let making = clock.now
      let (old, new) = source.pair()
      let number = nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
      let (before, after) = columns.next(old, new)
      var spent = Self.microseconds(clock.now - making)
      var intended = clock.now
      if let rate = settings.rate {
        intended = begin + .nanoseconds(Int64(Double(number - 1) / rate * 1e9))
        guard intended < end else { break }
        if clock.now < intended { try? await clock.sleep(until: intended) }
      }
      tally.withLock { $0.started += 1 }
      let place = InFlight(self)
      var options = DiffOptions()
      options.leased = { place.move(to: $0.worker) }
      do {
        let result =
          if let list { try await list.changes(from: before, to: after, options) } else {
            try await differ.changes(from: before, to: after, options)
          }
        let latency = Self.microseconds(clock.now - intended)
        place.move(to: nil)
        let checking = clock.now
        let fault = Self.fault(of: result, old, new)
        spent += Self.microseconds(clock.now - checking)
        book(result, number, latency: latency, fault: fault, own: spent)
      } catch {
        place.move(to: nil)
        await refused(error, own: spent)
      }
    }
  }

  /// Makes columns of lists; an old list that was the new one before keeps its own, as a caller that holds lists has them.
  struct Columns {
    private var last: (rows: LoadRows, columns: DiffRows)?

    mutating func next(_ old: LoadRows, _ new: LoadRows) -> (DiffRows, DiffRows) {
      let before = if let last, last.rows == old { last.columns } else { old.columns() }
      let after = new.columns()
      last = (new, after)
      return (before, after)
    }
  }

  /// Where one job is.
  private final class InFlight: Sendable {
    private let load: DiffLoad
    private let worker = Mutex<String?>(nil)

    init(_ load: DiffLoad) { self.load = load }

    func move(to next: String?) {
      let last = worker.withLock { worker in
        defer { worker = next }
        return worker
      }
      load.tally.withLock { tally in
        if let last { tally.inFlight[last, default: 1] -= 1 }
        if let next { tally.inFlight[next, default: 0] += 1 }
      }
    }
  }

  private static func fault(of result: DiffResult, _ old: LoadRows, _ new: LoadRows) -> String? {
    do throws(AnswerReader.Fault) {
      try old.check(result.changes, against: new)
      return nil
    } catch {
      return error.text
    }
  }

  private func book(_ result: DiffResult, _ number: Int, latency: Int, fault: String?, own: Int) {
    let operations = (try? AnswerReader(result.changes).operations) ?? 0
    tally.withLock { tally in
      tally.latencies.add(latency)
      tally.computing.add(result.microseconds)
      tally.computed += result.microseconds
      tally.own += own
      tally.operations += operations
      tally.sentBytes += result.sentBytes
      tally.turnedAway += result.turnedAway
      tally.perWorker[result.worker, default: 0] += 1
      if result.leases > 1 { tally.retried += 1 }
      guard let fault else {
        tally.verified += 1
        return
      }
      tally.lieCount += 1
      tally.liars[result.worker, default: 0] += 1
      if tally.lies.count < 100 { tally.lies.append("\(result.worker), job \(number): \(fault)") }
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
