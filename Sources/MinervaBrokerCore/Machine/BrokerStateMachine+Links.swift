package import MinervaInterfaces
package import MinervaNavigation
package import MinervaProtocol
import MinervaWire

/// The links of screens to coordinators: who is asked to make one, what hosts say to that, and their end.
extension BrokerStateMachine {
  // MARK: Asking

  /// Has a host make a coordinator, or waits for one that can.
  mutating func connect(_ connection: Connection, of slot: SceneSlot, now: Moment, _ actions: inout [BrokerAction]) {
    let scene = slot.identity.name
    var connection = connection
    let identity = slot.identity
    let key = SceneLinks.Key(screen: connection.screen, lease: connection.lease)
    do throws(MinervaError) {
      let app = connection.module.app ?? identity.app
      let host: String
      if let maker = slot.links.makers[key], registry.isAlive(maker) {
        guard registry.isGreeted(maker) else { return slot.links.park(connection) }
        host = maker
      } else {
        host = try registry.host(for: connection.module.name, of: app, pin: connection.module.host)
      }
      guard opened(&connection.input, connection.seal, of: scene) else {
        return feedLoss(of: connection.screen, lease: connection.lease, in: scene, now: now, &actions)
      }
      slot.links.begin(key, at: host)
      slot.hosts.insert(host)
      hosts.adjustLoad(of: host, by: 1)
      // What was started, and not opened by a request of its own, may open something in its first turn: that is waited for.
      if connection.via == nil, registry.saysFirst(host) { slot.announced.insert(connection.screen) }
      actions.append(.connect(host: host, ConnectOrder(scene: identity, connection: connection, at: slot.time(now))))
    } catch {
      // A host that is being restarted needs a moment; the core's own deadline ends a link that waits too long.
      if isRecovering || hosts.mayOffer(connection.module.name, of: connection.module.app ?? identity.app) {
        slot.links.park(connection)
      } else {
        let report = LinkReport(screen: connection.screen, lease: connection.lease, verdict: .refused(Refusal(error)))
        feed(.link(report), to: scene, now: now, &actions)
      }
    }
  }

  /// Has a host make a coordinator again, when its turn comes.
  mutating func resume(_ resumption: Resumption, of slot: SceneSlot, now: Moment, _ actions: inout [BrokerAction]) {
    let scene = slot.identity.name
    var resumption = resumption
    // Gone since it was taken back: its next life is asked itself, and would not be told of an end that comes before it has joined.
    guard registry.isAlive(resumption.host) else {
      let report = LinkReport(screen: resumption.screen, lease: resumption.lease, verdict: .lost(host: resumption.host))
      return feed(.link(report), to: scene, now: now, &actions)
    }
    guard opened(&resumption.input, resumption.seal, of: scene) else {
      return feedLoss(of: resumption.screen, lease: resumption.lease, in: scene, now: now, &actions)
    }
    let link = SceneLinks.Key(screen: resumption.screen, lease: resumption.lease)
    slot.links.begin(link, at: resumption.host)
    slot.hosts.insert(resumption.host)
    // Whoever makes a screen again says what it shows, also when that is nothing.
    slot.announced.insert(resumption.screen)
    slot.displays.restart(resumption.screen)
    hosts.adjustLoad(of: resumption.host, by: 1)
    let order = ResumeOrder(scene: slot.identity, resumption: resumption, shown: slot.displays.lists[resumption.screen])
    hosts.append(order, ResumeLane.Key(link: link, scene: slot.identity), for: resumption.host, at: now)
    resumeNext(at: resumption.host, now: now, &actions)
  }

  /// Has a host make the next coordinators again, as many as it may at once.
  mutating func resumeNext(at host: String, now: Moment, _ actions: inout [BrokerAction]) {
    while let (key, waiting) = hosts.next(for: host, now) {
      guard let slot = scenes[key.scene.name], slot.identity == key.scene, slot.links.underWay[key.link] == host else {
        hosts.ended(key, at: host, now)
        continue
      }
      var order = waiting
      order.at = slot.time(now)
      actions.append(.resume(host: host, order))
    }
  }

  // MARK: Verdicts

  /// A host that was to make a coordinator again answered, or nobody waits for that any more.
  package mutating func resumed(_ order: ResumeOrder, at host: String, _ verdict: LinkVerdict?, now: Moment) -> [BrokerAction] {
    let resumption = order.resumption
    let link = SceneLinks.Key(screen: resumption.screen, lease: resumption.lease)
    hosts.ended(ResumeLane.Key(link: link, scene: order.scene), at: host, now)
    var actions: [BrokerAction] = []
    if let verdict {
      actions = linked(order.scene, LinkReport(screen: resumption.screen, lease: resumption.lease, verdict: verdict), now: now)
    }
    resumeNext(at: host, now: now, &actions)
    askAgain(order, at: host, now: now, &actions)
    return actions
  }

