import MinervaProtocol
import MinervaWire

/// A caller: the product's session, people's wishes, and diff jobs that it carries to workers itself.
final class ClientParty: Party {
  private let world: World
  private let process: SimulatedProcess
  private let broker: Dialler
  private var session = ClientSessionStateMachine()
  private var alarm: Alarm?
  private var jobAlarm: Alarm?
  private var wishes: [UInt64: Wish] = [:]
  private var caller = JobCallerStateMachine()
  private var orders: [UInt64: JobOrder] = [:]
  /// Leases to be sent when their worker's connection is there.
  private var unsent: [WorkerPoolStateMachine.Lease] = []
  /// Leases by the connection they were sent over.
  private var sent: [UInt64: [WorkerPoolStateMachine.Lease]] = [:]
  private var workers: [String: SimulatedNetwork.Connection] = [:]
  private var links: [String: LinkEnd] = [:]

  init(world: World, process: SimulatedProcess) {
    self.world = world
    self.process = process
    broker = Dialler(process: process, peer: Scenario.broker)
    alarm = Alarm(world: world, process: process) { [unowned self] in
      // The planted fault: nobody sweeps the deadlines.
      if world.fault != .deadlineSweepMissing { perform(session.tick(world.now)) }
    }
    jobAlarm = Alarm(world: world, process: process) { [unowned self] in perform(caller.tick(world.now)) }
  }

  var isIdle: Bool { session.unanswered == 0 && caller.unfinished == 0 && session.isRegistered }

  func started() {
    broker.dial()
    again(50...400) { $0.makeCall() }
    again(100...700) { $0.makeJob() }
  }

  private func again(_ pause: ClosedRange<Int64>, _ work: @escaping (ClientParty) -> Void) {
    let life = process.life
    world.agenda.after(world.random.milliseconds(pause)) { [self] in
      process.run(life) { [self] in
        guard world.now < Scenario.lastWish else { return }
        work(self)
        again(pause, work)
      }
    }
  }

  // MARK: Calls

  private func makeCall() {
    let id = world.ids()
    let wish = Wish(id: id, repeatability: [.keyed, .keyed, .never, .pure][Int.random(in: 0..<4, using: &world.random)])
    let deadline = world.now + world.random.milliseconds(200...3_000)
    wishes[id] = wish
    world.ledger.callMade(id, wish, deadline: deadline, by: process)
    world.agenda.at(deadline + 1) { [world] in world.ledger.checkCall(id, at: world.now) }
    // The planted fault: a call that may not be repeated is declared repeatable.
    let declared = world.fault == .unkeyedRetried && wish.repeatability == .never ? .keyed : wish.repeatability
    world.note(process.name, "calls \(id) \(wish.repeatability)", id)
    perform(session.call(id, declared, deadline: deadline, at: world.now))
  }

  private func perform(_ actions: [ClientSessionStateMachine.Action]) {
    for action in actions {
      switch action {
      case .register: broker.send(.hello(name: process.name, incarnation: process.life))
      case .dropLink: broker.drop()
      case .send(let id, _, _): if let wish = wishes[id] { broker.send(.call(id: id, wish)) }
      case .sendCancel(let id): broker.send(.cancelCall(id: id))
      case .fail(let id, let error):
        wishes[id] = nil
        world.note(process.name, "call \(id) failed: \(error.code)", id)
        world.ledger.callEnded(id, error: error, at: world.now)
      case .deliver(let id):
        wishes[id] = nil
        world.note(process.name, "call \(id) answered", id)
        world.ledger.callEnded(id, error: nil, at: world.now)
      case .announceLost(let reason):
        world.note(process.name, "lost the broker: \(reason)")
        caller.poolDown()
      case .announceRegistered(let epoch, _):
        world.note(process.name, "registered at \(epoch)", epoch)
        perform(caller.poolUp())
      }
    }
    alarm?.arm(session.nextDeadline)
  }

  // MARK: Jobs

