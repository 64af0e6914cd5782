import Distributed
public import MinervaActors
import MinervaTransport
import MinervaWire

/// The store's actor on the bus: a `LocalStore`, and the processes that watch it.
distributed actor StoreActor: StoreService {
  typealias ActorSystem = BusSystem

  private let store: LocalStore
  /// The subscription of each watcher.
  private var watchers: [ActorAddress: Int] = [:]

  init(store: LocalStore, actorSystem: BusSystem) {
    self.store = store
    self.actorSystem = actorSystem
  }

  distributed func start() async throws -> Moment { await store.start() }
  distributed func session(_ scene: String) async throws -> Account? { await store.session(in: scene) }

  distributed func signIn(_ email: String, _ password: String) async throws -> Account {
    try await store.signIn(email: email, password: password)
  }

  distributed func accounts(_ asking: Int) async throws -> [Account] { try await store.accounts(asking: asking) }
  distributed func account(_ id: Int, _ asking: Int) async throws -> Account { try await store.account(id, asking: asking) }
  distributed func workouts(_ id: Int, _ asking: Int) async throws -> [Workout] { try await store.workouts(of: id, asking: asking) }

  distributed func apply(_ wish: BookWish, _ asking: Int, _ key: String) async throws -> BookChange {
    try await store.apply(wish, asking: asking, key: key)
  }

  distributed func subscribe(_ watcher: String) async throws {
    guard let caller = BusSystem.currentCaller else { throw MinervaError(.badMessage, "only another process subscribes") }
    let address = ActorAddress(node: caller.node, name: watcher)
    let proxy = try $StoreWatcher.resolve(id: address, using: actorSystem)
    if let old = watchers.removeValue(forKey: address) { await store.remove(old) }
    let number = await store.add { topics in
      // A watcher that is gone, or slower than this, reads anew when it subscribes again.
      try? await BusSystem.$deadline.withValue(.seconds(1)) { try await proxy.changed(topics) }
    }
    watchers[address] = number
  }

  /// Forgets the watchers of a process that is gone.
  func forget(node: String) async {
    for (address, number) in watchers where address.node == node {
      watchers[address] = nil
      await store.remove(number)
    }
  }
}

extension WorkoutsApp {
  /// The name under which the store is registered.
  public static let storeService = StoreInterfaces.store

  /// Serves a store on a bus, for hosts of the app in other processes.
  public static func serve(_ store: LocalStore, on bus: BusSystem) async throws {
    let interfaces = try await StoreInterfaces.learn()
    let actor = BusSystem.named(StoreInterfaces.store) { StoreActor(store: store, actorSystem: bus) }
    try await bus.expose(actor, as: interfaces.service)
    let events = bus.peerEvents
    Task { [weak actor] in
      for await case .lost(let node, _, _) in events {
        guard let actor else { return }
        await actor.whenLocal { await $0.forget(node: node) }
      }
    }
  }
}
