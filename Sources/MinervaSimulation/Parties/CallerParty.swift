import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// A caller: the product's session, a person's wishes, repetitions and looks, and diff jobs that it carries to workers itself.
final class CallerParty: Party {
  private let cluster: Cluster
  private let process: SimulatedProcess
  private let broker: Dialler
  private var session = ClientSessionStateMachine()
  private var alarm: Alarm?
  private var questions: [UInt64: (question: Question, sent: Moment?)] = [:]
  /// The answer that is being taken.
  private var reply: BrokerAction.Reply?

  private var jobs = JobCallerStateMachine()
  private var jobAlarm: Alarm?
  private var orders: [UInt64: JobOrder] = [:]
  private var lastJob: UInt64 = 0
  /// Leases to be sent when their worker's connection is there, and those that were, by connection.
  private var unsent: [WorkerPoolStateMachine.Lease] = []
  private var sent: [UInt64: [WorkerPoolStateMachine.Lease]] = [:]
  private var workers: [String: SimulatedNetwork.Connection] = [:]
  private var links: [String: LinkEnd] = [:]
  /// What the last answer of a worker said.
  private var computed: UInt64 = 0

  private var world: World { cluster.world }

  init(cluster: Cluster, process: SimulatedProcess) {
    self.cluster = cluster
    self.process = process
    broker = Dialler(process: process, peer: Cluster.broker)
    alarm = Alarm(world: cluster.world, process: process) { [unowned self] in
      // The planted fault: nobody sweeps the deadlines.
      if world.fault != .deadlineSweepMissing { perform(session.tick(world.now)) }
    }
    jobAlarm = Alarm(world: cluster.world, process: process) { [unowned self] in perform(jobs.tick(world.now)) }
  }

  var isIdle: Bool { session.unanswered == 0 && jobs.unfinished == 0 && session.isRegistered }

  func started() {
    broker.dial()
    // Whoever grants leases rides over the broker's restarts by itself.
    perform(jobs.poolUp())
    again(60...260) { $0.speak() }
    again(150...1_000) { $0.makeJob() }
  }

  private func again(_ pause: ClosedRange<Int64>, _ work: @escaping (CallerParty) -> Void) {
    let life = process.life
    world.agenda.after(world.random.milliseconds(pause)) { [self] in
      process.run(life) { [self] in
        guard world.now < Cluster.lastWish else { return }
        work(self)
        again(pause, work)
      }
    }
  }

  // MARK: Calls

  private func speak() {
    switch Int.random(in: 0..<100, using: &world.random) {
    case ..<62 where world.now < Cluster.calm:
      call(.request(cluster.wish(of: process.name)))
    // A caller that heard nothing, or does not believe what it heard, asks again under the same name.
    case ..<80:
      guard let txn = cluster.txns.randomElement(using: &world.random), cluster.wishes[txn]?.command.caller == process.name else { return }
      world.ledger.count("broker: repeated")
      call(.request(txn))
    case ..<92: call(.look)
    default: call(.once(world.ids()))
    }
  }

  private func call(_ question: Question, within time: Int64? = nil) {
    let id = world.ids()
    let deadline = world.now + (time ?? world.random.milliseconds(world.random.happens(0.2) ? 100...1_500 : 3_600...4_600))
    questions[id] = (question, nil)
    var repeatability = question.repeatability
    world.ledger.callMade(id, question, deadline: deadline, by: process)
    world.agenda.at(deadline + 1) { [world] in world.ledger.checkCall(id, at: world.now) }
    // The planted fault: a call that may not be repeated is declared repeatable.
    if world.fault == .unkeyedRetried, repeatability == .never { repeatability = .keyed }
    perform(session.call(id, repeatability, deadline: deadline, at: world.now))
  }

  private func perform(_ actions: [ClientSessionStateMachine.Action]) {
    for action in actions {
      switch action {
      // The link's own handshake is the registration of a client.
      case .register: perform(session.registered(epoch: 0, at: world.now))
      case .dropLink: broker.drop()
      case .send(let id, let attempt, _):
        guard let question = questions[id]?.question else { continue }
        if attempt > 1 { world.ledger.count("broker: sent again") }
        questions[id]?.sent = world.now
        broker.send(.ask(call: id, question))
      case .sendCancel(let id): broker.send(.giveUp(call: id))
      case .fail(let id, let error): end(id, error)
      case .deliver(let id): end(id, nil)
      case .announceLost, .announceRegistered: break
      }
    }
    alarm?.arm(session.nextDeadline)
  }

