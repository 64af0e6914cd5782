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
  func run<Value: Sendable>(rows: Int, _ work: @escaping @Sendable () -> Value) async -> Value {
    let range = rows >= Self.longJob ? width..<width * 2 : 0..<width
    let lane = loads.withLock { loads in
      let lane = range.min { loads[$0] < loads[$1] } ?? range.lowerBound
      loads[lane] += 1
      return lane
    }
    return await withUnsafeContinuation { continuation in
      queues[lane].async {
        let value = work()
        self.loads.withLock { $0[lane] -= 1 }
        continuation.resume(returning: value)
      }
    }
  }
}
