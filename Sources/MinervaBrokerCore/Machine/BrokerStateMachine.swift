import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
package import MinervaProtocol
import MinervaRecording
package import MinervaWire

/// The broker as a pure state machine: calls, verdicts, turns, losses and commits go in with the time, actions come out.
///
/// It owns the scenes and holds back every effect of a record until the record is durable (N16), while the core runs ahead in memory.
/// Time is a monotonic clock in milliseconds. No I/O: the same inputs give the same actions.
package struct BrokerStateMachine {
  package let settings: Settings
  /// The epoch of the journal under which the scenes are owned.
  package internal(set) var epoch: UInt64
  /// When this broker began to serve.
  package let started: Moment
  /// Why the journal takes no records: set between a failed commit and its recovery.
  package internal(set) var failure: MinervaError?
  /// Whether the journal takes records.
  package var isServing: Bool { failure == nil }

  /// Whether what was under way before a restart is being taken up: no host can be back yet, so what needs one waits for it.
  var isRecovering = false

  // MARK: Scenes

  /// The open scenes in memory, by name.
  package internal(set) var scenes: [String: SceneSlot] = [:]
  /// Those of them that are to be looked at next, whether they may leave it.
  var resting = RestQueue()
  /// The open scenes that are not in memory.
  package internal(set) var dormant = DormantScenes()
  /// What hosts had said of the scenes that were in memory when a commit failed: that is not in the journal.
  var discarded: [SceneIdentity: KeptScreens] = [:]
  /// The numbers of scenes.
  var incarnations = Incarnations()
  /// The scenes that the journal does not know to be over.
  var untoldEnds: [JournalRest] = []
  /// When scenes want to be woken.
  var wakes = WakeQueue()
  /// What must not be written down, by scene.
  var vaults: [String: Vault] = [:]
  /// How many texts were sealed under this epoch.
  var sealed: UInt64 = 0
  /// The links that are being resolved, by scene; the first of each is at work.
  var journeys: [String: [DeepLinkJourney]] = [:]
  /// Plans that are due while no host of their app is there.
  var duePlans: [String: [PlanReport]] = [:]
  /// When those of them are asked for again whose owners did not answer.
  var planRetry: Moment?

  // MARK: Processes

  /// Those that run coordinators.
  var hosts: HostDesk
  /// What hosts offer.
  package var registry: Registry { hosts.registry }
  /// Those that compare lists, and who needs them.
  package internal(set) var desk: DiffDesk
  /// Those that ask of scenes and show them.
  var clients: ClientDesk

  // MARK: What goes out

  /// What waits for records to be durable.
  var held = HeldQueue()
  /// The events that are kept for watchers, of all scenes.
  var recents = RecentEvents()
  /// Scenes whose effects happen in the step under way, and that may be idle when all of them have.
  private var touched: [SceneSlot] = []
  /// Number of the last event in the feed of processes.
  var processEvents: UInt64 = 0
  /// What `status` shows.
  package var counters: [String: Int] { counts.all }
  var counts = BrokerCounters()
  /// How a record becomes the journal's bytes; another one only to test a record that has none.
  var encode: @Sendable (SceneRecord) throws -> [UInt8] = { try $0.encoded() }

  package init(settings: Settings = Settings(), epoch: UInt64, now: Moment) {
    self.settings = settings
    self.epoch = epoch
    hosts = HostDesk(settings: settings.leases)
    desk = DiffDesk(settings: settings.pool)
    clients = ClientDesk(grace: settings.callerGrace)
    started = now
  }

  package mutating func count(_ name: String, _ amount: Int = 1) { counts.add(amount, to: name) }

  // MARK: Feeding the core

  /// Feeds a record to a scene, hands it to the journal, and holds its effects back until it is durable.
  mutating func feed(_ record: Record, to name: String, now: Moment, _ actions: inout [BrokerAction]) {
    // Between a failed commit and its recovery nothing is taken in: the journal would refuse it, and its effects count as durable.
    guard isServing, let slot = scenes[name] else { return }
    let time = slot.time(now)
    slot.touchedAt = now
    let step = slot.state.apply(record, at: time)
    if let seq = step.seq {
      guard append(record, seq: seq, at: time, to: slot, &actions) else { return }
    }
    hold(.effects(slot, step.effects), now: now, &actions)
  }

  /// Hands a record to the journal; `false` when it has no bytes, which is a commit that failed: its effects must not happen (N16).
  private mutating func append(
    _ record: Record, seq: UInt64, at time: SceneTime, to slot: SceneSlot, _ actions: inout [BrokerAction]
  ) -> Bool {
    let bytes: [UInt8]
    do { bytes = try encode(SceneRecord(at: time, record: record)) } catch {
      let failure = MinervaError(
        .journalUnavailable,
        "record \(seq) of scene \(slot.identity.name) could not be encoded: \(error); the scene goes on from the record before it")
      actions += commitFailed(failure)
      return false
    }
    counts.records += 1
    actions.append(.append(JournalEntry(scene: slot.key, sequence: seq, record: bytes), ticket: held.nextTicket()))
    slot.unsaved.records += 1
    slot.unsaved.bytes += bytes.count
    snapshotIfDue(slot, seq: seq, at: time, &actions)
    return true
  }

  private mutating func snapshotIfDue(_ slot: SceneSlot, seq: UInt64, at time: SceneTime, _ actions: inout [BrokerAction]) {
    guard slot.unsaved.records >= settings.snapshotRecords || slot.unsaved.bytes >= settings.snapshotBytes else { return }
    // One that cannot be written is not tried again with each record.
    slot.unsaved = (0, 0)
    guard let bytes = try? CBOR.encode(SceneImage(at: time.milliseconds, state: slot.state)) else { return count("snapshots.failed") }
    actions.append(.snapshot(JournalSnapshot(scene: slot.key, sequence: seq, bytes: bytes)))
  }

  // MARK: Holding back

  /// Queues what must wait for the journal; it is done at once when nothing is under way.
  mutating func hold(_ item: HeldQueue.Item, now: Moment, _ actions: inout [BrokerAction]) {
    if held.isDurable {
      release(item, now: now, &actions)
      announceTouched(now: now, &actions)
    } else {
      held.append(item)
      switch item {
      case .effects(let slot, _): slot.lastTicket = held.last
      case .look(_, let scene, _, _, _, _, _, _): scenes[scene]?.lastTicket = held.last
      case .reply, .receipt: break
      }
    }
  }

  /// Takes a scene into memory.
  mutating func keep(_ slot: SceneSlot) {
    scenes.updateValue(slot, forKey: slot.identity.name)?.isOpen = false
    resting.begin(with: slot)
  }

  /// Everything up to this record is durable: what waited for it happens now, in order.
  package mutating func committed(upTo ticket: UInt64, now: Moment) -> [BrokerAction] {
    held.commit(upTo: ticket)
    var actions: [BrokerAction] = []
    actions.reserveCapacity(held.count * 4)
    while let item = held.popDurable() { release(item, now: now, &actions) }
    announceTouched(now: now, &actions)
    return actions
  }

  private mutating func announceTouched(now: Moment, _ actions: inout [BrokerAction]) {
    guard !touched.isEmpty else { return }
    let slots = touched
    touched.removeAll(keepingCapacity: true)
    for slot in slots {
      slot.isTouched = false
      announceIdle(slot.identity.name, now: now, &actions)
    }
  }

  private mutating func release(_ item: HeldQueue.Item, now: Moment, _ actions: inout [BrokerAction]) {
    switch item {
    case .effects(let slot, let effects):
      for effect in effects { perform(effect, of: slot, now: now, &actions) }
      if slot.isOpen, !slot.hosts.isEmpty, effects.contains(where: Self.changesSight) { tellSight(of: slot, &actions) }
      if !slot.isTouched {
        slot.isTouched = true
        touched.append(slot)
      }
    case .reply(let token, let reply): actions.append(.answer(token, reply))
    case .receipt(let token, let receipt, let node, let join):
      actions.append(.answer(token, .registered(receipt)))
      greet(node, join: join, now: now, &actions)
    case .look(let token, let scene, let tree, let record, let at, let settled, let plans, let renderings):
      guard let slot = scenes[scene] else { return actions.append(.answer(token, .refused(.sceneEnded(scene)))) }
      let snapshot = SceneSnapshot(
        scene: slot.identity, epoch: epoch, record: record, event: slot.events, at: Int64(at.milliseconds), tree: tree,
        renderings: renderings ? slot.displays.renderings.values.sorted { $0.screen < $1.screen } : [], settled: settled,
        recent: renderings ? nil : slot.recent.events, plans: plans, isVirtual: settings.hasVirtualClock ? true : nil)
      actions.append(.answer(token, .looked(snapshot)))
    }
  }

  /// Takes out every call that waits for something in these scenes, in the order in which they came.
  mutating func takeWaiting(in names: Set<String>) -> [(scene: String, token: CallToken)] {
    var waiting: [(scene: String, token: CallToken)] = []
    for name in names {
      if let slot = scenes[name] { waiting += (slot.waiters.takeAll() + slot.links.takeCalls()).map { (name, $0) } }
      for journey in journeys.removeValue(forKey: name) ?? [] {
        if case .request(_, let token, _) = journey.reason { waiting.append((name, token)) }
      }
    }
    return waiting.sorted { $0.token < $1.token }
  }

  /// What is said to whoever comes while the journal takes no records.
  var recovering: MinervaError {
    let reason = failure.map { " (\($0.message))" } ?? ""
    return MinervaError(.journalUnavailable, "the journal takes no records\(reason); it is tried again and again", retryable: true)
  }

  /// The journal could not be opened again.
  package mutating func reopenFailed(_ error: MinervaError) {
    failure = error
    count("journal.failures")
  }

  /// A commit failed: whoever waits for it is told, memory beyond the journal is discarded, and the journal is opened anew (P1).
  package mutating func commitFailed(_ error: MinervaError) -> [BrokerAction] {
    guard isServing else { return [] }
    failure = error
    count("journal.failures")
    var actions: [BrokerAction] = []
    for (_, token) in takeWaiting(in: Set(scenes.keys).union(journeys.keys)) { actions.append(.answer(token, .refused(error))) }
    duePlans = [:]
    planRetry = nil
    for (_, token) in dormant.dropLoads().calls { actions.append(.answer(token, .refused(error))) }
    actions += dropJoins(error)
    while let item = held.popFirst() {
      switch item {
      case .reply(let token, _), .receipt(let token, _, _, _), .look(let token, _, _, _, _, _, _, _):
        actions.append(.answer(token, .refused(error)))
      case .effects: continue
      }
    }
    hosts.dropOrders()
    discard()
    touched = []
    recents = RecentEvents()
    wakes.removeAll()
    actions.append(.reopen)
    return actions
  }
}

extension MinervaError {
  static let reservedTxn = MinervaError(.badMessage, "a txn that begins with \(BrokerStateMachine.own) is a broker's own; choose another")

  /// - Parameters:
  ///   - epoch: The owner's epoch, where known.
  ///   - owner: The owner's endpoint, where known.
  package static func notOwner(of scene: String, epoch: UInt64?, owner: String?) -> MinervaError {
    var details: [String: String] = [:]
    details[Detail.epoch] = epoch.map(String.init)
    details[Detail.owner] = owner
    let place = owner.map { "ask \($0)" } ?? "ask the others of its group"
    return MinervaError(.notOwner, "the scene \(scene) belongs to another broker; \(place)", details: details)
  }

  package static func sceneEnded(_ name: String) -> MinervaError {
    MinervaError(.sceneEnded, "the scene \(name) has ended; its next use begins it anew")
  }
}
