public import Distributed
public import MinervaActors

/// What `minerva up` does for `status`, `down` and fault tests. Its actor is named `supervisor`.
@Resolvable
public protocol Supervisor: DistributedActor where ActorSystem == BusSystem {
  /// The processes in the order of their start.
  distributed func processes() async throws -> [ProcessReport]

  /// Sends a signal to a process by name; its restart follows the rules of supervision.
  distributed func signal(_ process: String, number: Int32) async throws

  /// Stops everything and ends the supervisor.
  distributed func stop() async throws
}
