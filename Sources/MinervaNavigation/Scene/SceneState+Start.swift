/// From a plan to running work, and to its end.
extension SceneState {
  /// Does what a plan says as far as it can be done now; what has to wait stands at `index` (or the end) of the pending requests.
  mutating func start(_ request: Request, _ plan: Plan, at index: Int? = nil) {
    var request = request
    var outcome = Outcome(verb: request.command.action.verb, screen: plan.subject)
    let configures = plan.configures && request.isConfigured != true
    let isLinking = configures || plan.openings.contains { !$0.unhosted }
    switch plan.deed {
    case .tell(let id, let body):
      let number = post(body, to: id)
      emit(.delivered(summary(id), message: number, what: request.command.action.verb))
      var work = Work(
        stage: .acting(id, number), scope: Scope(), moves: [], named: [], result: nil, opened: [], outcome: outcome)
      work.outcome.changed = true
      keep(&request, work, at: index)
      announce(request)
      return
    case .hold(let gesture):
      let leaving = leaving(by: plan.moves, named: plan.named)
      outcome.held = leaving.map(\.summary.screen)
      outcome.changed = true
      var work = Work(
        stage: .held(gesture), scope: scope(of: plan), moves: plan.moves, named: plan.named, result: nil, opened: [], outcome: outcome)
      work.leaving = leaving
      if let subject = plan.subject { emit(.gesture(gesture, .begin, subject)) }
      answer(&request, .done(outcome))
      keep(&request, work, at: index)
      return
    case .nothing: break
    }
    outcome.changed = !plan.moves.isEmpty || !plan.openings.isEmpty
    let waits = isLinking || (renderer != nil && !request.command.instant && !plan.moves.isEmpty)
    let until = isLinking ? min(request.deadline, now.advanced(by: UInt64(settings.link))) : now
    var work = Work(
      stage: .linking(missing: 0, until: until), scope: waits ? scope(of: plan) : Scope(), moves: plan.moves, named: plan.named,
      result: plan.result, isUnconfigured: configures, opened: [], outcome: outcome)
    work.outcome.shortfall = plan.shortfall
    work.inputs = plan.inputs
    if waits { announce(request) }
    var missing = 0
    for opening in plan.openings {
      work.opened.append(opening.id)
      if make(opening, for: request, until: until) { missing += 1 }
    }
    work.stage = .linking(missing: missing, until: until)
    proceed(&request, &work, at: index)
  }

  /// Makes the coordinator of an opening; returns whether a host has to answer.
  mutating func make(_ opening: Plan.Opening, for request: Request, until: SceneTime) -> Bool {
    var node = Node(
      id: opening.id, module: opening.module, input: opening.input, seal: opening.seal, caller: request.command.caller,
      ticket: request.ticket, openedAt: request.seq, via: opening.via, isScreenless: opening.isScreenless, parent: opening.parent,
      isHeard: opening.parent != nil,
      link: opening.unhosted ? .unhosted : .pending)
    node.wantedTab = opening.tab
    node.wantedStart = opening.tabStart
    node.wantedSeal = opening.tabSeal
    nextScreen = opening.id.number + 1
    if node.isScreenless { screenless += 1 }
    if let parent = opening.parent, nodes.update(parent, { $0.childCount += 1 }) == nil { node.parent = nil }
    nodes.append(node)
    if opening.unhosted { return false }
    emit(.connecting(summary(node)))
    effects.append(.connect(connection(of: node, txn: request.command.txn, until: until)))
    return true
  }

  /// What a host needs to make a coordinator.
  func connection(of node: Node, txn: String, until: SceneTime) -> Connection {
    Connection(
      screen: node.id, lease: node.lease, module: node.module, input: node.input, seal: node.seal, via: node.via, parent: node.parent,
      parentHost: node.parent.flatMap { nodes[$0]?.host }, seq: node.openedAt, txn: txn, deadline: until)
  }

