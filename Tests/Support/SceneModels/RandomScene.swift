package import MinervaNavigation

/// A scene under random records of every kind: hosts that answer late, twice, wrongly or never, lost hosts, impatient callers.
package struct RandomScene {
  package var state: SceneState
  package var time = SceneTime.zero
  package var journal: [(record: Record, at: SceneTime)] = []
  package var steps: [Step] = []
  /// What hosts were asked and have not answered.
  package var links: [(screen: ScreenID, lease: UInt32, module: String)] = []
  package var deliveries: [Delivery] = []
  package var transitions: [UInt64] = []
  /// The plans whose links were asked for.
  package var resolving: [PlanReport] = []
  package var asked: [String: Int] = [:]
  package var answered: [String: [Resolution]] = [:]
  package var ended: [ScreenID: RemovalReason] = [:]
  package var mentioned: Set<ScreenID> = []
  private var commands = 0

  package init() {
    var settings = SceneSettings()
    settings.waiting = 12
    settings.remembered = 64
    settings.rememberedAlways = 8
    state = SceneState(scene: "main", app: "shop", settings: settings)
  }

  /// A record out of the scene's present, from one throw of the dice.
  package mutating func record(_ dice: inout Dice) -> Record {
    if !links.isEmpty, dice.once(in: 2) {
      let link = links[dice.roll(links.count)]
      links.removeAll { $0.screen == link.screen && $0.lease == link.lease && !dice.once(in: 10) }
      let host = dice.once(in: 2) ? "shop-1" : "shop-2"
      var verdict: LinkVerdict = .accepted(Acceptance(host: host, slots: ["hero"], wantsLifecycle: dice.once(in: 6)))
      if link.module == "Shell" { verdict = .tabs("home", "orders", selected: dice.roll(2), host: host) }
      if link.module == "Split" { verdict = .split("List", dice.once(in: 2) ? "Nothing" : nil, collapsed: dice.once(in: 3)) }
      if dice.once(in: 12) { verdict = .refused(Refusal(code: "module.factory_failed", message: "no")) }
      if dice.once(in: 20) { verdict = .lost(host: host) }
      return .link(LinkReport(screen: link.screen, lease: link.lease, verdict: verdict))
    }
    if !deliveries.isEmpty, dice.once(in: 2) {
      let delivery = deliveries[0]
      if !dice.once(in: 10) { deliveries.removeFirst() }
      let number = (state.screen(delivery.screen)?.turns ?? 0) + (dice.once(in: 15) ? 0 : 1)
      var report = TurnReport(
        screen: delivery.screen, lease: delivery.lease, number: number, handled: delivery.message.number,
        outputs: dice.once(in: 4) ? [[1], [2]] : [])
      if dice.once(in: 5) { report.state = [UInt8(dice.roll(250))] }
      if dice.once(in: 6) { report.requests = [TurnRequest(action(&dice), quiet: dice.once(in: 2))] }
      if dice.once(in: 12) { report.ending = dice.once(in: 2) ? .finish([7]) : .cancel }
      if dice.once(in: 8) { report.reply = .refused(Refusal(code: "screen.no_such_row", message: "no")) }
      return .turn(report)
    }
    if !transitions.isEmpty, dice.once(in: 3) {
      return .renderer(.acknowledged(renderer: "phone", transition: dice.pick(transitions) ?? 0))
    }
    if let plan = resolving.first, dice.once(in: 2) {
      if !dice.once(in: 4) { resolving.removeFirst() }
      commands += 1
      let action: Command.Action =
        dice.once(in: 4) ? .endPlan(plan.id, Refusal(code: "route.no_match", message: "no")) : .follow(following(&dice, plan: plan.id))
      return .command(Command(txn: "t\(commands)", caller: "broker", action: action))
    }
    switch dice.roll(40) {
    case 0: return .renderer(.attached(renderer: dice.once(in: 4) ? "tablet" : "phone", takesOver: dice.once(in: 2)))
    case 1: return .renderer(.lost(renderer: dice.once(in: 2) ? "tablet" : "phone"))
    case 2:
      let host = dice.once(in: 2) ? "shop-1" : "shop-2"
      return dice.once(in: 3) ? .unclaimed(host: host) : .hostLost(host: host)
    case 3, 4:
      let lost = state.suspended.map(\.summary.screen)
      return .hostBack(HostReturn(host: dice.once(in: 2) ? "shop-1" : "shop-2", kept: dice.once(in: 2), resuming: lost))
    case 5: return .callerLost(caller: dice.once(in: 2) ? "me" : "you")
    case 6, 7, 8: return .timer
    case 9: return .configured(txn: "t\(commands)", failure: dice.once(in: 3) ? Refusal(code: "app.no", message: "no") : nil)
    default:
      commands += 1
      let txn = dice.once(in: 15) ? "t\(dice.roll(commands) + 1)" : "t\(commands)"
      return .command(
        Command(
          txn: txn, caller: dice.once(in: 2) ? "me" : "you", origin: dice.once(in: 3) ? anyone(&dice) : nil,
          action: action(&dice), policy: dice.pick(Policy.allCases) ?? .queue,
          ifTop: dice.once(in: 20) ? .id(anyone(&dice)) : nil, instant: dice.once(in: 3),
          deadline: dice.once(in: 4) ? UInt32(dice.roll(3000)) : nil, gate: dice.once(in: 6) ? dice.pick(["accept", "edit"]) : nil))
    }
  }

  /// A screen that is open, or any number.
  private func anyone(_ dice: inout Dice) -> ScreenID {
    if dice.once(in: 10) { return ScreenID(UInt32(dice.roll(60)) + 1) }
    return dice.pick(state.coordinators.map(\.summary.screen)) ?? 1
  }

  private func following(_ dice: inout Dice, plan: PlanID? = nil) -> Following {
    let steps = (0...dice.roll(3)).map { place in
      let module = address(dice.pick(["Plain", "Shell", "Home"]) ?? "Plain")
      let via: Presentation = dice.pick([.push, .push, .modal(.sheet), .tab("orders"), place == 0 ? .root : .push, .detail]) ?? .push
      return RouteStep(module, via: via)
    }
    return Following(
      steps, link: "app://shop/x", resets: dice.once(in: 4), keepsPrefix: dice.once(in: 3), waits: dice.once(in: 2), plan: plan)
  }

  private func action(_ dice: inout Dice) -> Command.Action {
    if dice.once(in: 16) { return dice.once(in: 8) ? .endPlan(PlanID(UInt32(dice.roll(4) + 1)), nil) : .follow(following(&dice)) }
    let module = address(dice.pick(["Plain", "Plain", "Shell", "Split"]) ?? "Plain")
    var opening = Command.Opening(module)
    opening.configures = dice.once(in: 12)
    opening.unhosted = dice.once(in: 6) && module.name == "Plain"
    let size = state.coordinatorCount
    switch dice.roll(size > 20 ? 40 : 28) {
    case 0, 1, 2, 3: break
    case 4: opening.via = .replace
    case 5: opening.via = dice.once(in: 3) ? .root : .push
    case 6, 7: opening.via = .modal(.sheet)
    case 8: opening.via = .tab(dice.once(in: 2) ? "home" : "orders")
    case 9: opening.via = .detail
    case 10: opening.via = .embed("hero")
    case 11:
      opening.popTo = .id(anyone(&dice))
      opening.inclusive = dice.once(in: 2)
    case 12: return .launch(module: module, input: [])
    case 13, 14: return .selectTab(name: dice.once(in: 2) ? "home" : "orders", of: nil, reset: dice.once(in: 2))
    case 15: return dice.once(in: 2) ? .collapse(nil) : .expand(nil)
    case 16:
      var elements: [Command.Element] = (state.stack(.main) ?? []).map { .screen(.id($0)) }
      elements.shuffle(using: &dice)
      if dice.once(in: 2) { elements.append(.module(module, input: [])) }
      return .setStack(.main, Array(elements.dropFirst(dice.roll(2))))
    case 17: return .dismiss(dice.once(in: 2) ? nil : .id(anyone(&dice)))
    case 18: return .backTo(.id(anyone(&dice)))
    case 19: return .send(.id(anyone(&dice)), [1])
    case 20: return .finish(.id(anyone(&dice)), [1])
    case 21: return .back(count: UInt32(dice.roll(3)), in: nil)
    case 22: return .act(.top, .tap(row: "r", action: nil))
    case 23: return .gesture(dice.once(in: 2) ? .back : .dismiss, dice.pick([.begin, .begin, .commit, .cancel]) ?? .begin)
    case 24: return .withdraw(txn: "t\(dice.roll(commands + 1))")
    case 25: return .output(.id(anyone(&dice)), [1])
    case 26: return dice.once(in: 60) ? .end : .backRoot(in: nil)
    case 27: return .cancel(.id(anyone(&dice)))
    default: return .close([.id(anyone(&dice)), .id(anyone(&dice))])
    }
    return .open(opening)
  }

  /// Feeds a record and keeps the books; returns what is wrong, if anything is.
  package mutating func feed(_ record: Record) -> String? {
    let before = state
    let step = state.apply(record, at: time)
    steps.append(step)
    if step.seq != nil {
      journal.append((record, time))
      if step.seq != before.seq + 1 { return "the record has position \(String(describing: step.seq)) after \(before.seq)" }
    } else if state != before {
      return "a record without position changed the state"
    }
    if case .command(let command) = record { asked[command.txn, default: 0] += 1 }
    if let flaw = orderFlaw(before, step) { return flaw }
    for effect in step.effects {
      switch effect {
      case .answer(let answer): answered[answer.txn, default: []].append(answer.resolution)
      case .connect(let connection):
        if connection.lease == 1, connection.screen.number <= mentioned.map(\.number).max() ?? 0 {
          return "\(connection.screen) is used again"
        }
        mentioned.insert(connection.screen)
        links.append((connection.screen, connection.lease, connection.module.name))
      case .resume(let resumption): links.append((resumption.screen, resumption.lease, resumption.module.name))
      case .deliver(let delivery): deliveries.append(delivery)
      case .resolve(let plan): resolving.append(plan)
      case .render(let transition): transitions = transitions.suffix(3) + [transition.number]
      case .event(let event):
        for id in event.kind.screens where ended[id] != nil { return "\(id) is spoken of after its end: \(event.kind)" }
        if case .removed(let summary, let reason, _, _, _) = event.kind { ended[summary.screen] = reason }
      case .admitted, .turnTaken, .end, .renderer, .wake: break
      }
    }
    return steps.count % 3 == 0 ? flaw() : nil
  }

  /// Those who leave with the first request that ends in a step leave in order (N8); later ones start from a tree that nobody saw.
  private func orderFlaw(_ before: SceneState, _ step: Step) -> String? {
    var removed: [ScreenID] = []
    events: for case .event(let event) in step.effects {
      switch event.kind {
      case .removed(let summary, _, _, _, _): removed.append(summary.screen)
      case .settled, .refused: break events
      default: continue
      }
    }
    return removed.count < 2 ? nil : RemovalOrder(before.tree).flaw(removed)
  }

  /// What is wrong with the state by itself.
  private func flaw() -> String? {
    var standing: [ScreenID] = []
    func visit(_ screen: SceneTree.Screen) {
      standing.append(screen.id)
      switch screen.container {
      case .none: break
      case .tabs(let tabs, _): for tab in tabs { tab.stack.forEach(visit) }
      case .split(let primary, let detail, let collapsed):
        primary.forEach(visit)
        detail.forEach(visit)
        if collapsed, !detail.isEmpty { standing.append(screen.id) }
      }
      for slot in screen.slots { slot.content.forEach(visit) }
    }
    let tree = state.tree
    for layer in tree.layers { layer.stack.forEach(visit) }
    if Set(standing).count != standing.count { return "a screen stands in two places: \(tree.text())" }
    if tree.layers.dropFirst().contains(where: \.stack.isEmpty) { return "a modal layer is empty" }
    let reports = state.coordinators
    let open = Set(reports.map(\.summary.screen))
    if !Set(standing).isSubset(of: open) { return "a screen stands that is not open" }
    for report in reports {
      let id = report.summary.screen
      if ended[id] != nil { return "\(id) is open after its end" }
      if let parent = report.summary.parent, !open.contains(parent) || parent >= id { return "\(id) has the parent \(parent)" }
      if report.phase == .presented, !report.isScreenless, !standing.contains(id) { return "\(id) is presented and nowhere" }
      if report.children != reports.filter({ $0.summary.parent == id }).map(\.summary.screen) { return "\(id) miscounts its children" }
      if let path = report.summary.path, report.phase != .dismissing, state.stack(path)?.contains(id) != true {
        // Another screen above may have a part of the same name, which the path then means.
        if path.segments.isEmpty { return "\(id) does not stand in \(path)" }
      }
    }
    for layer in tree.layers.dropFirst() {
      if let presenter = layer.presentedBy, !standing.contains(presenter) { return "the presenter \(presenter) does not stand" }
    }
    let plans = state.plans
    if Set(plans.map(\.id)).count != plans.count { return "a plan's name is used twice" }
    if !plans.isEmpty, state.wakeTime == nil { return "a plan waits and nothing will end it" }
    if !state.requests.isEmpty, state.wakeTime == nil { return "something is in flight and nothing will end it" }
    return nil
  }

  /// Lets everything end; returns what is wrong, if anything is.
  package mutating func drain() -> String? {
    var rounds = 0
    while let wake = state.wakeTime {
      time = max(time, wake)
      if let flaw = feed(.timer) { return flaw }
      rounds += 1
      if rounds > 2000 { return "it never comes to rest" }
    }
    let free = Set(state.coordinators.map(\.summary.screen)).isEmpty
    if free, !state.takenGates(of: nil).isEmpty { return "a gate is taken and nothing is open" }
    if let flaw = flaw() { return flaw }
    if !state.requests.isEmpty { return "in flight for ever: \(state.requests)" }
    let waiting = state.coordinators.filter { $0.isSuspended && !$0.isUnclaimed }.map(\.summary)
    if !waiting.isEmpty { return "for ever without a host: \(waiting)" }
    if !state.plans.isEmpty { return "plans wait for ever: \(state.plans)" }
    for (txn, times) in asked {
      let answers = answered[txn] ?? []
      if answers.isEmpty || answers.count > times { return "\(txn) was asked \(times) times and answered \(answers.count) times" }
    }
    return nil
  }
}

extension Event.Kind {
  /// The screens it speaks of.
  package var screens: [ScreenID] {
    switch self {
    case .connecting(let summary), .presenting(let summary, _), .presented(let summary, _), .launched(let summary, _),
      .dismissing(let summary), .removed(let summary, _, _, _, _), .output(let summary, _, _, _, _), .delivered(let summary, _, _),
      .turned(let summary, _, _), .tabSelected(let summary, _), .split(let summary, _), .suspended(let summary),
      .resumed(let summary, _), .needsInput(let summary), .unclaimed(let summary):
      [summary.screen]
    default: []
    }
  }
}
