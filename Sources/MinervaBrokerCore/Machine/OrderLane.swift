package import MinervaInterfaces

/// The orders on their way to one host: sent in order, those that gathered meanwhile as one batch. Confined to the bus's loop.
///
/// A batch that was not answered in time is sent again, because messages are numbered and their endings idempotent; one whose host is gone is
/// dropped, because the core keeps what matters and delivers it when the host is back (N7).
package final class OrderLane {
  private var waiting: [HostOrder] = []
  private var isSending = false
  /// Whether what was taken last, or waited with it, has been dropped since.
  package private(set) var isDropped = false

  package init() {}

  /// Orders of one batch.
  private static let batch = 256

  /// Adds an order; `true` when nobody sends yet, so that the caller begins.
  package func append(_ order: HostOrder) -> Bool {
    waiting.append(order)
    defer { isSending = true }
    return !isSending
  }

  /// The next batch, or nothing: then the lane rests.
  package func next() -> [HostOrder]? {
    guard !waiting.isEmpty else {
      isSending = false
      return nil
    }
    isDropped = false
    let batch = Array(waiting.prefix(Self.batch))
    waiting.removeFirst(batch.count)
    return batch
  }

  /// Drops what waits: the host is gone.
  package func drop() {
    waiting = []
    isDropped = true
  }
}
