import MinervaInterfaces

/// The last events of scenes, for watchers that missed some: bounded for each scene, and for all of them, the oldest going first.
struct RecentEvents {
  /// Those of one scene, the oldest first.
  /// A reference: they outlive the scene's stay in memory.
  final class OfScene {
    private var kept: [SceneEvent?] = []
    private var head = 0
    private var bytes = 0
    /// How many went already that the order of all scenes still names.
    fileprivate var gone = 0

    /// At most so many of a scene, and so many bytes of change sets.
    static let limit = (count: 256, bytes: 1 << 20)

    var events: [SceneEvent] { kept[head...].compactMap { $0 } }
    var count: Int { kept.count - head }
    var isEmpty: Bool { count == 0 }

    fileprivate func append(_ event: SceneEvent) {
      kept.append(event)
      bytes += Self.size(event)
      while count > Self.limit.count || bytes > Self.limit.bytes {
        removeFirst()
        gone += 1
      }
    }

    fileprivate func removeFirst() {
      guard head < kept.count, let first = kept[head].take() else { return }
      bytes -= Self.size(first)
      head += 1
      // Now and then, so that a busy scene does not move them all for each event.
      guard head == kept.count || head >= Self.limit.count else { return }
      kept.removeFirst(head)
      head = 0
    }

    private static func size(_ event: SceneEvent) -> Int {
      if case .list(let list) = event.kind { list.changes.count } else { 0 }
    }
  }

  /// At most so many of all scenes: many idle ones cost nothing.
  static let limit = 16_384

  private var order: [OfScene?] = []
  private var head = 0

  /// Keeps an event of a scene.
  mutating func keep(_ event: SceneEvent, of slot: SceneSlot) {
    slot.recent.append(event)
    order.append(slot.recent)
    guard order.count - head > Self.limit, let oldest = order[head].take() else { return }
    head += 1
    if oldest.gone > 0 { oldest.gone -= 1 } else { oldest.removeFirst() }
    guard head >= Self.limit else { return }
    order.removeFirst(head)
    head = 0
  }
}
