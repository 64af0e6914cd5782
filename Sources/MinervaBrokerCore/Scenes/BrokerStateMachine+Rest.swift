package import MinervaInterfaces
package import MinervaJournal
package import MinervaNavigation
package import MinervaProtocol
import MinervaRecording
package import MinervaWire

/// Scenes that nobody touches leave memory, and come back when they are touched (P2).
///
/// A scene goes only when nothing is under way in it and every record of it is durable; what is asked of it afterwards waits until it has been
/// loaded, in the order of asking. What its screens show, the secrets that its screens need (P4) and the numbers of its events stay.
extension BrokerStateMachine {
  /// What waits for a scene to be in memory.
  typealias Deferred = DormantScenes.Work

  // MARK: Going

  /// Whether a scene can be written down as one in which nothing is under way.
  private func isResting(_ slot: SceneSlot) -> Bool {
    let name = slot.identity.name
    guard isServing, slot.isOpen, slot.state.seq > 0, slot.state.isIdle, isSettled(slot), !slot.isTouched, held.durable >= slot.lastTicket
    else { return false }
    // Whoever joins counts on the scenes it waits for.
    guard duePlans[name] == nil, !hosts.isJoining, !slot.links.isUnderWay, slot.links.parked.isEmpty, slot.waiters.isEmpty else {
      return false
    }
    return slot.state.hosts.allSatisfy { registry.isAlive($0) && registry.isGreeted($0) }
  }

  /// Lets go of a scene, if nothing is under way in it.
  package mutating func rest(_ name: String, now: Moment) -> [BrokerAction] {
    guard let slot = scenes[name], isResting(slot) else { return [] }
    var actions: [BrokerAction] = []
    let at = slot.time(now)
    let hosts = slot.state.hosts.sorted()
    if slot.restedAt != slot.state.seq {
      // A few records are no larger than a snapshot, and are there already.
      if slot.unsaved.records > Self.shortTail, let bytes = try? CBOR.encode(SceneImage(at: at.milliseconds, state: slot.state)) {
        actions.append(.snapshot(JournalSnapshot(scene: slot.key, sequence: slot.state.seq, bytes: bytes)))
      }
      let note = RestNote(at: at.milliseconds, hosts: hosts)
      actions.append(.rest(JournalRest(scene: slot.key, sequence: slot.state.seq, note: note.bytes)))
    }
    if let (node, caller) = slot.lastCaller {
      clients.forget(ClientDesk.Caller(scene: name, name: caller), at: node)
      slot.lastCaller = nil
    }
    let kept = KeptScreens(of: slot)
    dormant[name] = DormantScene(
      identity: slot.identity, sequence: slot.state.seq, opened: now, base: at.milliseconds, events: slot.events, hosts: hosts,
      kept: kept.isEmpty ? nil : kept, recent: slot.recent.isEmpty ? nil : slot.recent)
    scenes.removeValue(forKey: name)
    slot.isOpen = false
    count("scenes.rested")
    return actions
  }

  /// So many records without a snapshot are as soon read as one.
  private static let shortTail = 16

  /// A scene is over: the next broker need not read it to know, and its records are kept no longer than the past is (P3).
  func noteEnd(of slot: SceneSlot, _ actions: inout [BrokerAction]) {
    if let bytes = try? CBOR.encode(SceneImage(at: slot.state.time.milliseconds, state: slot.state.withoutAnswers)) {
      actions.append(.snapshot(JournalSnapshot(scene: slot.key, sequence: slot.state.seq, bytes: bytes)))
    }
    let note = RestNote(at: slot.state.time.milliseconds, hasEnded: true)
    actions.append(
      .rest(JournalRest(scene: slot.key, sequence: slot.state.seq, note: note.bytes, over: slot.identity.incarnation)))
  }

  /// When `tidyScenes` is to be called: no moment of any scene's own, so that no virtual clock stops at it.
  package var nextRest: Moment? {
    guard let first = resting.first else { return nil }
    return first.since + (scenes.count > settings.awake ? min(settings.rest, settings.shortRest) : settings.rest)
  }

