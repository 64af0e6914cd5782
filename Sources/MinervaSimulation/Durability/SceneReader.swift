import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// A reader of the scene's events around the product's subscriber, and the screens that it believes to be open.
struct SceneReader {
  let name: String
  private(set) var connection: UInt64 = 0
  private(set) var machine = SubscriberStateMachine<SceneEvent>()
  private var isStarted = false
  /// Events under way to the reader: lost, doubled and out of order.
  var feed: [SceneEvent] = []
  /// Questions under way to the broker, answers under way to the reader.
  var outbox: [UInt64] = []
  var inbox: [(request: UInt64, snapshot: SceneSnapshot)] = []
  /// The screens that stand and have not begun to leave.
  private(set) var open: Set<ScreenID> = []
  private var pending: SceneSnapshot?
  private(set) var epoch: UInt64 = 0

  init(name: String) { self.name = name }

  var isConnected: Bool { connection != 0 }

  mutating func connect(_ connection: UInt64, at now: Moment, _ ledger: Ledger) {
    self.connection = connection
    perform(isStarted ? machine.connectionLost(at: now) : machine.start(at: now), ledger)
    isStarted = true
  }

  mutating func disconnect(at now: Moment, _ ledger: Ledger) {
    connection = 0
    feed = []
    outbox = []
    inbox = []
    if isStarted { perform(machine.connectionLost(at: now), ledger) }
  }

  /// A published event, on its lossy way.
  mutating func publish(_ event: SceneEvent, using random: inout SplitMix64) {
    guard isConnected, !random.happens(0.03) else { return }
    let place = !feed.isEmpty && random.happens(0.03) ? feed.count - 1 : feed.count
    feed.insert(event, at: place)
    if random.happens(0.02) { feed.append(event) }
  }

  /// The next event arrives.
  mutating func hearEvent(at now: Moment, _ ledger: Ledger) -> Bool {
    guard !feed.isEmpty else { return false }
    let event = feed.removeFirst()
    perform(machine.event(event, number: event.number, publisher: event.epoch, at: now), ledger)
    return true
  }

  /// The next snapshot arrives.
  mutating func take(at now: Moment, _ ledger: Ledger) -> Bool {
    guard !inbox.isEmpty else { return false }
    let (request, snapshot) = inbox.removeFirst()
    pending = snapshot
    perform(machine.snapshot(request, through: snapshot.event, publisher: snapshot.epoch, at: now), ledger)
    pending = nil
    return true
  }

  mutating func tick(_ now: Moment, _ ledger: Ledger) {
    if let due = machine.nextDeadline, due <= now { perform(machine.tick(now), ledger) }
  }

  private mutating func perform(_ actions: [SubscriberStateMachine<SceneEvent>.Action], _ ledger: Ledger) {
    for action in actions {
      switch action {
      case .requestSnapshot(let request): if isConnected { outbox.append(request) }
      case .reset:
        guard let pending else { continue }
        open = pending.tree.standing
        epoch = pending.epoch
      case .apply(let event, _): if case .navigation(let event) = event.kind { apply(event.kind) }
      case .incomplete(let reason): ledger.count("readers: \(reason)")
      case .complete: ledger.count("readers: complete")
      }
    }
  }

  private mutating func apply(_ kind: Event.Kind) {
    switch kind {
    case .presenting(let screen, _), .presented(let screen, _): open.insert(screen.screen)
    case .dismissing(let screen), .removed(let screen, _, _, _, _): open.remove(screen.screen)
    default: break
    }
  }
}

extension SceneTree {
  /// All screens that stand, wherever they do.
  var standing: Set<ScreenID> {
    var found: Set<ScreenID> = []
    func visit(_ screen: Screen) {
      found.insert(screen.id)
      switch screen.container {
      case .none: break
      case .tabs(let tabs, _): for tab in tabs { tab.stack.forEach(visit) }
      case .split(let primary, let detail, _): (primary + detail).forEach(visit)
      }
      for slot in screen.slots { slot.content.forEach(visit) }
    }
    for layer in layers { layer.stack.forEach(visit) }
    return found
  }
}
