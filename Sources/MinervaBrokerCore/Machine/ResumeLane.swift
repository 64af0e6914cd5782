package import MinervaInterfaces

/// The coordinators that one life of a host is to make again, a window of them at a time. Confined to the bus's loop.
///
/// A host that was away may have thousands to make; more calls at once than its link takes would be refused, and screens would leave that it
/// can make (K3).
package final class ResumeLane {
  private var waiting: ArraySlice<ResumeOrder> = []
  private var underWay = 0

  package init() {}

  /// How many are made at once; well below the calls that a link takes, since connects and messages go the same way.
  package static let window = 128

  package func append(_ order: ResumeOrder) { waiting.append(order) }

  /// The next one, if there is room; `ended` must follow.
  package func next() -> ResumeOrder? {
    guard underWay < Self.window, let order = waiting.popFirst() else { return nil }
    underWay += 1
    return order
  }

  package func ended() { underWay -= 1 }

  /// Forgets those that wait: the host is gone.
  package func drop() { waiting = [] }
}
