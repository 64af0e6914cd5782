import Distributed
import MinervaActors
import MinervaInterfaces
import MinervaTransport
import MinervaWire

/// The worker's actor on the bus: its loop takes jobs and hands them to threads, and never computes.
distributed actor DiffWorkerActor: DiffWorker {
  typealias ActorSystem = BusSystem
  nonisolated var unownedExecutor: UnownedSerialExecutor { actorSystem.loop.asUnownedSerialExecutor() }

  private let bench: DiffBench
  private let node: String
  private var doors = Doors()

  init(bench: DiffBench, node: String, actorSystem: BusSystem) {
    self.bench = bench
    self.node = node
    self.actorSystem = actorSystem
  }

  distributed func diff(_ job: DiffJob) async throws -> DiffAnswer {
    let owner = try caller(job.id, job.life)
    return try await bench.diff(job, of: owner)
  }

  /// The same for a call from the bus, on its loop: neither a task nor a lookup in the runtime stands between the bytes and the thread that
  /// computes, nor on the way back.
  func begin(_ job: DiffJob, _ reply: LateReply) throws {
    let owner = try caller(job.id, job.life)
    let stop = DiffStop(deadline: job.deadline)
    reply.whenGivenUp { stop.set(.cancelled) }
    bench.start(job, of: owner, until: stop) { [loop = actorSystem.loop] end in
      loop.post {
        switch end {
        case .success(let answer): reply.answer(answer)
        case .failure(let error): reply.fail(error)
        }
      }
    }
  }

  distributed func take(_ piece: DiffPiece) throws { try bench.take(piece, of: caller(piece.job, piece.life)) }

  distributed func rest(of job: String, from position: Int) throws -> [UInt8] {
    try bench.rest(of: job, from: position, owner: caller())
  }

  distributed func progress(of job: String) throws -> DiffProgress { try bench.progress(of: job, owner: caller()) }

  distributed func cancel(job: String) throws {
    // The broker cancels what it leased, and says to whom; a caller what is its own. Whoever came in by a key may call itself anything.
    guard let caller = BusSystem.currentCaller, caller.kind == "broker", caller.role == .admin else {
      return bench.cancel(job, of: try self.caller())
    }
    let parts = job.split(separator: "\u{0}", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let incarnation = UInt64(parts[1]) else { throw MinervaError.badMessage("job \(job) is of no caller") }
    bench.cancel(parts[2], of: DiffShelf.Owner(node: parts[0], incarnation: incarnation))
  }

  distributed func forget(list: String) throws { bench.forget(list, of: try caller()) }

  distributed func admit(_ keys: AdmittedKeys) async throws {
    await actorSystem.authorize(try doors.take(listed: keys.listed, guests: keys.guests, from: BusSystem.currentCaller))
  }

  distributed func status() -> DiffWorkerStatus { bench.status }

  /// Who calls; refuses what was leased to another life of this name.
  private func caller(_ job: String = "", _ life: UInt64? = nil) throws(MinervaError) -> DiffShelf.Owner {
    // Of a lease to an earlier life of this name the broker knows that it is over; taking the job would let it kill once more (C05).
    if let life, life != actorSystem.incarnation {
      throw MinervaError(.peerLost, "job \(job) was leased to an earlier life of \(node), ask for another lease", retryable: true)
    }
    guard let caller = BusSystem.currentCaller else { throw MinervaError(.unauthorized, "a call from nobody") }
    // What is kept for somebody whose loss was told already would be kept for ever.
    guard actorSystem.isConnected(caller) else { throw MinervaError(.peerLost, "\(caller.node) has gone meanwhile", retryable: true) }
    return DiffShelf.Owner(node: caller.node, incarnation: caller.incarnation)
  }
}
