import MinervaWire

internal import MinervaProtocol

/// When a process is started again and when its supervisor gives up: inputs and the time go in, actions come out.
///
/// Time is a duration since an arbitrary origin on a clock that nobody sets; randomness comes in as a generator, so
/// that a run is repeated exactly from a seed.
package struct SupervisionStateMachine: Sendable {
  /// The rules of restarting and stopping.
  package struct Settings: Sendable, Hashable, Codable {
    /// The wait before the first restart; it doubles with each further one, and half of it is drawn by lot, so that
    /// processes that fell together do not rise together.
    package var firstDelay: Duration
    package var longestDelay: Duration
    /// More restarts than this within `window` and the process is given up.
    package var restartLimit: Int
    package var window: Duration
    /// A process that ran this long starts again with the first delay.
    package var stableAfter: Duration
    /// The time between SIGTERM and SIGKILL.
    package var grace: Duration

    package init(
      firstDelay: Duration = .milliseconds(50), longestDelay: Duration = .seconds(5), restartLimit: Int = 10,
      window: Duration = .seconds(60), stableAfter: Duration = .seconds(10), grace: Duration = .milliseconds(1500)
    ) {
      self.firstDelay = firstDelay
      self.longestDelay = longestDelay
      self.restartLimit = restartLimit
      self.window = window
      self.stableAfter = stableAfter
      self.grace = grace
    }
  }

  /// What the loop is to do.
  package enum Action: Sendable, Hashable {
    /// Start it, then say `started` or `failedToStart`.
    case start(ProcessSpecification, generation: Int)
    /// Ask it to end.
    case terminate(name: String, pid: Int32)
    /// End it.
    case kill(name: String, pid: Int32)
    /// Tell people.
    case report(SupervisionEvent)
    /// Everything has stopped; there will be no more actions.
    case finished
  }

  private enum State: Sendable, Hashable {
    /// Asked to start, not yet answered.
    case starting
    case running(pid: Int32, since: Duration)
    /// Waits for its next start.
    case waiting(until: Duration)
    /// Asked to end; killed at the deadline. `again` when it is to be started anew afterwards.
    case stopping(pid: Int32, deadline: Duration, killed: Bool, again: Bool)
    case ended
    case gaveUp
  }

  private struct Member: Sendable {
    var specification: ProcessSpecification
    var state: State
    var generation = 0
    var backoff: Backoff
    /// When it was restarted of late, for the limit.
    var restarts: [Duration] = []
    var totalRestarts = 0
    var lastExit: ProcessExit?
    var lastProblem: String?
  }

  private let settings: Settings
  private var members: [String: Member] = [:]
  /// The names in the order of their adding, so that equal inputs give equal actions.
  private var order: [String] = []
  private var isStopping = false
  private var isFinished = false

  package init(settings: Settings = Settings()) { self.settings = settings }

  // MARK: Inputs

  /// Adds a process and starts it. A name that is taken by a live member is left as it is: no actions.
  package mutating func add(_ specification: ProcessSpecification) -> [Action] {
    guard !isStopping else { return [] }
    if let present = members[specification.name] {
      guard present.state == .ended || present.state == .gaveUp else { return [] }
      members[specification.name]?.specification = specification
    } else {
      members[specification.name] = Member(
        specification: specification, state: .ended,
        backoff: Backoff(first: settings.firstDelay.milliseconds, cap: settings.longestDelay.milliseconds))
      order.append(specification.name)
    }
    return start(specification.name)
  }

  package mutating func started(_ name: String, pid: Int32, at now: Duration) -> [Action] {
    guard let member = members[name], member.state == .starting else { return [] }
    if isStopping { return terminate(name, pid: pid, again: false, at: now) }
    members[name]?.state = .running(pid: pid, since: now)
    return [.report(.started(name: name, pid: pid, generation: member.generation))]
  }

  package mutating func failedToStart(
    _ name: String, _ problem: String, at now: Duration, using random: inout some RandomNumberGenerator
  ) -> [Action] {
    guard let member = members[name], member.state == .starting else { return [] }
    members[name]?.lastProblem = problem
    let report = Action.report(.failedToStart(name: name, generation: member.generation, problem: problem))
    return [report] + startAgain(name, at: now, using: &random)
  }

  package mutating func exited(
    _ name: String, pid: Int32, _ exit: ProcessExit, at now: Duration, using random: inout some RandomNumberGenerator
  ) -> [Action] {
    guard let member = members[name] else { return [] }
    switch member.state {
    case .running(let running, let since) where running == pid:
      members[name]?.lastExit = exit
      if now - since >= settings.stableAfter { members[name]?.backoff.reset() }
      let report = Action.report(.exited(name: name, pid: pid, generation: member.generation, exit: exit, expected: false))
      let wanted: Bool
      switch member.specification.restart {
      case .always: wanted = true
      case .onFailure: wanted = !exit.isSuccess
      case .never: wanted = false
      }
      guard wanted else {
        members[name]?.state = .ended
        return [report]
      }
      return [report] + startAgain(name, at: now, using: &random)
    case .stopping(let stopping, _, _, let again) where stopping == pid:
      members[name]?.lastExit = exit
      members[name]?.state = .ended
      let report = Action.report(.exited(name: name, pid: pid, generation: member.generation, exit: exit, expected: true))
      if again && !isStopping {
        members[name]?.totalRestarts += 1
        return [report] + start(name)
      }
      return [report] + stopNextStage(at: now)
    case .starting, .running, .waiting, .stopping, .ended, .gaveUp: return []
    }
  }

  /// Restarts a process at somebody's wish: it counts no failure, and one that was given up gets a new chance.
  package mutating func restart(_ name: String, at now: Duration) -> [Action] {
    guard !isStopping, let member = members[name] else { return [] }
    members[name]?.backoff.reset()
    members[name]?.restarts = []
    switch member.state {
    case .running(let pid, _): return terminate(name, pid: pid, again: true, at: now)
    case .stopping(let pid, let deadline, let killed, _):
      members[name]?.state = .stopping(pid: pid, deadline: deadline, killed: killed, again: true)
      return []
    case .waiting, .ended, .gaveUp: return start(name)
    case .starting: return []
    }
  }

  /// Ends one process for good, or until `restart`.
  package mutating func stop(_ name: String, at now: Duration) -> [Action] {
    guard let member = members[name] else { return [] }
    switch member.state {
    case .running(let pid, _): return terminate(name, pid: pid, again: false, at: now)
    case .stopping(let pid, let deadline, let killed, _):
      members[name]?.state = .stopping(pid: pid, deadline: deadline, killed: killed, again: false)
    case .waiting: members[name]?.state = .ended
    case .starting, .ended, .gaveUp: break
    }
    return []
  }

  /// Ends everything: the highest stage first, each stage when the one above is gone.
  package mutating func stopAll(at now: Duration) -> [Action] {
    guard !isStopping else { return [] }
    isStopping = true
    for name in order {
      switch members[name]?.state {
      case .waiting: members[name]?.state = .ended
      case .stopping(let pid, let deadline, let killed, _):
        members[name]?.state = .stopping(pid: pid, deadline: deadline, killed: killed, again: false)
      default: break
      }
    }
    return [.report(.stopping)] + stopNextStage(at: now)
  }

  /// The time has come that `nextDeadline` named.
  package mutating func tick(at now: Duration) -> [Action] {
    var actions: [Action] = []
    for name in order {
      switch members[name]?.state {
      case .waiting(let until) where until <= now: actions += start(name)
      case .stopping(let pid, let deadline, false, let again) where deadline <= now:
        members[name]?.state = .stopping(pid: pid, deadline: now + Self.afterKill, killed: true, again: again)
        actions += [.report(.killed(name: name, pid: pid, grace: settings.grace)), .kill(name: name, pid: pid)]
      case .stopping(_, let deadline, true, _) where isStopping && deadline <= now:
        // Stuck in the kernel, where no signal reaches it: nobody waits for it any longer. While others run on it keeps
        // its name, else a second one of that name could stand beside it.
        members[name]?.state = .ended
        members[name]?.lastProblem = "did not end after SIGKILL"
        actions += stopNextStage(at: now)
      default: break
      }
    }
    return actions
  }

  private static let afterKill = Duration.seconds(5)

  // MARK: Views

  /// When `tick` has something to do next; nil when only an input can change anything.
  package var nextDeadline: Duration? {
    order.compactMap { name -> Duration? in
      switch members[name]?.state {
      case .waiting(let until): until
      case .stopping(_, let deadline, let killed, _) where !killed || isStopping: deadline
      default: nil
      }
    }.min()
  }

  /// The members in the order of their adding.
  package var statuses: [ProcessStatus] {
    order.compactMap { name in
      guard let member = members[name] else { return nil }
      let phase: ProcessStatus.Phase
      var pid: Int32?
      switch member.state {
      case .starting: phase = .starting
      case .running(let running, _):
        phase = .running
        pid = running
      case .waiting: phase = .waiting
      case .stopping(let stopping, _, _, _):
        phase = .stopping
        pid = stopping
      case .ended: phase = .stopped
      case .gaveUp: phase = .gaveUp
      }
      return ProcessStatus(
        name: name, kind: member.specification.kind, pid: pid, generation: member.generation, restarts: member.totalRestarts,
        phase: phase, lastExit: member.lastExit, lastProblem: member.lastProblem)
    }
  }

  // MARK: Steps

  private mutating func start(_ name: String) -> [Action] {
    guard var member = members[name] else { return [] }
    member.generation += 1
    member.state = .starting
    members[name] = member
    return [.start(member.specification, generation: member.generation)]
  }

  private mutating func startAgain(
    _ name: String, at now: Duration, using random: inout some RandomNumberGenerator
  ) -> [Action] {
    guard var member = members[name] else { return [] }
    defer { members[name] = member }
    guard !isStopping else {
      member.state = .ended
      members[name] = member
      return stopNextStage(at: now)
    }
    member.restarts.removeAll { $0 <= now - settings.window }
    guard member.restarts.count < settings.restartLimit else {
      member.state = .gaveUp
      let seconds = settings.window.components.seconds
      return [.report(.gaveUp(name: name, restarts: member.restarts.count, seconds: Int(seconds)))]
    }
    let delay = member.backoff.next(using: &random)
    member.restarts.append(now)
    member.totalRestarts += 1
    member.state = .waiting(until: now + .milliseconds(delay))
    return []
  }

  private mutating func terminate(_ name: String, pid: Int32, again: Bool, at now: Duration) -> [Action] {
    members[name]?.state = .stopping(pid: pid, deadline: now + settings.grace, killed: false, again: again)
    return [.terminate(name: name, pid: pid)]
  }

  private mutating func stopNextStage(at now: Duration) -> [Action] {
    guard isStopping, !isFinished else { return [] }
    let live = order.filter { name in
      switch members[name]?.state {
      case .starting, .running, .stopping: true
      default: false
      }
    }
    guard let stage = live.compactMap({ members[$0]?.specification.stage }).max() else {
      isFinished = true
      return [.finished]
    }
    var actions: [Action] = []
    for name in live where members[name]?.specification.stage == stage {
      if case .running(let pid, _)? = members[name]?.state { actions += terminate(name, pid: pid, again: false, at: now) }
    }
    return actions
  }
}
