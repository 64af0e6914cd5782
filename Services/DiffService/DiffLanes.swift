import Glibc
import Synchronization

/// The threads on which a worker computes, beside the bus's loop and the cooperative pool.
///
/// Long jobs have threads of their own, so a small one is never stuck behind a large one. There are as many of each kind as cores, four at most:
/// the system shares the cores among them.
final class DiffLanes: Sendable {
  /// How many rows make a long job.
  static let longJob = 20_000

  private let threads: [DiffThread]
  /// How many jobs each thread has, those for short ones first.
  private let loads: Mutex<[Int]>
  private let width: Int

  init(width: Int = max(1, min(4, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))) {
    self.width = width
    threads = (0..<width * 2).map { _ in DiffThread() }
    loads = Mutex([Int](repeating: 0, count: width * 2))
  }

  /// Runs work on so many rows behind the work that its lane has already.
  ///
  /// - Parameters:
  ///   - stop: Work that is given up while it waits is dropped at once, with all that it holds.
  ///   - end: Told once, from the thread that did the work or gave it up; nil for work that never began.
  func run<Value>(
    rows: Int, until stop: DiffStop? = nil, _ work: @escaping @Sendable () -> Value, then end: @escaping @Sendable (Value?) -> Void
  ) {
    let range = rows >= Self.longJob ? width..<width * 2 : 0..<width
    let lane = loads.withLock { loads in
      let lane = range.min { loads[$0] < loads[$1] } ?? range.lowerBound
      loads[lane] += 1
      return lane
    }
    let turn = Turn(work, end)
    threads[lane].run {
      guard let (work, end) = turn.take() else { return }
      let value = work()
      self.loads.withLock { $0[lane] -= 1 }
      end(value)
    }
    stop?.whenSet {
      guard let (_, end) = turn.take() else { return }
      self.loads.withLock { $0[lane] -= 1 }
      end(nil)
    }
  }
}

/// Work that waits for its lane, until it begins or is given up: whoever takes it first has it, and nothing is left.
private final class Turn<Value>: Sendable {
  typealias Parts = (work: @Sendable () -> Value, end: @Sendable (Value?) -> Void)

  private let parts: Mutex<Parts?>

  init(_ work: @escaping @Sendable () -> Value, _ end: @escaping @Sendable (Value?) -> Void) { parts = Mutex((work, end)) }

  func take() -> Parts? {
    parts.withLock { parts in
      defer { parts = nil }
      return parts
    }
  }
}
