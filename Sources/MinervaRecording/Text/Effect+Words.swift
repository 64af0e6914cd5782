package import MinervaNavigation

/// An effect in words: its name says which it is, the rest what about it.
package struct EffectWords: Hashable, Sendable {
  /// `removed s15`.
  package var name: String
  /// `Post reason=gesture`; may be empty.
  package var rest: String

  package init(_ name: String, _ rest: String = "") {
    self.name = name
    self.rest = rest
  }

  package var text: String { rest.isEmpty ? name : "\(name) \(rest)" }

  /// Reads what `text` writes: the first two words are the name.
  package init(text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    self.init(parts.prefix(2).joined(separator: " "), parts.count > 2 ? String(parts[2]) : "")
  }
}

extension Effect {
  /// What the effect says, without payloads.
  package var words: EffectWords {
    switch self {
    case .answer(let answer):
      switch answer.resolution {
      case .done(let outcome): EffectWords("answer \(answer.txn)", outcome.changed ? "done" : "no change")
      case .refused(let refusal): EffectWords("answer \(answer.txn)", "refused \(refusal.code)")
      }
    case .admitted(let admission): EffectWords("admitted \(admission.txn)", admission.standing.words)
    case .connect(let connection): EffectWords("connect \(connection.screen)", "\(connection.module) lease=\(connection.lease)")
    case .resume(let resumption): EffectWords("resume \(resumption.screen)", "on \(resumption.host) lease=\(resumption.lease)")
    case .deliver(let delivery): EffectWords("deliver \(delivery.screen)", "message \(delivery.message.number) to \(delivery.host)")
    case .turnTaken(let screen, let number, let refusal):
      EffectWords("turned \(screen)", "\(number)" + (refusal.map { " refused \($0.code)" } ?? ""))
    case .end(let departure): EffectWords("end \(departure.screen)", "\(departure.module) reason=\(departure.reason.rawValue)")
    case .render(let transition): EffectWords("render \(transition.number)", transition.verb)
    case .renderer(let name, let refusal): EffectWords("renderer \(name)", refusal.map { "refused \($0.code)" } ?? "granted")
    case .wake(let time): EffectWords("wake \(time.map { "\($0.milliseconds)" } ?? "never")")
    case .resolve(let plan): EffectWords("resolve \(plan.id)", plan.link)
    case .event(let event): event.kind.words
    }
  }
}

extension Admission.Standing {
  fileprivate var words: String {
    switch self {
    case .running: "running"
    case .queued(let behind, _): "queued behind #\(behind)"
    case .joined(let other): "joined #\(other)"
    case .repeated(let other): "repeated #\(other)"
    }
  }
}

extension Event.Kind {
  fileprivate var words: EffectWords {
    switch self {
    case .admitted(let request), .queued(let request, _, _), .settled(let request, _): EffectWords("\(name) \(request.txn)", request.verb)
    case .refused(let request, let refusal): EffectWords("\(name) \(request.txn)", "\(request.verb) \(refusal.code)")
    case .removed(let screen, let reason, _, _, _): EffectWords("removed \(screen.screen)", "\(screen.module) reason=\(reason.rawValue)")
    case .presented(let screen, _): EffectWords("presented \(screen.screen)", screen.words)
    case .connecting(let screen), .dismissing(let screen), .suspended(let screen), .unclaimed(let screen), .needsInput(let screen),
      .presenting(let screen, _),
      .launched(let screen, _):
      EffectWords("\(name) \(screen.screen)", screen.words)
    case .output(let screen, let number, _, _, _): EffectWords("\(name) \(screen.screen)", "\(number)")
    case .delivered(let screen, let message, let what): EffectWords("\(name) \(screen.screen)", "message \(message) \(what)")
    case .turned(let screen, let number, _): EffectWords("\(name) \(screen.screen)", "\(number)")
    case .tabSelected(let screen, let tab): EffectWords("\(name) \(screen.screen)", tab)
    case .split(let screen, let collapsed): EffectWords("\(name) \(screen.screen)", collapsed ? "collapsed" : "expanded")
    case .gesture(let gesture, let step, let screen): EffectWords("\(name) \(screen)", "\(gesture.rawValue) \(step.rawValue)")
    case .resumed(let screen, let kept): EffectWords("\(name) \(screen.screen)", screen.words + (kept ? " kept" : ""))
    case .gate(let command, _, _, let isEnabled): EffectWords("\(name) \(command)", isEnabled ? "enabled" : "disabled")
    case .renderer(let primary): EffectWords("\(name) \(primary ?? "none")")
    case .plan(let plan, _): EffectWords("\(name) \(plan.id)", plan.link)
    case .ended: EffectWords(name)
    }
  }
}

extension ScreenSummary {
  fileprivate var words: String { module + (path.map { " in \($0)" } ?? "") }
}
