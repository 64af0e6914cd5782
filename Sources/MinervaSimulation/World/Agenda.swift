import MinervaProtocol

/// What happens when: virtual time moves from one entry to the next, entries of one moment in the order in which they were made.
final class Agenda {
  private struct Entry {
    let time: Moment
    let order: UInt64
    let work: () -> Void

    func isBefore(_ other: Entry) -> Bool { (time, order) < (other.time, other.order) }
  }

  private var heap: [Entry] = []
  private var orders: UInt64 = 0
  private(set) var now = Moment(milliseconds: 1_000)

  func at(_ time: Moment, _ work: @escaping () -> Void) {
    orders += 1
    heap.append(Entry(time: max(time, now), order: orders, work: work))
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  func after(_ milliseconds: Int64, _ work: @escaping () -> Void) { at(now + milliseconds, work) }

  /// Does what comes next, if it comes before `end`.
  func step(until end: Moment) -> Bool {
    guard let first = heap.first, first.time <= end else { return false }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    now = first.time
    first.work()
    return true
  }

  private func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least]) { least = child }
      if least == parent { return }
      heap.swapAt(least, parent)
      parent = least
    }
  }
}
