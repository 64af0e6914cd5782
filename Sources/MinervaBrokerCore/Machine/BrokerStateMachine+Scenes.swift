package import MinervaInterfaces
import MinervaJournal
package import MinervaNavigation
package import MinervaProtocol
import MinervaRecording
import MinervaWire

/// Calls about scenes.
extension BrokerStateMachine {
  /// A caller asks a scene for something.
  ///
  /// - Parameter asked: When it did, if it has waited for the scene since: there is one deadline, and that time counts (N15).
  package mutating func request(
    _ request: SceneRequest, token: CallToken, node: String, asked: Moment? = nil, now: Moment
  ) -> [BrokerAction] {
    let asked = asked ?? now
    let until = asked + Int64(request.command.deadline ?? sceneSettings.request)
    let loading = whenLoaded(request.scene.name, token: token, until: until, now: now) {
      $0.request(request, token: token, node: node, asked: asked, now: $1)
    }
    if let loading { return loading }
    var actions: [BrokerAction] = []
    counts.requests += 1
    do throws(MinervaError) {
      guard !request.command.txn.hasPrefix(Self.own) else { throw .reservedTxn }
      try Self.requireShort(["txn": request.command.txn, "caller": request.command.caller, "gate": request.command.gate ?? ""])
      let name = try open(request.scene, now: now, &actions)
      var command = request.command
      // What was asked for before is answered from memory (N2) and never written down, also when nobody can say yet what of it is secret.
      tidyIfCrowded(name)
      if scenes[name]?.state.knows(command.txn) != true { command.action = try sealed(command.action, in: name, by: command.origin) }
      command.deadline = Self.left(of: command.deadline, until: until, since: asked, now: now)
      scenes[name]?.waiters.append(token, forAnswerTo: request.command.txn)
      note(request.command.caller, at: node, in: name)
      feed(.command(command), to: name, now: now, &actions)
    } catch {
      actions.append(.answer(token, .refused(error)))
    }
    return actions
  }

  /// What a caller's deadline still allows a request that has waited for its scene, or for the owners of a link (N15).
  static func left(of deadline: UInt32?, until: Moment, since asked: Moment, now: Moment) -> UInt32? {
    now == asked ? deadline : UInt32(clamping: max(1, until - now))
  }

  /// Notes who asks a scene from where, so that what is not begun can be taken back when the caller is gone for good.
  mutating func note(_ caller: String, at node: String, in scene: String) {
    guard let slot = scenes[scene], slot.lastCaller.map({ $0.caller != caller || $0.node != node }) ?? true else { return }
    slot.lastCaller = (node, caller)
    clients.note(ClientDesk.Caller(scene: scene, name: caller), at: node)
    // A process may call itself anything: of its names those are kept that something would be taken back for.
    let count = clients.count(at: node)
    guard count >= 1_024, count & (count - 1) == 0 else { return }
    let scenes = scenes
    clients.forgetCallers(at: node) { caller in
      guard let slot = scenes[caller.scene] else { return false }
      return slot.lastCaller.map { $0.node == node && $0.caller == caller.name } ?? false || slot.state.hasStake(caller.name)
    }
  }

  /// A caller wants to see a scene.
  package mutating func look(_ address: SceneAddress, renderings: Bool, token: CallToken, now: Moment) -> [BrokerAction] {
    looking(at: address, token: token, now: now) { machine, now, name, actions in
      guard let slot = machine.scenes[name] else { return }
      slot.touchedAt = now
      machine.hold(
        .look(
          token, scene: name, tree: slot.state.tree, record: slot.state.seq, at: slot.time(now), settled: machine.isSettled(slot),
          plans: slot.state.plans, renderings: renderings), now: now, &actions)
    }
  }

  /// A caller wants to know which scenes are open; those that have only begun are told of when that is durable (N16).
  package mutating func list(token: CallToken, now: Moment) -> [BrokerAction] {
    guard isServing else { return [.answer(token, .refused(recovering))] }
    var actions: [BrokerAction] = []
    hold(.reply(token, .listed(openScenes)), now: now, &actions)
    return actions
  }

