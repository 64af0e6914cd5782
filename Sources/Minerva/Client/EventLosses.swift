package import MinervaInterfaces
import Synchronization

/// Events that a client is made to lose before anybody sees them, so that one can watch the gap being mended (C06). For laboratories.
package final class EventLosses: Sendable {
  private struct Loss {
    var left: Int
    let isMeant: @Sendable (SceneEvent) -> Bool
  }

  private let losses = Mutex<[Loss]>([])

  /// Loses the next events that are meant, so many of them.
  package func lose(_ count: Int, where isMeant: @escaping @Sendable (SceneEvent) -> Bool) {
    guard count > 0 else { return }
    losses.withLock { $0.append(Loss(left: count, isMeant: isMeant)) }
  }

  /// Whether an event is lost.
  func take(_ event: SceneEvent) -> Bool {
    losses.withLock { losses in
      guard let index = losses.firstIndex(where: { $0.isMeant(event) }) else { return false }
      losses[index].left -= 1
      if losses[index].left == 0 { losses.remove(at: index) }
      return true
    }
  }
}
