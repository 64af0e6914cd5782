import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// The broker's own machine on a disk that forgets: requests, repetitions, syncs, failed syncs, torn writes and crashes in the order of one seed.
///
/// The callers' log of the answers they received is the truth that every restored scene is compared with (P1, N2, N16). Screens have no
/// host here: what is tried is what stands between a request and the disk.
struct BrokerOnDisk {
  /// What a caller was told.
  private enum Said: Hashable {
    case done(Outcome, seq: UInt64)
    case refused(String, seq: UInt64)

    var seq: UInt64 {
      switch self {
      case .done(_, let seq), .refused(_, let seq): seq
      }
    }
  }

  private struct Call {
    var command: Command
    var life: UInt64
  }

  private static let scene = "main"
  private static let caller = "caller"

  private let fault: Simulation.Fault?
  private var random: SimulationRandom
  private let disk = SimulatedDisk()
  private let ledger = Ledger()
  private var journal: SimulatedJournal
  private var machine: BrokerStateMachine
  private var now = Moment(milliseconds: 1_000)
  private var life: UInt64 = 1
  private var digest: UInt64 = 0xcbf2_9ce4_8422_2325
  private var trace: [String]?

  private var lastToken: CallToken = 0
  private var lastTicket: UInt64 = 0
  private var covering: (covered: (disk: Int, heads: [String: UInt64]), ticket: UInt64)?
  private var waiting: [CallToken: String] = [:]
  /// Every request ever made, by its txn, and the txns in order.
  private var calls: [String: Call] = [:]
  private var txns: [String] = []
  /// The truth: what callers were told.
  private var said: [String: Said] = [:]
  private var events: [UInt64: Event] = [:]
  private var gone: Set<ScreenID> = []
  private var holder: (screen: ScreenID, seq: UInt64)?
  private var lastRemoval: (seq: UInt64, path: NavPath?, depth: Int)?

  init(seed: UInt64, fault: Simulation.Fault?, tracing: Bool) {
    self.fault = fault
    random = SimulationRandom(seed: seed ^ 0xD15C)
    trace = tracing ? [] : nil
    journal = SimulatedJournal(disk: disk)
    machine = BrokerStateMachine(settings: BrokerOnDisk.settings, epoch: journal.epoch, now: now)
  }

  private static var settings: BrokerStateMachine.Settings {
    var settings = BrokerStateMachine.Settings()
    settings.snapshotRecords = 16
    return settings
  }

  /// The scene's name in the journal: one whose first records were lost before anybody heard of them begins anew under the next number.
  private var key: String { machine.scenes[BrokerOnDisk.scene]?.key ?? "" }

  private mutating func note(_ what: @autoclosure () -> String, _ number: UInt64 = 0) {
    digest = (digest ^ UInt64(bitPattern: now.milliseconds) ^ number &* 31) &* 0x100_0000_01b3
    if trace != nil { trace?.append("\(now.milliseconds) broker on disk: \(what())") }
  }

  /// Runs to the end or to the first broken rule.
  mutating func run() -> Simulation.Outcome {
    perform(machine.recovered(epoch: journal.epoch, now: now))
    register()
    var steps = 0
    while ledger.violation == nil, steps < 160 {
      steps += 1
      now = now + random.milliseconds(0...40)
      step()
    }
    if ledger.violation == nil { settle() }
    return Simulation.Outcome(
      steps: steps, digest: digest,
      violation: ledger.violation.map { Simulation.Violation(rule: $0.rule, text: $0.text, at: now) }, counters: ledger.counters,
      trace: trace)
  }