  /// Goes on when nothing is missing: changes the tree, shows it, and settles.
  mutating func proceed(_ request: inout Request, _ work: inout Work, at index: Int?) {
    if case .linking(let missing, _) = work.stage, missing > 0 || work.isUnconfigured {
      keep(&request, work, at: index)
      return
    }
    if let inputs = work.inputs {
      work.inputs = nil
      do throws(Refusal) { work.unhandled = try give(inputs, work) } catch { return rollBack(request, work, .rolledBack, error) }
    }
    if work.unhandled?.isEmpty == false { return keep(&request, work, at: index) }
    if case .follow(let following) = request.command.action, let plan = following.plan {
      // It was cancelled, or its time was over, while the link was being opened (R4).
      do throws(Refusal) { try requireWaiting(plan) } catch { return rollBack(request, work, .rolledBack, error) }
    }
    for case .layer(_, let presenter?, _) in work.moves where nodes[presenter]?.phase ?? .dismissing == .dismissing {
      rollBack(request, work, .rolledBack, orphaned(presenter))
      return
    }
    let shows = renderer != nil && !request.command.instant && !work.moves.isEmpty
    var index = index
    if !pending.isEmpty {
      work.leaving = leaving(by: work.moves, named: work.named)
      settleOvertaken(by: work.leaving, &index)
    }
    commit(request, &work, shows: shows)
    if shows {
      work.stage = .showing(nextTransition, until: now.advanced(by: UInt64(settings.renderer)))
      effects.append(.render(transition(of: request, work, number: nextTransition)))
      nextTransition += 1
      keep(&request, work, at: index)
    } else {
      settle(request, &work)
    }
  }

  /// What a renderer is given.
  func transition(of request: Request, _ work: Work, number: UInt64) -> Transition {
    Transition(
      number: number, seq: request.seq, verb: request.command.action.verb, via: work.opened.last.flatMap { nodes[$0]?.via },
      entering: work.opened.compactMap { nodes[$0].map(summary) }, leaving: work.leaving.map(\.summary))
  }

  /// Puts a running request among those that are not over.
  private mutating func keep(_ request: inout Request, _ work: Work, at index: Int?) {
    request.status = .running(work)
    pending.insert(request, at: min(index ?? pending.count, pending.count))
  }

  /// Says that a request runs.
  private mutating func announce(_ request: Request) {
    if case .caller = request.source {
      effects.append(
        .admitted(Admission(txn: request.command.txn, caller: request.command.caller, seq: request.seq, standing: .running)))
    }
    emit(.admitted(request.summary))
  }

  /// The transition is over: who leaves is gone, who came is there (N9).
  mutating func settle(_ request: Request, _ work: inout Work) {
    let causes = causes
    if waiting != nil { addCauses(of: request.ticket) }
    defer { self.causes = causes }
    supersedePlans(by: request)
    for leaving in work.leaving {
      let isSubject = leaving.summary.screen == work.outcome.screen && leaving.reason == .finished
      let outputs = remove(leaving, result: isSubject ? work.result : nil)
      work.outcome.removed.append(
        Removal(screen: leaving.summary.screen, module: leaving.summary.module, reason: leaving.reason, outputs: outputs))
    }
    for id in work.opened where id != work.outcome.screen { present(id, &work.outcome) }
    if let subject = work.outcome.screen, work.opened.contains(subject) { present(subject, &work.outcome) }
    for id in work.disappearing { _ = post(.lifecycle(.didDisappear), to: id) }
    for id in work.appearing { _ = post(.lifecycle(.didAppear), to: id) }
    finish(request, .done(work.outcome))
  }

  /// A coordinator is there: its screen is presented, its early outputs are heard (L2).
  private mutating func present(_ id: ScreenID, _ outcome: inout Outcome) {
    guard
      let early = nodes.update(
        id,
        { node in
          node.phase = .presented
          let early = node.early
          node.early = []
          return early
        }), let node = nodes[id]
    else { return }
    let summary = summary(node)
    outcome.presented.append(summary)
    emit(node.isScreenless ? .launched(summary, input: node.input) : .presented(summary, input: node.input))
    for bytes in early { _ = voice(bytes, of: id, byShell: false) }
  }

