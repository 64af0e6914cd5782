internal import CPosix
internal import Glibc
internal import MinervaWire
internal import Synchronization

/// A job for the journal's thread.
enum JournalJob: Sendable {
  case append([JournalEntry], UInt64, JournalCompletion<Void>)
  case snapshot(JournalSnapshot, UInt64, JournalCompletion<Void>)
  case rest(JournalRest, UInt64, JournalCompletion<Void>)
  case load(String, UInt64?, JournalCompletion<JournaledScene?>)
  case records(String, after: UInt64, upTo: UInt64, JournalCompletion<[JournalEntry]>)
  case scenes(JournalCompletion<[JournaledHead]>)
  case setAside(JournalPart, String, String, UInt64, JournalCompletion<JournalAside>)
  case reopen(JournalCompletion<UInt64>)
}

/// What waits for the journal's thread: anybody puts, the thread takes all there is at once.
final class JobQueue: Sendable {
  private struct State {
    var jobs: [JournalJob] = []
    var isClosed = false
    var isAbandoned = false
    var whenClosed: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())
  private let wake: Int32

  init() throws(MinervaError) {
    wake = eventfd(0, Int32(EFD_CLOEXEC))
    guard wake >= 0 else { throw MinervaError(.journalFile, "cannot make an eventfd; too many open files?") }
  }

  deinit { Glibc.close(wake) }

  /// Queues a job; false once the queue is closed.
  func put(_ job: JournalJob) -> Bool {
    let (taken, isFirst) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.jobs.append(job)
      return (true, state.jobs.count == 1)
    }
    // The thread takes all there is, so only the first needs to wake it.
    if isFirst { signal() }
    return taken
  }

  /// Takes everything queued, waiting for the first job; nil when the queue is closed and empty.
  func takeAll() -> [JournalJob]? {
    while true {
      let (jobs, isClosed) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.isClosed)
      }
      if !jobs.isEmpty { return jobs }
      if isClosed { return nil }
      var count: UInt64 = 0
      _ = read(wake, &count, 8)
    }
  }

  /// Takes no more jobs; calls back when the thread has done those before.
  func close(_ completion: @escaping @Sendable () -> Void) {
    let isDone = state.withLock { state in
      state.isClosed = true
      if !state.isAbandoned { state.whenClosed.append(completion) }
      return state.isAbandoned
    }
    if isDone { completion() } else { signal() }
  }

  /// The thread has ended.
  func abandon() {
    let waiting = state.withLock { state in
      state.isClosed = true
      state.isAbandoned = true
      defer { state.whenClosed = [] }
      return state.whenClosed
    }
    for completion in waiting { completion() }
  }

  private func signal() {
    var one: UInt64 = 1
    _ = write(wake, &one, 8)
  }
}
