import MinervaTransport

/// A subscription of ours over the link to a node, for everyone here who listens to the topic. Confined to the loop.
final class Hearing {
  /// The id under which the subscription is asked for, and refused.
  let identifier: UInt64
  let topic: String
  var listeners: [UInt64: AsyncStream<PublishedFrame>.Continuation] = [:]
  /// Events that came since credit was last given.
  private var taken: UInt32 = 0

  /// Credit that could not be given, since the link took no more.
  private(set) var owed: UInt32 = 0

  /// How many events may be on their way.
  static let window: UInt32 = 256

  init(_ identifier: UInt64, topic: String) {
    self.identifier = identifier
    self.topic = topic
  }

  /// The subscription begins, or begins anew on another link: returns the credit to give.
  func begin() -> UInt32 {
    taken = 0
    owed = 0
    return Self.window
  }

  /// The credit was not given: it is given by a later sweep.
  func owe(_ events: UInt32) { owed += events }

  /// Takes the credit that is owed.
  func takeOwed() -> UInt32 {
    defer { owed = 0 }
    return owed
  }

  /// Hands an event on; returns the credit to give, once half of the window has been used.
  func take(_ frame: PublishedFrame) -> UInt32? {
    for listener in listeners.values { listener.yield(frame) }
    taken += 1
    guard taken >= Self.window / 2 else { return nil }
    defer { taken = 0 }
    return taken
  }

  func end() {
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }
}
