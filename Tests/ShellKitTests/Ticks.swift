import Synchronization

/// A clock that moves on by 5 ms whenever it is read.
final class Ticks: Sendable {
  private let count = Mutex(0)

  func next() -> Duration {
    count.withLock { count in
      count += 1
      return .milliseconds(5 * count)
    }
  }
}
