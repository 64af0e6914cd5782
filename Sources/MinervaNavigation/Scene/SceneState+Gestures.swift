/// Fingers, renderers, and callers who give up.
extension SceneState {
  /// Where the gesture of this kind is that has begun.
  private func heldIndex(_ gesture: Command.Gesture) throws(Refusal) -> Int {
    guard let index = pending.firstIndex(where: { $0.work?.stage == .held(gesture) }) else {
      throw Refusal(code: .noGesture, message: "no gesture \(gesture.rawValue) has begun")
    }
    return index
  }

  /// The finger has removed the screens it held.
  mutating func commitGesture(_ gesture: Command.Gesture, for command: Command, at time: SceneTime) throws(Refusal) {
    let index = try heldIndex(gesture)
    guard var work = pending[index].work else { return }
    record(at: time)
    let held = pending.remove(at: index)
    freeGates { $0.ticket == held.ticket }
    let subject = work.outcome.screen
    if let subject { emit(.gesture(gesture, .commit, subject)) }
    work.outcome = Outcome(verb: command.action.verb, screen: subject, changed: true)
    work.leaving = leaving(by: work.moves, named: work.named)
    var place: Int?
    settleOvertaken(by: work.leaving, &place)
    let request = Request(
      ticket: nextTicket, seq: seq, command: command, source: .caller, deadline: now)
    nextTicket += 1
    isFreed = true
    commit(request, &work, shows: false)
    settle(request, &work)
  }

  /// The finger has let go: nothing is removed, nothing else changes (N10).
  mutating func cancelGesture(_ gesture: Command.Gesture, for command: Command, at time: SceneTime) throws(Refusal) {
    let index = try heldIndex(gesture)
    record(at: time)
    letGo(at: index)
    answerNow(command, Outcome(verb: command.action.verb, screen: nil, changed: false, cancelled: true))
  }

  /// Ends the gesture that stands at this place of the pending requests without effect.
  mutating func letGo(at index: Int) {
    let request = pending.remove(at: index)
    isFreed = true
    freeGates { $0.ticket == request.ticket }
    guard let work = request.work, case .held(let gesture) = work.stage else { return }
    if let subject = work.outcome.screen { emit(.gesture(gesture, .cancel, subject)) }
    emit(.settled(request.summary, Outcome(verb: request.command.action.verb, screen: work.outcome.screen, cancelled: true)))
  }

  /// Takes what the one who shows the scene reports.
  mutating func take(_ report: RendererReport, at time: SceneTime) {
    switch report {
    case .attached(let name, let takesOver):
      if let primary = renderer, primary != name, !takesOver {
        let refusal = Refusal(code: .rendererTaken, message: "\(primary) shows this scene; take over, or observe")
        effects.append(.renderer(name, refusal: refusal))
        return
      }
      effects.append(.renderer(name, refusal: nil))
      if renderer == name { return }
      record(at: time)
      renderer = name
      emit(.renderer(name))
      settleShown { _ in true }
    case .lost(let name):
      guard renderer == name else { return }
      record(at: time)
      renderer = nil
      emit(.renderer(nil))
      settleShown { _ in true }
    case .acknowledged(let name, let number):
      guard renderer == name, pending.contains(where: { $0.isShowing(number) }) else { return }
      record(at: time)
      settleShown { $0 == number }
    }
  }

  /// Settles the transitions with these numbers.
  mutating func settleShown(_ isOver: (UInt64) -> Bool) {
    var index = 0
    while index < pending.count {
      if var work = pending[index].work, case .showing(let number, _) = work.stage, isOver(number) {
        let request = pending.remove(at: index)
        isFreed = true
        settle(request, &work)
      } else {
        index += 1
      }
    }
  }

