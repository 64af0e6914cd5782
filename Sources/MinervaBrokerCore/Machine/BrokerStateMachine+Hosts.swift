package import MinervaInterfaces
import MinervaNavigation
package import MinervaProtocol
package import MinervaWire

/// Hosts: joining, turns, renderings, loss and return.
extension BrokerStateMachine {
  /// A host joins, or joins again: what it can take over is resumed, what it holds in vain is named (K3).
  package mutating func register(
    _ registration: HostRegistration, incarnation: UInt64, pid: Int32, token: CallToken, now: Moment
  ) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    let node = registration.node
    guard isServing else { return [.answer(token, .refused(recovering))] }
    leaveJoin(of: node, &actions)
    let loading = whenLoaded(scenesOf: registration, token: token, now: now) {
      $0.register(registration, incarnation: incarnation, pid: pid, token: token, now: $1)
    }
    if let loading { return actions + loading }
    var resumed = hosts.isExpected(node)
    for action in hosts.leases.register(node: node, incarnation: incarnation, at: now) {
      switch action {
      case .refused(let error): return actions + [.answer(token, .refused(error))]
      case .accepted(_, let kept): resumed = resumed || kept
      case .expired(let lease, .replaced):
        resumed = true
        lose(lease.node, now: now, &actions)
      case .expired(let lease, _): expire(lease.node, now: now, &actions)
      case .suspended: break
      }
    }
    do throws(MinervaError) {
      try hosts.register(registration)
    } catch {
      _ = hosts.leases.left(node: node, incarnation: incarnation)
      // What ran under its name before is over: others take over, unless it is still awaited since this broker's restart.
      if resumed, !hosts.isExpected(node) {
        lose(node, now: now, &actions)
        expire(node, now: now, &actions)
      }
      return actions + [.answer(token, .refused(error))]
    }
    let isFirstSinceRestart = hosts.stopExpecting(node)
    let forgotten = registration.running.filter { !isHolding($0, node: node) }
    let receipt = HostReceipt(epoch: epoch, lease: Int(settings.leases.lease), forgotten: forgotten)
    hold(.receipt(token, receipt, node: node, join: registry.joins), now: now, &actions)
    publish(
      ProcessEvent(change: resumed ? .resumed : .joined, node: node, kind: "host", pid: pid, reason: registration.app), now: now, &actions)
    for name in scenes.keys.sorted() where concerns(registration, name) {
      takeBack(name, by: registration, now: now, &actions)
      if isFirstSinceRestart { leaveUnclaimed(node, in: name, now: now, &actions) }
    }
    // Scenes that it does not speak of, and that know it, hear that it has nothing of them any more.
    loseDormant(node, &actions)
    return actions
  }

  /// A host has its receipt: from now on it is told things, beginning with what waited for it.
  mutating func greet(_ node: String, join: UInt64, now: Moment, _ actions: inout [BrokerAction]) {
    guard hosts.greet(node, join: join) else { return }
    for slot in scenes.values.filter({ !$0.links.parked.isEmpty }).sorted(by: { $0.identity.name < $1.identity.name }) {
      for connection in slot.links.unpark() { perform(.connect(connection), of: slot, now: now, &actions) }
    }
    if let app = registry.hosts[node]?.registration.app { resolveDuePlans(of: app, now: now, &actions) }
  }

  /// Whether the core agrees that a host runs this coordinator, or may make it.
  ///
  /// What is still to be made belongs to whoever was asked to. A broker that has restarted does not know who that was: it is the first
  /// that says it has it.
  private func isHolding(_ running: RunningCoordinator, node: String) -> Bool {
    guard let slot = scenes[running.scene.name], slot.identity == running.scene else { return false }
    guard let report = slot.state.screen(running.screen), running.lease ?? report.lease == report.lease else { return false }
    let key = SceneLinks.Key(screen: running.screen, lease: report.lease)
    if slot.links.underWay[key] == node { return true }
    let owner = report.summary.host.isEmpty ? slot.links.makers[key] ?? node : report.summary.host
    guard owner == node else { return false }
    slot.links.confirm(key, at: node)
    return true
  }

  /// The journal was opened anew, and what hosts said meanwhile may be lost, their return among it: each goes on from what it is known to
  /// have, and ends what nobody knows of any more.
  ///
  /// - Parameter gone: What hosts have of scenes that did not come back.
  mutating func rejoin(_ node: String, without gone: [SceneIdentity: KeptScreens], now: Moment, _ actions: inout [BrokerAction]) {
    guard var registration = registry.hosts[node]?.registration else { return }
    registration.running =
      scenes.values.flatMap { $0.links.makers.coordinators(of: node, in: $0.identity) }
      + gone.flatMap { $0.value.makers.coordinators(of: node, in: $0.key) }
    registration.running.sort { ($0.scene.description, $0.screen) < ($1.scene.description, $1.screen) }
    for running in registration.running where !isHolding(running, node: node) {
      let lease = running.lease ?? 0
      if let slot = scenes[running.scene.name], slot.identity == running.scene {
        _ = slot.links.settle(SceneLinks.Key(screen: running.screen, lease: lease), isMade: false)
      }
      let departure = Departure(screen: running.screen, module: "", host: node, lease: lease, reason: .rolledBack)
      actions.append(.order(host: node, .end(running.scene, departure)))
    }
    for name in scenes.keys.sorted() where concerns(registration, name) {
      takeBack(name, by: registration, now: now, &actions)
    }
  }

  /// Whether a host has, or can make, anything of a scene: also one of another app's, where a module of its own is open (`shop/Login`).
  func concerns(_ registration: HostRegistration, _ name: String) -> Bool {
    guard let slot = scenes[name] else { return false }
    return slot.identity.app == registration.app || slot.hosts.contains(registration.node)
      || slot.state.suspended.contains { Self.offers(registration, $0.module, in: slot) }
  }

  /// Whether a host offers a module that is open in a scene: one of the scene's own app, unless it names another.
  private static func offers(_ registration: HostRegistration, _ module: ModuleAddress, in slot: SceneSlot) -> Bool {
    (module.app ?? slot.identity.app) == registration.app && registration.modules.contains { $0.name == module.name }
  }

  /// Gives a host back what it ran in a scene before it was lost, and what other lost hosts ran and it can take over.
  mutating func takeBack(_ name: String, by registration: HostRegistration, now: Moment, _ actions: inout [BrokerAction]) {
    guard let slot = scenes[name], slot.hosts.contains(registration.node) || !slot.state.suspended.isEmpty else { return }
    let node = registration.node
    let running = Set(
      registration.running.filter { running in
        running.scene == slot.identity && (running.lease == nil || running.lease == slot.state.screen(running.screen)?.lease)
      }.map(\.screen))
    let waiting = Set(slot.state.suspended.map(\.summary.screen))
    // What is being resumed already, here or elsewhere, is not to be given back.
    let mine = slot.state.coordinators.filter { report in
      report.summary.host == node && (!report.isSuspended || waiting.contains(report.summary.screen))
    }
    if !mine.isEmpty {
      let kept = mine.filter { running.contains($0.summary.screen) }
      let gone = mine.filter { !running.contains($0.summary.screen) }
      let offered = gone.filter { Self.offers(registration, $0.module, in: slot) }.map(\.summary.screen)
      noteKept(kept.map(\.summary.screen), in: name)
      let refusing = noteDeaths(of: offered, in: name)
      if gone.isEmpty {
        if mine.contains(where: \.isSuspended) { feed(.hostBack(HostReturn(host: node, kept: true)), to: name, now: now, &actions) }
      } else if kept.isEmpty {
        if mine.contains(where: { !$0.isSuspended }) { feed(.hostLost(host: node), to: name, now: now, &actions) }
        feed(.hostBack(HostReturn(host: node, kept: false, resuming: offered, refusing: refusing)), to: name, now: now, &actions)
      } else {
        // What it has goes on; its neighbours are made again beside it.
        let report = HostReturn(
          host: node, kept: false, resuming: offered, keeping: kept.filter(\.isSuspended).map(\.summary.screen),
          lost: gone.filter { !$0.isSuspended }.map(\.summary.screen), refusing: refusing)
        feed(.hostBack(report), to: name, now: now, &actions)
      }
      redeliver(kept.filter { !$0.isSuspended }.map(\.summary.screen), in: name, now: now, &actions)
      let there = Set(kept.map(\.summary.screen))
      for coordinator in registration.running where coordinator.scene == slot.identity && coordinator.shows == true {
        if there.contains(coordinator.screen) { scenes[name]?.announced.insert(coordinator.screen) }
      }
    }
    if !mine.isEmpty { tellSight(of: slot, all: node, &actions) }
    takeOver(name, by: registration, now: now, &actions)
    announceIdle(name, now: now, &actions)
  }

  /// After this broker's own restart the host went on: what was on its way to it is sent again.
  private mutating func redeliver(_ screens: [ScreenID], in name: String, now: Moment, _ actions: inout [BrokerAction]) {
    guard let slot = scenes[name], !screens.isEmpty else { return }
    for effect in slot.state.outstanding() {
      if case .deliver(let delivery) = effect, screens.contains(delivery.screen) { hold(.effects(slot, [effect]), now: now, &actions) }
    }
  }

  /// Lets a living host resume the screens of hosts whose lease is over.
  mutating func takeOver(_ name: String, by registration: HostRegistration, now: Moment, _ actions: inout [BrokerAction]) {
    guard let slot = scenes[name] else { return }
    let able = slot.state.suspended.filter { report in
      !hosts.isAway(report.summary.host) && report.module.host == nil && Self.offers(registration, report.module, in: slot)
    }
    guard !able.isEmpty else { return }
    slot.hosts.insert(registration.node)
    let resuming = able.map(\.summary.screen)
    let refusing = noteDeaths(of: resuming, in: name)
    feed(
      .hostBack(HostReturn(host: registration.node, kept: false, resuming: resuming, refusing: refusing)), to: name, now: now, &actions)
  }

  /// Since this broker's restart a host has not come back, or no longer offers all that it ran: what nobody else can take over stays as
  /// placeholders (P2).
  mutating func leaveUnclaimed(_ node: String, in name: String, now: Moment, _ actions: inout [BrokerAction]) {
    func left(_ machine: Self) -> Bool {
      machine.scenes[name]?.state.suspended.contains { $0.summary.host == node && !$0.isUnclaimed } ?? false
    }
    guard left(self) else { return }
    for host in registry.registrations {
      takeOver(name, by: host, now: now, &actions)
    }
    if left(self) { feed(.unclaimed(host: node), to: name, now: now, &actions) }
  }

  /// A coordinator's turn ended (K3), as a host says.
  package mutating func turn(_ submission: TurnSubmission, token: CallToken, node: String, now: Moment) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    let name = submission.scene.name
    guard isServing else { return [.answer(token, .refused(recovering))] }
    if dormant.contains(submission.scene) {
      let join = registry.isAlive(node) ? registry.hosts[node]?.join : nil
      let loading = whenLoaded(name, token: token, until: now + Int64(sceneSettings.request), now: now) { machine, now in
        // Whoever is lost by then does not act.
        if let join, !machine.registry.isAlive(node) || machine.registry.hosts[node]?.join != join {
          return [.answer(token, .refused(.peerLost(node, reason: "before its turn was taken", maybeExecuted: false)))]
        }
        return machine.turn(submission, token: token, node: node, now: now)
      }
      if let loading { return loading }
    }
    guard let slot = scenes[name], slot.identity == submission.scene else {
      return [.answer(token, .turned(TurnReceipt(refusal: Refusal(MinervaError.sceneEnded(name)))))]
    }
    var report = submission.report
    let key = SceneLinks.Key(screen: report.screen, lease: report.lease)
    let known = slot.state.holder(of: report.screen)
    if let holder = slot.links.underWay[key] ?? known?.host, holder != node, !holder.isEmpty {
      let refusal = Refusal(
        code: MinervaError.Code.staleEpoch.rawValue, message: "\(report.screen) is \(holder)'s now; end the coordinator you have")
      hold(.reply(token, .turned(TurnReceipt(refusal: refusal))), now: now, &actions)
      return actions
    }
    if slot.links.underWay[key] != nil || slot.links.parked[key] != nil {
      // The host speaks as soon as it has given its verdict; its word waits until the verdict has been taken.
      slot.links.hold(SceneLinks.EarlyTurn(submission: submission, token: token, node: node))
      return []
    }
    do throws(MinervaError) {
      tidyIfCrowded(name)
      for index in report.requests.indices {
        report.requests[index].action = try sealed(report.requests[index].action, in: name, by: report.screen)
      }
    } catch {
      return [.answer(token, .turned(TurnReceipt(refusal: Refusal(error))))]
    }
    slot.waiters.append(token, forVerdictOn: Waiters.Turn(screen: report.screen, number: report.number))
    // Of a screen that is gone, or that another life holds, no rendering follows: the turn is refused.
    if submission.rendering, known?.lease == report.lease { slot.announced.insert(report.screen) }
    feed(.turn(report), to: name, now: now, &actions)
    return actions
  }

  /// Requires that what a host says of its screens can be kept.
  ///
  /// - Throws: `journal.unavailable` while the journal is opened again: no scene is in memory then, and its host has to say it again (C06).
  package func requireServing() throws(MinervaError) {
    guard isServing else { throw recovering }
  }

  /// A screen shows something new, as its host says; what another host says of it is old. Kept in memory: after a restart hosts report
  /// again.
  package mutating func rendered(_ report: RenderingReport, node: String, now: Moment) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    let name = report.scene.name, screen = report.rendering.screen
    if dormant.contains(report.scene), let loading = whenLoaded(name, now: now, { $0.rendered(report, node: node, now: $1) }) {
      return loading
    }
    guard let slot = scenes[name], slot.identity == report.scene, let holder = slot.state.holder(of: screen) else { return [] }
    let maker = slot.links.underWay[SceneLinks.Key(screen: screen, lease: holder.lease)]
    guard (maker ?? holder.host) == node else { return [] }
    slot.touchedAt = now
    if report.answersTurn { slot.announced.remove(screen) }
    if slot.displays.take(report) { publish(.list(report.change), of: slot, record: slot.state.seq, now: now, &actions) }
    announceIdle(name, now: now, &actions)
    return actions
  }

  // MARK: Loss

  /// A process went away. A host's screens are suspended for the lease; a caller has a moment to come back.
  package mutating func lost(_ node: String, incarnation: UInt64, reason: String, pid: Int32, now: Moment) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    leaveJoin(of: node, &actions)
    for case .suspended(let lease, _) in hosts.leases.lost(node: node, incarnation: incarnation, at: now) {
      publish(ProcessEvent(change: .suspended, node: lease.node, kind: "host", pid: pid, reason: reason), now: now, &actions)
      lose(lease.node, now: now, &actions)
    }
    for renderer in clients.lost(node, at: now) { loseRenderer(renderer, now: now, &actions) }
    return actions + lostWorker(node, incarnation: incarnation, reason: reason, pid: pid, now: now)
  }

  /// Who showed a scene is gone: what waits for it settles.
  private mutating func loseRenderer(_ renderer: ClientDesk.Renderer, now: Moment, _ actions: inout [BrokerAction]) {
    guard scenes[renderer.scene]?.state.primaryRenderer == renderer.name else { return }
    feed(.renderer(.lost(renderer: renderer.name)), to: renderer.scene, now: now, &actions)
  }

  private mutating func lose(_ node: String, now: Moment, _ actions: inout [BrokerAction]) {
    hosts.lose(node)
    forgetLinks(of: node, &actions)
    for name in scenes.keys.sorted() where scenes[name]?.hosts.contains(node) == true {
      loseLinks(of: node, in: name, now: now, &actions)
      noteInHand(of: node, in: name)
      suspend(node, in: name, now: now, &actions)
    }
    loseDormant(node, &actions)
    // Another host may answer for what it was asked.
    if let app = registry.hosts[node]?.registration.app { resolveDuePlans(of: app, now: now, &actions) }
  }

  /// Tells a scene that a host is lost, if it does not know.
  mutating func suspend(_ node: String, in name: String, now: Moment, _ actions: inout [BrokerAction]) {
    let mine = scenes[name]?.state.coordinators.filter { $0.summary.host == node } ?? []
    for report in mine { scenes[name]?.announced.remove(report.summary.screen) }
    if mine.contains(where: { !$0.isSuspended }) { feed(.hostLost(host: node), to: name, now: now, &actions) }
  }

  /// Whether a life of a process is the last one that joined under its name, as far as is known.
  package func isCurrent(_ node: String, incarnation: UInt64) -> Bool {
    (hosts.leases.lease(of: node)?.incarnation ?? desk.life(of: node) ?? incarnation) == incarnation
  }

  /// A process is there (again).
  package mutating func connected(_ node: String) { clients.connected(node) }

  // MARK: Time

  /// The next moment at which `alarm` is to be called.
  package var nextAlarm: Moment? {
    [
      wakes.first?.at, hosts.nextDeadline, clients.nextDeadline, desk.nextDeadline, dormant.nextDeadline,
      nextJourneyDeadline, planRetry,
    ].compactMap { $0 }.min()
  }

  /// Does what is due.
  package mutating func alarm(now: Moment) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    while let first = wakes.first, first.at <= now {
      wakes.removeFirst()
      guard let slot = scenes[first.scene], let wake = slot.state.wakeTime, slot.moment(of: wake) <= now else { continue }
      // Of what was lost before the restart nobody can say that its host did not come back in time: it is awaited anew.
      for host in Set(slot.state.suspended.map(\.summary.host)).sorted() where hosts.isExpected(host) {
        if slot.state.leaseEnd(of: host).map({ slot.moment(of: $0) <= now }) ?? false { giveUp(host, now: now, &actions) }
      }
      keepPlaces(in: first.scene, now: now, &actions)
      feed(.timer, to: first.scene, now: now, &actions)
    }
    for (scene, token) in dormant.takeLate(now) { actions.append(.answer(token, .refused(.stillRead(scene)))) }
    expireJourneys(now: now, &actions)
    retryPlans(now: now, &actions)
    for case .expired(let lease, _) in hosts.leases.tick(now) { expire(lease.node, now: now, &actions) }
    for node in hosts.overdue(now) { giveUp(node, now: now, &actions) }
    let late = clients.tick(now)
    for caller in late.callers {
      guard let slot = scenes[caller.scene] else { continue }
      slot.lastCaller = nil
      feed(.callerLost(caller: caller.name), to: caller.scene, now: now, &actions)
    }
    for renderer in late.renderers { loseRenderer(renderer, now: now, &actions) }
    return actions + translate(desk.tick(now))
  }

  /// A host has not come back since this broker's restart.
  private mutating func giveUp(_ node: String, now: Moment, _ actions: inout [BrokerAction]) {
    hosts.stopExpecting(node)
    expire(node, now: now, &actions)
    for name in scenes.keys.sorted() { leaveUnclaimed(node, in: name, now: now, &actions) }
  }

  /// The lease of a host is over: another may take over, and the core ends what nobody takes.
  private mutating func expire(_ node: String, now: Moment, _ actions: inout [BrokerAction]) {
    let others = registry.registrations
    for name in scenes.keys.sorted() where scenes[name]?.hosts.contains(node) == true {
      // After this broker's own restart the core has not been told of the loss.
      suspend(node, in: name, now: now, &actions)
      for other in others { takeOver(name, by: other, now: now, &actions) }
    }
    loseDormant(node, &actions)
    hosts.forget(node)
    publish(ProcessEvent(change: .expired, node: node, kind: "host", pid: 0), now: now, &actions)
  }
}
