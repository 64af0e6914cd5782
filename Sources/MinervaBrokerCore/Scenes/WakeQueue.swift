import MinervaProtocol

/// The moments at which scenes want to be woken, one a scene: a binary heap.
///
/// A scene that changes its mind is entered again, and what it wanted before is dropped: at once when it is the earliest, else when so much
/// of that has gathered that the heap is made anew.
struct WakeQueue {
  struct Entry {
    var at: Moment
    var scene: String
  }

  private var heap: [Entry] = []
  /// What each scene wants; an entry of the heap that says otherwise is none.
  private var wanted: [String: Moment] = [:]

  /// The earliest entry.
  var first: Entry? { heap.first }
  /// How many entries are kept, with those that are none any more.
  var count: Int { heap.count }

  /// Adds an entry in the place of its scene's earlier one. O(log n) on average.
  mutating func insert(_ entry: Entry) {
    guard wanted.updateValue(entry.at, forKey: entry.scene) != entry.at else { return }
    if heap.count > 2 * wanted.count + 64 {
      // Sorted is a heap, too.
      heap = wanted.map { Entry(at: $0.value, scene: $0.key) }.sorted { ($0.at, $0.scene) < ($1.at, $1.scene) }
      return
    }
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].at < heap[parent].at else { break }
      heap.swapAt(child, parent)
      child = parent
    }
    dropStale()
  }

  /// Removes a scene's entry.
  mutating func remove(_ scene: String) {
    if wanted.removeValue(forKey: scene) != nil { dropStale() }
  }

  /// Removes the earliest entry. O(log n) on average.
  mutating func removeFirst() {
    guard let first else { return }
    wanted[first.scene] = nil
    dropStale()
  }

  private mutating func dropStale() {
    while let first, wanted[first.scene] != first.at { pop() }
  }

  private mutating func pop() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].at < heap[least].at { least = child }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  mutating func removeAll() {
    heap.removeAll()
    wanted.removeAll()
  }
}
