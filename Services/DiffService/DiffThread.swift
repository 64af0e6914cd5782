import Glibc
import Synchronization

/// A thread that does one piece of work after the other.
///
/// A semaphore wakes it, nothing else stands between: a dispatch queue has its own bookkeeping of threads, which cost a job of 10,000 rows a
/// third of its own time. It ends when this value goes, after what it was given.
final class DiffThread: Sendable {
  /// What the thread and its owner share; the thread keeps it to its end.
  private final class Desk: Sendable {
    private struct State {
      var work: [@Sendable () -> Void] = []
      var isClosed = false
    }

    private let state = Mutex(State())
    // Made once, and used by the semaphore's own calls alone.
    nonisolated(unsafe) private let given: UnsafeMutablePointer<sem_t>

    init() {
      given = .allocate(capacity: 1)
      sem_init(given, 0, 0)
    }

    deinit {
      sem_destroy(given)
      given.deallocate()
    }

    func give(_ work: @escaping @Sendable () -> Void) {
      state.withLock { $0.work.append(work) }
      sem_post(given)
    }

    func close() {
      state.withLock { $0.isClosed = true }
      sem_post(given)
    }

    func run() {
      var works: [@Sendable () -> Void] = []
      while true {
        while sem_wait(given) != 0 {}
        // All at once: one after the other would move the whole queue for each. What wakes for work that is done already finds nothing.
        let isClosed = state.withLock { state in
          swap(&works, &state.work)
          return state.isClosed && works.isEmpty
        }
        if isClosed { return }
        for work in works { work() }
        works.removeAll(keepingCapacity: works.count < 1_024)
      }
    }
  }

  private let desk = Desk()

  init() {
    let kept = Unmanaged.passRetained(desk).toOpaque()
    var handle = pthread_t()
    let made = pthread_create(
      &handle, nil,
      { argument in
        if let argument { Unmanaged<Desk>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, kept)
    // Without a thread of its own the work would wait for ever.
    precondition(made == 0, "the system gives no thread for diffs")
    pthread_detach(handle)
  }

  deinit { desk.close() }

  /// Does `work` after what it has been given before.
  func run(_ work: @escaping @Sendable () -> Void) { desk.give(work) }
}