  /// Takes back what a request has made; nothing of it was ever on the tree.
  mutating func rollBack(_ request: Request, _ work: Work, _ reason: RemovalReason, _ refusal: Refusal) {
    for id in work.opened.reversed() {
      remove(Leaving(summary: summary(id), reason: reason), result: nil)
    }
    finish(request, .refused(refusal))
  }

  /// Ends a request that was not done.
  mutating func refuse(_ request: Request, _ refusal: Refusal) {
    finish(request, .refused(refusal))
  }

  /// Ends a request: watchers, whoever asked, and those who share it are told, each once.
  private mutating func finish(_ request: Request, _ resolution: Resolution) {
    var request = request
    let causes = causes
    if waiting != nil { addCauses(of: request.ticket) }
    defer { self.causes = causes }
    isFreed = isFreed || !pending.isEmpty
    if !gates.isEmpty { settleGates(of: request, resolution) }
    var resolution = resolution
    switch resolution {
    case .done(var outcome):
      if case .follow(let following) = request.command.action {
        outcome.plan = note(following, of: request.command, seq: request.seq, outcome)
        resolution = .done(outcome)
      }
      emit(.settled(request.summary, outcome))
    case .refused(let refusal):
      emit(.refused(request.summary, refusal))
      if case .follow(let following) = request.command.action { notePlanFailure(following, refusal) }
    }
    if !request.isAnswered { answer(&request, resolution) }
    for joiner in request.joiners { answer(joiner, resolution) }
  }

  /// Answers one who shares a request's outcome.
  mutating func answer(_ joiner: Request.Joiner, _ resolution: Resolution) {
    guard let key = joiner.key else {
      let answer = Answer(txn: joiner.txn, caller: joiner.caller, seq: joiner.seq, resolution: resolution)
      memory.remember(answer, at: now, settings)
      effects.append(.answer(answer))
      return
    }
    if joiner.isQuiet == true, case .done = resolution { return }
    _ = post(.requestSettled(key, resolution), to: key.screen)
  }

  /// Answers whoever asked (N15).
  mutating func answer(_ request: inout Request, _ resolution: Resolution) {
    request.isAnswered = true
    switch request.source {
    case .caller:
      let answer = Answer(txn: request.command.txn, caller: request.command.caller, seq: request.seq, resolution: resolution)
      memory.remember(answer, at: now, settings)
      effects.append(.answer(answer))
    case .turn(let key, let quiet):
      if quiet, case .done = resolution { return }
      _ = post(.requestSettled(key, resolution), to: key.screen)
    case .core: break
    }
  }

  /// Answers a caller's command that was done within its own record, without ever having been a request.
  mutating func answerNow(_ command: Command, _ outcome: Outcome) {
    let summary = RequestSummary(
      seq: seq, txn: command.txn, caller: command.caller, origin: command.origin, verb: command.action.verb)
    emit(.settled(summary, outcome))
    let answer = Answer(txn: command.txn, caller: command.caller, seq: seq, resolution: .done(outcome))
    memory.remember(answer, at: now, settings)
    effects.append(.answer(answer))
  }

  /// Looks through the requests after coordinators are gone: what they were to handle, and what they asked for, cannot be any more.
  mutating func sweep() {
    guard hasGone else { return }
    hasGone = false
    var index = 0
    while index < pending.count {
      let request = pending[index]
      switch request.work?.stage {
      case .acting(let screen, _) where !nodes.contains(screen):
        pending.remove(at: index)
        refuse(request, absent(screen))
      case .linking where request.command.origin.map({ !nodes.contains($0) }) ?? false:
        pending.remove(at: index)
        if let work = request.work, let origin = request.command.origin { rollBack(request, work, .requesterLost, orphaned(origin)) }
      default: index += 1
      }
    }
  }
}
