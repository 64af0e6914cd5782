import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// The broker's own machine on a disk that forgets, and everybody around it, in the order of one seed.
///
/// Callers ask through the product's session, hosts make modules and report turns, renderers acknowledge, readers follow the events through
/// the product's subscriber. Connections end, processes die, syncs fail, writes are torn. The callers' log of the answers they received is
/// the truth that every restored scene is compared with (P1, N2, N16).
final class BrokerOnDisk {
  static let scene = SceneAddress(name: "main", app: "shop")

  let fault: Simulation.Fault?
  var random: SplitMix64
  let ledger = Ledger()
  let disk = SimulatedDisk()
  var journal: SimulatedJournal
  var machine: BrokerStateMachine
  var now = Moment(milliseconds: 1_000)
  /// How often the broker was started.
  private(set) var life: UInt64 = 1
  private var digest: UInt64 = 0xcbf2_9ce4_8422_2325
  private var trace: [String]?

  private var lastToken: CallToken = 0
  private var lastTicket: UInt64 = 0
  private var covering: (covered: (disk: Int, heads: [String: UInt64]), ticket: UInt64)?
  private var isReopening = false
  /// Scenes on their way into memory.
  private var loading: [(key: String, number: UInt64)] = []
  private var connections: UInt64 = 0

  // Who asks, and what of it waits for an answer.
  var callers = [ScriptedCaller(name: "caller-1"), ScriptedCaller(name: "caller-2")]
  var asked: [CallToken: Asked] = [:]
  /// Every request ever made, by its txn, and the txns in order.
  var wishes: [String: Wished] = [:]
  var txns: [String] = []

  // Who makes modules.
  var hosts = [
    ScriptedHost(name: "shop-1", incarnation: 1_000), ScriptedHost(name: "shop-2", incarnation: 2_000),
    ScriptedHost(name: "bank-1", app: .bank, incarnation: 3_000),
  ]
  var lanes: [String: OrderLane] = [:]
  var links: [UInt64: Link] = [:]
  var lastLink: UInt64 = 0
  var unreachable: [Link] = []
  /// The owners of routes that were asked, and have not answered.
  var inquiries: [UInt64: (host: String, inquiry: RouteInquiry)] = [:]
  var unasked: [(host: String, inquiry: RouteInquiry)] = []
  var turns: [CallToken: Turn] = [:]
  var registrations: [CallToken: String] = [:]

  // Who looks.
  var renderers = [ScriptedRenderer(name: "phone"), ScriptedRenderer(name: "tablet")]
  var attaching: [CallToken: (renderer: Int, connection: UInt64)] = [:]
  var readers = [SceneReader(name: "reader-1"), SceneReader(name: "reader-2")]
  var looks: [CallToken: Look] = [:]

  var truth = Truth()

  init(seed: UInt64, fault: Simulation.Fault?, tracing: Bool) {
    self.fault = fault
    random = SplitMix64(seed: seed ^ 0xD15C)
    trace = tracing ? [] : nil
    journal = SimulatedJournal(disk: disk)
    machine = BrokerStateMachine(settings: BrokerOnDisk.settings, epoch: journal.epoch, now: now)
  }

  private static var settings: BrokerStateMachine.Settings {
    var settings = BrokerStateMachine.Settings()
    settings.snapshotRecords = 16
    return settings
  }

  /// The open scene.
  var slot: SceneSlot? { machine.scenes[BrokerOnDisk.scene.name] }

  /// Its identity and state, also while it is not in memory.
  var identity: SceneIdentity? { machine.identity(of: BrokerOnDisk.scene.name) }
  var state: SceneState? { slot?.state ?? identity.flatMap { read($0.description)?.state } }

  /// The scene's name in the journal: one whose first records were lost before anybody heard of them begins anew under the next number.
  var key: String { identity?.description ?? "" }

