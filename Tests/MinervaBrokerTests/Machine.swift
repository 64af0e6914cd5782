@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// The broker's state machine with a clock by hand, a journal in an array, and hosts that accept everything when asked to.
struct Machine {
  var broker: BrokerStateMachine
  var now = Moment(milliseconds: 1_000)
  /// What was handed to the journal, in order.
  var journaled: [JournalEntry] = []
  /// What was done and not looked at.
  var actions: [BrokerAction] = []
  private var token: CallToken = 0
  private var lastTicket: UInt64 = 0

  init(epoch: UInt64 = 1) { broker = BrokerStateMachine(epoch: epoch, now: now) }

  /// A machine that was started from what another handed to its journal.
  init(restarting other: Machine, epoch: UInt64) throws {
    self.init(epoch: epoch)
    now = other.now + 50
    journaled = other.journaled
    var scenes: [String: [JournalEntry]] = [:]
    for entry in journaled { scenes[entry.scene, default: []].append(entry) }
    for (name, records) in scenes.sorted(by: { $0.key < $1.key }) {
      try broker.restore(JournaledScene(scene: name, snapshot: nil, records: records), now: now)
    }
    take(broker.recovered(epoch: epoch, now: now))
  }

  /// Notes actions; entries go to the journal, which has not made them durable yet.
  mutating func take(_ new: [BrokerAction]) {
    for action in new {
      if case .append(let entry, let ticket) = action {
        journaled.append(entry)
        lastTicket = ticket
      } else {
        actions.append(action)
      }
    }
  }

  /// Everything handed to the journal becomes durable.
  mutating func commit() { take(broker.committed(upTo: lastTicket, now: now)) }

  /// Commits and lets hosts accept what they are asked, until nothing more happens.
  mutating func settle() {
    while true {
      let before = journaled.count
      commit()
      func isAsked(_ action: BrokerAction) -> Bool {
        switch action {
        case .connect, .resume: true
        default: false
        }
      }
      // What hosts are asked meanwhile is answered in the next round.
      let asked = actions.filter(isAsked)
      actions.removeAll(where: isAsked)
      for action in asked {
        switch action {
        case .connect(let host, let order): accept(order.scene, order.connection.screen, order.connection.lease, host)
        case .resume(let host, let order): accept(order.scene, order.resumption.screen, order.resumption.lease, host)
        default: continue
        }
      }
      if journaled.count == before { return }
    }
  }

  private mutating func accept(_ scene: SceneIdentity, _ screen: ScreenID, _ lease: UInt32, _ host: String) {
    take(broker.linked(scene, LinkReport(screen: screen, lease: lease, verdict: .accepted(Acceptance(host: host))), now: now))
  }

  mutating func wait(_ milliseconds: Int64) {
    now = now + milliseconds
    take(broker.alarm(now: now))
  }

  private mutating func next() -> CallToken {
    token += 1
    return token
  }

  @discardableResult
  mutating func register(
    _ node: String, app: String = "shop", incarnation: UInt64 = 1, modules: [String] = ["Home", "Detail"],
    schemas: [String: PayloadSchema] = [:],
    running: [RunningCoordinator] = [], saysFirst: Bool? = nil
  ) -> CallToken {
    let token = next()
    let registration = HostRegistration(
      app: app, node: node, endpoint: nil,
      modules: modules.map { name in
        ModuleDescription(name: name, schema: schemas[name].flatMap { try? JSONValueEncoder().encode($0).text })
      }, running: running, saysFirst: saysFirst)
    take(broker.register(registration, incarnation: incarnation, pid: 1, token: token, now: now))
    return token
  }

  @discardableResult
  mutating func request(
    _ action: Command.Action, txn: String, scene: String = "main", node: String = "shell", deadline: UInt32? = nil
  ) -> CallToken {
    let token = next()
    let command = Command(txn: txn, caller: "test", action: action, deadline: deadline)
    take(broker.request(SceneRequest(scene: SceneAddress(name: scene), command: command), token: token, node: node, now: now))
    return token
  }

  @discardableResult
  mutating func open(_ module: String, txn: String, via: Presentation = .push) -> CallToken {
    request(.open(Command.Opening(ModuleAddress(name: module), via: via)), txn: txn)
  }

  mutating func look(_ scene: String = "main", renderings: Bool = true) -> CallToken {
    let token = next()
    take(broker.look(SceneAddress(name: scene), renderings: renderings, token: token, now: now))
    return token
  }

  /// Reports a turn as the host that runs the screen does, or as another.
  mutating func turn(
    _ screen: ScreenID, _ number: UInt32, lease: UInt32? = nil, handled: UInt32?, state: [UInt8]? = nil, rendering: Bool = false,
    by node: String? = nil
  ) -> CallToken {
    let token = next()
    let report = TurnReport(screen: screen, lease: lease ?? self.lease(of: screen), number: number, handled: handled, state: state)
    let submission = TurnSubmission(scene: identity, report: report, rendering: rendering)
    take(broker.turn(submission, token: token, node: node ?? host(of: screen), now: now))
    return token
  }

  /// The host that runs a screen, or makes it.
  func host(of screen: ScreenID) -> String {
    let maker = broker.scenes.values.lazy.flatMap(\.links.underWay).first { $0.key.screen == screen }?.value
    return maker ?? broker.scenes["main"]?.state.screen(screen)?.summary.host ?? ""
  }

  mutating func lease(_ request: DiffLeaseRequest, from node: String = "shop-1", incarnation: UInt64 = 1) -> CallToken {
    let token = next()
    take(broker.lease(request, token: token, node: node, incarnation: incarnation, now: now))
    return token
  }

  private func lease(of screen: ScreenID) -> UInt32 { broker.scenes["main"]?.state.screen(screen)?.lease ?? 0 }

  var identity: SceneIdentity { broker.scenes["main"]?.identity ?? SceneIdentity(name: "main", app: "shop", incarnation: 1) }

  /// The modules of the root stack from the bottom.
  var stack: [String] {
    guard let state = broker.scenes["main"]?.state else { return [] }
    return (state.tree.layers.first?.stack ?? []).map(\.module)
  }

  /// The reply to a call, if it came.
  func reply(to token: CallToken) -> BrokerAction.Reply? {
    for case .answer(let answered, let reply) in actions where answered == token { return reply }
    return nil
  }

  /// The error code a call ended with, if it did.
  func refusal(of token: CallToken) -> String? {
    if case .refused(let error) = reply(to: token) { return error.code.rawValue }
    return nil
  }

  /// The kinds of the processes' events so far.
  var processes: [String] {
    actions.compactMap { action in
      if case .publish(let event, _) = action, case .process(let process) = event.kind {
        return "\(process.change.rawValue) \(process.node)"
      }
      return nil
    }
  }
}

extension BrokerStateMachine {
  /// Takes in a scene as a journal holds it.
  ///
  /// - Throws: The part that cannot be used. Nothing was taken in then.
  mutating func restore(_ journaled: JournaledScene, now: Moment) throws(UnusablePart) {
    if let restored = try RestoredScene(journaled, settings: sceneSettings) { restore(restored, now: now) }
  }
}
