import MinervaBrokerCore
import MinervaInterfaces
import MinervaProtocol
import MinervaWire

/// A diff worker as a script: says how many jobs it wants, does them in some time, dies of poison.
final class WorkerParty: Party {
  private static let capacity = 2

  private struct Running {
    let order: JobOrder
    let lease: WorkerPoolStateMachine.Lease
    let caller: SimulatedNetwork.Connection
    let token: UInt64
  }

  private let world: World
  private let process: SimulatedProcess
  private let broker: Dialler
  private let worker: WorkerPoolStateMachine.Worker
  private var running: [Running] = []
  private var tokens: UInt64 = 0
  /// Jobs that were cancelled before they came, by caller, name and attempt.
  private var cancelled: Set<String> = []

  init(world: World, process: SimulatedProcess) {
    self.world = world
    self.process = process
    worker = WorkerPoolStateMachine.Worker(name: process.name, incarnation: process.incarnation)
    broker = Dialler(process: process, peer: Cluster.broker)
  }

  var isIdle: Bool { running.isEmpty && broker.connection != nil }

  func started() { broker.dial() }

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) {
    guard broker.connected(connection, dialled: dialled) else { return }
    broker.send(.offer(DiffOffer(worker: process.name, endpoint: process.name, credit: WorkerParty.capacity)))
  }

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    if broker.disconnected(connection) { return }
    // Its caller is gone: nobody waits for these.
    running.removeAll { $0.caller === connection }
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    switch message {
    case .run(let order, let lease): run(order, lease, for: connection)
    case .cancelJob(let name, let lease):
      let job = WorkerParty.key(name.caller.incarnation, name.job, lease.attempt)
      if let job = running.first(where: { key($0) == job }) { end(job, .dropped) } else { cancelled.insert(job) }
      broker.send(.cancelled(lease))
    default: break
    }
  }

  private static func key(_ incarnation: UInt64, _ job: String, _ attempt: Int) -> String { "\(incarnation) \(job) \(attempt)" }
  private func key(_ job: Running) -> String { WorkerParty.key(job.caller.diallerIncarnation, job.order.name, job.lease.attempt) }

  private func run(_ order: JobOrder, _ lease: WorkerPoolStateMachine.Lease, for caller: SimulatedNetwork.Connection) {
    guard lease.worker == worker else { return process.send(.result(lease, .notMine), over: caller) }
    tokens += 1
    let job = Running(order: order, lease: lease, caller: caller, token: tokens)
    guard cancelled.remove(key(job)) == nil else { return process.send(.result(lease, .dropped), over: caller) }
    // What a broker has leased knows nothing of what an earlier one had.
    guard running.count < WorkerParty.capacity else { return process.send(.result(lease, .full), over: caller) }
    running.append(job)
    world.note(process.name, "runs job \(order.serial) attempt \(lease.attempt)", order.serial)
    let life = process.life
    let time = order.isPoison ? world.random.milliseconds(2...30) : world.random.milliseconds(2...Int64(20 + order.size / 50))
    world.agenda.after(time) { [self] in
      process.run(life) { [self] in
        guard running.contains(where: { $0.token == job.token }) else { return }
        guard order.isPoison else { return end(job, .done(order.answer)) }
        world.note(process.name, "dies of job \(order.serial)", order.serial)
        world.ledger.jobKilled(order.serial)
        world.crash(process.name, restartAfter: world.random.milliseconds(50...300))
      }
    }
  }

  private func end(_ job: Running, _ end: JobEnd) {
    running.removeAll { $0.token == job.token }
    process.send(.result(job.lease, end), over: job.caller)
  }
}
