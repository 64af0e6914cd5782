import MinervaWire
import Synchronization

/// The groups that the journal's thread has ended and the broker's loop has not heard of yet, in order.
final class EndedCommits: Sendable {
  typealias Ended = (ticket: UInt64, result: Result<Void, MinervaError>)

  private let ended = Mutex<[Ended]>([])

  func put(_ ticket: UInt64, _ result: Result<Void, MinervaError>) {
    ended.withLock { ended in
      // Of several that are durable the last says it all.
      if case .success = result, case .success? = ended.last?.result { ended.removeLast() }
      ended.append((ticket, result))
    }
  }

  func takeAll() -> [Ended] {
    ended.withLock { ended in
      defer { ended = [] }
      return ended
    }
  }
}