  private func end(_ id: UInt64, _ error: MinervaError?) {
    world.note(process.name, "call \(id) ended: \(error?.code.rawValue ?? "answered")", id)
    world.ledger.callEnded(id, error: error, at: world.now)
    guard let (question, sent) = questions.removeValue(forKey: id) else { return }
    if error?.code == .deadline, let sent { cluster.checkSilence(question, since: sent, of: process) }
    guard case .lease(_, let request) = question, let job = orders.values.first(where: { $0.name == request.job }) else { return }
    switch (reply, error) {
    case (.leased(let lease)?, nil):
      let worker = WorkerPoolStateMachine.Worker(name: lease.worker, incarnation: lease.life)
      perform(jobs.granted(.init(job: job.id, worker: worker, attempt: lease.attempt)))
    case (.refused(let error)?, nil): refused(job, error)
    case (_, let error?): refused(job, error)
    default: break
    }
  }

  // MARK: Jobs

  private func makeJob() {
    guard world.now < Cluster.lastJob else { return }
    lastJob += 1
    let serial = world.ids()
    let isPoison = world.now < Cluster.calm && world.random.happens(0.06)
    let order = JobOrder(
      id: lastJob, name: "\(process.incarnation).\(lastJob)", serial: serial, size: world.random.happens(0.15) ? 50_000 : 500,
      list: !isPoison && world.random.happens(0.3) ? "users" : nil, isPoison: isPoison,
      deadline: world.now + world.random.milliseconds(isPoison ? 4_000...4_600 : 500...4_500))
    world.note(process.name, "wants job \(serial)\(isPoison ? ", poison" : "")", serial)
    world.ledger.jobMade(order, by: process)
    orders[order.id] = order
    world.agenda.at(order.deadline + 1) { [world] in world.ledger.checkJob(serial, at: world.now) }
    perform(jobs.start(order.id, deadline: order.deadline, at: world.now))
  }

  private func perform(_ actions: [JobCallerStateMachine.Action]) {
    for action in actions {
      switch action {
      case .submit(let id, let costs):
        guard let order = orders[id] else { continue }
        let request = DiffLeaseRequest(
          job: order.name, rows: order.size, list: order.list,
          costs: costs.map { DiffWorkerLife(worker: $0.name, life: $0.incarnation) })
        call(.lease(order.serial, request), within: order.deadline - world.now)
      case .send(let lease):
        unsent.append(lease)
        sendJobs(to: lease.worker.name)
      case .reportDone(let lease): giveBack(lease.job)
      case .withdraw(let id): giveBack(id)
      case .deliver(let id): end(job: id, nil)
      case .fail(let id, let error): end(job: id, error)
      }
    }
    jobAlarm?.arm(jobs.nextDeadline)
  }

  private func refused(_ job: JobOrder, _ error: MinervaError) {
    if error.code == .backpressure {
      world.ledger.count("jobs: pushed back")
    } else {
      // The broker may have the job all the same: it must not get a worker that nobody sends anything.
      giveBack(job.id)
    }
    perform(jobs.refused(job.id, error, at: world.now))
  }

  private func giveBack(_ id: UInt64) { call(.endLease("\(process.incarnation).\(id)"), within: 4_500) }

  private func end(job id: UInt64, _ error: MinervaError?) {
    guard let order = orders.removeValue(forKey: id) else { return }
    world.note(process.name, "job \(order.serial) ended: \(error?.code.rawValue ?? "done")", order.serial)
    world.ledger.jobEnded(order.serial, error: error, at: world.now)
    let isRight = error != nil || computed == order.answer
    world.ledger.require(isRight, "an answer is of its own question", "job \(order.serial) of \(process.name) got another's answer")
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
    for lease in lost { perform(jobs.lost(lease)) }
  }

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    if broker.disconnected(connection) {
      world.ledger.count("broker: callers cut off")
      // Nobody can answer what waits for a link.
      for id in questions.keys { questions[id]?.sent = nil }
      return perform(session.linkDown(reason: "connection lost"))
    }
    let worker = connection.peer(of: process.name)
    if workers[worker] === connection { workers[worker] = nil }
    for lease in sent.removeValue(forKey: connection.id) ?? [] { perform(jobs.lost(lease)) }
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    switch message {
    case .answer(let call, let reply):
      guard connection === broker.connection else { return }
      self.reply = reply
      perform(session.answered(call))
      self.reply = nil
    case .result(let lease, let end):
      switch end {
      case .done(let answer):
        computed = answer
        perform(jobs.answered(lease.job, attempt: lease.attempt))
      case .dropped: perform(jobs.dropped(lease))
      case .notMine: perform(jobs.lost(lease))
      case .full:
        world.ledger.count("jobs: turned away")
        perform(jobs.turnedAway(lease, .backpressure("the worker", limit: 2, retryAfterMilliseconds: 20), at: world.now))
      }
    default: break
    }
  }
}
