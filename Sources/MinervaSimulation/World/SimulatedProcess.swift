import MinervaProtocol

/// A process of the simulated machine: it runs, is stopped (SIGSTOP), or is dead; each start is another life.
final class SimulatedProcess {
  enum State {
    case running
    case stopped
    case dead
  }

  let name: String
  private(set) var state = State.dead
  private(set) var life: UInt64 = 0
  /// When it was stopped last and when it ran again: who waited for it meanwhile is not to blame.
  private(set) var stoppedSince: Moment?
  private(set) var disturbedUntil = Moment.zero
  private var backlog: [() -> Void] = []
  /// Makes the party of a new life.
  var launch: (() -> any Party)?
  private(set) var party: (any Party)?

  init(name: String) { self.name = name }

  var isRunning: Bool { if case .running = state { true } else { false } }

  func start() {
    life += 1
    state = .running
    guard let party = launch?() else { return }
    self.party = party
    party.started()
  }

  func kill() {
    state = .dead
    party = nil
    backlog.removeAll()
  }

  func stop(at now: Moment) {
    state = .stopped
    stoppedSince = now
  }

  func resume(at now: Moment) {
    state = .running
    stoppedSince = nil
    disturbedUntil = now
    let work = backlog
    backlog.removeAll()
    for item in work { run(life, item) }
  }

  /// Does something in the process, if it is still the life it was meant for; a stopped one does it when it runs again.
  func run(_ life: UInt64, _ work: @escaping () -> Void) {
    guard life == self.life else { return }
    switch state {
    case .running: work()
    case .stopped: backlog.append(work)
    case .dead: break
    }
  }
}

/// What a process runs.
protocol Party: AnyObject {
  func started()
  /// A connection is up; `dialled` when this end asked for it.
  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool)
  func dialFailed(_ peer: String)
  func disconnected(_ connection: SimulatedNetwork.Connection)
  func received(_ message: Message, over connection: SimulatedNetwork.Connection)
  /// A published message came, over no connection.
  func heard(_ message: Message)
}

extension Party {
  func dialFailed(_ peer: String) {}
  func heard(_ message: Message) {}
}
