import MinervaInterfaces

/// The last events of scenes, for watchers that missed some: bounded for each scene, and for all of them, the oldest going first.
struct RecentEvents {
  /// Those of one scene, the oldest first.
  /// A reference: they outlive the scene's stay in memory.
  final class OfScene {
    private var kept = Ring<SceneEvent>()
    private var bytes = 0
    /// How many went already that the order of all scenes still names.
    fileprivate var gone = 0

    /// At most so many of a scene, and so many bytes of change sets.
    static let limit = (count: 256, bytes: 1 << 20)

    var events: [SceneEvent] { kept.all }
    var count: Int { kept.count }
    var isEmpty: Bool { kept.isEmpty }

    fileprivate func append(_ event: SceneEvent) {
      kept.append(event)
      bytes += Self.size(event)
      while count > Self.limit.count || bytes > Self.limit.bytes {
        removeFirst()
        gone += 1
      }
    }

    fileprivate func removeFirst() {
      if let first = kept.popFirst() { bytes -= Self.size(first) }
    }

    private static func size(_ event: SceneEvent) -> Int {
      if case .list(let list) = event.kind { list.changes.count } else { 0 }
    }
  }

  /// At most so many of all scenes: many idle ones cost nothing.
  static let limit = 16_384

  private var order = Ring<OfScene>()

  /// Keeps an event of a scene.
  mutating func keep(_ event: SceneEvent, of slot: SceneSlot) {
    slot.recent.append(event)
    order.append(slot.recent)
    guard order.count > Self.limit, let oldest = order.popFirst() else { return }
    if oldest.gone > 0 { oldest.gone -= 1 } else { oldest.removeFirst() }
  }
}

/// A queue that takes its places again and again: nothing moves but what is put in and taken out.
private struct Ring<Element> {
  private var places: [Element?] = []
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// All, the oldest first.
  var all: [Element] { (0..<count).compactMap { places[(head + $0) & (places.count - 1)] } }

  mutating func append(_ element: Element) {
    if count == places.count { grow() }
    places[(head + count) & (places.count - 1)] = element
    count += 1
  }

  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let first = places[head].take()
    head = (head + 1) & (places.count - 1)
    count -= 1
    return first
  }

  /// Twice the room: always a power of two.
  private mutating func grow() {
    var larger: [Element?] = []
    larger.reserveCapacity(max(4, places.count * 2))
    for index in 0..<count { larger.append(places[(head + index) & (places.count - 1)].take()) }
    while larger.count < max(4, count * 2) { larger.append(nil) }
    places = larger
    head = 0
  }
}
