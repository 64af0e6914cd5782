import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import ShellKit

/// A scene that says nothing to anybody: a request ends when nobody waits for it any more.
struct DeafScene: SceneTarget {
  /// Whether requests had been sent by then.
  let isSent: Bool

  var scene: SceneAddress { SceneAddress(name: "main", app: "shop") }

  func perform(_ action: Command.Action, _ conditions: RequestConditions, standing: @escaping @Sendable (Admission) -> Void)
    async throws(MinervaError) -> SceneReply
  {
    let (never, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    continuation.finish()
    throw MinervaError(.cancelled, "cancelled", details: [MinervaError.Detail.maybeExecuted: isSent ? "true" : "false"])
  }

  func look(at record: UInt64?) async throws(MinervaError) -> SceneLook { throw MinervaError(.unreachable, "no broker") }

  func events() async throws(MinervaError) -> AsyncStream<SceneEvent> { AsyncStream { $0.finish() } }

  func change(to scene: String?, app: String?) async throws(MinervaError) -> [String] { [] }

  func close() async {}
}