  /// Screens that a host makes again, or has still to come to, do not lose their place for having waited long, as long as it goes on (K3).
  mutating func keepPlaces(in name: String, now: Moment, _ actions: inout [BrokerAction]) {
    guard let slot = scenes[name] else { return }
    var kept: [String: (screens: [ScreenID], until: Moment)] = [:]
    for overdue in slot.state.overdueResumptions(at: slot.time(now)) {
      let link = SceneLinks.Key(screen: overdue.screen, lease: overdue.lease)
      let key = ResumeLane.Key(link: link, scene: slot.identity)
      guard slot.links.underWay[link] == overdue.host,
        let until = hosts.keeps(key, at: overdue.host, now), until > now
      else { continue }
      kept[overdue.host, default: ([], until)].screens.append(overdue.screen)
    }
    for (host, places) in kept.sorted(by: { $0.key < $1.key }) {
      let awaited = HostReturn.Awaited(screens: places.screens, until: slot.time(places.until))
      feed(.hostBack(HostReturn(host: host, kept: false, awaited: awaited)), to: name, now: now, &actions)
    }
  }

  /// Whether a host's verdict on a coordinator that it is to make again is still waited for.
  package func awaits(_ order: ResumeOrder, of host: String) -> Bool {
    guard let slot = scenes[order.scene.name], slot.identity == order.scene else { return false }
    return slot.links.underWay[SceneLinks.Key(screen: order.resumption.screen, lease: order.resumption.lease)] == host
  }

  /// A host answered a connect or resume, or did not.
  package mutating func linked(_ scene: SceneIdentity, _ report: LinkReport, now: Moment) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    if dormant.contains(scene) {
      if let loading = whenLoaded(scene.name, now: now, { $0.linked(scene, report, now: $1) }) { return loading }
    }
    let key = SceneLinks.Key(screen: report.screen, lease: report.lease)
    let isMade = if case .accepted = report.verdict { true } else { false }
    if !isMade {
      discarded[scene]?.drop(key)
      if dormant.contains(scene) { dormant[scene.name]?.kept?.drop(key) }
    }
    guard let slot = scenes[scene.name], slot.identity == scene else { return actions }
    let (host, turns) = slot.links.settle(key, isMade: isMade)
    if let host { hosts.ended(ResumeLane.Key(link: key, scene: scene), at: host, now) }
    if case .lost(let host) = report.verdict { hosts.adjustLoad(of: host, by: -1) }
    if !isMade { slot.announced.remove(report.screen) }
    feed(.link(checked(report, in: scene.name)), to: scene.name, now: now, &actions)
    for early in turns { actions += turn(early.submission, token: early.token, node: early.node, now: now) }
    if let host { resumeNext(at: host, now: now, &actions) }
    return actions
  }

  // MARK: The end

  /// Tells hosts that a coordinator is over, and forgets what its screen showed.
  mutating func end(_ departure: Departure, of slot: SceneSlot, _ actions: inout [BrokerAction]) {
    let (host, turns) = slot.links.end(SceneLinks.Key(screen: departure.screen, lease: departure.lease))
    refuse(turns, &actions)
    slot.displays.remove(departure.screen)
    slot.announced.remove(departure.screen)
    slot.deaths.removeValue(forKey: departure.screen)
    if slot.state.screen(departure.screen) == nil { slot.askedAgain.removeValue(forKey: departure.screen) }
    // Whoever had it, and who is making it anew: its verdict will come too late.
    for host in Set([departure.host, host ?? ""]).sorted() where !host.isEmpty {
      hosts.adjustLoad(of: host, by: -1)
      if registry.isAlive(host) { actions.append(.order(host: host, .end(slot.identity, departure))) }
    }
  }

  /// Refuses turns whose link came to nothing.
  private func refuse(_ turns: [SceneLinks.EarlyTurn], _ actions: inout [BrokerAction]) {
    for turn in turns {
      let refusal = Refusal(code: MinervaError.Code.staleRef.rawValue, message: "\(turn.key.screen) is gone")
      actions.append(.answer(turn.token, .turned(TurnReceipt(refusal: refusal))))
    }
  }

  /// Forgets what a lost host had made, and its turns that were not taken. Linear in the scenes in memory and in those of the host.
  mutating func forgetLinks(of node: String, _ actions: inout [BrokerAction]) {
    var tokens: [CallToken] = []
    for slot in scenes.values { tokens += slot.links.lose(node) }
    for kept in discarded.values { kept.lose(node) }
    let error = MinervaError.peerLost(node, reason: "before its turn was taken", maybeExecuted: false)
    for token in tokens.sorted() { actions.append(.answer(token, .refused(error))) }
  }

  /// Tells a scene that a lost host makes nothing any more.
  mutating func loseLinks(of node: String, in name: String, now: Moment, _ actions: inout [BrokerAction]) {
    guard let slot = scenes[name] else { return }
    for key in slot.links.underWay(at: node) {
      refuse(slot.links.settle(key, isMade: false).turns, &actions)
      slot.announced.remove(key.screen)
      feed(.link(LinkReport(screen: key.screen, lease: key.lease, verdict: .lost(host: node))), to: name, now: now, &actions)
    }
  }
}
