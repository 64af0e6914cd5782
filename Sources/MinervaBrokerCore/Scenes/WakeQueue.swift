import MinervaProtocol

/// The moments at which scenes want to be woken: a binary heap of hopes.
///
/// A scene that changes its mind is entered again; entries that no longer agree with the scene are dropped by the reader.
struct WakeQueue {
  struct Entry {
    var at: Moment
    var scene: String
  }

  private var heap: [Entry] = []

  /// The earliest entry.
  var first: Entry? { heap.first }

  /// Adds an entry. O(log n).
  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].at < heap[parent].at else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the earliest entry. O(log n).
  mutating func removeFirst() {
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

  mutating func removeAll() { heap.removeAll() }
}
