internal import CPosix
internal import Glibc
package import MinervaWire
internal import Synchronization

/// Keeps a set of processes running: the loop around `SupervisionStateMachine`, on a thread of its own.
///
/// When `init` returns it runs; when `stop` returns every process has ended. A supervisor that dies leaves its
/// children a closed line, at which they end (`ParentWatch`).
package final class ProcessSupervisor: Sendable {
  private enum Command: Sendable {
    case add(ProcessSpecification)
    case restart(String)
    case stop(String)
    case signal(String, Int32)
    case stopAll
  }

  private struct Shared {
    var commands: [Command] = []
    var statuses: [ProcessStatus] = []
    /// The monotonic start of each running generation.
    var starts: [String: Duration] = [:]
    var isFinished = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private final class Core: Sendable {
    let shared = Mutex(Shared())
    let wake: Int32
    init() throws(MinervaError) {
      wake = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
      guard wake >= 0 else { throw MinervaError(.processStart, "cannot make an eventfd; too many open files?", errno: errno) }
    }
    deinit { close(wake) }

    func send(_ command: Command) {
      shared.withLock { $0.commands.append(command) }
      var one: UInt64 = 1
      _ = write(wake, &one, 8)
    }
  }

  private let core: Core

  /// Starts a supervisor without processes.
  ///
  /// - Parameters:
  ///   - runtime: where the logs go.
  ///   - onEvent: hears what happens, on the supervisor's thread; must not block.
  package init(
    runtime: RuntimeDirectory, settings: SupervisionStateMachine.Settings = .init(),
    onEvent: @escaping @Sendable (SupervisionEvent) -> Void = { _ in }
  ) throws(MinervaError) {
    let core = try Core()
    let parent = try ParentLine()
    self.core = core
    let started = SystemThread.start(named: "supervisor") {
      var loop = Loop(core: core, machine: SupervisionStateMachine(settings: settings), runtime: runtime, parent: parent, onEvent: onEvent)
      loop.run()
    }
    guard started else { throw MinervaError(.processStart, "cannot start the supervisor's thread") }
  }

  deinit { core.send(.stopAll) }

  /// Adds a process and starts it.
  package func add(_ specification: ProcessSpecification) { core.send(.add(specification)) }

  /// Ends a process and starts it anew; one that was given up gets a new chance.
  ///
  /// - Throws: `process.unknown`.
  package func restart(_ name: String) throws(MinervaError) {
    try check(name)
    core.send(.restart(name))
  }

  /// Ends one process for good, or until `restart`.
  ///
  /// - Throws: `process.unknown`.
  package func stop(_ name: String) throws(MinervaError) {
    try check(name)
    core.send(.stop(name))
  }

  /// Sends a signal to a process; its end, if that follows, counts as any other.
  ///
  /// - Throws: `process.unknown`.
  package func signal(_ name: String, _ number: Int32) throws(MinervaError) {
    try check(name)
    core.send(.signal(name, number))
  }

  /// The processes, in the order of their adding, as of now.
  package var statuses: [ProcessStatus] {
    let now = MonotonicTime.now
    return core.shared.withLock { shared in
      shared.statuses.map { status in
        guard status.pid != nil, let start = shared.starts[status.name] else { return status }
        var status = status
        status.uptimeMilliseconds = (now - start).milliseconds
        return status
      }
    }
  }

  /// Ends every process, the highest stage first, and returns when all are gone. Idempotent.
  ///
  /// It takes at most the grace of each stage, and ends stopped processes too.
  package func stop() async {
    core.send(.stopAll)
    await withCheckedContinuation { continuation in
      let isFinished = core.shared.withLock { shared in
        if !shared.isFinished { shared.waiters.append(continuation) }
        return shared.isFinished
      }
      if isFinished { continuation.resume() }
    }
  }

  private func check(_ name: String) throws(MinervaError) {
    let known = core.shared.withLock { shared in
      if shared.statuses.contains(where: { $0.name == name }) { return true }
      return shared.commands.contains { if case .add(let specification) = $0 { specification.name == name } else { false } }
    }
    guard known else {
      let names = statuses.map(\.name).joined(separator: ", ")
      throw MinervaError(.processUnknown, "no process \(name) here; there are: \(names.isEmpty ? "none" : names)")
    }
  }

  /// The thread's state: performs the machine's actions and feeds it what happens.
  private struct Loop {
    let core: Core
    var machine: SupervisionStateMachine
    let runtime: RuntimeDirectory
    let parent: ParentLine
    let onEvent: @Sendable (SupervisionEvent) -> Void
    var processes: [String: SpawnedProcess] = [:]
    /// The wall time of each start, for display.
    var startedAt: [String: Int64] = [:]
    /// Whose logs are here.
    var logged: Set<String> = []
    var random = SystemRandomNumberGenerator()
    var isFinished = false

    mutating func run() {
      while !isFinished {
        waitForSomething()
        let commands = core.shared.withLock { shared in
          defer { shared.commands = [] }
          return shared.commands
        }
        for command in commands { perform(command) }
        for (name, process) in processes {
          guard let exit = process.poll() else { continue }
          processes[name] = nil
          perform(machine.exited(name, pid: process.pid, exit, at: MonotonicTime.now, using: &random))
        }
        perform(machine.tick(at: MonotonicTime.now))
        publish()
      }
      let waiters = core.shared.withLock { shared in
        shared.isFinished = true
        defer { shared.waiters = [] }
        return shared.waiters
      }
      for waiter in waiters { waiter.resume() }
    }

    private func waitForSomething() {
      var sets = [pollfd(fd: core.wake, events: Int16(POLLIN), revents: 0)]
      for process in processes.values { sets.append(pollfd(fd: process.descriptor, events: Int16(POLLIN), revents: 0)) }
      let limit = machine.nextDeadline.map { MonotonicTime.milliseconds($0 - MonotonicTime.now) } ?? 60_000
      _ = poll(&sets, nfds_t(sets.count), limit)
      var count: UInt64 = 0
      _ = read(core.wake, &count, 8)
    }

    private mutating func perform(_ command: Command) {
      switch command {
      case .add(let specification): perform(machine.add(specification))
      case .restart(let name): perform(machine.restart(name, at: MonotonicTime.now))
      case .stop(let name): perform(machine.stop(name, at: MonotonicTime.now))
      case .signal(let name, let number): processes[name]?.signal(number)
      case .stopAll: perform(machine.stopAll(at: MonotonicTime.now))
      }
      publish()
    }

    private mutating func perform(_ actions: [SupervisionStateMachine.Action]) {
      var queue = actions[...]
      while let action = queue.popFirst() {
        switch action {
        case .start(let specification, _): queue += start(specification)
        case .terminate(let name, _):
          processes[name]?.signal(SIGTERM)
          // A stopped process sees the signal only once it goes on.
          processes[name]?.signal(SIGCONT)
        case .kill(let name, _): processes[name]?.signal(SIGKILL)
        case .report(let event):
          publish()
          if let name = event.process, logged.contains(name) { ProcessLog.add("\(event)", to: runtime.logPath(name)) }
          onEvent(event)
        case .finished: isFinished = true
        }
      }
    }

    private mutating func start(_ specification: ProcessSpecification) -> [SupervisionStateMachine.Action] {
      do throws(MinervaError) {
        let process = try SpawnedProcess.start(specification, runtime: runtime, parent: parent)
        processes[specification.name] = process
        if specification.output == .log { logged.insert(specification.name) }
        let now = MonotonicTime.now
        startedAt[specification.name] = MonotonicTime.wallMilliseconds
        core.shared.withLock { $0.starts[specification.name] = now }
        return machine.started(specification.name, pid: process.pid, at: now)
      } catch {
        return machine.failedToStart(specification.name, "\(error)", at: MonotonicTime.now, using: &random)
      }
    }

    private func publish() {
      let statuses = machine.statuses.map { status in
        var status = status
        if status.pid != nil { status.startedAt = startedAt[status.name] }
        return status
      }
      core.shared.withLock { $0.statuses = statuses }
    }
  }
}