  func note(_ what: @autoclosure () -> String, _ number: UInt64 = 0) {
    digest = (digest ^ UInt64(bitPattern: now.milliseconds) ^ number &* 31) &* 0x100_0000_01b3
    if trace != nil { trace?.append("\(now.milliseconds) broker on disk: \(what())") }
  }

  func token() -> CallToken {
    lastToken += 1
    return lastToken
  }

  func connection() -> UInt64 {
    connections += 1
    return connections
  }

  // MARK: The course of a run

  /// Runs to the end or to the first broken rule.
  func run() -> Simulation.Outcome {
    perform(machine.recovered(epoch: journal.epoch, now: now))
    for index in hosts.indices {
      connectHost(index)
      hear(host: index)
    }
    for index in callers.indices { connectCaller(index) }
    for index in readers.indices { connectReader(index) }
    var steps = 0
    while ledger.violation == nil, steps < 900 {
      steps += 1
      now = now + random.milliseconds(0...12)
      step()
    }
    if ledger.violation == nil { settle() }
    return Simulation.Outcome(
      steps: steps, digest: digest,
      violation: ledger.violation.map { Simulation.Violation(rule: $0.rule, text: $0.text, at: now) }, counters: ledger.counters,
      trace: trace)
  }

  private func step() {
    giveUpUnreachable()
    callersTick()
    readersTick()
    restStep()
    switch Int.random(in: 0..<100, using: &random) {
    case ..<45: hostStep()
    case ..<65: callerStep()
    case ..<75: viewerStep()
    case ..<82: beginSync()
    case ..<93: completeSync()
    case ..<97: passTime()
    case ..<98: disk.failingSyncs = random.happens(0.5) ? 1 : 0
    default: if random.happens(0.35) { crash() }
    }
  }

  /// The scene leaves memory when nothing is under way, however short that has been so, and is read again at any later time.
  private func restStep() {
    if !loading.isEmpty, random.happens(0.25) { return completeLoad() }
    guard random.happens(0.1) else { return }
    let actions = machine.rest(BrokerOnDisk.scene.name, now: now)
    if actions.isEmpty, slot != nil { return }
    if slot == nil, identity != nil { ledger.count("broker: rests") }
    perform(actions)
  }

  private func completeLoad() {
    guard !loading.isEmpty else { return }
    let load = loading.removeFirst()
    note("\(load.key) is read", load.number)
    ledger.count("broker: loads")
    perform(machine.loaded(load.number, BrokerOnDisk.scene.name, read(load.key), now: now))
  }

  /// A scene as its records and its snapshot make it.
  private func read(_ key: String) -> RestoredScene? {
    guard let journaled = journal.load().first(where: { $0.scene == key }) else { return nil }
    do { return try RestoredScene(journaled, settings: machine.sceneSettings) } catch {
      ledger.broken("what is whole is restored", "\(error)")
      return nil
    }
  }

  private func passTime() {
    now = now + random.milliseconds(random.happens(0.9) ? 0...200 : 0...3_000)
    perform(machine.alarm(now: now))
  }

  // MARK: Disk

  private func beginSync() {
    if covering == nil, !isReopening { covering = (journal.beginSync(), lastTicket) }
  }

  private func completeSync() {
    if isReopening { return reopen() }
    guard let (covered, ticket) = covering else { return }
    covering = nil
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
    isReopening = false
    _ = journal.reopen()
    note("opens its journal anew", journal.epoch)
    restore(share: 1)
  }

  private func crash() {
    ledger.count("broker: crashes")
    note("crashes")
    disk.crash(using: &random)
    covering = nil
    isReopening = false
    life += 1
    lastTicket = 0
    now = now + random.milliseconds(10...500)
    journal = SimulatedJournal(disk: disk)
    machine = BrokerStateMachine(settings: BrokerOnDisk.settings, epoch: journal.epoch, now: now)
    for index in hosts.indices { hosts[index].disconnect(killed: false) }
    for index in callers.indices { disconnectCaller(index, killed: false) }
    for index in renderers.indices { renderers[index].disconnect() }
    for index in readers.indices { disconnectReader(index) }
    asked = [:]
    links = [:]
    lanes = [:]
    unreachable = []
    inquiries = [:]
    unasked = []
    turns = [:]
    registrations = [:]
    attaching = [:]
    looks = [:]
    // Some of what may be under way is read before the broker serves, the rest after.
    restore(share: 0.5)
  }

