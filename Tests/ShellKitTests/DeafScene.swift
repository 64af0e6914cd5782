import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import ShellKit

/// A scene that says nothing to anybody: a request ends when nobody waits for it any more.
struct DeafScene: SceneTarget {
  /// How a request ends.
  enum End {
    /// Given up; whether it had been sent by then.
    case cancelled(isSent: Bool)
    /// Its answer comes at the last moment.
    case answered
    /// It is refused at the last moment.
    case refused
  }

  let end: End
  /// Lets a request be queued and answered, other than by the end of the conversation.
  var words: AsyncStream<Void>?

  init(_ end: End, words: AsyncStream<Void>? = nil) {
    self.end = end
    self.words = words
  }

  var scene: SceneAddress { SceneAddress(name: "main", app: "shop") }

  func perform(_ action: Command.Action, _ conditions: RequestConditions, standing: @escaping @Sendable (Admission) -> Void)
    async throws(MinervaError) -> SceneReply
  {
    let (never, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in words ?? never { break }
    continuation.finish()
    if words != nil { standing(Admission(txn: "t", caller: "test", seq: 9, standing: .queued(behind: 8, because: "opening Tabs"))) }
    switch end {
    case .cancelled(let isSent):
      throw MinervaError(.cancelled, "cancelled", details: [MinervaError.Detail.maybeExecuted: isSent ? "true" : "false"])
    case .answered: return SceneReply(record: 9, outcome: Outcome(verb: "open", changed: true))
    case .refused: throw MinervaError(.busy, "a transition runs")
    }
  }

  func look(at record: UInt64?) async throws(MinervaError) -> SceneLook { throw MinervaError(.unreachable, "no broker") }

  func events() async throws(MinervaError) -> AsyncStream<SceneEvent> { AsyncStream { $0.finish() } }

  func change(to scene: String?, app: String?) async throws(MinervaError) -> [String] { [] }

  func close() async {}
}
