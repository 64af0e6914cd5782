import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// The hosts as the broker has them: what they are asked and sent, and what they say.
extension BrokerParty {
  /// A module that is being made, or made again, in a host.
  struct Link {
    var host: String
    var scene: SceneIdentity
    var screen: ScreenID
    var lease: UInt32
    /// With what it is to be made again, if it was made before.
    var order: ResumeOrder?
  }

  /// A turn whose report is not answered.
  struct Turn {
    var connection: SimulatedNetwork.Connection
    var scene: SceneIdentity
    var report: TurnReport
    /// Whether its screen was given to another lease or host before it came.
    var isStale: Bool
  }

  /// A host goes on, if it is there: what it did may be durable only after its loss.
  func noteWork(of name: String) { if machine.registry.hosts[name]?.isAlive == true { ledger.hostWorked(name) } }

  /// A host is gone: what it was asked is answered by that.
  func hostLost(_ name: String) {
    for (id, link) in making.sorted(by: { $0.key < $1.key }) where link.host == name {
      making[id] = nil
      linked(link, .lost(host: name))
    }
    for (id, asked) in inquiries.sorted(by: { $0.key < $1.key }) where asked.host == name {
      inquiries[id] = nil
      undecided(asked.inquiry, by: name)
    }
  }

  // MARK: What hosts say

  func hear(_ word: ScriptedHost.Word, over connection: SimulatedNetwork.Connection) {
    let name = connection.dialler.name
    switch word {
    case .register(let registration):
      let token = token()
      registrations[token] = connection
      note("\(name) registers with \(registration.running.map { "\($0.screen)" })")
      perform(machine.register(registration, incarnation: connection.diallerIncarnation, pid: 1, token: token, now: now))
    case .verdict(let id, let verdict): if let link = making.removeValue(forKey: id) { linked(link, verdict) }
    case .decided(let id, let decision):
      guard let asked = inquiries.removeValue(forKey: id) else { return }
      note("\(name) answers for \(asked.inquiry.question.pattern): \(decision)")
      perform(machine.decided(asked.inquiry.scene.name, asked.inquiry.question, .success(decision), now: now))
    case .turn(let submission): hear(submission, over: connection)
    case .accepted: if let batch = lanes[name]?.next() { send(.order(.orders(batch)), to: name) }
    }
  }

  private func linked(_ link: Link, _ verdict: LinkVerdict) {
    note("\(link.screen) under lease \(link.lease): \(verdict.word)")
    if case .accepted = verdict { noteWork(of: link.host) }
    if let order = link.order { return perform(machine.resumed(order, at: link.host, verdict, now: now)) }
    perform(machine.linked(link.scene, LinkReport(screen: link.screen, lease: link.lease, verdict: verdict), now: now))
  }

  private func hear(_ submission: TurnSubmission, over connection: SimulatedNetwork.Connection) {
    let name = connection.dialler.name
    var submission = submission
    let report = submission.report
    let known = identity == submission.scene ? state?.screen(report.screen) : nil
    let isStale = known.map { $0.lease > report.lease || !["", name].contains($0.summary.host) } ?? false
    if isStale { ledger.count("broker: stale turns") }
    // The planted fault: what a host says counts whatever lease it says it under.
    var holder = name
    if fault == .deadHostActs, isStale, let known {
      submission.report.lease = known.lease
      holder = known.summary.host
    }
    let token = token()
    turns[token] = Turn(connection: connection, scene: submission.scene, report: report, isStale: isStale)
    note("\(name) reports turn \(report.number) of \(report.screen), message \(report.handled ?? 0)", UInt64(report.number))
    perform(machine.turn(submission, token: token, node: holder, now: now))
  }

  /// A call of a host is over.
  func answerHost(_ token: CallToken, _ reply: BrokerAction.Reply) {
    if let connection = registrations.removeValue(forKey: token) {
      let name = connection.dialler.name
      switch reply {
      case .registered(let receipt):
        note("\(name) is registered, forgets \(receipt.forgotten.map { "\($0.screen)" })")
        process.send(.order(.registered(receipt.forgotten)), over: connection)
      default:
        note("\(name) is not registered: \(reply)")
        process.send(.order(.refused), over: connection)
      }
    }
    guard let turn = turns.removeValue(forKey: token) else { return }
    var receipt: TurnReceipt?
    if case .turned(let answer) = reply { receipt = answer }
    note("turn \(turn.report.number) of \(turn.report.screen) is \(receipt.map { $0.refusal?.code ?? "taken" } ?? "not answered")")
    if let receipt, receipt.refusal == nil { checkTaken(turn) }
    let (screen, lease, number) = (turn.report.screen, turn.report.lease, turn.report.number)
    process.send(.order(.turned(turn.scene, screen, lease: lease, number, receipt)), over: turn.connection)
  }

  // MARK: What the broker wants of hosts

  /// Asks the owner of a route.
  func ask(_ host: String, _ inquiry: RouteInquiry) {
    note("\(host) is asked for \(inquiry.question.pattern)")
    ledger.count("broker: owners asked")
    lastOrder += 1
    // What cannot be sent is answered in a turn of its own, as the service does.
    guard send(.order(.inquire(lastOrder)), to: host) else { return after(1) { $0.undecided(inquiry, by: host) } }
    inquiries[lastOrder] = (host, inquiry)
  }

  private func undecided(_ inquiry: RouteInquiry, by host: String) {
    let error = MinervaError(.routeFailed, "\(host) did not answer", retryable: true)
    perform(machine.decided(inquiry.scene.name, inquiry.question, .failure(error), now: now))
  }

  func send(_ link: Link, _ order: (UInt64) -> ScriptedHost.Order) {
    note("\(link.host) is asked for \(link.screen) under lease \(link.lease)", UInt64(link.lease))
    lastOrder += 1
    guard send(.order(order(lastOrder)), to: link.host) else { return after(1) { $0.linked(link, .lost(host: link.host)) } }
    making[lastOrder] = link
  }

  func send(_ order: HostOrder, to host: String) {
    guard !isDropped(order) else { return }
    switch order {
    case .deliver(_, let delivery, _): note("\(host) is sent message \(delivery.message.number) of \(delivery.screen)")
    case .end(_, let departure): note("\(host) is told the end of \(departure.screen), \(departure.reason)")
    case .seen: break
    }
    let lane = lanes[host] ?? OrderLane()
    lanes[host] = lane
    guard lane.append(order) else { return }
    guard links[host] != nil, let batch = lane.next() else { return drop(lane: host) }
    send(.order(.orders(batch)), to: host)
  }

  /// What waits for a host that is gone is dropped; the core keeps what matters (N7).
  func drop(lane host: String) {
    lanes[host]?.drop()
    _ = lanes[host]?.next()
  }

  /// The planted fault: a coordinator's end is told to nobody.
  private func isDropped(_ order: HostOrder) -> Bool {
    guard fault == .endingDropped else { return false }
    switch order {
    case .end: return true
    case .seen: return false
    case .deliver(_, let delivery, _): if case .childEnded = delivery.message.body { return true } else { return false }
    }
  }
}

extension LinkVerdict {
  /// What it says, for a trace.
  fileprivate var word: String {
    switch self {
    case .accepted(let acceptance): "made at \(acceptance.host)"
    case .refused(let refusal): "refused, \(refusal.code)"
    case .lost(let host): "\(host) is lost"
    }
  }
}
