import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// The broker's own machine in a process of the simulated cluster, on a disk that forgets: whatever it hears came over the network, and what it
/// wants done travels back the same way. One object is one life.
final class BrokerParty: Party {
  static let scene = SceneAddress(name: "main", app: "shop")

  unowned let cluster: Cluster
  unowned let process: SimulatedProcess
  let journal: SimulatedJournal
  var machine: BrokerStateMachine
  private var alarm: Alarm?

  private var lastToken: CallToken = 0
  private var lastTicket: UInt64 = 0
  private var isSyncing = false
  private var isUnsynced = false
  /// Counts the openings of the journal: a sync that was begun before one is nothing after it.
  private var opening = 0
  /// Scenes on their way into memory.
  private var loading: Set<UInt64> = []
  /// Since when the journal has taken records without a failure.
  private(set) var servingSince: Moment

  /// Who is there, by name.
  private(set) var links: [String: SimulatedNetwork.Connection] = [:]

  /// What waits for an answer, by whom.
  var asked: [CallToken: Asked] = [:]
  var looks: [CallToken: Look] = [:]
  var attaching: [CallToken: SimulatedNetwork.Connection] = [:]
  var turns: [CallToken: Turn] = [:]
  var registrations: [CallToken: SimulatedNetwork.Connection] = [:]

  // What hosts were asked, and are sent.
  var lanes: [String: OrderLane] = [:]
  var making: [UInt64: Link] = [:]
  var inquiries: [UInt64: (host: String, inquiry: RouteInquiry)] = [:]
  var lastOrder: UInt64 = 0

  init(cluster: Cluster, process: SimulatedProcess) {
    self.cluster = cluster
    self.process = process
    journal = SimulatedJournal(disk: cluster.world.disk)
    servingSince = cluster.world.now
    machine = BrokerStateMachine(settings: BrokerParty.settings, epoch: journal.epoch, now: cluster.world.now)
    alarm = Alarm(world: cluster.world, process: process) { [unowned self] in tick() }
  }

  private static var settings: BrokerStateMachine.Settings {
    var settings = BrokerStateMachine.Settings()
    settings.snapshotRecords = 16
    settings.pool.queued = 6
    return settings
  }

  var world: World { cluster.world }
  var truth: Truth { cluster.truth }
  var ledger: Ledger { cluster.world.ledger }
  var fault: Simulation.Fault? { cluster.world.fault }

  /// The open scene.
  var slot: SceneSlot? { machine.scenes[BrokerParty.scene.name] }

  /// Its identity and state, also while it is not in memory.
  var identity: SceneIdentity? { machine.identity(of: BrokerParty.scene.name) }
  var state: SceneState? { slot?.state ?? identity.flatMap { read($0.description)?.state } }

  /// The scene's name in the journal: one whose first records were lost before anybody heard of them begins anew under the next number.
  var key: String { slot?.key ?? identity?.description ?? "" }

  func note(_ what: @autoclosure () -> String, _ number: UInt64 = 0) { world.note(process.name, what(), number) }

  func token() -> CallToken {
    lastToken += 1
    return lastToken
  }

  /// Does something in this life of the broker after some time.
  func after(_ milliseconds: Int64, _ work: @escaping (BrokerParty) -> Void) {
    let life = process.life
    world.agenda.after(milliseconds) { [process, weak self] in
      process.run(life) { if let self { work(self) } }
    }
  }

  // MARK: Time

  /// The time as the machine is told it; with the planted fault a clock that leaps forward with the one on the wall.
  var now: Moment { fault == .wallClockTrusted ? cluster.wallTime : world.now }

  private func tick() {
    perform(machine.alarm(now: now))
  }

  private func arm() {
    guard let next = machine.nextAlarm else { return }
    // What is due in the past has been told so; it is asked again in a moment.
    alarm?.arm(max(world.now + 1, fault == .wallClockTrusted ? world.now + 50 : next))
  }

  // MARK: The course of a life

  func started() {
    truth.brokerStarted()
    ledger.leasesForgotten(at: world.now)
    // Some of what may be under way is read before the broker serves, the rest after.
    restore(share: 0.5)
    again(40...400) { $0.rest() }
  }

  private func again(_ pause: ClosedRange<Int64>, _ work: @escaping (BrokerParty) -> Void) {
    after(world.random.milliseconds(pause)) {
      work($0)
      $0.again(pause, work)
    }
  }

  /// The scene leaves memory when nothing is under way, however short that has been so, and is read again at any later time.
  private func rest() {
    let actions = machine.rest(BrokerParty.scene.name, now: now)
    if actions.isEmpty, slot != nil { return }
    if slot == nil, identity != nil { ledger.count("broker: rests") }
    perform(actions)
  }

  /// A scene as its records and its snapshot make it.
  private func read(_ key: String) -> RestoredScene? {
    guard let journaled = journal.load(key) else { return nil }
    do { return try RestoredScene(journaled, settings: machine.sceneSettings) } catch {
      ledger.broken("what is whole is restored", "\(error)")
      return nil
    }
  }

  private func load(_ key: String, _ number: UInt64) {
    loading.insert(number)
    after(world.random.milliseconds(1...25)) {
      guard $0.loading.remove(number) != nil else { return }
      $0.note("\(key) is read", number)
      $0.ledger.count("broker: loads")
      $0.perform($0.machine.loaded(number, BrokerParty.scene.name, $0.read(key), now: $0.now))
    }
  }

