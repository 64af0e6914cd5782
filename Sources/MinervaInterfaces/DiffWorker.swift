public import Distributed
public import MinervaActors

/// What a diff worker does. Its actor is named `worker`; jobs come from whoever holds a lease, directly.
@Resolvable
public protocol DiffWorker: DistributedActor where ActorSystem == BusSystem {
  /// Computes a change set on the worker's own threads, never on its event loop.
  distributed func diff(_ job: DiffJob) async throws -> DiffAnswer

  /// Gives a job up; it ends with `bus.cancelled` at its caller.
  distributed func cancel(job: String) async throws
}
