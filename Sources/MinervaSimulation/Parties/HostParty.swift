import MinervaProtocol

/// A host of the cluster: the script of one, its link to the broker, and the pace at which it works.
final class HostParty: Party {
  private let world: World
  private let process: SimulatedProcess
  private let broker: Dialler
  private(set) var script: ScriptedHost

  init(world: World, process: SimulatedProcess, app: ScriptedApp) {
    self.world = world
    self.process = process
    script = ScriptedHost(name: process.name, app: app)
    broker = Dialler(process: process, peer: Cluster.broker)
  }

  func started() {
    broker.dial()
    work()
  }

  private func work() {
    let life = process.life
    world.agenda.after(world.random.milliseconds(15...140)) { [self] in
      process.run(life) { [self] in
        script.isCalm = world.now >= Cluster.calm
        script.work(world.ledger, using: &world.random)
        flush()
        work()
      }
    }
  }

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) {
    guard broker.connected(connection, dialled: dialled) else { return }
    script.connect(connection.id)
    flush()
  }

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    guard broker.disconnected(connection) else { return }
    world.ledger.count("broker: hosts cut off")
    script.disconnect()
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    guard connection === broker.connection, case .order(let order) = message else { return }
    // Not now: the link is given up and tried again.
    if case .refused = order { return broker.drop() }
    script.inbox.append(order)
    script.take(world.ledger, using: &world.random)
    flush()
  }

  /// Sends what it has to say; a turn may overtake the verdict before it, as they are two calls.
  private func flush() {
    while !script.outbox.isEmpty {
      var place = 0
      if script.outbox.count > 1, case .verdict = script.outbox[0], case .turn = script.outbox[1], world.random.happens(0.3) { place = 1 }
      broker.send(.word(script.outbox.remove(at: place)))
    }
  }
}