  private func restore(share: Double) {
    loading = []
    let unknown = machine.survey(journal.heads(), now: now)
    for key in unknown where share == 1 || random.happens(share) {
      if let scene = read(key) { machine.restore(scene, now: now) }
    }
    compare()
    perform(machine.recovered(epoch: journal.epoch, now: now))
    for name in machine.unknownScenes { perform(machine.wake(name)) }
  }

  // MARK: Performing, as the service does

  func perform(_ actions: [BrokerAction]) {
    var group: [JournalEntry] = []
    for action in actions {
      if case .append(let entry, let ticket) = action {
        requireOpen(entry.record, "record \(entry.sequence)")
        group.append(entry)
        lastTicket = ticket
        continue
      }
      write(&group)
      switch action {
      case .append, .cancelJob: break
      case .inquire(let host, let inquiry, _): ask(host, inquiry)
      case .connect(let host, let order):
        send(Link(host: host, scene: order.scene, screen: order.connection.screen, lease: order.connection.lease)) { .connect($0, order) }
      case .resume(let host, let order):
        send(Link(host: host, scene: order.scene, screen: order.resumption.screen, lease: order.resumption.lease, order: order)) {
          .resume($0, order)
        }
      case .order(let host, let order): send(order, to: host)
      case .snapshot(let snapshot):
        ledger.count("broker: snapshots")
        requireOpen(snapshot.bytes, "a snapshot")
        journal.append(snapshot)
      case .rest(let rest): journal.append(rest)
      case .load(let key, let number): loading.append((key, number))
      case .reopen:
        covering = nil
        loading = []
        isReopening = true
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
  }

  private func write(_ group: inout [JournalEntry]) {
    guard !group.isEmpty else { return }
    do { try journal.append(group) } catch { ledger.broken("records follow each other", "a group leaves a gap or repeats a number") }
    group = []
  }

  private func answer(_ token: CallToken, _ reply: BrokerAction.Reply) {
    if let asked = asked.removeValue(forKey: token) { return answered(asked, reply) }
    if let look = looks.removeValue(forKey: token) { return looked(look, reply) }
    if let attempt = attaching.removeValue(forKey: token) { return attached(attempt.renderer, attempt.connection, reply) }
    answerHost(token, reply)
  }

  // MARK: The end

  /// The disk works, everybody is back, and time passes: nobody may still be waiting.
  private func settle() {
    disk.failingSyncs = 0
    note("all is healed")
    for index in hosts.indices { hosts[index].isCalm = true }
    for _ in 0..<420 where ledger.violation == nil {
      completeSync()
      beginSync()
      completeSync()
      completeLoad()
      giveUpUnreachable()
      for index in callers.indices {
        if !callers[index].isConnected { connectCaller(index) }
        while hear(caller: index) {}
        while take(caller: index) {}
      }
      callersTick()
      for index in hosts.indices {
        if !hosts[index].isConnected { connectHost(index) }
        take(host: index)
        work(host: index)
        hear(host: index)
      }
      for index in readers.indices {
        if !readers[index].isConnected { connectReader(index) }
        while hear(reader: index) {}
        while take(reader: index) {}
      }
      readersTick()
      now = now + 60
      perform(machine.alarm(now: now))
    }
    guard ledger.violation == nil else { return }
    // A reader asks again when it has heard nothing for a while: the last such question gets its answer.
    for index in readers.indices {
      while hear(reader: index) {}
      while take(reader: index) {}
    }
    perform(machine.wake(BrokerOnDisk.scene.name))
    completeLoad()
    checkRest()
  }
}
