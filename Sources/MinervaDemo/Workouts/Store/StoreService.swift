public import Distributed
public import MinervaActors

/// The store as other processes see it: an author's own distributed actor, exposed between processes of one build.
@Resolvable
public protocol StoreService: DistributedActor where ActorSystem == BusSystem {
  distributed func start() async throws -> Moment
  distributed func session(_ scene: String) async throws -> Account?
  distributed func signIn(_ email: String, _ password: String) async throws -> Account
  distributed func accounts(_ asking: Int) async throws -> [Account]
  distributed func account(_ id: Int, _ asking: Int) async throws -> Account
  distributed func workouts(_ id: Int, _ asking: Int) async throws -> [Workout]
  /// Applies a wish once for each key, however often it is asked.
  distributed func apply(_ wish: BookWish, _ asking: Int, _ key: String) async throws -> BookChange
  /// Tells the watcher of that name, in the caller's process, of each change from now on.
  distributed func subscribe(_ watcher: String) async throws
}

/// What a process that watches the store exposes to it.
@Resolvable
public protocol StoreWatcher: DistributedActor where ActorSystem == BusSystem {
  /// Returns when whoever follows one of the topics has read anew.
  distributed func changed(_ topics: [StoreTopic]) async throws
}

/// The names of the store's methods on the wire.
struct StoreInterfaces: Sendable {
  let service: InterfaceTargets<$StoreService>
  let watcher: InterfaceTargets<$StoreWatcher>

  /// The name of the store's actor, and of the service under which it is registered.
  static let store = "store"
  /// The name of a watcher's actor.
  static let watcher = "store-watcher"

  static func learn() async throws -> StoreInterfaces {
    let service = try await InterfaceTargets.learn($StoreService.self) { probe in
      try await probe("start") { _ = try await $0.start() }
      try await probe("session") { _ = try await $0.session("") }
      try await probe("signIn") { _ = try await $0.signIn("", "") }
      try await probe("accounts") { _ = try await $0.accounts(0) }
      try await probe("account") { _ = try await $0.account(0, 0) }
      try await probe("workouts") { _ = try await $0.workouts(0, 0) }
      try await probe("apply") { _ = try await $0.apply(.closeSession(scene: ""), 0, "") }
      try await probe("subscribe") { try await $0.subscribe("") }
    }
    let watcher = try await InterfaceTargets.learn($StoreWatcher.self) { probe in
      try await probe("changed") { try await $0.changed([]) }
    }
    return StoreInterfaces(service: service, watcher: watcher)
  }
}
