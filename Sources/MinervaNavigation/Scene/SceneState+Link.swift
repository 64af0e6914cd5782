/// The module link: endpoints, containers, configuration (section 4 of the rules).
extension SceneState {
  /// Takes a host's answer; one that comes too late makes the host end what it has made.
  mutating func take(_ report: LinkReport, at time: SceneTime) {
    guard let node = nodes[report.screen], node.lease == report.lease else {
      if case .accepted(let acceptance) = report.verdict {
        let known = departures.entry(report.screen)
        effects.append(
          .end(
            Departure(
              screen: report.screen, module: known?.module ?? nodes[report.screen]?.module.name ?? "", host: acceptance.host,
              lease: report.lease, reason: known?.reason ?? .rolledBack)))
      }
      return
    }
    switch node.link {
    case .linked, .unhosted, .suspended, .unclaimed, .needsInput: return
    case .resuming: takeResumption(report, of: node, at: time)
    case .pending:
      guard let index = pending.firstIndex(where: { $0.ticket == node.ticket }), var work = pending[index].work else { return }
      record(at: time)
      var request = pending.remove(at: index)
      switch report.verdict {
      case .accepted(let acceptance):
        accept(acceptance, of: node.id, request, &work)
        if let flaw = flaw(acceptance, of: node.id, work) ?? missingTab(acceptance.container, node) {
          rollBack(request, work, .rolledBack, flaw)
        } else {
          proceed(&request, &work, at: index)
        }
      case .refused(let refusal):
        if case .follow(let following) = request.command.action, following.keepsPrefix, shorten(&work, before: node.id, refusal) {
          proceed(&request, &work, at: index)
        } else {
          rollBack(request, work, .rolledBack, refusal)
        }
      case .lost where canTryAgain(node):
        connectAgain(node.id, txn: request.command.txn, until: work.linkDeadline ?? now)
        pending.insert(request, at: index)
      case .lost(let host):
        let refusal = Refusal(
          code: .hostLost, message: "\(host) died while it made \(node.id) \(node.module.name); rolled back, try again")
        rollBack(request, work, .hostLost, refusal)
      }
    }
  }

  /// Whether a module whose host died while it was made is made once more: one that kills its host is not tried for ever.
  func canTryAgain(_ node: Node) -> Bool { node.lease == 1 && node.turns == 0 }

  /// Asks for a coordinator under a new lease; whoever made it under the old one is not believed any more.
  mutating func connectAgain(_ id: ScreenID, txn: String, until: SceneTime) {
    _ = nodes.update(id) { node in
      node.link = .pending
      node.lease += 1
    }
    if let node = nodes[id] { effects.append(.connect(connection(of: node, txn: txn, until: until))) }
  }

  /// A coordinator runs: it gets its container, whose visible roots are made next, and what it was told meanwhile.
  private mutating func accept(_ acceptance: Acceptance, of id: ScreenID, _ request: Request, _ work: inout Work) {
    guard case .linking(var missing, let until) = work.stage else { return }
    missing -= 1
    var roots: [(StackKey, ModuleStart)] = []
    var wantedSeal: Seal?
    _ = nodes.update(id) { node in
      let isAgain = !node.host.isEmpty
      if acceptance.wantsLifecycle != node.wantsLifecycle { lifecycleListeners += acceptance.wantsLifecycle ? 1 : -1 }
      node.link = .linked
      node.host = acceptance.host
      node.vetoes = acceptance.vetoes
      node.transitions = acceptance.transitions
      node.wantsLifecycle = acceptance.wantsLifecycle
      node.slots = acceptance.slots.map { SlotState(name: $0) }
      if let redacted = acceptance.redactedInput { node.input = redacted }
      if let plain = acceptance.plainInput {
        node.input = plain
        node.seal = nil
      }
      if node.isScreenless || isAgain { return }
      switch acceptance.container {
      case .none: break
      case .tabs(let specs, let selected):
        guard specs.indices.contains(selected) else { return }
        let place = node.wantedTab.map { name in specs.firstIndex { $0.name == name } ?? selected } ?? selected
        node.container = .tabs(
          TabsState(tabs: specs.map { TabsState.Tab(name: $0.name, start: $0.start, stack: []) }, selected: place))
        var start = specs[place].start
        if let wanted = node.wantedStart, specs[place].name == node.wantedTab, wanted.module.name == start.module.name,
          !SameInput.isNone(wanted.input)
        {
          start.input = wanted.input
          wantedSeal = node.wantedSeal
        }
        roots = [(.tab(id, place), start)]
      case .split(let primary, let detail, let collapsed):
        node.container = .split(SplitState(primary: [], detail: [], joined: collapsed ? 1 : nil))
        roots = [(.primary(id), primary)]
        if let detail { roots.append((collapsed ? .primary(id) : .detail(id), detail)) }
      }
    }
    redeliver(id)
    guard flaw(acceptance, of: id, work) == nil else { return }
    for (key, start) in roots {
      let opening = Plan.Opening(
        id: ScreenID(nextScreen), module: start.module, input: start.input, seal: wantedSeal, parent: id, root: key)
      work.opened.append(opening.id)
      // What a link pushes on a tab that was not known before stands on the tab's root.
      let first = work.moves.firstIndex { if case .push(.tab(id, StackKey.unknownTab), _) = $0 { true } else { false } }
      work.moves.insert(.push(key, opening.id), at: first ?? work.moves.count)
      if make(opening, for: request, until: until) { missing += 1 }
      if first != nil { settleTab(of: id, at: key, &work) }
      missing += lead(on: opening, of: id, until: until, request, &work)
    }
    work.stage = .linking(missing: missing, until: until)
  }

