import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// The hosts around the broker: connections that end, processes that die, leases that pass, turns that come late.
extension BrokerOnDisk {
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
    var host: String
    var connection: UInt64
    var scene: SceneIdentity
    var report: TurnReport
    /// Whether its screen was given to another lease or host before it came.
    var isStale: Bool
  }

  /// One thing that happens to a host.
  func hostStep() {
    let index = Int.random(in: 0..<hosts.count, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case _ where !hosts[index].isConnected: if random.happens(0.1) { connectHost(index) }
    case ..<2: loseHost(index, killed: false)
    case ..<4: loseHost(index, killed: true)
    case ..<40: take(host: index)
    case ..<65: work(host: index)
    default: hear(host: index)
    }
  }

  func take(host index: Int) { hosts[index].take(ledger, using: &random) }
  func work(host index: Int) { hosts[index].work(ledger, using: &random) }

  func connectHost(_ index: Int) {
    hosts[index].connect(connection())
    note("\(hosts[index].name) connects", hosts[index].incarnation)
    machine.connected(hosts[index].name)
  }

  func loseHost(_ index: Int, killed: Bool) {
    let (name, incarnation) = (hosts[index].name, hosts[index].incarnation)
    note("\(name) \(killed ? "is killed" : "is cut off")")
    ledger.count(killed ? "broker: hosts killed" : "broker: hosts cut off")
    hosts[index].disconnect(killed: killed)
    rest(lane: name)
    perform(machine.lost(name, incarnation: incarnation, reason: "by chaos", pid: 1, now: now))
    for (id, link) in links.sorted(by: { $0.key < $1.key }) where link.host == name {
      links[id] = nil
      linked(link, .lost(host: name))
    }
    for (id, asked) in inquiries.sorted(by: { $0.key < $1.key }) where asked.host == name {
      inquiries[id] = nil
      undecided(asked.inquiry, by: name)
    }
  }

  // MARK: Links

  /// Asks the owner of a route.
  func ask(_ host: String, _ inquiry: RouteInquiry) {
    guard let index = hosts.firstIndex(where: { $0.name == host }) else { return }
    note("\(host) is asked for \(inquiry.question.pattern)")
    ledger.count("broker: owners asked")
    guard hosts[index].isConnected else { return unasked.append((host, inquiry)) }
    lastLink += 1
    inquiries[lastLink] = (host, inquiry)
    hosts[index].inbox.append(.inquire(lastLink))
  }

  private func undecided(_ inquiry: RouteInquiry, by host: String) {
    let error = MinervaError(.routeFailed, "\(host) did not answer", retryable: true)
    perform(machine.decided(inquiry.scene.name, inquiry.question, .failure(error), now: now))
  }

  private func linked(_ link: Link, _ verdict: LinkVerdict) {
    note("\(link.screen) under lease \(link.lease): \(verdict.word)")
    if let order = link.order { return perform(machine.resumed(order, at: link.host, verdict, now: now)) }
    perform(machine.linked(link.scene, LinkReport(screen: link.screen, lease: link.lease, verdict: verdict), now: now))
  }

  /// The broker hears the next word of a host; a turn may overtake the verdict before it, as they are two calls.
  func hear(host index: Int) {
    guard hosts[index].isConnected, !hosts[index].outbox.isEmpty else { return }
    let (name, incarnation, connection) = (hosts[index].name, hosts[index].incarnation, hosts[index].connection)
    var place = 0
    if case .verdict = hosts[index].outbox[0], hosts[index].outbox.count > 1, case .turn = hosts[index].outbox[1], random.happens(0.3) {
      place = 1
    }
    switch hosts[index].outbox.remove(at: place) {
    case .register(let registration):
      let token = token()
      registrations[token] = name
      note("\(name) registers with \(registration.running.map { "\($0.screen)" })")
      perform(machine.register(registration, incarnation: incarnation, pid: 1, token: token, now: now))
    case .verdict(let id, let verdict):
      guard let link = links.removeValue(forKey: id) else { return }
      linked(link, verdict)
    case .decided(let id, let decision):
      guard let asked = inquiries.removeValue(forKey: id) else { return }
      note("\(name) answers for \(asked.inquiry.question.pattern): \(decision)")
      perform(machine.decided(asked.inquiry.scene.name, asked.inquiry.question, .success(decision), now: now))
    case .turn(let submission): hear(submission, from: name, connection)
    case .accepted:
      if let batch = lanes[name]?.next() { hosts[index].inbox.append(.orders(batch)) }
    }
  }

  private func hear(_ submission: TurnSubmission, from name: String, _ connection: UInt64) {
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
    turns[token] = Turn(host: name, connection: connection, scene: submission.scene, report: report, isStale: isStale)
    note("\(name) reports turn \(report.number) of \(report.screen), message \(report.handled ?? 0)", UInt64(report.number))
    perform(machine.turn(submission, token: token, node: holder, now: now))
  }

  /// A call of a host is over.
  func answerHost(_ token: CallToken, _ reply: BrokerAction.Reply) {
    if let name = registrations.removeValue(forKey: token), let index = hosts.firstIndex(where: { $0.name == name }) {
      switch reply {
      case .registered(let receipt):
        note("\(name) is registered, forgets \(receipt.forgotten.map { "\($0.screen)" })")
        hosts[index].inbox.append(.registered(receipt.forgotten))
      default:
        note("\(name) is not registered: \(reply)")
        // Not now: the link is given up and tried again.
        loseHost(index, killed: false)
      }
    }
    guard let turn = turns.removeValue(forKey: token), let index = hosts.firstIndex(where: { $0.name == turn.host }) else { return }
    var receipt: TurnReceipt?
    if case .turned(let answer) = reply { receipt = answer }
    note("turn \(turn.report.number) of \(turn.report.screen) is \(receipt.map { $0.refusal?.code ?? "taken" } ?? "not answered")")
    if let receipt, receipt.refusal == nil { checkTaken(turn) }
    guard hosts[index].connection == turn.connection else { return }
    hosts[index].inbox.append(.turned(turn.scene, turn.report.screen, lease: turn.report.lease, turn.report.number, receipt))
  }

  // MARK: What the broker wants of hosts

  func send(_ link: Link, _ order: (UInt64) -> ScriptedHost.Order) {
    let host = link.host
    guard let index = hosts.firstIndex(where: { $0.name == host }) else { return }
    note("\(host) is asked for \(link.screen) under lease \(link.lease)", UInt64(link.lease))
    guard hosts[index].isConnected else { return unreachable.append(link) }
    lastLink += 1
    links[lastLink] = link
    hosts[index].inbox.append(order(lastLink))
  }

  /// What could not be sent is answered in a turn of its own, as the service does.
  func giveUpUnreachable() {
    let list = unreachable
    unreachable = []
    for link in list { linked(link, .lost(host: link.host)) }
    let questions = unasked
    unasked = []
    for (host, inquiry) in questions { undecided(inquiry, by: host) }
  }

  func send(_ order: HostOrder, to host: String) {
    guard let index = hosts.firstIndex(where: { $0.name == host }), !isDropped(order) else { return }
    switch order {
    case .deliver(_, let delivery, _): note("\(host) is sent message \(delivery.message.number) of \(delivery.screen)")
    case .end(_, let departure): note("\(host) is told the end of \(departure.screen), \(departure.reason)")
    case .seen: break
    }
    let lane = lanes[host] ?? OrderLane()
    lanes[host] = lane
    guard lane.append(order) else { return }
    if hosts[index].isConnected, let batch = lane.next() { hosts[index].inbox.append(.orders(batch)) } else { rest(lane: host) }
  }

  private func rest(lane host: String) {
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
