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
  /// The times and bounds of a broker.
  package struct Settings {
    /// How long the screens of a lost host stay suspended.
    package var leases = HostLeaseStateMachine.Settings()
    /// How much longer the core waits before it gives up what no other host took over, in milliseconds.
    package var takeover: Int64 = 250
    /// How long a lost caller may take to come back before what it asked is rolled back.
    package var callerGrace: Int64 = 1_000
    /// A snapshot is written after so many records…
    package var snapshotRecords = 1_024
    /// …or so many bytes of them.
    package var snapshotBytes = 1 << 20
    /// Whether the time passed in is that of a virtual clock, which goes on by `advance` alone (D3).
    package var hasVirtualClock = false

    /// A scene that nobody has touched for so long leaves memory, in milliseconds…
    package var rest: Int64 = 30_000
    /// …and while more than so many are in memory, after as little as this.
    package var awake = 8_192
    package var shortRest: Int64 = 1_000

    package init() {}
  }

  /// Effects that wait for their record to be durable, in the order in which they must happen.
  enum Held {
    case effects(SceneSlot, [Effect])
    case reply(CallToken, BrokerAction.Reply)
    case receipt(CallToken, HostReceipt, node: String, join: UInt64)
    indirect case look(
      CallToken, scene: String, tree: SceneTree, record: UInt64, at: SceneTime, settled: Bool, plans: [PlanReport], renderings: Bool)
  }

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

  var hosts: HostDesk
  /// What hosts offer.
  package var registry: Registry { hosts.registry }
  /// The open scenes by name.
  package internal(set) var scenes: [String: SceneSlot] = [:]
  /// The open scenes that are not in memory.
  package internal(set) var dormant = DormantScenes()
  var resting = RestQueue()
  private var lastSlot: UInt64 = 0
  /// The last incarnation of every scene name, also of scenes that ended.
  var incarnations: [String: UInt64] = [:]
  /// The highest number of the scenes of which the journal keeps nothing any more; and those that it does not know to be over.
  var forgotten: UInt64 = 0
  var untoldEnds: [JournalRest] = []

  /// The last record that was handed to the journal, and the last that is durable.
  var ticket: UInt64 = 0
  var committed: UInt64 = 0
  var held: HeldQueue<Held> = HeldQueue()

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

  /// What hosts had said of the scenes that were in memory when a commit failed: that is not in the journal.
  var discarded: [SceneIdentity: KeptScreens] = [:]
  /// The diff workers' desk, and the life of each worker that has joined.
  package internal(set) var desk = DiffDesk()
  var workers: [String: UInt64] = [:]
  /// Who asks of scenes and shows them.
  var clients: ClientDesk
  var wakes = WakeQueue()
  /// The events that are kept for watchers, of all scenes.
  var recents = RecentEvents()
  /// Scenes whose effects happen in the step under way, and that may be idle when all of them have.
  private var touched: [SceneSlot] = []
  /// Number of the last event in the feed of processes.
  var processEvents: UInt64 = 0
  /// What `status` shows.
  package var counters: [String: Int] {
    var all = rare
    for (name, count) in [("requests", often.requests), ("records", often.records), ("answers", often.answers)] where count > 0 {
      all[name] = count
    }
    return all
  }
  private var rare: [String: Int] = [:]
  /// What is counted at each transition.
  var often = (requests: 0, records: 0, answers: 0)

  /// How a record becomes the journal's bytes; another one only to test a record that has none.
  var encode: @Sendable (SceneRecord) throws -> [UInt8] = { try $0.encoded() }

  package init(settings: Settings = Settings(), epoch: UInt64, now: Moment) {
    self.settings = settings
    self.epoch = epoch
    hosts = HostDesk(settings: settings.leases)
    clients = ClientDesk(grace: settings.callerGrace)
    started = now
  }

  package mutating func count(_ name: String, _ amount: Int = 1) { rare[name, default: 0] += amount }

  // MARK: Feeding the core

  /// Feeds a record to a scene, hands it to the journal, and holds its effects back until it is durable.
  mutating func feed(_ record: Record, to name: String, now: Moment, _ actions: inout [BrokerAction]) {
    guard let slot = scenes[name] else { return }
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
    ticket += 1
    often.records += 1
    actions.append(.append(JournalEntry(scene: slot.key, sequence: seq, record: bytes), ticket: ticket))
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
  mutating func hold(_ item: Held, now: Moment, _ actions: inout [BrokerAction]) {
    if committed >= ticket && held.isEmpty {
      release(item, now: now, &actions)
      announceTouched(now: now, &actions)
    } else {
      held.append(item, ticket: ticket)
      switch item {
      case .effects(let slot, _): slot.lastTicket = ticket
      case .look(_, let scene, _, _, _, _, _, _): scenes[scene]?.lastTicket = ticket
      case .reply, .receipt: break
      }
    }
  }

  /// Takes a scene into memory.
  mutating func keep(_ slot: SceneSlot) {
    lastSlot += 1
    slot.serial = lastSlot
    scenes.updateValue(slot, forKey: slot.identity.name)?.isOpen = false
    resting.append(slot, since: slot.touchedAt)
  }

  /// Everything up to this record is durable: what waited for it happens now, in order.
  package mutating func committed(upTo ticket: UInt64, now: Moment) -> [BrokerAction] {
    committed = max(committed, ticket)
    var actions: [BrokerAction] = []
    actions.reserveCapacity(held.count * 4)
    while let item = held.popFirst(upTo: committed) { release(item, now: now, &actions) }
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

  private mutating func release(_ item: Held, now: Moment, _ actions: inout [BrokerAction]) {
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
        renderings: renderings ? slot.renderings.values.sorted { $0.screen < $1.screen } : [], settled: settled,
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
    while let item = held.popFirst(upTo: .max) {
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

/// A first-in, first-out queue of items with ascending tickets.
struct HeldQueue<Item> {
  private var items: [(ticket: UInt64, item: Item)?] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }
  var count: Int { items.count - head }

  mutating func append(_ item: Item, ticket: UInt64) { items.append((ticket, item)) }

  /// The first item, if its ticket is not beyond the limit.
  mutating func popFirst(upTo limit: UInt64) -> Item? {
    guard head < items.count, let ticket = items[head]?.ticket, ticket <= limit else { return nil }
    let first = items[head].take()
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: head <= 4_096)
      head = 0
    } else if head > 4_096 {
      items.removeFirst(head)
      head = 0
    }
    return first?.item
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
