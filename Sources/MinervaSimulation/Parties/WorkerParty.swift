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
    /// Under which connection to the broker it was begun: what belongs to an earlier one the present pool does not know.
    let era: UInt64
  }

  private let world: World
  private let process: SimulatedProcess
  private let broker: Dialler
  private let worker: WorkerPoolStateMachine.Worker
  private var running: [Running] = []
  private var tokens: UInt64 = 0
  private var era: UInt64 = 0
  /// Leases that were cancelled before their job came.
  private var cancelled: Set<WorkerPoolStateMachine.Lease> = []

  init(world: World, process: SimulatedProcess) {
    self.world = world
    self.process = process
    worker = WorkerPoolStateMachine.Worker(name: process.name, incarnation: world.random.next())
    broker = Dialler(process: process, peer: Scenario.broker)
  }

  var isIdle: Bool { running.isEmpty }

  func started() { broker.dial() }

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) {
    // What it still does for an earlier life of the pool is not free to be given again.
    if broker.connected(connection, dialled: dialled) {
      era += 1
      announce()
    }
  }

  private func announce() {
    let leftovers = running.count { $0.era != era }
    broker.send(.credit(worker, wants: max(0, WorkerParty.capacity - leftovers)))
  }

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    if broker.disconnected(connection) { return }
    // Its caller is gone: nobody waits for these.
    for job in running where job.caller === connection { end(job, .dropped) }
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    switch message {
    case .run(let order, let lease): run(order, lease, for: connection)
    case .cancelJob(let lease):
      if let job = running.first(where: { $0.lease == lease }) {
        end(job, .dropped)
      } else {
        // Its job has not come, or has ended: either way the credit returns.
        cancelled.insert(lease)
        broker.send(.jobDone(lease.job, worker, attempt: lease.attempt))
      }
    default: break
    }
  }

  private func run(_ order: JobOrder, _ lease: WorkerPoolStateMachine.Lease, for caller: SimulatedNetwork.Connection) {
    guard lease.worker == worker else {
      return process.send(.result(lease, .notMine), over: caller)
    }
    guard cancelled.remove(lease) == nil else {
      return process.send(.result(lease, .dropped), over: caller)
    }
    tokens += 1
    let job = Running(order: order, lease: lease, caller: caller, token: tokens, era: era)
    running.append(job)
    world.note(process.name, "runs job \(order.id) attempt \(lease.attempt)", order.id)
    let life = process.life
    let time = order.isPoison ? world.random.milliseconds(2...30) : world.random.milliseconds(2...Int64(20 + order.size / 500))
    world.agenda.after(time) { [self] in
      process.run(life) { [self] in
        guard running.contains(where: { $0.token == job.token }) else { return }
        if order.isPoison {
          world.note(process.name, "dies of job \(order.id)", order.id)
          world.ledger.jobKilled(order.id)
          world.crash(process.name, restartAfter: world.random.milliseconds(50...300))
        } else {
          end(job, .done)
        }
      }
    }
  }

  private func end(_ job: Running, _ end: JobEnd) {
    running.removeAll { $0.token == job.token }
    process.send(.result(job.lease, end), over: job.caller)
    broker.send(.jobDone(job.order.id, worker, attempt: job.lease.attempt))
    if job.era != era { announce() }
  }
}
