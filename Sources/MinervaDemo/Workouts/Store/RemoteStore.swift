import Distributed
import MinervaActors
public import MinervaHosting
import MinervaWire

/// The store in another process, with one subscription for everyone in this one.
///
/// It outlives the store's process: calls are asked again until the store is back or their time is over, each change under a key of its
/// own, and everyone who watches reads anew after a return.
public actor RemoteStore: WorkoutStore {
  private let bus: BusSystem
  private let node: String
  private let service: $StoreService
  private let watcher: StoreWatcherActor
  private let hub: LocalHub
  /// How long a call may wait for a store that is away.
  private let patience: Duration = .seconds(4)
  private var lastKey = 0

  /// Finds the store and subscribes to it.
  public static func connect(_ services: HostServices) async throws -> RemoteStore {
    let node = try await services.node(of: StoreInterfaces.store)
    let interfaces = try await StoreInterfaces.learn()
    let hub = LocalHub()
    let bus = services.bus
    let watcher = BusSystem.named(StoreInterfaces.watcher) { StoreWatcherActor(hub: hub, actorSystem: bus) }
    try await bus.expose(watcher, as: interfaces.watcher)
    let service = try $StoreService.resolve(id: ActorAddress(node: node, name: StoreInterfaces.store), using: bus)
    let store = RemoteStore(bus: bus, node: node, service: service, watcher: watcher, hub: hub)
    let events = bus.peerEvents
    try await store.subscribe()
    Task { [weak store] in
      var isAway = false
      for await event in events {
        switch event {
        case .lost(node, _, _): isAway = true
        case .connected(let peer) where peer.node == node && isAway:
          isAway = false
          guard let store else { return }
          try? await store.subscribe()
          await hub.tellAll()
        default: break
        }
      }
    }
    return store
  }

  private init(bus: BusSystem, node: String, service: $StoreService, watcher: StoreWatcherActor, hub: LocalHub) {
    self.bus = bus
    self.node = node
    self.service = service
    self.watcher = watcher
    self.hub = hub
  }

  private func subscribe() async throws {
    try await patiently { try await $0.subscribe(StoreInterfaces.watcher) }
  }

  public func start() async throws -> Moment { try await patiently { try await $0.start() } }
  public func session(in scene: String) async throws -> Account? { try await patiently { try await $0.session(scene) } }
  public func signIn(email: String, password: String) async throws -> Account {
    try await patiently { try await $0.signIn(email, password) }
  }
  public func accounts(asking: Int) async throws -> [Account] { try await patiently { try await $0.accounts(asking) } }
  public func account(_ id: Int, asking: Int) async throws -> Account { try await patiently { try await $0.account(id, asking) } }
  public func workouts(of id: Int, asking: Int) async throws -> [Workout] { try await patiently { try await $0.workouts(id, asking) } }

  @discardableResult
  public func apply(_ wish: BookWish, asking: Int) async throws -> BookChange {
    lastKey += 1
    let key = "\(bus.settings.node)-\(bus.incarnation)-\(lastKey)"
    return try await patiently { try await $0.apply(wish, asking, key) }
  }

  public func watch(_ topics: [StoreTopic], _ body: @escaping @Sendable () async -> Void) async {
    await hub.watch(topics, body)
  }

  /// Asks again while the store is away. Reading is harmless, and changes are keyed.
  private func patiently<Value: Sendable>(_ call: @Sendable ($StoreService) async throws -> Value) async throws -> Value {
    let until = ContinuousClock.now + patience
    var pause = 20
    while true {
      do {
        return try await call(service)
      } catch let error as MinervaError
        where [.unreachable, .peerLost, .deadline, .noSuchActor].contains(error.code) && ContinuousClock.now < until
      {
        try await Task.sleep(for: .milliseconds(pause))
        pause = min(pause * 2, 300)
      }
    }
  }
}

/// The actor that the store tells of changes.
distributed actor StoreWatcherActor: StoreWatcher {
  typealias ActorSystem = BusSystem

  private let hub: LocalHub

  init(hub: LocalHub, actorSystem: BusSystem) {
    self.hub = hub
    self.actorSystem = actorSystem
  }

  distributed func changed(_ topics: [StoreTopic]) async throws {
    await hub.tell(topics)
  }
}
