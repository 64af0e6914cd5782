/// From a command to a request that runs, waits, or is refused.
extension SceneState {
  /// Takes a command: answers it again, refuses it without trace, or records it.
  mutating func take(_ command: Command, at time: SceneTime) {
    if let answer = memory.answer(to: command.txn) {
      effects.append(.answer(Answer(txn: answer.txn, caller: command.caller, seq: answer.seq, resolution: answer.resolution)))
      return
    }
    if let first = inFlight(command.txn) {
      effects.append(.admitted(Admission(txn: command.txn, caller: command.caller, seq: first, standing: .repeated(first))))
      return
    }
    do throws(Refusal) {
      if hasEnded { throw Refusal(code: .sceneClosed, message: "the scene \(scene) is over; start a new one") }
      switch command.action {
      case .withdraw(let txn): try withdraw(txn, for: command, at: time)
      case .end: end(for: command, at: time)
      case .endPlan(let plan, let why): try endPlan(plan, why, for: command, at: time)
      case .output(let ref, let bytes): try speak(ref, bytes, for: command, at: time)
      case .gesture(let gesture, .commit): try commitGesture(gesture, for: command, at: time)
      case .gesture(let gesture, .cancel): try cancelGesture(gesture, for: command, at: time)
      default: try admit(command, at: time)
      }
    } catch {
      var position: UInt64?
      if case .follow(let following) = command.action, following.plan != nil, !hasEnded {
        // The link of a plan is looked at once: refused, the plan is over, and that is recorded (R4), also when it was over before.
        record(at: time)
        position = seq
        notePlanFailure(following, error)
      }
      effects.append(.answer(Answer(txn: command.txn, caller: command.caller, seq: position, resolution: .refused(error))))
    }
  }

  /// The record of a request that is in flight under this name.
  func inFlight(_ txn: String) -> UInt64? {
    for request in pending where request.source == .caller {
      // One that was answered by its deadline is remembered with that answer; those who share it may still wait (N3).
      if request.command.txn == txn, !request.isAnswered { return request.seq }
    }
    for request in pending {
      if let joiner = request.joiners.first(where: { $0.txn == txn && $0.key == nil }) { return joiner.seq }
    }
    return nil
  }

  /// Starts a caller's command, lets it wait, or lets it share another's outcome.
  private mutating func admit(_ command: Command, at time: SceneTime) throws(Refusal) {
    if let gate = command.gate { try requireFree(gate, command) }
    if let blocker = blocker(of: command) {
      if case .join = command.policy, let index = twin(of: command) {
        record(at: time)
        var joiner = Request.Joiner(txn: command.txn, caller: command.caller, seq: seq, deadline: deadline(of: command.deadline))
        if command.gate != nil {
          // Shared or not, what it presents is on screen until it is removed (C1).
          joiner.gate = nextTicket
          nextTicket += 1
          take(gateOf: command, ticket: nextTicket - 1)
        }
        pending[index].joiners.append(joiner)
        let first = pending[index].seq
        effects.append(.admitted(Admission(txn: command.txn, caller: command.caller, seq: seq, standing: .joined(first))))
        return
      }
      // A finger does not wait: by the time it could begin, it has left the glass.
      if command.policy == .reject || command.action.isGesture {
        throw Refusal(code: .busy, message: "#\(blocker.seq) is in the way (\(doing(blocker))); try again or let it queue")
      }
      try requireRoom()
      try refuseHopeless(command)
      record(at: time)
      if case .supersede = command.policy { supersede(by: command) }
      let request = request(for: command, source: .caller)
      take(gateOf: command, ticket: request.ticket)
      wait(request, behind: blocker)
      return
    }
    let plan = try plan(for: command)
    record(at: time)
    let request = request(for: command, source: .caller)
    take(gateOf: command, ticket: request.ticket)
    start(request, plan)
  }