  private func restore(share: Double) {
    loading = []
    let unknown = machine.survey(journal.heads(), now: now)
    for key in unknown where share == 1 || world.random.happens(share) {
      if let scene = read(key) { machine.restore(scene, now: now) }
    }
    compare()
    perform(machine.recovered(epoch: journal.epoch, now: now))
    for name in machine.unknownScenes { perform(machine.wake(name)) }
  }

  // MARK: Disk

  private func sync() {
    guard isUnsynced, !isSyncing, machine.isServing else { return }
    isSyncing = true
    isUnsynced = false
    let covered = journal.beginSync(), ticket = lastTicket, opening = opening
    after(world.random.milliseconds(world.random.happens(0.9) ? 1...20 : 20...150)) {
      if $0.opening == opening { $0.completeSync(covered, ticket) }
    }
  }

  private func completeSync(_ covered: SimulatedJournal.Extent, _ ticket: UInt64) {
    isSyncing = false
    do {
      try journal.completeSync(covered)
    } catch {
      ledger.count("broker: failed commits")
      note("a commit fails")
      return perform(machine.commitFailed(MinervaError(.journalUnavailable, "the sync failed", retryable: true)))
    }
    perform(machine.committed(upTo: ticket, now: now))
  }

  /// The journal is opened anew some time after a failed commit; hosts and callers keep talking meanwhile.
  private func reopen() {
    _ = journal.reopen()
    servingSince = world.now
    note("opens its journal anew", journal.epoch)
    restore(share: 1)
  }

  // MARK: Links

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) {
    let name = connection.dialler.name
    links[name] = connection
    machine.connected(name)
  }

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    let name = connection.dialler.name
    if links[name] === connection { links[name] = nil }
    // The planted fault: the news of the loss takes its time, and nobody asks whether the peer is back.
    if fault == .oldLossCounts { return after(world.random.milliseconds(100...1_000)) { $0.lose(name, connection.diallerIncarnation) } }
    lose(name, connection.diallerIncarnation)
  }

  private func lose(_ name: String, _ incarnation: UInt64) {
    // One that stays away loses its gates with its other claims (C1).
    truth.holders[name] = nil
    drop(lane: name)
    ledger.peerLost(name, incarnation, at: world.now)
    if fault == .attemptsForgotten { forgetLeases(of: name) }
    perform(machine.lost(name, incarnation: incarnation, reason: "by chaos", pid: 1, now: now))
    hostLost(name)
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    switch message {
    case .ask(let call, let question): hear(question, call, over: connection)
    case .giveUp(let call):
      for (token, question) in asked where question.call == call && question.connection === connection { asked[token] = nil }
    case .word(let word): hear(word, over: connection)
    case .report(let report): hear(report, over: connection)
    case .look(let request): look(request, over: connection)
    case .offer(let offer):
      ledger.workerKnownAlive(.init(name: offer.worker, incarnation: connection.diallerIncarnation))
      perform(machine.offer(offer, incarnation: connection.diallerIncarnation, pid: 1, now: now))
    case .cancelled(let lease): perform(machine.cancelled(lease, now: now))
    default: break
    }
  }

  // MARK: Performing, as the service does

  func perform(_ actions: [BrokerAction]) {
    var group: [JournalEntry] = []
    for action in actions {
      if case .append(let entry, let ticket) = action {
        requireOpen(entry.record, "record \(entry.sequence)")
        group.append(entry)
        lastTicket = ticket
        isUnsynced = true
        continue
      }
      write(&group)
      switch action {
      case .append: break
      case .inquire(let host, let inquiry, _): ask(host, inquiry)
      case .connect(let host, let order):
        send(Link(host: host, scene: order.scene, screen: order.connection.screen, lease: order.connection.lease)) { .connect($0, order) }
      case .resume(let host, let order):
        send(Link(host: host, scene: order.scene, screen: order.resumption.screen, lease: order.resumption.lease, order: order)) {
          .resume($0, order)
        }
      case .order(let host, let order): send(order, to: host)
      case .cancelJob(let name, let lease): send(.cancelJob(name, lease), to: lease.worker.name)
      case .snapshot(let snapshot):
        ledger.count("broker: snapshots")
        requireOpen(snapshot.bytes, "a snapshot")
        journal.append(snapshot)
        isUnsynced = true
      case .rest(let rest):
        journal.append(rest)
        isUnsynced = true
      case .load(let key, let number): load(key, number)
      case .reopen:
        opening += 1
        isSyncing = false
        isUnsynced = false
        loading = []
        after(world.random.milliseconds(20...400)) { $0.reopen() }
      case .answer(let token, let reply): answer(token, reply)
      case .publish(let event, _): published(event)
      }
    }
    write(&group)
    // The planted fault: what was written is taken for safe.
    if fault == .committedBeforeSync, machine.isServing, lastTicket > 0 {
      let released = machine.committed(upTo: lastTicket, now: now)
      if !released.isEmpty { perform(released) }
    }
    sync()
    arm()
  }

  private func write(_ group: inout [JournalEntry]) {
    guard !group.isEmpty else { return }
    do { try journal.append(group) } catch { ledger.broken("records follow each other", "a group leaves a gap or repeats a number") }
    group = []
  }

  private func answer(_ token: CallToken, _ reply: BrokerAction.Reply) {
    if let asked = asked.removeValue(forKey: token) { return answered(asked, reply) }
    if let look = looks.removeValue(forKey: token) { return looked(look, reply) }
    if let connection = attaching.removeValue(forKey: token) { return attached(connection, reply) }
    answerHost(token, reply)
  }

  /// Sends to whoever is there under a name now; false when nobody is.
  @discardableResult func send(_ message: Message, to name: String) -> Bool {
    guard let connection = links[name] else { return false }
    process.send(message, over: connection)
    return true
  }
}