  private mutating func step() {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<45: request()
    case ..<55: repeatRequest()
    case ..<70: beginSync()
    case ..<88: completeSync()
    case ..<94:
      now = now + random.milliseconds(0...2_000)
      perform(machine.alarm(now: now))
    case ..<96: disk.failingSyncs = 1
    default: crash()
    }
  }

  // MARK: Callers

  private mutating func request() {
    let txn = "t\(txns.count + 1)"
    txns.append(txn)
    var gate: String?
    let action: Command.Action
    switch Int.random(in: 0..<12, using: &random) {
    case 0...4: action = opening(.push)
    case 5, 6: action = opening(.modal(.sheet))
    case 7:
      action = opening(.modal(.full))
      gate = "login"
    case 8: action = .back(count: UInt32.random(in: 1...2, using: &random), in: nil)
    case 9: action = .dismiss(nil)
    case 10: action = .dismissAll
    default: action = opening(.root)
    }
    send(Command(txn: txn, caller: BrokerOnDisk.caller, action: action, deadline: 3_000, gate: gate))
  }

  private func opening(_ via: Presentation) -> Command.Action {
    .open(Command.Opening(ModuleAddress(name: "Home"), via: via, unhosted: true))
  }

  /// A caller that heard nothing, or does not believe what it heard, asks again under the same name.
  private mutating func repeatRequest() {
    guard let txn = txns.randomElement(using: &random), let call = calls[txn] else { return }
    ledger.count("broker: repeated")
    send(call.command)
  }

  private mutating func send(_ command: Command) {
    var sent = command
    let known = calls[command.txn]
    calls[command.txn] = Call(command: command, life: known?.life ?? life)
    // The planted faults: the name means nothing to a later life; the gate counts as free.
    if fault == .txnForgotten, let known, known.life != life { sent.txn += "~\(life)" }
    if fault == .gateFreedEarly, holder != nil { sent.gate = nil }
    lastToken += 1
    waiting[lastToken] = command.txn
    note("request \(sent.txn) \(sent.action.verb)", UInt64(lastToken))
    let request = SceneRequest(scene: SceneAddress(name: BrokerOnDisk.scene, app: "shop"), command: sent)
    perform(machine.request(request, token: lastToken, node: "shell", now: now))
  }

  private mutating func register() {
    lastToken += 1
    let registration = HostRegistration(app: "shop", node: "shop-1", endpoint: nil, modules: [ModuleDescription(name: "Home")])
    perform(machine.register(registration, incarnation: life, pid: 1, token: lastToken, now: now))
  }

  // MARK: Disk

  private mutating func beginSync() {
    if covering == nil { covering = (journal.beginSync(), lastTicket) }
  }

  private mutating func completeSync() {
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

  private mutating func crash() {
    ledger.count("broker: crashes")
    note("crashes")
    disk.crash(using: &random)
    covering = nil
    waiting = [:]
    life += 1
    lastTicket = 0
    now = now + random.milliseconds(10...500)
    journal = SimulatedJournal(disk: disk)
    machine = BrokerStateMachine(settings: BrokerOnDisk.settings, epoch: journal.epoch, now: now)
    restore()
    register()
  }

  private mutating func restore() {
    do {
      for scene in journal.load() { try machine.restore(scene, now: now) }
    } catch {
      ledger.broken("what is whole is restored", "\(error)")
    }
    compare()
    perform(machine.recovered(epoch: journal.epoch, now: now))
  }

  // MARK: Performing, as the service does

  private mutating func perform(_ actions: [BrokerAction]) {
    var group: [JournalEntry] = []
    for action in actions {
      if case .append(let entry, let ticket) = action {
        group.append(entry)
        lastTicket = ticket
        continue
      }
      write(&group)
      switch action {
      case .append, .connect, .resume, .inquire, .order, .cancelJob: break
      case .snapshot(let snapshot):
        ledger.count("broker: snapshots")
        journal.append(snapshot)
      case .reopen:
        covering = nil
        _ = journal.reopen()
        restore()
      case .answer(let token, let reply): answer(token, reply)
      case .publish(let event): heard(event)
      }
    }
    write(&group)
    // The planted fault: what was written is taken for safe.
    if fault == .committedBeforeSync, machine.isServing, lastTicket > 0 {
      let released = machine.committed(upTo: lastTicket, now: now)
      if !released.isEmpty { perform(released) }
    }
  }

  private mutating func write(_ group: inout [JournalEntry]) {
    guard !group.isEmpty else { return }
    do { try journal.append(group) } catch { ledger.broken("records follow each other", "a group leaves a gap or repeats a number") }
    group = []
  }

  // MARK: The rules

  private func requireDurable(_ seq: UInt64, _ what: @autoclosure () -> String) {
    let safe = journal.durable[key] ?? 0
    ledger.require(seq <= safe, "nothing is said before it is durable", "\(what()) of #\(seq), the disk has \(safe) for sure")
  }

  private mutating func answer(_ token: CallToken, _ reply: BrokerAction.Reply) {
    guard let txn = waiting.removeValue(forKey: token) else { return }
    let told: Said
    switch reply {
    case .answered(let answer):
      guard let seq = answer.seq else { return }
      told = .done(answer.outcome, seq: seq)
      ledger.count("broker: answered")
    case .refused(let error):
      if error.code.rawValue == "command.disabled" { ledger.count("broker: gates refused") }
      guard let seq = error.details["seq"].flatMap({ UInt64($0) }) else { return }
      told = .refused(error.code.rawValue, seq: seq)
    default: return
    }
    note("\(txn) is answered by #\(told.seq)", told.seq)
    requireDurable(told.seq, "the answer to \(txn)")
    if let first = said[txn] {
      return ledger.require(first == told, "an equal txn gets the first answer", "\(txn) was told #\(first.seq), now #\(told.seq)")
    }
    said[txn] = told
    guard calls[txn]?.command.gate != nil, case .done(let outcome, _) = told, let screen = outcome.screen else { return }
    if let holder {
      // A caller that asks again may hear late of a screen that left long ago.
      guard holder.seq < told.seq else { return }
      let isOpen = machine.scenes[BrokerOnDisk.scene]?.state.screen(holder.screen) != nil
      ledger.require(!isOpen, "a gate is held until the removal", "\(txn) opened \(screen) while \(holder.screen) was open")
    }
    holder = (screen, told.seq)
  }

  private mutating func heard(_ event: SceneEvent) {
    guard case .navigation(let event) = event.kind else { return }
    note("event \(event.number) \(event.kind.name)", event.number)
    requireDurable(event.seq, "event \(event.number)")
    if let known = events.updateValue(event, forKey: event.number) {
      ledger.require(known == event, "published stays published", "event \(event.number) is another after a restart")
      return
    }
    switch event.kind {
    case .removed(let screen, _, _, _, _):
      ledger.count("broker: removed")
      ledger.require(gone.insert(screen.screen).inserted, "one terminal event a screen", "\(screen.screen) was removed twice")
      if let last = lastRemoval, last.seq == event.seq, last.path == screen.path {
        ledger.require(screen.depth < last.depth, "the topmost leaves first", "depth \(screen.depth) left after \(last.depth)")
      }
      lastRemoval = (event.seq, screen.path, screen.depth)
    case .connecting(let screen), .presenting(let screen, _), .presented(let screen, _), .dismissing(let screen):
      ledger.require(!gone.contains(screen.screen), "nothing is said of a screen after its end", "\(screen.screen) is \(event.kind.name)")
    default: break
    }
  }

  /// What was restored against what callers were told, and against a replay of every record from the first.
  private mutating func compare() {
    guard let slot = machine.scenes[BrokerOnDisk.scene] else {
      return ledger.require(said.isEmpty, "what was answered is not lost", "\(said.count) answers were given, the scene is gone")
    }
    for txn in txns {
      guard let told = said[txn], fault != .txnForgotten else { continue }
      let kept: Said? = slot.state.answer(to: txn).flatMap { answer in
        guard let seq = answer.seq else { return nil }
        switch answer.resolution {
        case .done(let outcome): return .done(outcome, seq: seq)
        case .refused(let refusal): return .refused(refusal.code, seq: seq)
        }
      }
      ledger.require(kept == told, "what was answered is not lost", "\(txn) was answered by #\(told.seq), the restored scene disagrees")
    }
    let last = events.keys.max() ?? 0
    ledger.require(slot.state.eventCount >= last, "published stays published", "event \(last) is beyond the restored scene")
    var settings = SceneSettings()
    settings.lease = UInt32(clamping: machine.settings.leases.lease + machine.settings.takeover)
    var replayed = SceneState(scene: BrokerOnDisk.scene, app: "shop", settings: settings)
    for entry in journal.records[key] ?? [] {
      guard let record = try? SceneRecord(decoding: entry.record) else {
        return ledger.broken("what is whole is restored", "record \(entry.sequence) cannot be read")
      }
      _ = replayed.apply(record.record, at: SceneTime(milliseconds: record.at))
    }
    let equal = replayed.treeHash == slot.state.treeHash && replayed.eventCount == slot.state.eventCount && replayed.seq == slot.state.seq
    ledger.require(equal, "replay equals live", "a replay of \(replayed.seq) records differs from the snapshot and the records after it")
  }

  /// The disk works and time passes: nobody may still be waiting.
  private mutating func settle() {
    disk.failingSyncs = 0
    for _ in 0..<40 {
      covering = nil
      beginSync()
      completeSync()
      now = now + 500
      perform(machine.alarm(now: now))
    }
    beginSync()
    completeSync()
    let late = waiting.values.sorted()
    ledger.require(late.isEmpty, "nobody waits for ever", "\(late) were never answered")
  }
}
