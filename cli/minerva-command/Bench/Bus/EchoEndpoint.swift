import Distributed
import MinervaActors

/// What `minerva bench bus` calls: the same bytes there and back, through the allow-list, deadlines and Codable like any other call.
@Resolvable
protocol EchoEndpoint: DistributedActor where ActorSystem == BusSystem {
  distributed func echo(_ bytes: [UInt8]) async throws -> [UInt8]
}

/// The server's end: a short, non-blocking actor on the bus's loop, like the ones of the broker.
distributed actor EchoServer: EchoEndpoint {
  typealias ActorSystem = BusSystem
  nonisolated var unownedExecutor: UnownedSerialExecutor { actorSystem.loop.asUnownedSerialExecutor() }

  distributed func echo(_ bytes: [UInt8]) throws -> [UInt8] { bytes }

  /// The names of the interface, as both processes learn them.
  static func targets() async throws -> InterfaceTargets<$EchoEndpoint> {
    try await InterfaceTargets.learn($EchoEndpoint.self) { probe in try await probe("echo") { _ = try await $0.echo([]) } }
  }
}