  /// A caller wants to know of each coordinator.
  package mutating func report(_ address: SceneAddress, token: CallToken, now: Moment) -> [BrokerAction] {
    looking(at: address, token: token, now: now) { machine, now, name, actions in
      machine.hold(.reply(token, .reported(machine.scenes[name]?.state.coordinators ?? [])), now: now, &actions)
    }
  }

  private mutating func looking(
    at address: SceneAddress, token: CallToken, now: Moment,
    _ body: @escaping (inout Self, Moment, String, inout [BrokerAction]) -> Void
  ) -> [BrokerAction] {
    let loading = whenLoaded(address.name, token: token, until: now + Int64(sceneSettings.request), now: now) {
      $0.looking(at: address, token: token, now: $1, body)
    }
    if let loading { return loading }
    var actions: [BrokerAction] = []
    do throws(MinervaError) {
      let name = try open(address, now: now, &actions)
      body(&self, now, name, &actions)
    } catch {
      actions.append(.answer(token, .refused(error)))
    }
    return actions
  }

  /// A caller has configured the module it opened (L1), and is answered when that is durable.
  ///
  /// - Parameter node: the process of the caller: of another caller's opening nobody else says so, as far as it is known where that one is.
  package mutating func configured(
    _ address: SceneAddress, txn: String, failure: Refusal?, token: CallToken, node: String, now: Moment
  ) -> [BrokerAction] {
    // A scene that is over is not begun anew by whoever was late.
    if isServing, identity(of: address.name) == nil { return [.answer(token, .refused(.sceneEnded(address.name)))] }
    return looking(at: address, token: token, now: now) { machine, now, name, actions in
      if let refusal = machine.misplaced(configurationOf: txn, by: node, in: name) {
        return actions.append(.answer(token, .refused(refusal)))
      }
      machine.feed(.configured(txn: txn, failure: failure), to: name, now: now, &actions)
      guard machine.isServing else { return actions.append(.answer(token, .refused(machine.recovering))) }
      machine.hold(.reply(token, .done), now: now, &actions)
    }
  }

  /// Why a module is not to be configured by this process now.
  private func misplaced(configurationOf txn: String, by node: String, in scene: String) -> MinervaError? {
    let state = scenes[scene]?.state
    if state?.isJoined(by: txn) == true { return nil }
    guard let opening = state?.configuration(of: txn) else {
      return MinervaError(.notWaiting, "no opening \(txn) waits to be configured; it was answered already, or never asked for")
    }
    let caller = ClientDesk.Caller(scene: scene, name: opening.caller)
    if !clients.isKnown(caller, at: node), clients.isKnown(caller) {
      return MinervaError(.unauthorized, "\(txn) was asked for by \(opening.caller), which configures it itself")
    }
    return opening.isDone ? MinervaError(.linkDuplicate, "\(txn) was configured already") : nil
  }

  /// Who shows the scene reports; only a wish to attach is answered by the core, everything else at once.
  ///
  /// - Parameter node: the process that shows the scene: when it is lost, so is the renderer.
  package mutating func renderer(_ address: SceneAddress, report: RendererReport, token: CallToken, node: String, now: Moment)
    -> [BrokerAction]
  {
    let isAttached = if case .attached = report { true } else { false }
    if isServing, !isAttached, identity(of: address.name) == nil { return [.answer(token, .refused(.sceneEnded(address.name)))] }
    do throws(MinervaError) { try Self.requireShort(["renderer's name": report.renderer]) } catch {
      return [.answer(token, .refused(error))]
    }
    return looking(at: address, token: token, now: now) { machine, now, name, actions in
      if case .attached(let renderer, let takesOver) = report {
        let key = ClientDesk.Renderer(scene: name, name: renderer)
        if !takesOver, machine.isShown(by: key, elsewhereThan: node) {
          let text = "\(renderer) shows this scene from another process; take over, or observe"
          return actions.append(.answer(token, .refused(MinervaError(.rendererTaken, text))))
        }
        machine.scenes[name]?.waiters.append(token, forAttaching: renderer)
        machine.feed(.renderer(report), to: name, now: now, &actions)
        machine.note(key, at: node)
      } else {
        machine.hear(report, from: node, in: name, now: now, &actions)
        guard machine.isServing else { return actions.append(.answer(token, .refused(machine.recovering))) }
        machine.hold(.reply(token, .done), now: now, &actions)
      }
    }
  }

