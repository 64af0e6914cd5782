import MinervaProtocol
import MinervaWire

/// A broker as a script around the product's machines: executes wishes once, journals before it answers, leases hosts and workers, publishes.
final class BrokerParty: Party {
  private let world: World
  private let process: SimulatedProcess
  private var hosts: HostLeaseStateMachine
  private var pool: WorkerPoolStateMachine
  private var hostAlarm: Alarm?
  private var poolAlarm: Alarm?

  /// Changes by the number of their event; those after `durable` wait for the disk.
  private var changes: [UInt64] = []
  private var applied: Set<UInt64> = []
  private var durable = 0
  private var digests: [UInt64] = []
  private var syncing = false
  /// Who waits for which change to be safe.
  private var waiting: [(change: Int, call: UInt64, connection: SimulatedNetwork.Connection)] = []

  private var clients: [String: SimulatedNetwork.Connection] = [:]
  private var hostLinks: [String: (connection: SimulatedNetwork.Connection, incarnation: UInt64)] = [:]
  private var workerLinks: [WorkerPoolStateMachine.Worker: SimulatedNetwork.Connection] = [:]
  /// Whose life spoke last on each connection.
  private var lives: [ObjectIdentifier: WorkerPoolStateMachine.Caller] = [:]
  private var orders: [UInt64: (order: JobOrder, caller: WorkerPoolStateMachine.Caller)] = [:]

  init(world: World, process: SimulatedProcess) {
    self.world = world
    self.process = process
    var settings = WorkerPoolStateMachine.Settings()
    settings.queued = 6
    pool = WorkerPoolStateMachine(settings: settings)
    hosts = HostLeaseStateMachine(numbersAfter: process.life << 32)
    hostAlarm = Alarm(world: world, process: process) { [unowned self] in perform(hosts.tick(leaseTime), nil) }
    poolAlarm = Alarm(world: world, process: process) { [unowned self] in perform(pool.tick(world.now)) }
  }

  /// The planted fault: leases measured by the clock on the wall.
  private var leaseTime: Moment { world.fault == .wallClockTrusted ? world.clock.wall(at: world.now) : world.now }

  func started() {
    world.ledger.leasesForgotten()
    recover()
    beat()
  }

  private func beat() {
    let life = process.life
    world.agenda.after(500) { [self] in
      process.run(life) { [self] in
        publish(.watermark(number: UInt64(durable), publisher: process.life))
        if world.fault == .wallClockTrusted { perform(hosts.tick(leaseTime), nil) }
        beat()
      }
    }
  }

  private func publish(_ message: Message) {
    for name in Scenario.subscribers { world.network.publish(message, from: process.name, to: world.process(name)) }
  }

  // MARK: Journal

  /// A record: the change twice, the second time inverted, so that a torn or damaged one is seen.
  private static func record(_ change: UInt64) -> [UInt8] {
    withUnsafeBytes(of: change.littleEndian) { Array($0) } + withUnsafeBytes(of: (~change).littleEndian) { Array($0) }
  }

