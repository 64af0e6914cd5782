import MinervaProtocol

/// A process of the simulated machine: it runs, is stopped (SIGSTOP), or is dead; each start is another life.
final class SimulatedProcess {
  enum State {
    case running
    case stopped
    case dead
  }

  let name: String
  private unowned let world: World
  private(set) var state = State.dead
  private(set) var life: UInt64 = 0
  /// Since when it is stopped, and when it ran again last: who waited for it meanwhile is not to blame.
  private(set) var stoppedSince: Moment?
  private(set) var disturbedUntil = Moment.zero
  private var backlog: [() -> Void] = []
  private let launch: (SimulatedProcess) -> any Party
  private(set) var party: (any Party)?
  private var links: [LinkEnd] = []

  init(name: String, world: World, launch: @escaping (SimulatedProcess) -> any Party) {
    self.name = name
    self.world = world
    self.launch = launch
  }

  var isRunning: Bool { state == .running }

  func start() {
    life += 1
    state = .running
    let party = launch(self)
    self.party = party
    party.started()
  }

  func kill() {
    state = .dead
    stoppedSince = nil
    party = nil
    links.removeAll()
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

  // MARK: Links

  /// A link to a peer that is kept up from now on.
  func link(to peer: String) -> LinkEnd {
    let link = LinkEnd(world: world, process: self, dialling: peer)
    links.append(link)
    link.start()
    return link
  }

  func accepted(_ connection: SimulatedNetwork.Connection) {
    let link = LinkEnd(world: world, process: self, dialling: nil)
    links.append(link)
    link.accept(connection)
  }

  func received(_ frame: SimulatedNetwork.Frame, over connection: SimulatedNetwork.Connection) {
    links.first { $0.connection === connection }?.received(frame, over: connection)
  }

  /// Sends over the link that uses a connection, if it still does.
  func send(_ message: Message, over connection: SimulatedNetwork.Connection) {
    links.first { $0.connection === connection }?.send(message)
  }

  func hasLinkUp(over connection: SimulatedNetwork.Connection) -> Bool { links.contains { $0.connection === connection && $0.isUp } }

  func forget(_ link: LinkEnd) { links.removeAll { $0 === link } }
}

/// What a process runs.
protocol Party: AnyObject {
  func started()
  /// A link is up; `dialled` when this end asked for it.
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
