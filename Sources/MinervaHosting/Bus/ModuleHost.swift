package import Distributed
package import MinervaActors
package import MinervaInterfaces
package import MinervaNavigation

/// The host's actor on the bus: it takes the broker's orders and other hosts' questions, and hands them to the runtime.
///
/// It lives on the bus's loop, so what it does after a verdict comes after the verdict on the link. Authors' code never runs there: every
/// task that may reach it is a task of its own, on the cooperative pool (K8). What a coordinator does is on its own behalf: it may take
/// longer than the call that it began in.
package distributed actor ModuleHost: ModuleEndpoint {
  package typealias ActorSystem = BusSystem

  package nonisolated var unownedExecutor: UnownedSerialExecutor { actorSystem.loop.asUnownedSerialExecutor() }

  private let runtime: HostRuntime
  private var doors = Doors()

  package init(runtime: HostRuntime, actorSystem: BusSystem) {
    self.runtime = runtime
    self.actorSystem = actorSystem
  }

  package distributed func connect(_ order: ConnectOrder) async throws -> LinkVerdict {
    let verdict = await BusSystem.onOwnBehalf { await Task { [runtime] in await runtime.connect(order) }.value }
    start(order.connection.screen, in: order.scene, after: verdict)
    return verdict
  }

  package distributed func resume(_ order: ResumeOrder) async throws -> LinkVerdict {
    let verdict = await BusSystem.onOwnBehalf { await Task { [runtime] in await runtime.resume(order) }.value }
    start(order.resumption.screen, in: order.scene, after: verdict)
    return verdict
  }

  package distributed func accept(_ orders: [HostOrder]) async throws {
    // In the order of the calls: taking is short, and reaches nobody's code.
    await BusSystem.onOwnBehalf { await runtime.take(orders) }
  }

  package distributed func resolve(_ inquiry: RouteInquiry) async throws -> RouteDecision {
    try await Task { [runtime] in try await runtime.resolve(inquiry) }.value
  }

  package distributed func inspect(_ scene: String?) async throws -> HostInspection {
    await runtime.inspect(scene)
  }

  package distributed func admit(_ keys: AdmittedKeys) async throws {
    await actorSystem.authorize(try doors.take(listed: keys.listed, guests: keys.guests, from: BusSystem.currentCaller))
  }

  package distributed func call(_ call: CoordinatorCall) async throws -> [UInt8] {
    try await Task { [runtime] in try await runtime.answer(call) }.value
  }

  /// Lets a coordinator speak once the verdict is on its way: the task is behind the verdict in the loop's queue.
  private func start(_ screen: ScreenID, in scene: SceneIdentity, after verdict: LinkVerdict) {
    guard case .accepted = verdict else { return }
    BusSystem.onOwnBehalf { _ = Task { await runtime.start(screen, in: scene) } }
  }
}
