import CZeroMQ
package import Distributed
import Glibc
import Synchronization

/// The one thread of a bus: it owns every socket, and it is the executor of short, non-blocking actors.
///
/// A turn takes what has arrived (bounded), runs what was posted and enqueued, lets the links flush what the turn produced, and sweeps
/// timers. Work that computes (a diff) does not belong here: it would stall heartbeats.
///
/// As a `SerialExecutor` it runs distributed actors whose `unownedExecutor` it is; its ``LoopTaskExecutor`` keeps a caller's task on the thread,
/// so that a call costs no thread hop.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
  // `shared` is what other threads touch; everything in `confined` belongs to the loop's thread alone.

  /// A job and how it came: as an actor's, or as a task's that is isolated to nobody.
  ///
  /// The two run differently. A task's job that ran as the loop's isolated one would have to be enqueued again at its first step, which cost a
  /// third of a call.
  fileprivate struct Job {
    let job: UnownedJob
    let isTask: Bool
  }

  private struct Shared: ~Copyable {
    var jobs: [Job] = []
    var posts: [@Sendable () -> Void] = []
    var isSleeping = false
    var isStopping = false
    /// After the thread has ended, jobs still arrive (a call on a closed bus); whoever enqueues first runs them all.
    var isEnded = false
    var isDraining = false
  }

  /// What only the loop's thread touches.
  final class Confined {
    @exclusivity(unchecked) fileprivate var localJobs: [Job] = []
    @exclusivity(unchecked) fileprivate var spareJobs: [Job] = []
    /// The executor of tasks on this loop; the transport keeps it.
    @exclusivity(unchecked) unowned(unsafe) var tasks: LoopTaskExecutor?
    @exclusivity(unchecked) var sources: [any EventSource] = []
    var polled: [pollfd] = []
    var sourcesChanged = false
    @exclusivity(unchecked) var onFlush: (() -> Void)?
    /// What is to be done once at the end of the turn, in order.
    @exclusivity(unchecked) var turnEnd: [() -> Void] = []
    /// Asked before sleeping, when `ZMQ_EVENTS` has been: true when something could be done after all.
    @exclusivity(unchecked) var onIdle: (() -> Bool)?
    /// Sweeps timers at the given time and returns when to be called next.
    var onSweep: ((Int64) -> Int64)?
    var onStop: (() -> Void)?
    /// Whoever performs on this loop; kept alive until the loop has ended.
    var owner: AnyObject?
    @exclusivity(unchecked) var nextSweep: Int64 = 0
    @exclusivity(unchecked) var now: Int64 = MonotonicTime.milliseconds
  }

  private let shared = Mutex(Shared())
  private let wakeDescriptor: Int32
  private let thread = Atomic<UInt>(0)
  let confined = Confined()

  /// Messages taken from one source in one turn; a busy peer cannot starve the others.
  private static let budget = 256
  /// Rounds of jobs that enqueue jobs, before sockets are served again.
  private static let jobRounds = 64
  /// The longest sleep in milliseconds: a lost edge costs this much at worst.
  private static let longestSleep: Int64 = 100

  init() {
    wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
  }

  deinit { if wakeDescriptor >= 0 { Glibc.close(wakeDescriptor) } }

  /// Starts the thread; returns when it runs.
  func start() {
    confined.nextSweep = confined.now
    let retained = Unmanaged.passRetained(self).toOpaque()
    var handle = pthread_t()
    let made = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        let loop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
        minerva_name_thread("minerva-bus")
        loop.thread.store(UInt(pthread_self()), ordering: .releasing)
        loop.run()
        return nil
      }, retained)
    guard made == 0 else {
      Unmanaged<EventLoop>.fromOpaque(retained).release()
      shared.withLock { $0.isEnded = true }
      return
    }
    pthread_detach(handle)
  }

  /// True on the loop's own thread.
  @inline(__always) package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// The time of this turn in monotonic milliseconds. Loop thread only.
  @inline(__always) package var now: Int64 { confined.now }

  // MARK: From any thread

  /// Runs `work` on the loop, in the order of the posts.
  package func post(_ work: @escaping @Sendable () -> Void) {
    let (wake, ended) = shared.withLock { shared -> (Bool, Bool) in
      shared.posts.append(work)
      let wake = shared.isSleeping
      shared.isSleeping = false
      return (wake, shared.isEnded)
    }
    if ended { drainAfterEnd() } else if wake { self.wake() }
  }

  /// Runs `work` now when on the loop, else posts it.
  @inline(__always) package func perform(_ work: @escaping @Sendable () -> Void) { if isCurrent { work() } else { post(work) } }

  public func enqueue(_ job: consuming ExecutorJob) { enqueue(Job(job: UnownedJob(job), isTask: false)) }

  fileprivate func enqueue(task job: consuming ExecutorJob) { enqueue(Job(job: UnownedJob(job), isTask: true)) }

  @inline(__always) private func enqueue(_ job: Job) {
    if isCurrent {
      confined.localJobs.append(job)
      return
    }
    let (wake, ended) = shared.withLock { shared -> (Bool, Bool) in
      shared.jobs.append(job)
      let wake = shared.isSleeping
      shared.isSleeping = false
      return (wake, shared.isEnded)
    }
    if ended { drainAfterEnd() } else if wake { self.wake() }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  public func isSameExclusiveExecutionContext(other: EventLoop) -> Bool { self === other }

  public func checkIsolated() { precondition(isCurrent, "not on the bus's event loop") }

  /// Asks the loop to end after the current turn.
  func stop() {
    shared.withLock { $0.isStopping = true }
    wake()
  }

  private func wake() {
    var one: UInt64 = 1
    _ = Glibc.write(wakeDescriptor, &one, 8)
  }

  // MARK: On the loop

  /// Adds a source. Loop thread only.
  func add(_ source: any EventSource) {
    confined.sources.append(source)
    confined.sourcesChanged = true
  }

  /// Removes a source. Loop thread only.
  func remove(_ source: any EventSource) {
    confined.sources.removeAll { $0 === source }
    confined.sourcesChanged = true
  }

  /// Makes the next sweep happen no later than `moment`. Loop thread only.
  @inline(__always) package func sweep(noLaterThan moment: Int64) {
    if moment < confined.nextSweep { confined.nextSweep = moment }
  }

  /// Does `work` at the end of this turn, when everything that has arrived was looked at: one write for all of it. Loop thread only.
  package func atEndOfTurn(_ work: @escaping () -> Void) { confined.turnEnd.append(work) }

  private func endTurn() {
    while !confined.turnEnd.isEmpty {
      let work = confined.turnEnd
      confined.turnEnd = []
      for item in work { item() }
    }
  }

  /// Runs enqueued jobs until none is left, so that calls dispatched before have started. Loop thread only, outside of any job.
  package func runEnqueuedJobs() {
    var rounds = 0
    while !confined.localJobs.isEmpty, rounds < Self.jobRounds {
      rounds += 1
      // Two arrays take turns, so that a turn costs no allocation; nested calls find the spare one empty and make their own.
      var jobs = confined.localJobs
      confined.localJobs = confined.spareJobs
      confined.spareJobs = []
      run(jobs)
      jobs.removeAll(keepingCapacity: true)
      confined.spareJobs = jobs
    }
  }

  @inline(__always) private func run(_ jobs: [Job]) {
    let (tasks, actors) = (confined.tasks?.asUnownedTaskExecutor(), asUnownedSerialExecutor())
    for job in jobs {
      if job.isTask, let tasks { job.job.runSynchronously(on: tasks) } else { job.job.runSynchronously(on: actors) }
    }
  }

  private func run() {
    var jobs: [Job] = []
    var posts: [@Sendable () -> Void] = []
    while true {
      confined.now = MonotonicTime.milliseconds
      var isBusy = takeMessages()
      let isStopping = shared.withLock { shared in
        swap(&jobs, &shared.jobs)
        swap(&posts, &shared.posts)
        shared.isSleeping = false
        return shared.isStopping
      }
      if !posts.isEmpty {
        for post in posts { post() }
        posts.removeAll(keepingCapacity: true)
        isBusy = true
      }
      if !jobs.isEmpty {
        run(jobs)
        jobs.removeAll(keepingCapacity: true)
        isBusy = true
      }
      runEnqueuedJobs()
      endTurn()
      confined.onFlush?()
      if confined.now >= confined.nextSweep {
        confined.nextSweep = confined.onSweep?(confined.now) ?? .max
        endTurn()
        confined.onFlush?()
      }
      if isStopping { break }
      if !isBusy, confined.localJobs.isEmpty { sleep() }
    }
    confined.onStop?()
    confined.onStop = nil
    confined.onFlush = nil
    confined.onIdle = nil
    confined.onSweep = nil
    confined.owner = nil
    confined.sources.removeAll()
    end()
  }

  private func takeMessages() -> Bool {
    var isBusy = false
    // A handler may add or remove sources: walk a copy of the list.
    let sources = confined.sources
    for source in sources where source.isReady {
      if source.drain(budget: Self.budget) { isBusy = true } else { source.isReady = false }
    }
    return isBusy
  }

  private func sleep() {
    let mayWait = shared.withLock { shared in
      guard shared.jobs.isEmpty, shared.posts.isEmpty, !shared.isStopping else { return false }
      shared.isSleeping = true
      return true
    }
    guard mayWait else { return }
    // Only now, with the wish to sleep announced, is ZMQ_EVENTS asked: whatever comes later makes a descriptor readable.
    guard !findReady() else { return }
    if confined.onIdle?() == true || findReady() { return }
    if confined.sourcesChanged { rebuildPollList() }
    let untilSweep = max(0, confined.nextSweep &- MonotonicTime.milliseconds)
    let timeout = Int32(min(Self.longestSleep, untilSweep))
    let count = poll(&confined.polled, nfds_t(confined.polled.count), timeout)
    if count <= 0 {
      // A lost edge is never worse than one longest sleep.
      for source in confined.sources { source.isReady = true }
      return
    }
    if confined.polled[0].revents != 0 {
      var value: UInt64 = 0
      _ = Glibc.read(wakeDescriptor, &value, 8)
    }
    for (index, source) in confined.sources.enumerated() where confined.polled[index + 1].revents != 0 { source.isReady = true }
  }

  private func findReady() -> Bool {
    var isReady = false
    for source in confined.sources where source.isReady || source.needsDrain {
      source.isReady = true
      isReady = true
    }
    return isReady
  }

  private func rebuildPollList() {
    confined.sourcesChanged = false
    confined.polled = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    for source in confined.sources { confined.polled.append(pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)) }
  }

  // MARK: After the end

  private func end() {
    thread.store(0, ordering: .releasing)
    let left = confined.localJobs
    confined.localJobs = []
    shared.withLock { shared in
      shared.jobs.append(contentsOf: left)
      shared.isEnded = true
    }
    drainAfterEnd()
  }

  /// Runs what arrives after the thread has ended, one runner at a time, so that an actor on a closed bus still answers.
  private func drainAfterEnd() {
    while true {
      let work = shared.withLock { shared -> ([Job], [@Sendable () -> Void])? in
        guard !shared.isDraining, !(shared.jobs.isEmpty && shared.posts.isEmpty) else { return nil }
        shared.isDraining = true
        let work = (shared.jobs, shared.posts)
        shared.jobs = []
        shared.posts = []
        return work
      }
      guard let (jobs, posts) = work else { return }
      thread.store(UInt(pthread_self()), ordering: .releasing)
      for post in posts { post() }
      run(jobs)
      runEnqueuedJobs()
      endTurn()
      thread.store(0, ordering: .releasing)
      shared.withLock { $0.isDraining = false }
    }
  }
}

extension EventLoop {
  /// True when an actor's own executor is this loop.
  package func isExecutor(of actor: some DistributedActor) -> Bool {
    // UnownedSerialExecutor is two words without an `==`.
    withUnsafeBytes(of: actor.unownedExecutor) { theirs in
      withUnsafeBytes(of: asUnownedSerialExecutor()) { ours in theirs.elementsEqual(ours) }
    }
  }
}

/// Keeps tasks on the thread of a bus: `Task(executorPreference: bus.taskExecutor) { … }`.
///
/// What such a task does is short and does not block, like everything on the loop.
public final class LoopTaskExecutor: TaskExecutor, Sendable {
  private let loop: EventLoop

  init(_ loop: EventLoop) {
    self.loop = loop
    loop.confined.tasks = self
  }

  public func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(task: job) }
}
