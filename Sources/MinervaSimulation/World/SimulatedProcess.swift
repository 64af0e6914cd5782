import MinervaProtocol
import MinervaWire

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

  /// Where the numbers of its lives begin: no two lives of any processes have the same.
  private let firstIncarnation: UInt64

  init(name: String, ordinal: Int, world: World, launch: @escaping (SimulatedProcess) -> any Party) {
    self.name = name
    self.world = world
    self.launch = launch
    firstIncarnation = UInt64(ordinal + 1) * 1_000
  }

  var incarnation: UInt64 { incarnation(ofLife: life) }
  func incarnation(ofLife life: UInt64) -> UInt64 { firstIncarnation + life }

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
    for link in links { link.letGo() }
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

  /// What speaks against a peer that says hello, as in the product: another life of its name that counts as alive. The same life again has lost
  /// its earlier connection.
  func objection(to peer: Introduction, on link: LinkEnd) -> MinervaError? {
    for other in links where other !== link && other.isUp {
      guard let known = other.peerIntroduction, known.node == peer.node else { continue }
      if known.incarnation != peer.incarnation {
        world.ledger.count("links: a second life refused")
        return MinervaError(.nameTaken, "a live process is called \(peer.node)")
      }
      if other.isDialled == link.isDialled {
        world.ledger.count("links: connected again")
        other.replace()
      }
    }
    return nil
  }

  func received(_ frame: SimulatedNetwork.Frame, over connection: SimulatedNetwork.Connection) {
    connection.link(of: self)?.received(frame, over: connection)
  }

  /// Sends over the link that uses a connection, if it still does.
  func send(_ message: Message, over connection: SimulatedNetwork.Connection) {
    connection.link(of: self)?.send(message)
  }

  func hasLinkUp(over connection: SimulatedNetwork.Connection) -> Bool { links.contains { $0.connection === connection && $0.isUp } }

  func forget(_ link: LinkEnd) {
    link.letGo()
    links.removeAll { $0 === link }
  }
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