  /// Submits a request of a turn or of the core under the current record.
  mutating func submit(_ command: Command, source: Request.Source) {
    let request = request(for: command, source: source)
    if !causes.isEmpty { noteConsequence(wish: request.ticket) }
    if let gate = command.gate {
      do throws(Refusal) {
        try requireFree(gate, command)
      } catch {
        return refuse(request, error)
      }
    }
    take(gateOf: command, ticket: request.ticket)
    if let blocker = blocker(of: command, source: source) {
      if case .reject = command.policy {
        refuse(request, Refusal(code: .busy, message: "#\(blocker.seq) is in the way (\(doing(blocker)))"))
      } else if case .join = command.policy, case .turn(let key, let quiet) = source, let index = twin(of: command, source: source) {
        pending[index].joiners.append(
          Request.Joiner(
            txn: command.txn, caller: command.caller, seq: seq, deadline: request.deadline,
            gate: command.gate == nil ? nil : request.ticket, key: key, isQuiet: quiet))
        if !causes.isEmpty { noteConsequence(wish: pending[index].ticket) }
      } else if case .turn(let key, _) = source, !key.isEnding, pending.count >= settings.waiting {
        refuse(request, backpressure)
      } else {
        if case .supersede = command.policy { supersede(by: command) }
        wait(request, behind: blocker)
      }
      return
    }
    do throws(Refusal) {
      start(request, try plan(for: command, source: source))
    } catch {
      refuse(request, error)
    }
  }

  /// Starts those that waited and are not in anyone's way any more, in the order of their arrival (N3, N11).
  mutating func startWaiting() {
    while isFreed {
      isFreed = false
      // Also of those that came later and run: where a person is, and so what an earlier one wants, may have changed since.
      var taken = pending.compactMap { $0.work?.scope }
      var index = 0
      while index < pending.count {
        let request = pending[index]
        if request.work == nil {
          let scope = taken.isEmpty ? Scope() : scope(of: request.command, source: request.source)
          if taken.contains(where: scope.overlaps) || isInvolved(request.command.origin)
            || pending[..<index].contains(where: { follows(request.command, request.source, $0) })
          {
            taken.append(scope)
          } else {
            pending.remove(at: index)
            let arrived = pending.count
            do throws(Refusal) {
              start(request, try plan(for: request.command, source: request.source), at: index)
            } catch {
              refuse(request, error)
            }
            if pending.count > arrived {
              if let work = pending[index].work { taken.append(work.scope) }
            } else {
              index -= 1
            }
          }
        }
        index += 1
      }
    }
  }

  /// The request that a command has to wait for: the last one it overlaps.
  private func blocker(of command: Command, source: Request.Source = .caller) -> Request? {
    if pending.isEmpty { return nil }
    let scope = scope(of: command, source: source)
    return pending.last { other in
      scope.overlaps(other.work?.scope ?? self.scope(of: other.command, source: other.source))
        || command.origin.map { other.work?.involves($0) ?? false } ?? false || follows(command, source, other)
    }
  }

  /// What a command would need for itself now; the whole scene if it is not possible now and may be later.
  private func scope(of command: Command, source: Request.Source) -> Scope {
    (try? plan(for: command, source: source)).map(scope(of:)) ?? .scene
  }

  /// Whether a coordinator is being opened or removed.
  private func isInvolved(_ origin: ScreenID?) -> Bool {
    guard let origin else { return false }
    return pending.contains { $0.work?.involves(origin) ?? false }
  }

  /// Whether a request is a module's end and the other one of its last wishes: the end follows them.
  private func follows(_ command: Command, _ source: Request.Source, _ other: Request) -> Bool {
    guard source.isEnding, case .turn(let key, _) = other.source else { return false }
    return key.screen == command.origin && !key.isEnding
  }

  /// An identical open in flight (N3). A coordinator joins its own alone: of what another one opened it would never hear the end (L5).
  private func twin(of command: Command, source: Request.Source = .caller) -> Int? {
    guard case .open(let opening) = command.action else { return nil }
    let place = try? destination(of: opening, origin: command.origin)
    return pending.firstIndex { other in
      guard !other.isAnswered, case .open(opening) = other.command.action else { return false }
      if other.command.origin == command.origin { return true }
      return source == .caller && (try? destination(of: opening, origin: other.command.origin)) == place
    }
  }