  /// Goes on where a link leads into the tab of a screen that it opened itself: the tab's root is what it wants, or gets that upon it (R2).
  ///
  /// Returns how many answers of hosts it takes.
  private mutating func lead(
    on root: Plan.Opening, of owner: ScreenID, until: SceneTime, _ request: Request, _ work: inout Work
  ) -> Int {
    guard let node = nodes[owner], let wanted = node.wantedStart, let key = root.root, case .tabs(let tabs) = node.container,
      case .tab(owner, let place) = key, tabs.tabs[place].name == node.wantedTab
    else { return 0 }
    let isEnd = work.outcome.screen == owner
    if wanted.module.name == root.module.name {
      if isEnd { work.outcome.screen = root.id }
      return 0
    }
    let opening = Plan.Opening(
      id: ScreenID(nextScreen), module: wanted.module, input: wanted.input, seal: node.wantedSeal, via: .push, parent: root.id)
    work.opened.append(opening.id)
    let below = work.moves.firstIndex { if case .push(key, root.id) = $0 { true } else { false } }
    work.moves.insert(.push(key, opening.id), at: below.map { $0 + 1 } ?? work.moves.count)
    if isEnd { work.outcome.screen = opening.id }
    return make(opening, for: request, until: until) ? 1 : 0
  }

  /// Who hears a coordinator beside its parent: whoever opened the container whose active leaf it is now, the containers in it leading
  /// on to that (L4). A leaf is what a container has started itself; what was opened on it has a link of its own.
  func hearer(of id: ScreenID) -> ScreenID? {
    var id = id
    var isInside = false
    while let node = nodes[id] {
      guard case .stack(let key) = node.place, let owner = owner(of: key), isStarted(node, by: owner) else {
        return isInside && node.isHeard ? node.parent : nil
      }
      guard key == shownStack(of: owner) else { return nil }
      // While a split is collapsed, the one that was started on the other is in view.
      let top = stack(key).last { nodes[$0].map { isStarted($0, by: owner) } ?? false }
      guard top ?? id <= id else { return nil }
      isInside = true
      id = owner
    }
    return nil
  }

  private func isStarted(_ node: Node, by container: ScreenID) -> Bool { node.parent == container && node.via == nil && node.isHeard }

  /// Gives more inputs to the module that is opened, each to the first on the way to its active leaf that has the name (L4); returns
  /// which have to be handled. Linear in the depth of containers.
  mutating func give(_ inputs: [Command.ModuleInput], _ work: Work) throws(Refusal) -> [UnhandledInput] {
    var way: [ScreenID] = []
    var next = work.outcome.screen
    while let id = next, !way.contains(id) {
      way.append(id)
      next = activeChild(of: id, work)
    }
    var given: [UnhandledInput] = []
    for input in inputs {
      guard let id = way.first(where: { nodes[$0]?.module.name == input.module }) else {
        let names = way.compactMap { nodes[$0]?.module.name }.joined(separator: ", ")
        throw Refusal(
          code: "link.no_endpoint", message: "\(input.module) is not on the way to the active leaf, which is \(names); rolled back")
      }
      let body = input.seal.map { Message.Body.sealedInput(input.input, $0) } ?? .input(input.input)
      let message = post(body, to: id)
      guard message > 0 else {
        throw Refusal(code: "link.no_endpoint", message: "\(id) \(input.module) has no coordinator that could be told; rolled back")
      }
      given.append(UnhandledInput(screen: id, message: message))
    }
    return given
  }