  /// Takes what the one who shows a scene says of it; of others, and of another process under its name, nothing counts.
  private mutating func hear(_ report: RendererReport, from node: String, in scene: String, now: Moment, _ actions: inout [BrokerAction]) {
    let key = ClientDesk.Renderer(scene: scene, name: report.renderer)
    guard !isShown(by: key, elsewhereThan: node) else { return }
    if case .lost = report { clients.forget(key) } else { note(key, at: node) }
    feed(.renderer(report), to: scene, now: now, &actions)
  }

  /// Whether the primary renderer of this name is known to be another process.
  private func isShown(by key: ClientDesk.Renderer, elsewhereThan node: String) -> Bool {
    scenes[key.scene]?.state.primaryRenderer == key.name && clients.process(of: key).map { $0 != node } ?? false
  }

  /// Notes which process the primary renderer of a scene is; of others there is nothing to note.
  private mutating func note(_ key: ClientDesk.Renderer, at node: String) {
    if scenes[key.scene]?.state.primaryRenderer == key.name { clients.note(key, at: node) }
  }

  /// How many bytes a name may have that is kept, and written down, for whoever chose it.
  private static let nameBytes = 1_024

  /// Requires that names fit into what is kept of them.
  /// - Throws: `bus.bad_message` with the first that does not.
  static func requireShort(_ names: KeyValuePairs<String, String>) throws(MinervaError) {
    for (what, name) in names where name.utf8.count > nameBytes {
      throw MinervaError(.badMessage, "the \(what) has \(name.utf8.count) bytes; the limit is \(nameBytes)")
    }
  }

  /// With this begin the names of requests that a broker makes by itself; no caller's may.
  static let own = "~"

  /// The scene of an address, begun if it does not exist: with the start module of its app, if the app has one.
  mutating func open(_ address: SceneAddress, now: Moment, _ actions: inout [BrokerAction]) throws(MinervaError) -> String {
    guard isServing else { throw recovering }
    if let slot = scenes[address.name] {
      if let app = address.app, app != slot.identity.app {
        throw MinervaError(.sceneAppConflict, "the scene \(address.name) shows \(slot.identity.app), not \(app); choose another name")
      }
      return address.name
    }
    guard SceneIdentity(name: address.name, app: "", incarnation: 0).isValid else {
      throw .badSceneName
    }
    let app = try app(for: address)
    let identity = SceneIdentity(name: address.name, app: app, incarnation: incarnations.next(of: address.name))
    incarnations.note(identity)
    let state = SceneState(scene: address.name, app: app, settings: sceneSettings)
    keep(SceneSlot(identity: identity, state: state, now: now))
    if let start = registry.start(of: app) {
      let launch = Command(txn: Self.own + "start", caller: "broker", action: .launch(module: ModuleAddress(name: start), input: []))
      feed(.command(launch), to: address.name, now: now, &actions)
      guard isServing else { throw recovering }
    }
    return address.name
  }

  private func app(for address: SceneAddress) throws(MinervaError) -> String {
    let apps = registry.apps
    if let app = address.app {
      guard apps.contains(app) else {
        throw MinervaError(
          .sceneAppUnknown,
          "no host of the app \(app) is connected" + (apps.isEmpty ? "" : "; there are: \(apps.joined(separator: " "))"),
          retryable: true)
      }
      return app
    }
    guard apps.count == 1, let app = apps.first else {
      throw MinervaError(
        .sceneAppRequired,
        apps.isEmpty
          ? "no host is connected, so there is no app to begin a scene of; start one with minerva up"
          : "several apps are registered (\(apps.joined(separator: ", "))); say which with scene \(address.name) --app APP",
        retryable: apps.isEmpty)
    }
    return app
  }

  // MARK: Recovery

  /// Nothing can be made of what the journal holds of a scene: its name begins anew.
  ///
  /// - Parameter key: The scene's name in the journal.
  package mutating func unreadable(_ key: String) {
    guard let identity = SceneIdentity(key) else { return }
    incarnations.note(identity)
    dropDormant(identity)
    count("scenes.unreadable")
  }

