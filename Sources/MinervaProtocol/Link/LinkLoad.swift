package import MinervaWire

/// What waits to be sent on one link, counted against its limits before any of it is kept.
package struct LinkLoad: Hashable, Sendable {
  /// Messages and bytes that wait to be sent.
  package private(set) var messages = 0
  package private(set) var bytes = 0

  /// How long a caller who met a full queue should wait, in milliseconds.
  package static let retryAfter: Int64 = 20

  package init() {}

  /// Takes a message into the outbound queue, or says that it is full.
  package mutating func enqueue(bytes count: Int, limits: Limits) throws(MinervaError) {
    guard messages < limits.outboundMessages else {
      throw .backpressure("the outbound queue", limit: limits.outboundMessages, retryAfterMilliseconds: Self.retryAfter)
    }
    // One message always fits an empty queue, whatever its size: its own limit bounds it.
    guard messages == 0 || bytes + count <= limits.outboundBytes else {
      throw .backpressure("the outbound queue", limit: limits.outboundBytes, retryAfterMilliseconds: Self.retryAfter)
    }
    messages += 1
    bytes += count
  }

  /// Messages left the outbound queue.
  package mutating func dequeue(messages count: Int, bytes size: Int) {
    messages = max(0, messages - count)
    bytes = max(0, bytes - size)
  }
}
