import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// What the core wants done, turned into what the broker does.
extension BrokerStateMachine {
  /// Does one effect whose record is durable.
  mutating func perform(_ effect: Effect, of slot: SceneSlot, now: Moment, _ actions: inout [BrokerAction]) {
    guard slot.isOpen else { return }
    let scene = slot.identity.name
    switch effect {
    case .answer(let answer): reply(answer, of: slot, &actions)
    case .admitted(let admission):
      // Whoever runs or waits is told of by the core's own events.
      if case .joined = admission.standing { publish(.joined(admission), of: slot, record: admission.seq, now: now, &actions) }
    case .connect(let connection): connect(connection, of: slot, now: now, &actions)
    case .resume(let resumption): resume(resumption, of: slot, now: now, &actions)
    case .deliver(let delivery):
      // A lost host gets it when it is back (K3): the core keeps it until a turn has handled it. One that has only just asked to be
      // taken back gets it in order, with whatever came before.
      guard registry.isGreeted(delivery.host) else { return }
      actions.append(.order(host: delivery.host, .deliver(slot.identity, opened(delivery, of: scene), at: slot.time(now))))
    case .turnTaken(let screen, let number, let refusal):
      // Each report has its own verdict, in the order of their coming: a stale host may report a turn of the same number.
      guard let token = slot.waiters.takeFirst(forVerdictOn: Waiters.Turn(screen: screen, number: number)) else { return }
      // A turn that was not taken for want of room comes again; any other refusal is its verdict.
      let isForLater = refusal?.code == MinervaError.Code.backpressure.rawValue
      let reply = isForLater ? refusal.map { BrokerAction.Reply.refused(MinervaError($0)) } : nil
      actions.append(.answer(token, reply ?? .turned(TurnReceipt(refusal: refusal))))
    case .end(let departure): end(departure, of: slot, &actions)
    case .render(let transition): publish(.transition(transition), of: slot, record: transition.seq, now: now, &actions)
    case .renderer(let renderer, let refusal):
      guard let token = slot.waiters.takeFirst(forAttaching: renderer) else { return }
      actions.append(.answer(token, refusal.map { .refused(MinervaError($0)) } ?? .done))
    case .wake(let time):
      if let time { wakes.insert(WakeQueue.Entry(at: slot.moment(of: time), scene: scene)) } else { wakes.remove(scene) }
    case .resolve(let plan): resolve(plan, in: scene, now: now, &actions)
    case .event(let event):
      publish(.navigation(event), of: slot, record: event.seq, now: now, &actions)
      switch event.kind {
      case .plan(let plan, .followed), .plan(let plan, .ended): drop(plan.id, in: scene, now: now, &actions)
      case .ended:
        noteEnd(of: slot, &actions)
        close(scene, &actions)
      default: break
      }
    }
  }

  private mutating func reply(_ answer: Answer, of slot: SceneSlot, _ actions: inout [BrokerAction]) {
    let tokens = slot.waiters.takeAll(forAnswerTo: answer.txn)
    guard !tokens.isEmpty else { return }
    counts.answers += 1
    let reply: BrokerAction.Reply =
      switch answer.resolution {
      case .done(let outcome): .answered(SceneAnswer(outcome: outcome, seq: answer.seq, epoch: epoch))
      case .refused(let refusal): .refused(MinervaError(refusal, seq: answer.seq))
      }
    for token in tokens { actions.append(.answer(token, reply)) }
  }

  /// Forgets a scene that is over. Whoever asked it for something after its end is told so: its effects do not happen any more.
  private mutating func close(_ scene: String, _ actions: inout [BrokerAction]) {
    for (_, token) in takeWaiting(in: [scene]) { actions.append(.answer(token, .refused(.sceneEnded(scene)))) }
    forget(scene)
  }

  /// Drops a scene with all that is kept beside it.
  mutating func forget(_ scene: String) {
    scenes.removeValue(forKey: scene)?.isOpen = false
    vaults.removeValue(forKey: scene)
    wakes.remove(scene)
    duePlans.removeValue(forKey: scene)
    clients.forget(scene)
  }

  // MARK: Events

  /// Publishes an event of a scene under its next number.
  mutating func publish(
    _ kind: SceneEvent.Kind, of slot: SceneSlot, record: UInt64, now: Moment, _ actions: inout [BrokerAction]
  ) {
    slot.events += 1
    if case .idle = kind {} else { slot.saidIdle = false }
    let event = SceneEvent(
      scene: slot.identity.name, epoch: epoch, number: slot.events, record: record, at: Int64(slot.time(now).milliseconds), kind: kind)
    recents.keep(event, of: slot)
    actions.append(.publish(event, app: slot.identity.app))
  }

  /// Says once that a scene has nothing under way.
  mutating func announceIdle(_ scene: String, now: Moment, _ actions: inout [BrokerAction]) {
    // Other scenes' records may be on their way all the time.
    guard let slot = scenes[scene], held.durable >= slot.lastTicket, !slot.saidIdle, isSettled(slot) else { return }
    slot.saidIdle = true
    tidy(scene)
    publish(.idle, of: slot, record: slot.state.seq, now: now, &actions)
  }

  /// Whether nothing is under way in a scene. After this broker's own restart that is not known before its hosts are back, or given up.
  func isSettled(_ slot: SceneSlot) -> Bool {
    slot.isSettled && journeys[slot.identity.name] == nil && !slot.hosts.contains { hosts.isExpected($0) }
  }

  /// Publishes an event in the feed of processes.
  mutating func publish(_ event: ProcessEvent, now: Moment, _ actions: inout [BrokerAction]) {
    processEvents += 1
    actions.append(
      .publish(
        SceneEvent(
          scene: SceneEvent.processes, epoch: epoch, number: processEvents, record: 0, at: now - started, kind: .process(event)), app: ""))
  }
}
