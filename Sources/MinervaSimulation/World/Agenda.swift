import MinervaProtocol

/// What happens when: virtual time moves from one entry to the next, entries of one moment in the order in which they were made.
///
/// A binary heap over plain numbers; the work itself lies beside it, so that sifting moves no closures.
final class Agenda {
  private struct Entry {
    let time: Int64
    let order: UInt64
    let slot: Int

    func isBefore(_ other: Entry) -> Bool { time < other.time || (time == other.time && order < other.order) }
  }

  private var heap: [Entry] = []
  private var work: [(() -> Void)?] = []
  private var free: [Int] = []
  private var orders: UInt64 = 0
  private(set) var now = Moment(milliseconds: 1_000)

  func at(_ time: Moment, _ work: @escaping () -> Void) {
    orders += 1
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
      self.work[slot] = work
    } else {
      slot = self.work.count
      self.work.append(work)
    }
    let entry = Entry(time: max(time, now).milliseconds, order: orders, slot: slot)
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entry.isBefore(heap[parent]) else { break }
      heap[child] = heap[parent]
      child = parent
    }
    heap[child] = entry
  }

  func after(_ milliseconds: Int64, _ work: @escaping () -> Void) { at(now + milliseconds, work) }

  /// Does what comes next, if it comes before `end`.
  func step(until end: Moment) -> Bool {
    guard let first = heap.first, first.time <= end.milliseconds else { return false }
    let last = heap.removeLast()
    if !heap.isEmpty { sink(last) }
    now = Moment(milliseconds: first.time)
    let work = self.work[first.slot]
    self.work[first.slot] = nil
    free.append(first.slot)
    work?()
    return true
  }

  /// The run is over: what was still to come is given up, and whatever it held with it.
  func clear() {
    heap = []
    work = []
    free = []
  }

  private func sink(_ entry: Entry) {
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(entry) else { break }
      heap[parent] = heap[child]
      parent = child
    }
    heap[parent] = entry
  }
}
