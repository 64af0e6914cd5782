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