  /// Lets go of scenes that nobody has touched for a while; of some at a time, so that nobody waits for it.
  package mutating func tidyScenes(now: Moment) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    for _ in 0..<256 {
      guard let next = nextRest, next <= now, let entry = resting.first else { break }
      resting.removeFirst()
      guard let slot = scenes[entry.name], slot.serial == entry.serial else { continue }
      guard slot.touchedAt <= entry.since else {
        resting.append(slot, since: slot.touchedAt)
        continue
      }
      let going = rest(slot.identity.name, now: now)
      actions += going
      // What cannot go now is looked at again later.
      if slot.isOpen { resting.append(slot, since: now) }
    }
    return actions
  }

  // MARK: Coming back

  /// Has a scene loaded that is not in memory, and does something when it is.
  ///
  /// - Parameters:
  ///   - token: The call that waits for it, if one does…
  ///   - until: …and until when.
  /// - Returns: Nil when the scene is in memory, or there is none.
  mutating func whenLoaded(
    _ name: String, token: CallToken? = nil, until: Moment? = nil, now: Moment, _ work: @escaping Deferred
  ) -> [BrokerAction]? {
    guard isServing, dormant[name] != nil else { return nil }
    if let token, let until, until <= now { return [.answer(token, .refused(.stillRead(name)))] }
    let actions = load(name)
    dormant.append(DormantScenes.Waiting(token: token, until: until, work: work), for: name)
    return actions
  }

  /// Asks for a scene, unless that was done.
  mutating func load(_ name: String) -> [BrokerAction] {
    guard isServing, let (key, number) = dormant.load(name) else { return [] }
    count("scenes.loaded")
    return [.load(key, number: number)]
  }

  /// Has the next scenes loaded that are wanted for their own sake.
  mutating func loadWanted(_ actions: inout [BrokerAction]) {
    while isServing, let name = dormant.nextWanted() { actions += load(name) }
  }

  /// The scenes of which nothing is known yet, sorted: whoever performs the actions has them loaded, one after another.
  package var unknownScenes: [String] { dormant.names(where: \.isUnknown) }

  /// Has a scene loaded, for its own sake.
  package mutating func wake(_ name: String) -> [BrokerAction] { load(name) }

  /// Ends a call when a scene is in memory.
  package mutating func wake(_ name: String, token: CallToken, now: Moment) -> [BrokerAction] {
    whenLoaded(name, token: token, until: now + Int64(sceneSettings.request), now: now) { _, _ in [.answer(token, .done)] }
      ?? [.answer(token, .done)]
  }

  /// A scene was read; nil when nothing of it is left.
  package mutating func loaded(_ number: UInt64, _ name: String, _ restored: RestoredScene?, now: Moment) -> [BrokerAction] {
    guard let (scene, waiting) = dormant.takeLoaded(name, number: number) else { return [] }
    var actions: [BrokerAction] = []
    if let restored, restored.identity == scene.identity {
      if restored.state.hasEnded {
        // Ended without a note, by an older broker or just before a crash: it need not be read at every start.
        noteEnd(of: SceneSlot(identity: restored.identity, state: restored.state, now: now), &actions)
      } else {
        take(restored, scene, now: now, &actions)
      }
    }
    for waiting in waiting {
      // Its alarm may be a moment behind the scene.
      if let token = waiting.token, let until = waiting.until, until <= now {
        actions.append(.answer(token, .refused(.stillRead(name))))
      } else {
        actions += waiting.work(&self, now)
      }
    }
    loadWanted(&actions)
    return actions
  }

  private mutating func take(_ restored: RestoredScene, _ scene: DormantScene, now: Moment, _ actions: inout [BrokerAction]) {
    let slot: SceneSlot
    if scene.isUnknown {
      slot = SceneSlot(identity: scene.identity, state: restored.state, now: now, at: SceneTime(milliseconds: restored.at))
    } else {
      slot = SceneSlot(
        identity: scene.identity, state: restored.state, now: scene.opened, at: SceneTime(milliseconds: max(scene.base, restored.at)))
      slot.touchedAt = now
      slot.restedAt = restored.state.seq
    }
    slot.unsaved = restored.tail
    slot.events = scene.events
    slot.saidIdle = !scene.isUntold
    slot.hosts = restored.state.hosts
    if let recent = scene.recent { slot.recent = recent }
    scene.kept?.restore(to: slot)
    keep(slot)
    if scene.isUntold {
      // A host that was not heard of yet may be on its way, as right after a start.
      isRecovering = true
      takeUp(slot, now: now, &actions)
      isRecovering = false
    }
    meetHosts(of: slot, scene, now: now, &actions)
  }

  /// What happened to the hosts of a scene while it was not in memory happens to it now.
  private mutating func meetHosts(of slot: SceneSlot, _ scene: DormantScene, now: Moment, _ actions: inout [BrokerAction]) {
    let name = slot.identity.name
    for host in slot.hosts.sorted() where !registry.isAlive(host) || scene.lost.contains(host) {
      if scene.lost.contains(host) || hosts.leases.lease(of: host) != nil {
        suspend(host, in: name, now: now, &actions)
      } else if scene.isUntold {
        // Known from this scene alone: it may come back, as after any restart.
        if !hosts.isExpected(host) { hosts.expect([host], from: now) }
      } else {
        suspend(host, in: name, now: now, &actions)
      }
    }
    guard scene.isUntold || !scene.lost.isEmpty else { return }
    for node in registry.hosts.keys.sorted() where registry.isAlive(node) {
      guard var registration = registry.hosts[node]?.registration, concerns(registration, name) else { continue }
      // Who was there all the time has what it was asked to make since it joined, not what it had then.
      if !scene.lost.contains(node) {
        registration.running = slot.links.makers.coordinators(of: node, in: slot.identity)
      }
      takeBack(name, by: registration, now: now, &actions)
    }
    guard scene.isUntold else { return }
    // Their hosts have had their time since the start, or have come without them (P2).
    for host in slot.hosts.sorted() where !hosts.isAway(host) { leaveUnclaimed(host, in: name, now: now, &actions) }
  }

  /// The journal could not read a scene: it has to be opened anew, which is a failure like that of a commit (P1).
  package mutating func loadFailed(_ number: UInt64, _ name: String, _ error: MinervaError) -> [BrokerAction] {
    guard dormant.awaits(name, number: number) else { return [] }
    return commitFailed(error)
  }

  // MARK: Hosts

  /// Notes that a host is gone, in the scenes of it that are not in memory; they are loaded to be told.
  mutating func loseDormant(_ node: String, _ actions: inout [BrokerAction]) {
    let told = dormant.lose(node)
    // Without a journal they are told when it is there again.
    guard isServing else { return }
    dormant.want(told)
    loadWanted(&actions)
  }

  /// Has the scenes loaded that a host speaks of when it joins; nil when all are in memory.
  ///
  /// - Parameter join: Takes the host in, when all are there. Only the last of several attempts of a name comes to that, and none of a host that was lost meanwhile.
  mutating func whenLoaded(
    scenesOf registration: HostRegistration, token: CallToken, now: Moment, _ join: @escaping Deferred
  ) -> [BrokerAction]? {
    let names = Set(registration.running.lazy.map(\.scene).filter(dormant.contains).map(\.name))
    guard !names.isEmpty else { return nil }
    let attempt = hosts.join(registration.node, after: names.count, token: token)
    var actions: [BrokerAction] = []
    for name in names.sorted() {
      actions += load(name)
      let work: Deferred = { machine, now in
        machine.hosts.arrived(for: registration.node, attempt: attempt) ? join(&machine, now) : []
      }
      dormant.append(DormantScenes.Waiting(work: work), for: name)
    }
    return actions
  }

  /// A host that waits to be taken in is gone, or asks once more.
  mutating func leaveJoin(of node: String, _ actions: inout [BrokerAction]) {
    guard let token = hosts.leave(node) else { return }
    actions.append(.answer(token, .refused(MinervaError(.peerLost, "\(node) was lost, or has asked again, before it was taken in"))))
  }

  /// No host waits any more.
  mutating func dropJoins(_ error: MinervaError) -> [BrokerAction] {
    hosts.takeJoining().map { .answer($0, .refused(error)) }
  }

  // MARK: Looking

  /// The identity of an open scene, in memory or not.
  package func identity(of name: String) -> SceneIdentity? { scenes[name]?.identity ?? dormant[name]?.identity }

  /// Every open scene, in memory or not.
  package var openScenes: [SceneIdentity] { scenes.values.map(\.identity) + dormant.identities }

  /// What a screen shows; nil when it has not said so, or the scene is not open.
  package func rendering(of screen: ScreenID, in name: String) -> StampedRendering? {
    scenes[name]?.displays.renderings[screen] ?? dormant[name]?.kept?.rendering(of: screen)
  }

  // MARK: The journal's list

  /// Takes note of the scenes of a journal without reading them.
  ///
  /// The last incarnation of a name counts: it was begun when those before it were over.
  ///
  /// - Parameter forgotten: the highest number of the scenes of which the journal keeps nothing any more.
  /// - Returns: The keys of the scenes in which something may be under way, sorted.
  package mutating func survey(_ heads: [JournaledHead], forgotten: UInt64 = 0, now: Moment) -> [String] {
    incarnations.note(forgotten: forgotten)
    untoldEnds = []
    var asleep: [String: DormantScene] = [:]
    var latest: [String: (identity: SceneIdentity, head: JournaledHead)] = [:]
    latest.reserveCapacity(heads.count)
    incarnations.reserveCapacity(heads.count)
    asleep.reserveCapacity(heads.count)
    for head in heads {
      guard let identity = SceneIdentity(head.scene) else { continue }
      incarnations.note(identity)
      guard head.sequence > 0 else {
        dropDormant(identity)
        count("scenes.unreadable")
        continue
      }
      noteOver(head, identity)
      if let other = latest[identity.name], other.identity.incarnation > identity.incarnation { continue }
      latest[identity.name] = (identity, head)
    }
    var unknown: [String] = []
    for (name, (identity, head)) in latest {
      var note = head.rest.flatMap(RestNote.init)
      if note?.hasEnded == true { continue }
      // What was in memory when a commit failed goes back there.
      if discarded[identity] != nil { note = nil }
      if note == nil { unknown.append(head.scene) }
      if var known = dormant[name], known.identity == identity, known.sequence == head.sequence, note != nil, !known.isUnknown {
        // A new epoch counts its events anew.
        known.events = 0
        known.recent = nil
        asleep[name] = known
        continue
      }
      var scene = DormantScene(identity: identity, sequence: head.sequence, opened: now, base: note?.at ?? 0)
      scene.isUnknown = note == nil
      scene.isUntold = true
      scene.hosts = note?.hosts ?? []
      scene.kept = (dormant.contains(identity) ? dormant[name]?.kept : nil) ?? discarded[identity]
      hosts.expect(scene.hosts, from: now)
      asleep[name] = scene
    }
    dormant.replaceAll(with: asleep)
    return unknown.sorted()
  }

  /// So many scenes that an earlier version left over are noted as such at a start.
  private static let endsPerStart = 4_096

  /// A scene that was over before journals knew of that is noted so now.
  private mutating func noteOver(_ head: JournaledHead, _ identity: SceneIdentity) {
    guard !head.isOver, untoldEnds.count < Self.endsPerStart, let note = head.rest, RestNote(note)?.hasEnded == true else { return }
    untoldEnds.append(JournalRest(scene: head.scene, sequence: head.sequence, note: note, over: identity.incarnation))
  }
}

extension MinervaError {
  static func stillRead(_ scene: String) -> MinervaError {
    MinervaError(.deadline, "the scene \(scene) is still being read from the journal; nothing changed", retryable: true)
  }
}
