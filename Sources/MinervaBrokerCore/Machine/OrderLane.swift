package import MinervaInterfaces
import MinervaNavigation
package import MinervaWire

/// The orders on their way to one host: sent in order, those that gathered meanwhile as one batch. Confined to the bus's loop.
///
/// A batch that was not answered in time is sent again, because messages are numbered and their endings idempotent; one whose host is gone is
/// dropped, because the core keeps what matters and delivers it when the host is back (N7). To a host that is there nothing is lost: what
/// cannot be sent to it is replaced by the reason, under the same number.
package final class OrderLane {
  private var waiting: [HostOrder] = []
  private var isSending = false
  /// Whether what was taken last, or waited with it, has been dropped since.
  package private(set) var isDropped = false

  package init() {}

  /// Orders of one batch, and about how many bytes of payload: a batch of several never is too much for a link that each of them fits.
  private static let batch = 256
  private static let bytes = 1 << 20

  /// Adds an order; `true` when nobody sends yet, so that the caller begins.
  package func append(_ order: HostOrder) -> Bool {
    waiting.append(order)
    defer { isSending = true }
    return !isSending
  }

  /// The next batch, or nothing: then the lane rests. One order at least, whatever its size.
  package func next() -> [HostOrder]? {
    guard !waiting.isEmpty else {
      isSending = false
      return nil
    }
    isDropped = false
    var count = 0, bytes = 0
    while count < min(Self.batch, waiting.count) {
      bytes += waiting[count].payloadBytes
      if count > 0, bytes > Self.bytes { break }
      count += 1
    }
    let batch = Array(waiting.prefix(count))
    waiting.removeFirst(batch.count)
    return batch
  }

  /// What to send in place of a batch that its host can never take: each order alone, and in place of a single message the reason, which its
  /// coordinator answers. Nothing when there is nothing left to say.
  package static func split(_ batch: [HostOrder], after error: MinervaError) -> [[HostOrder]] {
    guard batch.count <= 1 else { return batch.map { [$0] } }
    guard case .deliver(let scene, var delivery, let time)? = batch.first else { return [] }
    if case .undelivered = delivery.message.body { return [] }
    delivery.message = delivery.message.saying(.undelivered(Refusal(error)))
    return [[.deliver(scene, delivery, at: time)]]
  }

  /// Drops what waits: the host is gone.
  package func drop() {
    waiting = []
    isDropped = true
  }
}

extension HostOrder {
  /// About how many bytes it takes, as far as that has no bound of its own.
  fileprivate var payloadBytes: Int {
    guard case .deliver(_, let delivery, at: _) = self else { return 0 }
    switch delivery.message.body {
    case .input(let bytes), .sealedInput(let bytes, _), .childOutput(_, _, _, let bytes): return bytes.count
    case .childEnded(_, _, _, let result): return result?.count ?? 0
    case .childrenLeft(_, let open): return open.count * 8
    case .act(.execute(_, let input)): return input?.count ?? 0
    case .act(.enter(_, let value)): return value.utf8.count
    case .act, .requestSettled, .lifecycle, .timer, .undelivered: return 0
    }
  }
}
