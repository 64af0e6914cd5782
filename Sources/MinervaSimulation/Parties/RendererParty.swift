import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// Whoever shows the scene: it wants to be the primary, sees transitions, acknowledges them late or never.
final class RendererParty: Party {
  private let world: World
  private let process: SimulatedProcess
  private let broker: Dialler
  /// What it believes: the broker said that it is the primary.
  private var isPrimary = false
  private var isAttaching = false
  /// Transitions it has seen and not acknowledged.
  private var shown: [UInt64] = []

  init(world: World, process: SimulatedProcess) {
    self.world = world
    self.process = process
    broker = Dialler(process: process, peer: Cluster.broker)
  }

  func started() {
    broker.dial()
    act()
  }

  private func act() {
    let life = process.life
    world.agenda.after(world.random.milliseconds(20...200)) { [self] in
      process.run(life) { [self] in
        step()
        act()
      }
    }
  }

  private func step() {
    guard broker.connection != nil else { return }
    switch Int.random(in: 0..<100, using: &world.random) {
    case ..<20:
      guard !isPrimary, !isAttaching else { return }
      isAttaching = true
      broker.send(.report(.attached(renderer: process.name, takesOver: world.random.happens(0.3))))
    case ..<95:
      guard !shown.isEmpty else { return }
      broker.send(.report(.acknowledged(renderer: process.name, transition: shown.removeFirst())))
    case _ where world.now < Cluster.calm:
      isPrimary = false
      broker.send(.report(.lost(renderer: process.name)))
    default: break
    }
  }

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) { _ = broker.connected(connection, dialled: dialled) }

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    guard broker.disconnected(connection) else { return }
    world.ledger.count("broker: renderers lost")
    (isPrimary, isAttaching, shown) = (false, false, [])
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    guard connection === broker.connection, case .attached(let isPrimary) = message else { return }
    isAttaching = false
    self.isPrimary = isPrimary
  }

  func heard(_ message: Message) {
    // Of some it never says that it has shown them.
    guard broker.connection != nil, case .event(let event) = message else { return }
    guard case .transition(let transition) = event.kind, !world.random.happens(0.1) else { return }
    shown.append(transition.number)
  }
}
