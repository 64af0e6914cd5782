import MinervaInterfaces
import MinervaNavigation

/// Which messages a coordinator takes, by their numbers: each once, and none before the one in front of it (N7).
struct MessageOrder {
  enum Standing: Hashable {
    case next
    /// It was taken before.
    case old
    /// One in front of it has not come: if it were taken, that one would be taken for old.
    case early(awaited: UInt32)
  }

  /// The last message that was taken; `nil` before the first, which may have any number in a later life of the coordinator.
  private var last: UInt32?
  /// Whether a message may have gone that was never taken, since the last word on those that went.
  private var hasGap = false

  /// Whether that word, which is taken now, tells of something that was not heard already.
  mutating func closesGap() -> Bool {
    defer { hasGap = false }
    return hasGap
  }

  /// Takes a message if it is the next.
  mutating func take(_ message: Message) -> Standing {
    if let last {
      if message.number <= last { return .old }
      guard message.after ?? (message.number - 1) <= last else { return .early(awaited: last + 1) }
    }
    // What a later life of the coordinator takes first may have lost what stood before it.
    if message.number > (last ?? 0) + 1 { hasGap = true }
    last = message.number
    return .next
  }
}
