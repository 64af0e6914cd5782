package import Distributed
package import MinervaActors
package import MinervaInterfaces
package import MinervaNavigation

/// The host's actor on the bus: it takes the broker's orders and other hosts' questions, and hands them to the runtime.
///
/// It lives on the cooperative pool like the authors' coordinators (K8); it only passes on, so it is never busy for long.
package distributed actor ModuleHost: ModuleEndpoint {
  package typealias ActorSystem = BusSystem

  private let runtime: HostRuntime

  package init(runtime: HostRuntime, actorSystem: BusSystem) {
    self.runtime = runtime
    self.actorSystem = actorSystem
  }

  package distributed func connect(_ order: ConnectOrder) async throws -> LinkVerdict {
    let verdict = await runtime.connect(order)
    start(order.connection.screen, in: order.scene, after: verdict)
    return verdict
  }

  package distributed func resume(_ order: ResumeOrder) async throws -> LinkVerdict {
    let verdict = await runtime.resume(order)
    start(order.resumption.screen, in: order.scene, after: verdict)
    return verdict
  }

  package distributed func accept(_ orders: [HostOrder]) async throws {
    await runtime.take(orders)
  }

  package distributed func call(_ call: CoordinatorCall) async throws -> [UInt8] {
    try await runtime.answer(call)
  }

  /// Lets a coordinator speak once the verdict is on its way: the task is behind this call in the actor's queue.
  private func start(_ screen: ScreenID, in scene: SceneIdentity, after verdict: LinkVerdict) {
    guard case .accepted = verdict else { return }
    Task { await runtime.start(screen, in: scene) }
  }
}
