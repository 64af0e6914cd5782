public import Distributed
public import MinervaActors

/// What a diff worker does. Its actor is named `worker`; jobs come from whoever holds a lease, directly.
@Resolvable
public protocol DiffWorker: DistributedActor where ActorSystem == BusSystem {
  /// Computes a change set on the worker's own threads, never on its event loop.
  distributed func diff(_ job: DiffJob) async throws -> DiffAnswer

  /// Takes a part of a list of a job that comes; parts of a job that does not come are dropped after a while.
  distributed func take(_ piece: DiffPiece) async throws

  /// The bytes of an answer from a position on, at most a chunk of them; with the last ones the worker forgets the answer.
  distributed func rest(of job: String, from position: Int) async throws -> [UInt8]

  /// How far a job of the caller is.
  distributed func progress(of job: String) async throws -> DiffProgress

  /// Gives a job up; it ends with `bus.cancelled` at its caller.
  ///
  /// A caller names a job of its own; the broker puts the caller's node and a zero byte before the name.
  distributed func cancel(job: String) async throws

  /// Drops a list of the caller.
  distributed func forget(list: String) async throws

  /// Lets in whom the broker vouches for; the broker alone calls it.
  distributed func admit(_ keys: AdmittedKeys) async throws

  /// What the worker has taken on.
  distributed func status() async throws -> DiffWorkerStatus
}
