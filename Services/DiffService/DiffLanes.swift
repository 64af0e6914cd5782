import Dispatch
import Glibc
import Synchronization

/// The threads on which a worker computes, beside the bus's loop and the cooperative pool.
///
/// Long jobs have threads of their own, so a small one is never stuck behind a large one. There are as many of each kind as cores, four at most:
/// the system shares the cores among them.
final class DiffLanes: Sendable {
  /// How many rows make a long job.
  static let longJob = 20_000

  private let queues: [DispatchQueue]
  /// How many jobs each queue has, those for short ones first.
  private let loads: Mutex<[Int]>
  private let width: Int

  init(width: Int = max(1, min(4, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))) {
    self.width = width
    queues = (0..<width * 2).map { DispatchQueue(label: "minerva.diff.\($0 < width ? "short" : "long")-\($0 % width + 1)") }
    loads = Mutex([Int](repeating: 0, count: width * 2))
  }

  /// Runs work on so many rows behind the work that its lane has already.
  ///
  /// - Parameter stop: Work that is given up while it waits is dropped at once, with all that it holds.
  /// - Returns: Nil for work that never began.
  func run<Value: Sendable>(rows: Int, until stop: DiffStop? = nil, _ work: @escaping @Sendable () -> Value) async -> Value? {
    let range = rows >= Self.longJob ? width..<width * 2 : 0..<width
    let lane = loads.withLock { loads in
      let lane = range.min { loads[$0] < loads[$1] } ?? range.lowerBound
      loads[lane] += 1
      return lane
    }
    return await withUnsafeContinuation { continuation in
      let turn = Turn(work, continuation)
      queues[lane].async {
        guard let (work, continuation) = turn.take() else { return }
        let value = work()
        self.loads.withLock { $0[lane] -= 1 }
        continuation.resume(returning: value)
      }
      stop?.whenSet {
        guard let (_, continuation) = turn.take() else { return }
        self.loads.withLock { $0[lane] -= 1 }
        continuation.resume(returning: nil)
      }
    }
  }
}

/// Work that waits for its lane, until it begins or is given up: whoever takes it first has it, and nothing is left.
private final class Turn<Value: Sendable>: Sendable {
  typealias Parts = (work: @Sendable () -> Value, continuation: UnsafeContinuation<Value?, Never>)

  private let parts: Mutex<Parts?>

  init(_ work: @escaping @Sendable () -> Value, _ continuation: UnsafeContinuation<Value?, Never>) {
    parts = Mutex((work, continuation))
  }

  func take() -> Parts? {
    parts.withLock { parts in
      defer { parts = nil }
      return parts
    }
  }
}
