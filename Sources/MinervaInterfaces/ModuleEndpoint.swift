public import Distributed
public import MinervaActors
public import MinervaNavigation

/// What a host does for the broker and for other hosts. Its actor is named `host`.
@Resolvable
public protocol ModuleEndpoint: DistributedActor where ActorSystem == BusSystem {
  /// Makes a module; asked again for the same screen and lease, it gives the same verdict.
  distributed func connect(_ order: ConnectOrder) async throws -> LinkVerdict

  /// Makes a module again with its input and state.
  distributed func resume(_ order: ResumeOrder) async throws -> LinkVerdict

  /// Takes messages and endings into the mailboxes; returns when they are in.
  distributed func accept(_ orders: [HostOrder]) async throws

  /// Answers for a route before it is taken (R1).
  distributed func resolve(_ inquiry: RouteInquiry) async throws -> RouteDecision

  /// Says what it holds of its coordinators, of a scene or of all (K4).
  distributed func inspect(_ scene: String?) async throws -> HostInspection

  /// Lets in whom the broker vouches for; the broker alone calls it.
  distributed func admit(_ keys: AdmittedKeys) async throws

  /// Calls a method that a coordinator exposes to others (K7).
  distributed func call(_ call: CoordinatorCall) async throws -> [UInt8]
}
