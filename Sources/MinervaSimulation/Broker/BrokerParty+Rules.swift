import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaRecording
import MinervaWire

/// What must never happen, and what is known for sure to find it.
extension BrokerParty {
  private func requireDurable(_ seq: UInt64, _ what: @autoclosure () -> String) {
    let safe = journal.durable[key] ?? 0
    ledger.require(seq <= safe, "nothing is said before it is durable", "\(what()) of #\(seq), the disk has \(safe) for sure")
  }

  /// A secret stands in nothing that is written down or published (P4).
  func requireOpen(_ bytes: [UInt8], _ what: @autoclosure () -> String) {
    ledger.require(!ScriptedApp.holdsSecret(bytes), "no secret is written down", "\(what()) holds one")
  }

  // MARK: Callers

  func checkAnswer(to txn: String, _ reply: BrokerAction.Reply) {
    let told: Truth.Said
    switch reply {
    case .answered(let answer):
      guard let seq = answer.seq else { return }
      told = .done(answer.outcome, seq: seq)
      ledger.count("broker: answered")
    case .refused(let error):
      ledger.count("broker: refused \(error.code)")
      guard let seq = error.details["seq"].flatMap({ UInt64($0) }) else { return }
      told = .refused(error.code.rawValue, seq: seq)
    default: return
    }
    note("\(txn) is answered by #\(told.seq)", told.seq)
    requireDurable(told.seq, "the answer to \(txn)")
    truth.lastSaid = max(truth.lastSaid, told.seq)
    if let first = truth.said[txn] {
      return ledger.require(first == told, "an equal txn gets the first answer", "\(txn) was told #\(first.seq), now #\(told.seq)")
    }
    truth.said[txn] = told
    checkGate(txn, told)
  }

  private func checkGate(_ txn: String, _ told: Truth.Said) {
    guard let command = cluster.wishes[txn]?.command, command.gate != nil, case .done(let outcome, _) = told, let screen = outcome.screen
    else {
      return
    }
    if let holder = truth.holders[command.caller] {
      // A caller that asks again may hear late of a screen that left long ago.
      guard holder.seq < told.seq else { return }
      let isOpen = state?.screen(holder.screen) != nil
      ledger.require(!isOpen, "a gate is held until the removal", "\(txn) opened \(screen) while \(holder.screen) was open")
    }
    truth.holders[command.caller] = (screen, told.seq)
  }

  /// What somebody sees contains whatever was answered before he looked, and nothing that could still be lost (N16).
  func check(_ snapshot: SceneSnapshot, floor: UInt64) {
    ledger.count("broker: looks")
    requireDurable(snapshot.record, "a look")
    ledger.require(
      snapshot.record >= floor, "what is read contains what was answered", "a look shows #\(snapshot.record), #\(floor) was answered before"
    )
    let open = snapshot.tree.standing.intersection(truth.gone.keys)
    ledger.require(open.isEmpty, "nothing is said of a screen after its end", "a look shows \(open.sorted()), which were removed")
    let wrong = truth.looked(snapshot)
    ledger.require(
      wrong == nil, "a look shows what was published",
      "at event \(snapshot.event) a look has \(wrong?.look ?? []), the events \(wrong?.events ?? [])")
  }

  // MARK: Events

  func checkPublished(_ event: SceneEvent) {
    let last = truth.feed[event.epoch] ?? 0
    ledger.require(event.number == last + 1, "events are numbered", "event \(event.number) of epoch \(event.epoch) follows \(last)")
    truth.feed[event.epoch] = event.number
    truth.published(event)
    if let bytes = try? CBOR.encode(event) { requireOpen(bytes, "event \(event.number)") }
    guard case .navigation(let event) = event.kind else { return }
    note("event \(event.number) of #\(event.seq) \(event.kind.name)", event.number)
    requireDurable(event.seq, "event \(event.number)")
    if let known = truth.events.updateValue(event, forKey: event.number) {
      return ledger.require(known == event, "published stays published", "event \(event.number) is another after a restart")
    }
    switch event.kind {
    case .removed(let screen, let reason, _, _, _):
      ledger.count("broker: removed \(reason)")
      ledger.require(
        truth.gone.updateValue(reason, forKey: screen.screen) == nil, "one terminal event a screen", "\(screen.screen) was removed twice")
      if let last = truth.lastRemoval, last.seq == event.seq, last.path == screen.path {
        ledger.require(screen.depth < last.depth, "the topmost leaves first", "depth \(screen.depth) left after \(last.depth)")
      }
      truth.lastRemoval = (event.seq, screen.path, screen.depth)
    case .connecting(let screen), .presenting(let screen, _), .presented(let screen, _), .dismissing(let screen), .suspended(let screen),
      .resumed(let screen, _):
      truth.lastRemoval = nil
      let isGone = truth.gone[screen.screen] != nil
      ledger.require(!isGone, "nothing is said of a screen after its end", "\(screen.screen) is \(event.kind.name)")
    case .plan(let plan, let stage): check(plan, stage)
    case .gate(_, let origin, let caller, let isEnabled): if isEnabled, origin == nil { truth.holders[caller] = nil }
    // Another request begins: its removals have an order of their own.
    default: truth.lastRemoval = nil
    }
  }