  /// Takes in a scene that was replayed, and leaves the losses since to the hosts' return.
  package mutating func restore(_ restored: RestoredScene, now: Moment) {
    let (identity, state) = (restored.identity, restored.state)
    incarnations.note(identity)
    dropDormant(identity)
    guard !state.hasEnded else { return }
    if let open = scenes[identity.name], open.identity.incarnation > identity.incarnation { return }
    let slot = SceneSlot(identity: identity, state: state, now: now, at: SceneTime(milliseconds: restored.at))
    slot.unsaved = restored.tail
    slot.hosts = state.hosts
    discarded[identity]?.restore(to: slot)
    hosts.expect(slot.hosts, from: now)
    keep(slot)
  }

  /// A scene that was not in memory is, or cannot be.
  mutating func dropDormant(_ identity: SceneIdentity) {
    guard dormant.contains(identity), let asleep = dormant[identity.name] else { return }
    dormant[identity.name] = nil
    if let kept = asleep.kept { discarded[identity] = kept }
  }

  /// Forgets what was restored: the journal is read from the beginning once more.
  package mutating func forget() {
    discard()
    hosts.stopExpecting()
  }

  /// Lets go of all scenes in memory, and keeps what no journal knows of them.
  mutating func discard() {
    for slot in scenes.values {
      slot.isOpen = false
      discarded[slot.identity] = KeptScreens(of: slot)
    }
    scenes = [:]
    resting.removeAll()
  }

  /// Another broker owns these scenes now: they are forgotten here, and whoever waits for them gets `bus.not_owner`.
  ///
  /// What was not durable never happens here: the journal refuses a write under an older epoch. A host that waits for one of them to be
  /// read is taken in without it, as it would be a moment later.
  package mutating func disown(_ names: Set<String>, now: Moment) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    for (scene, token) in takeWaiting(in: names) {
      actions.append(.answer(token, .refused(.notOwner(of: scene, epoch: nil, owner: nil))))
    }
    let (calls, others) = dormant.dropLoads(of: names)
    for (scene, token) in calls { actions.append(.answer(token, .refused(.notOwner(of: scene, epoch: nil, owner: nil)))) }
    for name in names {
      if identity(of: name) != nil { count("scenes.disowned") }
      dormant[name] = nil
      forget(name)
    }
    for work in others { actions += work(&self, now) }
    loadWanted(&actions)
    return actions
  }

  /// The times of a scene that begins.
  package var sceneSettings: SceneSettings {
    var scene = SceneSettings()
    scene.lease = UInt32(clamping: settings.leases.lease + settings.takeover)
    return scene
  }

  /// The journal is open again under a new epoch, and every scene was restored: what was under way goes on.
  package mutating func recovered(epoch: UInt64, now: Moment) -> [BrokerAction] {
    self.epoch = epoch
    failure = nil
    held.commitAll()
    var actions: [BrokerAction] = untoldEnds.map { .rest($0) }
    untoldEnds = []
    isRecovering = true
    for name in scenes.keys.sorted() {
      if let slot = scenes[name] { takeUp(slot, now: now, &actions) }
    }
    isRecovering = false
    // What did not come back hosts may still have.
    let gone = discarded.filter { identity(of: $0.key.name) != $0.key }
    discarded = [:]
    for node in registry.hosts.keys.sorted() where registry.isGreeted(node) { rejoin(node, without: gone, now: now, &actions) }
    // Of a hundred thousand that rest few have lost a host: only those are put in order.
    dormant.want(dormant.names { !$0.lost.isEmpty })
    loadWanted(&actions)
    return actions
  }

  /// Goes on with what was under way in a scene when an earlier life of the broker ended.
  mutating func takeUp(_ slot: SceneSlot, now: Moment, _ actions: inout [BrokerAction]) {
    if let renderer = slot.state.primaryRenderer {
      clients.expect(ClientDesk.Renderer(scene: slot.identity.name, name: renderer), since: now)
    }
    endLostPlans(of: slot, now: now, &actions)
    for effect in slot.state.outstanding() { perform(effect, of: slot, now: now, &actions) }
  }
}

extension SceneIdentity {
  /// Whether the name can stand in the journal's keys and in topics.
  var isValid: Bool {
    (1...128).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "#") }
  }
}

extension RendererReport {
  /// Whose it is.
  fileprivate var renderer: String {
    switch self {
    case .attached(let renderer, _), .lost(let renderer), .acknowledged(let renderer, _): renderer
    }
  }
}