  /// Drops the waiting opens of the same caller in the same place.
  private mutating func supersede(by command: Command) {
    guard case .open(let opening) = command.action, let place = try? destination(of: opening, origin: command.origin) else { return }
    var index = 0
    while index < pending.count {
      let other = pending[index]
      if other.work == nil, other.command.caller == command.caller, case .open(let theirs) = other.command.action,
        (try? destination(of: theirs, origin: other.command.origin)) == place
      {
        pending.remove(at: index)
        refuse(other, Refusal(code: .superseded, message: "superseded by #\(seq)"))
      } else {
        index += 1
      }
    }
  }

  /// Refuses at once what cannot become possible by waiting: a screen that is gone stays gone.
  private func refuseHopeless(_ command: Command) throws(Refusal) {
    for case .id(let id) in command.action.targets where !nodes.contains(id) { throw absent(id) }
    if let origin = command.origin, !nodes.contains(origin) { throw orphaned(origin) }
  }

  private var backpressure: Refusal {
    Refusal(code: .backpressure, message: "\(pending.count) requests of this scene wait already; try again later")
  }

  private func requireRoom() throws(Refusal) {
    if pending.count >= settings.waiting { throw backpressure }
  }

  /// The refusal for a request whose presenter is gone (N12).
  func orphaned(_ origin: ScreenID) -> Refusal {
    let why = departures.entry(origin).map { ", removed at #\($0.seq) (\($0.reason.rawValue))" } ?? ""
    return Refusal(code: .orphaned, message: "\(summary(origin).screen) \(summary(origin).module)\(why), asked for this and is gone")
  }

  private mutating func wait(_ request: Request, behind blocker: Request) {
    pending.append(request)
    let because = doing(blocker)
    if case .caller = request.source {
      let standing = Admission.Standing.queued(behind: blocker.seq, because: because)
      effects.append(
        .admitted(Admission(txn: request.command.txn, caller: request.command.caller, seq: request.seq, standing: standing)))
    }
    emit(.queued(request.summary, behind: blocker.seq, because: because))
  }

  /// A request for a command under the current record.
  private mutating func request(for command: Command, source: Request.Source) -> Request {
    defer { nextTicket += 1 }
    var deadline = deadline(of: command.deadline)
    if case .core = source { deadline = .never }
    if source.isEnding { deadline = .never }
    return Request(ticket: nextTicket, seq: seq, command: command, source: source, deadline: deadline)
  }

  private func deadline(of milliseconds: UInt32?) -> SceneTime {
    now.advanced(by: UInt64(milliseconds ?? settings.request))
  }

  /// What a request is doing, for people: `dismissing s9`.
  func doing(_ request: Request) -> String {
    guard let work = request.work else { return "waiting to \(request.command.action.verb)" }
    func names(_ ids: [ScreenID]) -> String { ids.map(\.description).joined(separator: " ") }
    switch work.stage {
    case .linking: return "connecting \(names(work.opened))"
    case .held: return "\(names(work.outcome.held)) under a finger"
    case .acting(let screen, _): return "\(request.command.action.verb) on \(screen)"
    case .showing:
      if !work.opened.isEmpty { return "presenting \(names(work.opened))" }
      if !work.leaving.isEmpty { return "dismissing \(names(work.leaving.map(\.summary.screen)))" }
      return request.command.action.verb
    }
  }
}

extension Command.Action {
  /// Whether it is a finger's.
  var isGesture: Bool {
    if case .gesture = self { true } else { false }
  }

  /// The screens it names.
  var targets: [ScreenRef] {
    switch self {
    case .launch, .follow, .endPlan, .back, .backRoot, .dismissAll, .gesture, .withdraw, .end: []
    case .open(let opening): opening.popTo.map { [$0] } ?? []
    case .go(_, let ref, _), .dismiss(let ref), .dismissPresented(let ref), .selectTab(_, let ref, _), .collapse(let ref),
      .expand(let ref):
      ref.map { [$0] } ?? []
    case .backTo(let ref), .send(let ref, _), .sendSealed(let ref, _, _), .output(let ref, _), .finish(let ref, _), .cancel(let ref),
      .act(let ref, _):
      [ref]
    case .close(let refs): refs
    case .setStack(_, let elements):
      elements.compactMap { if case .screen(let ref) = $0 { ref } else { nil } }
    }
  }
}