  /// Drops a request that is not on the tree yet.
  mutating func withdraw(_ txn: String, for command: Command, at time: SceneTime) throws(Refusal) {
    guard let index = pending.firstIndex(where: { $0.command.txn == txn && $0.source == .caller && !$0.isAnswered }) else {
      let seq = memory.answer(to: txn)?.seq
      throw Refusal(code: .notWaiting, message: seq.map { "#\($0) was answered already" } ?? "no request \(txn) is in flight")
    }
    let refusal = Refusal(code: .withdrawn, message: "withdrawn before it was done; nothing changed")
    switch pending[index].work?.stage {
    case nil:
      record(at: time)
      refuse(pending.remove(at: index), refusal)
    case .linking:
      record(at: time)
      let request = pending.remove(at: index)
      if let work = request.work { rollBack(request, work, .requesterLost, refusal) }
    case .showing, .held, .acting:
      throw Refusal(
        code: .notWaiting, message: "#\(pending[index].seq) runs (\(doing(pending[index]))) and cannot be withdrawn")
    }
    isFreed = true
    answerNow(command, Outcome(verb: command.action.verb, changed: true))
  }

  /// A caller is gone for good: what it asked and is not linked is rolled back (L3), its finger lets go.
  mutating func takeLoss(ofCaller caller: String, at time: SceneTime) {
    var isRecorded = gates.contains { $0.origin == nil && $0.caller == caller && $0.screen != nil }
    if isRecorded {
      record(at: time)
      freeGates { $0.origin == nil && $0.caller == caller && $0.screen != nil }
    }
    var index = 0
    while index < pending.count {
      let request = pending[index]
      guard request.command.caller == caller, request.source == .caller, request.joiners.isEmpty else {
        index += 1
        continue
      }
      let refusal = Refusal(code: .requesterLost, message: "\(caller) is gone; rolled back")
      switch request.work?.stage {
      case .showing, .acting: index += 1
      case let stage:
        if !isRecorded { record(at: time) }
        isRecorded = true
        isFreed = true
        if case .held = stage {
          letGo(at: index)
        } else {
          pending.remove(at: index)
          if let work = request.work { rollBack(request, work, .requesterLost, refusal) } else { refuse(request, refusal) }
        }
      }
    }
  }

  /// Ends the scene: requests are refused, every coordinator leaves, topmost first.
  mutating func end(for command: Command, at time: SceneTime) {
    record(at: time)
    let requests = pending
    pending = []
    let refusal = Refusal(code: .sceneClosed, message: "the scene \(scene) is over")
    var outcome = Outcome(verb: command.action.verb, changed: true)
    func leave(_ summary: ScreenSummary, _ state: inout SceneState) {
      let outputs = state.remove(Leaving(summary: summary, reason: .sceneClosed), result: nil)
      outcome.removed.append(Removal(screen: summary.screen, module: summary.module, reason: .sceneClosed, outputs: outputs))
    }
    for request in requests {
      for id in request.work?.opened.reversed() ?? [] where nodes[id]?.phase == .connecting { leave(summary(id), &self) }
      for leaving in request.work?.leaving ?? [] where nodes[leaving.summary.screen]?.phase == .dismissing {
        leave(leaving.summary, &self)
      }
    }
    var moves: [Move] = [.cut(.layer(0), keep: 0, .sceneClosed)]
    if layers.count > 1 { moves.insert(.dropLayers(from: 1, .sceneClosed, over: .sceneClosed), at: 0) }
    let standing = leaving(by: moves, named: [])
    for leaving in standing { _ = nodes.update(leaving.summary.screen) { $0.phase = .dismissing } }
    for leaving in standing { leave(leaving.summary, &self) }
    for node in nodes.all.reversed() { leave(summary(node), &self) }
    layers = [LayerState()]
    for request in requests { refuse(request, refusal) }
    for plan in plans { endPlan(plan.id, .ended(refusal)) }
    hasEnded = true
    isFreed = false
    hasGone = false
    // Nothing is said of a scene after its end, not even this answer.
    answerNow(command, outcome)
    emit(.ended)
  }
}

extension Request {
  /// Whether the renderer shows the transition with this number for it.
  func isShowing(_ number: UInt64) -> Bool {
    if case .showing(number, _)? = work?.stage { true } else { false }
  }
}