  /// A link that waits ends once (R4). What a crash left durable and unsaid is said by nobody any more.
  private func check(_ plan: PlanReport, _ stage: PlanStage) {
    let known = truth.plans[plan.id]
    switch stage {
    case .waiting:
      ledger.count("broker: plans")
      ledger.require(known == nil, "a plan's name is used once", "\(plan.id) waits twice")
      truth.plans[plan.id] = false
    case .due: ledger.require(known != true, "a plan ends once", "\(plan.id) is due after its end")
    case .followed, .ended:
      if case .followed = stage { ledger.count("broker: plans followed") }
      ledger.require(known != true, "a plan ends once", "\(plan.id) ended twice")
      truth.plans[plan.id] = true
    }
  }

  // MARK: Hosts

  func checkTaken(_ turn: Turn) {
    let (scene, report) = (turn.scene, turn.report)
    noteWork(of: turn.connection.dialler.name)
    ledger.require(
      !turn.isStale, "a stale host does not act", "\(turn.connection.dialler.name) acted for \(report.screen) under lease \(report.lease)")
    let name = "\(scene) \(report.screen)"
    if let known = truth.taken.updateValue(report, forKey: "\(name).\(report.number)") {
      ledger.require(known == report, "no message is applied twice", "turn \(report.number) of \(name) was taken with two contents")
    }
    guard let handled = report.handled else { return }
    let number = truth.handledBy.updateValue(report.number, forKey: "\(name)/\(handled)")
    ledger.require(
      number == nil || number == report.number, "no message is applied twice",
      "message \(handled) of \(name) was handled by turns \(number ?? 0) and \(report.number)")
  }

  // MARK: Restart

  /// What was restored against what callers were told, and against a replay of every record from the first.
  func compare() {
    guard let state else {
      return ledger.require(
        truth.said.isEmpty, "what was answered is not lost", "\(truth.said.count) answers were given, the scene is gone")
    }
    for txn in cluster.txns {
      guard let told = truth.said[txn], fault != .txnForgotten, fault != .retryTakenForNew else { continue }
      let kept: Truth.Said? = state.answer(to: txn).flatMap { answer in
        guard let seq = answer.seq else { return nil }
        switch answer.resolution {
        case .done(let outcome): return .done(outcome, seq: seq)
        case .refused(let refusal): return .refused(refusal.code, seq: seq)
        }
      }
      ledger.require(kept == told, "what was answered is not lost", "\(txn) was answered by #\(told.seq), the restored scene disagrees")
    }
    let last = truth.events.keys.max() ?? 0
    ledger.require(state.eventCount >= last, "published stays published", "event \(last) is beyond the restored scene")
    var settings = SceneSettings()
    settings.lease = UInt32(clamping: machine.settings.leases.lease + machine.settings.takeover)
    var replayed = SceneState(scene: BrokerParty.scene.name, app: "shop", settings: settings)
    for entry in journal.records[key] ?? [] {
      guard let record = try? SceneRecord(decoding: entry.record) else {
        return ledger.broken("what is whole is restored", "record \(entry.sequence) cannot be read")
      }
      _ = replayed.apply(record.record, at: SceneTime(milliseconds: record.at))
    }
    ledger.require(
      replayed == state && replayed.treeHash == state.treeHash, "replay equals live",
      "a replay of \(replayed.seq) records differs from the snapshot and the records after it")
  }

  // MARK: The end

  /// All is quiet: nothing may still be under way, and nobody may run what is gone.
  func checkRest(_ hosts: [ScriptedHost]) {
    guard let state else { return }
    for host in hosts {
      for key in host.coordinators.keys.sorted() {
        let report = key.scene == identity ? state.screen(key.screen) : nil
        ledger.require(
          report?.summary.host == host.name, "every ending is told",
          "\(host.name) still runs \(key.screen), which is \(report.map { "at \($0.summary.host)" } ?? "gone")")
        ledger.require(
          host.coordinators[key]?.reported == nil, "nobody waits for ever", "the turn of \(key.screen) at \(host.name) was never answered")
      }
      ledger.require(
        machine.registry.hosts[host.name]?.isAlive == true, "nobody waits for ever", "\(host.name) is there and counts as lost")
    }
    let over = state.plans.map(\.id).filter { truth.plans[$0] == true }
    ledger.require(over.isEmpty, "a plan ends once", "\(over) wait after their end")
    if truth.events.count == Int(clamping: state.eventCount) {
      let open = Set(state.plans.map(\.id))
      let unsaid = truth.plans.filter { !$0.value && !open.contains($0.key) }.map { $0.key.number }.sorted()
      ledger.require(unsaid.isEmpty, "a plan ends once", "nobody was told of the end of \(unsaid)")
    }
    let busy = state.coordinators.filter { $0.unhandled > 0 }.map { "\($0.summary.screen)" }
    ledger.require(busy.isEmpty, "no message is lost", "\(busy) have messages that nobody handled")
    ledger.require(state.isSettled, "nobody waits for ever", "the scene has not come to rest: \(state.requests.map(\.doing))")
  }
}
