import MinervaProtocol

/// Keeps one connection to a peer: dials, and dials again with backoff.
final class Dialler {
  private let world: World
  private let process: SimulatedProcess
  private let life: UInt64
  private let peer: String
  private var backoff = Backoff(first: 50, cap: 1_000)
  private(set) var connection: SimulatedNetwork.Connection?

  init(world: World, process: SimulatedProcess, peer: String) {
    self.world = world
    self.process = process
    self.peer = peer
    life = process.life
  }

  func dial() { world.network.dial(from: process, to: world.process(peer)) }

  /// Takes a connection of ours; false for one of somebody else's.
  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) -> Bool {
    guard dialled, connection.listener.name == peer else { return false }
    backoff.reset()
    self.connection = connection
    return true
  }

  /// The connection is gone: another is tried for. False for somebody else's.
  func disconnected(_ connection: SimulatedNetwork.Connection) -> Bool {
    guard connection === self.connection else { return false }
    self.connection = nil
    retry()
    return true
  }

  func retry() {
    let delay = backoff.next(using: &world.random)
    world.agenda.after(delay) { [self] in
      process.run(life) { [self] in if connection == nil { dial() } }
    }
  }

  func drop() {
    guard let connection else { return }
    self.connection = nil
    world.network.close(connection, by: process.name)
    retry()
  }

  func send(_ message: Message) {
    if let connection { world.network.send(message, over: connection, from: process.name) }
  }
}
