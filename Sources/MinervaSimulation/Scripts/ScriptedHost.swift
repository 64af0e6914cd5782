import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// A host as a script: makes modules, handles messages one at a time, reports turns until they are answered, and declares as state what it has
/// seen, so that whatever is lost or doubled shows (K3, N7).
struct ScriptedHost {
  /// What a coordinator has seen; journaled with each turn, so a resumed one goes on from it.
  struct Memory: Codable, Hashable {
    var handled: UInt32 = 0
    /// The last output heard of each child, and the children whose end was heard.
    var outputs: [String: UInt32] = [:]
    var ended: [String] = []
  }

  struct Coordinator {
    var module: String
    var lease: UInt32
    var turns: UInt32 = 0
    var memory = Memory()
    var queue: [MinervaNavigation.Message] = []
    /// The turn that is not answered, with the memory it leads to.
    var reported: (turn: TurnReport, memory: Memory)?

    var lastQueued: UInt32 { queue.last?.number ?? memory.handled }
  }

  /// What is under way to the host, oldest first.
  enum Order {
    case registered([RunningCoordinator])
    /// The broker does not take it in, for now.
    case refused
    case connect(UInt64, ConnectOrder)
    case resume(UInt64, ResumeOrder)
    case orders([HostOrder])
    /// A link wants to take a route of one of its modules (R2).
    case inquire(UInt64)
    /// The end of a turn's report: `nil` is a broker that could not say, so that it is reported again.
    case turned(SceneIdentity, ScreenID, lease: UInt32, UInt32, TurnReceipt?)
  }

  /// What is under way to the broker, oldest first.
  enum Word {
    case register(HostRegistration)
    case verdict(UInt64, LinkVerdict)
    case decided(UInt64, RouteDecision)
    case turn(TurnSubmission)
    case accepted
  }

  struct Key: Hashable, Comparable {
    let scene: SceneIdentity
    let screen: ScreenID

    static func < (a: Key, b: Key) -> Bool { (a.scene.incarnation, a.screen) < (b.scene.incarnation, b.screen) }
  }

  let name: String
  let app: ScriptedApp
  /// Whether coordinators still want things: at the end they only listen.
  var isCalm = false
  private(set) var connection: UInt64 = 0
  var inbox: [Order] = []
  var outbox: [Word] = []
  private(set) var coordinators: [Key: Coordinator] = [:]
  /// Turns that the broker could not take: reported again after a moment.
  private var again: [Key] = []

  init(name: String, app: ScriptedApp) {
    self.name = name
    self.app = app
  }

  var isConnected: Bool { connection != 0 }

  /// The connection is there: it says who it is, and at once what was not answered, without waiting whether it still may.
  mutating func connect(_ connection: UInt64) {
    self.connection = connection
    let running = coordinators.keys.sorted().map {
      RunningCoordinator(
        scene: $0.scene, screen: $0.screen, handled: UInt64(coordinators[$0]?.memory.handled ?? 0), lease: coordinators[$0]?.lease)
    }
    outbox.append(
      .register(
        HostRegistration(app: app.name, node: name, endpoint: nil, modules: app.modules, links: app.links, running: running)))
    again = []
    for key in coordinators.keys.sorted() { report(key) }
  }

  /// The connection is gone, and with it what was under way.
  mutating func disconnect() {
    connection = 0
    inbox = []
    outbox = []
    again = []
  }

  private mutating func report(_ key: Key) {
    guard isConnected, let turn = coordinators[key]?.reported?.turn else { return }
    outbox.append(.turn(TurnSubmission(scene: key.scene, report: turn, rendering: false)))
  }

  // MARK: Orders

  /// Takes the next order.
  mutating func take(_ ledger: Ledger, using random: inout SplitMix64) {
    guard !inbox.isEmpty else { return }
    switch inbox.removeFirst() {
    case .refused: break
    case .registered(let forgotten):
      for running in forgotten { end(Key(scene: running.scene, screen: running.screen), upTo: running.lease) }
    case .connect(let id, let order):
      let key = Key(scene: order.scene, screen: order.connection.screen)
      // What was made under this lease is there already.
      if coordinators[key]?.lease != order.connection.lease {
        coordinators[key] = nil
        if random.happens(0.05) {
          return outbox.append(.verdict(id, .refused(Refusal(code: .moduleFactoryFailed, message: "by script"))))
        }
        listen(to: order.connection.input, of: order.connection.module, ledger)
        coordinators[key] = Coordinator(module: order.connection.module.name, lease: order.connection.lease)
        if random.happens(0.3) { speak(key, handling: nil, using: &random) }
      }
      outbox.append(.verdict(id, .accepted(Acceptance(host: name))))
      report(key)
    case .resume(let id, let order):
      let key = Key(scene: order.scene, screen: order.resumption.screen)
      if coordinators[key]?.lease != order.resumption.lease {
        listen(to: order.resumption.input, of: order.resumption.module, ledger)
        var coordinator = Coordinator(
          module: order.resumption.module.name, lease: order.resumption.lease, turns: order.resumption.nextTurn - 1)
        if let state = order.resumption.state, let memory = try? CBOR.decode(Memory.self, from: state) { coordinator.memory = memory }
        coordinators[key] = coordinator
        ledger.count("broker: resumed")
      }
      outbox.append(.verdict(id, .accepted(Acceptance(host: name))))
      report(key)
    case .inquire(let id): outbox.append(.decided(id, app.decide(using: &random)))
    case .orders(let orders):
      for order in orders { take(order, ledger) }
      outbox.append(.accepted)
    case .turned(let scene, let screen, let lease, let number, let receipt):
      turned(Key(scene: scene, screen: screen), lease, number, receipt)
    }
  }