  private func recover() {
    let bytes = world.disk.contents
    var offset = 0
    while bytes.count - offset >= 16 {
      let (first, second) = bytes.withUnsafeBytes {
        ($0.loadUnaligned(fromByteOffset: offset, as: UInt64.self), $0.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
      }
      guard UInt64(littleEndian: first) == ~UInt64(littleEndian: second) else { break }
      add(UInt64(littleEndian: first))
      offset += 16
    }
    world.disk.truncate(to: offset)
    durable = changes.count
    world.note(process.name, "recovers \(durable) changes", UInt64(durable))
    world.ledger.recovered(changes)
    for number in world.ledger.history.count..<max(durable, world.ledger.history.count) {
      world.ledger.published(UInt64(number + 1), digests[number], at: world.now)
    }
  }

  private func add(_ change: UInt64) {
    changes.append(change)
    applied.insert(change)
    digests.append(Ledger.digest(digests.last ?? 0, change))
  }

  private func execute(_ call: UInt64, _ wish: Wish, _ connection: SimulatedNetwork.Connection) {
    guard wish.repeatability != .pure else { return answer(call, connection) }
    if wish.repeatability == .keyed, let index = applied.contains(wish.id) ? changes.firstIndex(of: wish.id) : nil {
      // N2: a repetition gets the first outcome, once that is safe.
      if index < durable { answer(call, connection) } else { waiting.append((index, call, connection)) }
      return
    }
    world.ledger.require(!applied.contains(wish.id), "nothing is applied twice", "change \(wish.id) was executed again")
    add(wish.id)
    world.disk.append(BrokerParty.record(wish.id))
    world.note(process.name, "executes \(wish.id)", wish.id)
    // The planted fault: the answer does not wait for the disk.
    if world.fault == .answeredBeforeSync { answer(call, connection) } else { waiting.append((changes.count - 1, call, connection)) }
    sync()
  }

  private func answer(_ call: UInt64, _ connection: SimulatedNetwork.Connection) {
    process.send(.answer(id: call, applied: true), over: connection)
  }

  private func sync() {
    guard !syncing, durable < changes.count else { return }
    syncing = true
    let covered = world.disk.beginSync()
    let count = changes.count
    let life = process.life
    world.agenda.after(world.random.milliseconds(1...15)) { [self] in
      process.run(life) { [self] in
        syncing = false
        do {
          try world.disk.completeSync(covered)
        } catch {
          // Nothing that was not safe can be trusted any more: end, and start from what is.
          world.ledger.count("failed syncs")
          return world.crash(process.name, restartAfter: 300)
        }
        made(count)
        sync()
      }
    }
  }

  private func made(_ count: Int) {
    let before = durable
    durable = count
    let ready = waiting.filter { $0.change < count }
    waiting.removeAll { $0.change < count }
    for (_, call, connection) in ready { answer(call, connection) }
    for index in before..<count {
      world.ledger.published(UInt64(index + 1), digests[index], at: world.now)
      publish(.event(number: UInt64(index + 1), publisher: process.life, value: changes[index]))
    }
  }

  // MARK: Messages

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) {}

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    let peer = connection.peer(of: process.name)
    if clients[peer] === connection { clients[peer] = nil }
    // One and the same life may be back on another connection already.
    if let caller = lives.removeValue(forKey: ObjectIdentifier(connection)), !lives.values.contains(caller) {
      perform(pool.callerLost(caller, at: world.now))
    }
    if let link = hostLinks[peer], link.connection === connection {
      hostLinks[peer] = nil
      world.ledger.hostAway(peer, at: world.now)
      perform(hosts.lost(node: peer, incarnation: link.incarnation, at: leaseTime), nil)
    }
    for worker in pool.alive where workerLinks[worker] === connection { lose(worker) }
    waiting.removeAll { $0.connection === connection }
  }

  private func lose(_ worker: WorkerPoolStateMachine.Worker) {
    workerLinks[worker] = nil
    world.ledger.workerKnownLost(worker)
    if world.fault == .attemptsForgotten {
      // The planted fault: the jobs of a dead worker are taken for new ones.
      let holding = orders.keys.sorted().filter { granted[$0]?.worker == worker }
      for id in holding { _ = pool.cancel(id, at: world.now) }
      perform(pool.workerLost(worker, at: world.now))
      for id in holding { if let (order, caller) = orders[id] { perform(pool.submit(id, BrokerParty.job(order, caller), at: world.now)) } }
    } else {
      perform(pool.workerLost(worker, at: world.now))
    }
  }

  private var granted: [UInt64: WorkerPoolStateMachine.Lease] = [:]

  private static func job(_ order: JobOrder, _ caller: WorkerPoolStateMachine.Caller) -> WorkerPoolStateMachine.Job {
    WorkerPoolStateMachine.Job(size: order.size, supersedes: order.list, caller: caller, deadline: order.deadline)
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    switch message {
    case .hello(let name, let incarnation):
      clients[name] = connection
      lives[ObjectIdentifier(connection)] = WorkerPoolStateMachine.Caller(name: name, incarnation: incarnation)
      process.send(.welcome(epoch: process.life), over: connection)
    case .call(let id, let wish): execute(id, wish, connection)
    case .cancelCall(let id): waiting.removeAll { $0.call == id && $0.connection === connection }
    case .register(let node, let incarnation): register(node, incarnation, connection)
    case .turn(let node, let incarnation, let lease): turn(node, incarnation, lease)
    case .credit(let worker, let wants):
      if workerLinks[worker] == nil {
        world.ledger.workerKnownAlive(worker)
        for earlier in pool.alive where earlier.name == worker.name && earlier != worker { lose(earlier) }
      }
      workerLinks[worker] = connection
      perform(pool.credit(worker, wants: wants, at: world.now))
    case .submit(let order, let costs):
      guard let caller = lives[ObjectIdentifier(connection)] else { return }
      orders[order.id] = (order, caller)
      let known = world.fault == .attemptsForgotten ? [] : costs
      perform(pool.submit(order.id, BrokerParty.job(order, caller), costs: known, at: world.now))
    case .jobDone(let id, let worker, let attempt): perform(pool.finished(id, worker: worker, attempt: attempt, at: world.now))
    case .withdrawJob(let id): perform(pool.cancel(id, at: world.now))
    case .snapshotRequest(let request):
      let digest = durable == 0 ? 0 : digests[durable - 1]
      process.send(.snapshot(request: request, through: UInt64(durable), publisher: process.life, digest: digest), over: connection)
    default: break
    }
  }

  // MARK: Hosts

  private func register(_ node: String, _ incarnation: UInt64, _ connection: SimulatedNetwork.Connection) {
    let actions = hosts.register(node: node, incarnation: incarnation, at: leaseTime)
    perform(actions, connection)
    if case .accepted? = actions.last { hostLinks[node] = (connection, incarnation) }
  }

  private func turn(_ node: String, _ incarnation: UInt64, _ lease: UInt64) {
    // The planted fault: what a host says counts whatever lease it says it under.
    if world.fault != .staleHostActs, hosts.check(node: node, incarnation: incarnation, number: lease) != nil {
      return world.ledger.count("turns refused")
    }
    world.ledger.turnAccepted(node, lease: lease)
  }

  private func perform(_ actions: [HostLeaseStateMachine.Action], _ connection: SimulatedNetwork.Connection?) {
    for action in actions {
      switch action {
      case .accepted(let lease, let resumed):
        world.ledger.hostAccepted(lease)
        if let connection { process.send(.lease(lease, resumed: resumed), over: connection) }
      case .refused(let error):
        if let connection { process.send(.refused(error), over: connection) }
      case .suspended(let lease, _): world.note(process.name, "suspends \(lease.node)", lease.number)
      case .expired(let lease, let reason):
        world.note(process.name, "ends lease \(lease.number) of \(lease.node): \(reason)", lease.number)
        world.ledger.leaseExpired(lease, reason, at: world.now)
      }
    }
    if world.fault != .wallClockTrusted { hostAlarm?.arm(hosts.nextDeadline) }
  }

  // MARK: Workers

  private func perform(_ actions: [WorkerPoolStateMachine.Action]) {
    for action in actions {
      switch action {
      case .grant(let lease):
        // The same lease once more is for a caller that did not hear of it.
        if granted[lease.job] != lease { world.ledger.granted(lease) }
        granted[lease.job] = lease
        world.ledger.workerHolds(lease.worker.name, pool.held(by: lease.worker), of: 2)
        world.note(process.name, "leases job \(lease.job) to \(lease.worker.name), attempt \(lease.attempt)", lease.job)
        tell(lease.job, .grant(lease))
      case .fail(let id, let error):
        world.ledger.jobFailedByPool(id)
        tell(id, .jobFailed(id, error))
        orders[id] = nil
        granted[id] = nil
      case .cancel(let lease):
        if let connection = workerLinks[lease.worker] {
          process.send(.cancelJob(lease), over: connection)
        }
      }
    }
    poolAlarm?.arm(pool.nextDeadline)
  }

  private func tell(_ job: UInt64, _ message: Message) {
    guard let (_, caller) = orders[job], let connection = clients[caller.name] else { return }
    process.send(message, over: connection)
  }
}