  /// The screen on top of the stack that a new container shows first.
  private func activeChild(of id: ScreenID, _ work: Work) -> ScreenID? {
    let keys: [StackKey]
    switch nodes[id]?.container {
    case .tabs(let tabs): keys = [.tab(id, tabs.selected)]
    case .split: keys = [.detail(id), .primary(id)]
    case .some(ContainerState.none), nil: keys = []
    }
    for key in keys {
      for move in work.moves.reversed() { if case .push(key, let screen) = move { return screen } }
    }
    return nil
  }

  /// A coordinator has handled an input that its opening waits for, or refused it: then all is rolled back (L3).
  mutating func tookInput(_ message: UInt32, by id: ScreenID, _ reply: TurnReply) {
    let input = UnhandledInput(screen: id, message: message)
    guard let index = pending.firstIndex(where: { $0.work?.unhandled?.contains(input) ?? false }), var work = pending[index].work else {
      return
    }
    var request = pending.remove(at: index)
    switch reply {
    case .done:
      work.unhandled?.removeAll { $0 == input }
      proceed(&request, &work, at: index)
    case .refused(let refusal): rollBack(request, work, .rolledBack, refusal)
    }
  }

  /// Gives the screens that a link pushes on a tab their stack, now that it is known.
  private func settleTab(of owner: ScreenID, at key: StackKey, _ work: inout Work) {
    for index in work.moves.indices {
      if case .push(.tab(owner, StackKey.unknownTab), let screen) = work.moves[index] { work.moves[index] = .push(key, screen) }
    }
  }

  /// The refusal for a link that leads into a tab that the screen it opened does not have.
  private func missingTab(_ container: ContainerSpec, _ node: Node) -> Refusal? {
    guard let name = node.wantedTab else { return nil }
    if case .tabs(let tabs, _) = container, tabs.contains(where: { $0.name == name }) { return nil }
    return Refusal(
      code: .routeFailed, message: "\(node.id) \(node.module.name) has no tab \"\(name)\" to follow the link into; rolled back")
  }

  /// What is wrong with the containers of a module: names that are no names, or one in another without end.
  private func flaw(_ acceptance: Acceptance, of id: ScreenID, _ work: Work) -> Refusal? {
    if work.opened.count > 64 {
      return Refusal(code: .linkTooDeep, message: "containers start one another without end (64 modules); rolled back")
    }
    if acceptance.container != .none, depth(of: id, work) >= Self.mostContainers {
      return Refusal(
        code: .linkTooDeep, message: "\(id) would be a container in \(Self.mostContainers) others; rolled back, open it further out")
    }
    if let bad = acceptance.slots.first(where: { !NavPath.Segment.isSlotName($0) }) {
      return Refusal(code: .linkBadContainer, message: "\"\(bad)\" cannot name a slot; rolled back")
    }
    guard case .tabs(let tabs, let selected) = acceptance.container else { return nil }
    if !tabs.indices.contains(selected) {
      return Refusal(code: .linkBadContainer, message: "tab \(selected) of \(tabs.count) cannot be selected; rolled back")
    }
    let names = tabs.map(\.name)
    if let bad = names.first(where: { !NavPath.Segment.isTabName($0) }) {
      return Refusal(code: .linkBadContainer, message: "\"\(bad)\" cannot name a tab; rolled back")
    }
    if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      return Refusal(code: .linkBadContainer, message: "two tabs are named \"\(twice)\"; rolled back")
    }
    return nil
  }

  /// How many containers and slots a screen that is being opened will stand in.
  private func depth(of id: ScreenID, _ work: Work) -> Int {
    for move in work.moves {
      switch move {
      case .push(let key, id):
        guard let owner = owner(of: key) else { return 0 }
        return 1 + (work.opened.contains(owner) ? depth(of: owner, work) : depth(around: owner))
      case .fill(let owner, _, id): return 1 + depth(around: owner)
      case .arrange(let key, let ids) where ids.contains(id): return owner(of: key).map { 1 + depth(around: $0) } ?? 0
      case .layer(_, _, id): return 0
      default: continue
      }
    }
    return 0
  }

  /// The caller has configured the module it opened, or has failed to (L1, L3).
  mutating func takeConfiguration(of txn: String, _ failure: Refusal?, at time: SceneTime) {
    guard let index = pending.firstIndex(where: { $0.command.txn == txn && $0.isUnconfigured }) else { return }
    record(at: time)
    var request = pending.remove(at: index)
    guard var work = request.work else {
      // Its turn has not come yet; the block may (L3).
      if let failure { return refuse(request, failure) }
      request.isConfigured = true
      return pending.insert(request, at: index)
    }
    work.isUnconfigured = false
    if let failure {
      rollBack(request, work, .rolledBack, failure)
    } else {
      proceed(&request, &work, at: index)
    }
  }
}