  private mutating func end(_ key: Key, upTo lease: UInt32?) {
    if let coordinator = coordinators[key], coordinator.lease <= lease ?? .max { coordinators[key] = nil }
  }

  /// The verdict is of the coordinator that reported the turn, not of the one that took its place since.
  private mutating func turned(_ key: Key, _ lease: UInt32, _ number: UInt32, _ receipt: TurnReceipt?) {
    guard let coordinator = coordinators[key], coordinator.lease == lease, let reported = coordinator.reported,
      reported.turn.number == number
    else { return }
    guard let receipt else { return again.append(key) }
    // Refused for good: another has its screen, or nobody.
    guard receipt.refusal == nil else { return coordinators[key] = nil }
    coordinators[key]?.reported = nil
    coordinators[key]?.turns = number
    coordinators[key]?.memory = reported.memory
    if let handled = reported.turn.handled, coordinator.queue.first?.number == handled { coordinators[key]?.queue.removeFirst() }
  }

  private mutating func take(_ order: HostOrder, _ ledger: Ledger) {
    switch order {
    case .end(let scene, let departure): end(Key(scene: scene, screen: departure.screen), upTo: departure.lease)
    case .seen: break
    case .deliver(let scene, let delivery, _):
      let key = Key(scene: scene, screen: delivery.screen)
      guard let coordinator = coordinators[key], coordinator.lease == delivery.lease else { return }
      // Delivered again after a loss.
      guard delivery.message.number > coordinator.lastQueued else { return ledger.count("broker: delivered again") }
      // One that comes before those that were lost is passed over, as mailboxes do: the core delivers all of them again.
      guard delivery.message.number == coordinator.lastQueued + 1 else { return ledger.count("broker: delivered early") }
      coordinators[key]?.queue.append(delivery.message)
    }
  }

  /// Whoever makes a module has the whole of its input, or is not asked to (P4).
  private func listen(to input: [UInt8], of module: ModuleAddress, _ ledger: Ledger) {
    guard module.name == ScriptedApp.card else { return }
    ledger.count("broker: secrets given")
    ledger.require(ScriptedApp.holdsSecret(input), "a secret reaches its host", "\(name) was to make a \(module.name) without its secret")
  }

  // MARK: Work

  /// One coordinator that has a message and no turn under way handles it.
  mutating func work(_ ledger: Ledger, using random: inout SplitMix64) {
    for key in again { report(key) }
    again = []
    let idle = coordinators.keys.sorted().filter { coordinators[$0]?.reported == nil && coordinators[$0]?.queue.isEmpty == false }
    guard let key = idle.randomElement(using: &random), let message = coordinators[key]?.queue.first else { return }
    listen(key, to: message, ledger)
    speak(key, handling: message, using: &random)
    ledger.count("broker: turns")
    report(key)
  }

  /// What a coordinator is told must be new to it, and come in order.
  private func listen(_ key: Key, to message: MinervaNavigation.Message, _ ledger: Ledger) {
    guard let memory = coordinators[key]?.memory else { return }
    switch message.body {
    case .childOutput(let child, _, let number, _):
      let last = memory.outputs[child.description] ?? 0
      ledger.require(number == last + 1, "each output is heard once", "\(key.screen) heard output \(number) of \(child) after \(last)")
    case .timer: ledger.count("broker: wakes")
    case .childEnded(let child, _, _, _):
      ledger.require(
        !memory.ended.contains(child.description), "one terminal event a screen", "\(key.screen) heard twice that \(child) ended")
    default: break
    }
  }

  /// Ends a turn: with outputs, wishes and an end as chance has it.
  private mutating func speak(_ key: Key, handling message: MinervaNavigation.Message?, using random: inout SplitMix64) {
    guard let coordinator = coordinators[key] else { return }
    var memory = coordinator.memory
    var turn = TurnReport(screen: key.screen, lease: coordinator.lease, number: coordinator.turns + 1, handled: message?.number)
    if let message { memory.handled = message.number }
    switch message?.body {
    case .childOutput(let child, _, let number, _): memory.outputs[child.description] = number
    case .childEnded(let child, _, _, _): memory.ended.append(child.description)
    default:
      if isCalm { break }
      if random.happens(0.4) { turn.outputs = random.happens(0.3) ? [[1], [2]] : [[1]] }
      if random.happens(0.2) {
        let via: Presentation = random.happens(0.7) ? .push : .modal(.sheet)
        turn.requests = [TurnRequest(.open(Command.Opening(ModuleAddress(name: "Home"), via: via)), deadline: 2_000)]
      }
      // Whom a link waits for has a result more often.
      if message != nil, random.happens(coordinator.module == ScriptedApp.login ? 0.6 : 0.15) { turn.ending = .finish([2]) }
      if random.happens(0.08) {
        let after: UInt64? = random.happens(0.2) ? nil : UInt64.random(in: 0...2_500, using: &random)
        turn.wakes = [TurnWake(name: random.happens(0.5) ? "poll" : "blink", after: after)]
      }
    }
    turn.state = try? CBOR.encode(memory)
    coordinators[key]?.reported = (turn, memory)
  }
}