  private func makeJob() {
    let id = world.ids()
    let isPoison = world.now < Scenario.lastChaos && world.random.happens(0.06)
    let order = JobOrder(
      id: id, size: world.random.happens(0.15) ? 50_000 : 500, list: !isPoison && world.random.happens(0.3) ? process.name + "/users" : nil,
      isPoison: isPoison, deadline: world.now + world.random.milliseconds(isPoison ? 8_000...9_000 : 500...6_000))
    world.note(process.name, "wants job \(id)\(isPoison ? ", poison" : "")", id)
    world.ledger.jobMade(order, by: process)
    orders[id] = order
    world.agenda.at(order.deadline + 1) { [world] in world.ledger.checkJob(id, at: world.now) }
    perform(caller.start(id, deadline: order.deadline, at: world.now))
  }

  private func perform(_ actions: [JobCallerStateMachine.Action]) {
    for action in actions {
      switch action {
      case .submit(let id, let costs): if let order = orders[id] { broker.send(.submit(order, costs: costs)) }
      case .send(let lease):
        unsent.append(lease)
        sendJobs(to: lease.worker.name)
      case .reportDone(let lease): broker.send(.jobDone(lease.job, lease.worker, attempt: lease.attempt))
      case .withdraw(let id): broker.send(.withdrawJob(id))
      case .deliver(let id): end(id, nil)
      case .fail(let id, let error): end(id, error)
      }
    }
    jobAlarm?.arm(caller.nextDeadline)
  }

  private func end(_ id: UInt64, _ error: MinervaError?) {
    orders[id] = nil
    world.note(process.name, "job \(id) ended: \(error?.code.rawValue ?? "done")", id)
    world.ledger.jobEnded(id, error: error, at: world.now)
  }

  /// Sends what is leased to a worker, over a connection that is there or is made now.
  private func sendJobs(to worker: String) {
    guard let connection = workers[worker] else {
      // The link keeps itself up from now on; each attempt that fails gives up the leases that wait for it.
      if links[worker] == nil { links[worker] = process.link(to: worker) }
      return
    }
    let ready = unsent.filter { $0.worker.name == worker }
    unsent.removeAll { $0.worker.name == worker }
    for lease in ready {
      guard let order = orders[lease.job] else { continue }
      sent[connection.id, default: []].append(lease)
      process.send(.run(order, lease), over: connection)
    }
  }

  // MARK: Messages

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) {
    if broker.connected(connection, dialled: dialled) { return perform(session.linkUp(at: world.now)) }
    let worker = connection.peer(of: process.name)
    workers[worker] = connection
    sendJobs(to: worker)
  }

  func dialFailed(_ peer: String) {
    let lost = unsent.filter { $0.worker.name == peer }
    unsent.removeAll { $0.worker.name == peer }
    for lease in lost { perform(caller.lost(lease)) }
  }

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    if broker.disconnected(connection) {
      caller.poolDown()
      return perform(session.linkDown(reason: "connection lost"))
    }
    let worker = connection.peer(of: process.name)
    if workers[worker] === connection { workers[worker] = nil }
    for lease in sent.removeValue(forKey: connection.id) ?? [] { perform(caller.lost(lease)) }
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    switch message {
    case .welcome(let epoch): if connection === broker.connection { perform(session.registered(epoch: epoch, at: world.now)) }
    case .answer(let id, _): perform(session.answered(id))
    case .grant(let lease): if connection === broker.connection { perform(caller.granted(lease)) }
    case .jobFailed(let id, let error):
      if error.code == .backpressure { world.ledger.count("jobs: pushed back") }
      perform(caller.refused(id, error, at: world.now))
    case .result(let lease, let end):
      switch end {
      case .done: perform(caller.answered(lease.job, attempt: lease.attempt))
      case .dropped: perform(caller.dropped(lease))
      case .notMine: perform(caller.lost(lease))
      }
    default: break
    }
  }
}
