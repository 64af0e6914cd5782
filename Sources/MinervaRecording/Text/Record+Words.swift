package import MinervaNavigation

extension Record {
  /// What the record says, in a few words: `gesture back commit`, `turn 3 of s5`. Payloads and entered values are left out.
  package var words: String {
    switch self {
    case .command(let command): command.action.words
    case .turn(let turn): "turn \(turn.number) of \(turn.screen)"
    case .link(let report): "link of \(report.screen) \(report.verdict.words)"
    case .configured(let txn, let failure): "configured \(txn)" + (failure.map { ": \($0.code)" } ?? "")
    case .renderer(.attached(let name, _)): "renderer \(name) attached"
    case .renderer(.lost(let name)): "renderer \(name) lost"
    case .renderer(.acknowledged(_, let number)): "acknowledged \(number)"
    case .timer: "timer"
    case .hostLost(let host): "\(host) lost"
    case .hostBack(let report): "\(report.host) back"
    case .unclaimed(let host): "nobody offers what \(host) had"
    case .callerLost(let caller): "caller \(caller) lost"
    case .begun(let origin): "begun from #\(origin.state.seq) of \(origin.state.scene)"
    }
  }
}

extension LinkVerdict {
  fileprivate var words: String {
    switch self {
    case .accepted(let acceptance): "accepted by \(acceptance.host)"
    case .refused(let refusal): "refused: \(refusal.code)"
    case .lost(let host): "lost with \(host)"
    }
  }
}

extension Command.Action {
  /// What is asked for, as a shell says it, without payloads.
  package var words: String {
    switch self {
    case .launch(let module, _): "launch \(module)"
    case .open(let opening): "open \(opening.module) via \(opening.via)"
    case .go(let name, let from, _): "go \(name)" + (from.map { " from \($0)" } ?? "")
    case .follow(let following): "deeplink \(following.link)"
    case .endPlan(let plan, _): "cancel \(plan)"
    case .back(let count, let path): "back \(count)" + (path.map { " in \($0)" } ?? "")
    case .backTo(let ref): "back to \(ref)"
    case .backRoot(let path): "back root" + (path.map { " in \($0)" } ?? "")
    case .close(let refs): "close \(refs.map(\.description).joined(separator: " "))"
    case .dismiss(let ref): "dismiss" + (ref.map { " \($0)" } ?? "")
    case .dismissAll: "dismiss all"
    case .dismissPresented(let ref): "dismiss what " + (ref.map { "\($0)" } ?? "it") + " presented"
    case .setStack(let path, let elements): "stack set \(path) [\(elements.map(\.words).joined(separator: ", "))]"
    case .selectTab(let name, _, let reset): "tab \(name)" + (reset ? " --reset" : "")
    case .collapse(let ref): "collapse" + (ref.map { " \($0)" } ?? "")
    case .expand(let ref): "expand" + (ref.map { " \($0)" } ?? "")
    case .send(let ref, _), .sendSealed(let ref, _, _): "send \(ref)"
    case .output(let ref, _): "output \(ref)"
    case .finish(let ref, _): "finish \(ref)"
    case .cancel(let ref): "cancel \(ref)"
    case .act(let ref, let act): act.words(on: ref)
    case .gesture(let gesture, let step): "gesture \(gesture.rawValue) \(step.rawValue)"
    case .withdraw(let txn): "withdraw \(txn)"
    case .end: "end"
    }
  }
}

extension Command.Element {
  fileprivate var words: String {
    switch self {
    case .screen(let ref): "\(ref)"
    case .module(let module, _): "\(module)"
    }
  }
}

extension Command.Act {
  fileprivate func words(on ref: ScreenRef) -> String {
    switch self {
    case .tap(let row, let action), .swipe(let row, let action): "\(verb) \(ref) \(row)" + (action.map { " \($0)" } ?? "")
    case .enter(let field, _), .enterSealed(let field, _): "enter \(ref) \(field)"
    case .move(let row, let before, let other): "move \(ref) \(row) \(before ? "before" : "after") \(other)"
    case .execute(let command, _), .executeSealed(let command, _): "execute \(ref) \(command)"
    }
  }
}
