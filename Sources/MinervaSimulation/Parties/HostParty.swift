import MinervaProtocol
import MinervaWire

/// A host as a script: registers, takes turns under its lease, keeps turns it could not send.
final class HostParty: Party {
  private let world: World
  private let process: SimulatedProcess
  private let broker: Dialler
  private let incarnation: UInt64
  private var lease: HostLeaseStateMachine.Lease?
  /// Turns not sent yet, each under the lease it was taken under: what a host that was stopped wakes up with.
  private var outbox: [UInt64] = []

  init(world: World, process: SimulatedProcess) {
    self.world = world
    self.process = process
    incarnation = world.random.next()
    broker = Dialler(process: process, peer: Scenario.broker)
  }

  /// Whether the broker has let it in.
  var isRegistered: Bool { lease != nil && broker.connection != nil }

  func started() {
    broker.dial()
    turn()
  }

  private func turn() {
    let life = process.life
    world.agenda.after(world.random.milliseconds(100...600)) { [self] in
      process.run(life) { [self] in
        if let lease { outbox.append(lease.number) }
        if isRegistered { flush() }
        if outbox.count > 20 { outbox.removeFirst() }
        turn()
      }
    }
  }

  private func flush() {
    for number in outbox { broker.send(.turn(node: process.name, incarnation: incarnation, lease: number)) }
    outbox.removeAll()
  }

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) {
    guard broker.connected(connection, dialled: dialled) else { return }
    broker.send(.register(node: process.name, incarnation: incarnation))
    // A host that does not wait for the answer: the broker must tell its stale turns from good ones.
    flush()
  }

  func disconnected(_ connection: SimulatedNetwork.Connection) { _ = broker.disconnected(connection) }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    guard connection === broker.connection else { return }
    switch message {
    case .lease(let lease, let resumed):
      world.note(process.name, "lease \(lease.number) resumed \(resumed)", lease.number)
      self.lease = lease
    case .refused(let error):
      world.note(process.name, "refused \(error.code)")
      // A name that is still held, a life that was replaced: start over as a new life would.
      if error.code == .staleEpoch, lease == nil { return world.crash(process.name, restartAfter: 200) }
      if error.code == .nameTaken { broker.drop() }
    default: break
    }
  }
}
