import ListDiff
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaTesting
import MinervaTransport
import MinervaWire

/// A caller of diff workers: leases one, sends it the job directly, and asks for another when that one dies.
struct DiffCaller: Sendable {
  let client: Client

  /// How a job ended.
  struct Ending: Sendable {
    var answer: DiffAnswer
    /// The workers that were leased, in order; the last one answered.
    var workers: [String]
  }

  /// Asks for a job until it has ended.
  ///
  /// - Parameter leased: Called with each lease before the job is sent.
  /// - Throws: `diff.poison` when three workers died of it; whatever else ends it.
  func run(_ job: DiffJob, leased: @Sendable (DiffLease) -> Void = { _ in }) async throws -> Ending {
    var workers: [String] = []
    var costs: [DiffWorkerLife] = []
    while true {
      let lease = try await client.lease(DiffLeaseRequest(job: job.id, rows: 120, costs: costs), within: .seconds(30))
      workers.append(lease.worker)
      leased(lease)
      do {
        let answer = try await send(job, to: lease)
        try await client.endLease(job: job.id)
        return Ending(answer: answer, workers: workers)
      } catch let error as MinervaError where error.code == .peerLost || error.code == .unreachable {
        costs.append(lease.loss)
      }
    }
  }

  func send(_ job: DiffJob, to lease: DiffLease) async throws -> DiffAnswer {
    await client.bus.route(node: lease.worker, to: try Endpoint(lease.endpoint))
    var job = job
    job.life = lease.life
    let sent = job
    let worker = try $DiffWorker.resolve(id: ActorAddress(node: lease.worker, name: WellKnown.worker), using: client.bus)
    return try await BusSystem.$deadline.withValue(.seconds(30)) { try await worker.diff(sent) }
  }
}

/// A job whose right answer is known.
struct KnownJob: Sendable {
  let job: DiffJob
  private let old: [Int]
  private let new: [Int]

  /// A job about lists of a seed's making.
  init(_ id: String, seed: UInt64, rows: Int = 60, hold: Int = 0) {
    var random = Seeded(seed)
    var old = Array(0..<rows)
    old.shuffle(using: &random)
    var new = old
    for _ in 0..<rows / 4 {
      new.remove(at: Int.random(in: 0..<new.count, using: &random))
      new.insert(rows + Int.random(in: 0..<1 << 40, using: &random), at: Int.random(in: 0...new.count, using: &random))
    }
    new.swapAt(0, new.count - 1)
    self.old = old
    self.new = new
    job = DiffJob(id: id, old: Self.rows(old), new: Self.rows(new), hold: hold)
  }

  static func rows(_ numbers: some Sequence<Int>) -> DiffRows {
    var rows = DiffRows()
    for number in numbers { rows.append("row-\(number)".utf8, content: 1) }
    return rows
  }

  /// Whether an answer is for this job and turns its old list into its new one.
  func isAnswered(by answer: DiffAnswer) throws -> Bool {
    try answer.id == job.id && isAnswered(by: answer.changes)
  }

  /// Whether a change set turns the old list into the new one.
  func isAnswered(by changes: [UInt8]) throws -> Bool { try ChangeSet(decoding: changes).apply(to: old, from: new) == new }

  var oldRows: DiffRows { Self.rows(old) }
  var newRows: DiffRows { Self.rows(new) }
}
