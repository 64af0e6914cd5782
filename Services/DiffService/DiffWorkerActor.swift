import Distributed
import MinervaActors
import MinervaInterfaces
import MinervaWire

/// The worker's actor on the bus.
distributed actor DiffWorkerActor: DiffWorker {
  typealias ActorSystem = BusSystem

  private let bench: DiffBench
  private let node: String

  init(bench: DiffBench, node: String, actorSystem: BusSystem) {
    self.bench = bench
    self.node = node
    self.actorSystem = actorSystem
  }

  distributed func diff(_ job: DiffJob) async throws -> DiffAnswer {
    // Of a lease to an earlier life of this name the broker knows that it is over; taking the job would let it kill once more (C05).
    if let life = job.life, life != actorSystem.incarnation {
      throw MinervaError(.peerLost, "job \(job.id) was leased to an earlier life of \(node), ask for another lease", retryable: true)
    }
    let clock = ContinuousClock()
    let begin = clock.now
    let changes = try await bench.changes(of: job)
    let spent = (clock.now - begin).components
    return DiffAnswer(
      id: job.id, changes: changes, worker: node,
      microseconds: Int(spent.seconds) * 1_000_000 + Int(spent.attoseconds / 1_000_000_000_000))
  }

  distributed func cancel(job: String) async throws {
    bench.cancel(job)
  }
}
