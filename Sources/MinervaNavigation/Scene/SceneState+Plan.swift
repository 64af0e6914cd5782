/// What each verb would do now, or why it can't (N4). Nothing here changes the state.
extension SceneState {
  /// The plan of a command; throws its refusal.
  func plan(for command: Command, source: Request.Source = .caller) throws(Refusal) -> Plan {
    let origin = command.origin
    if case .core(.hostLost) = source {
      var plan = try planEviction(command.action.targets)
      if screenless > 0 { takeAlong(&plan) }
      return plan
    }
    if let origin {
      guard let node = nodes[origin] else { throw orphaned(origin) }
      if node.phase == .dismissing, command.action.needsPresenter { throw orphaned(origin) }
    }
    var plan: Plan
    try requireRoom(for: command.action)
    switch command.action {
    case .launch(let module, let input):
      plan = Plan()
      plan.openings = [Plan.Opening(id: ScreenID(nextScreen), module: module, input: input, parent: origin, isScreenless: true)]
      plan.subject = ScreenID(nextScreen)
    case .open(let opening): plan = try planOpen(opening, origin: origin)
    case .go(let name, let ref, let input): plan = try planGo(name, from: ref, input: input, origin: origin)
    case .follow(let following):
      if let waiting = following.plan { try requireWaiting(waiting) }
      plan = try planRoute(following)
    case .back(let count, let path): plan = try planBack(Int(count), in: path, origin: origin)
    case .backTo(let ref): plan = try planBack(to: try target(ref))
    case .backRoot(let path):
      let key = try workplace(path, origin: origin)
      plan = Plan(moves: stack(key).count > 1 ? [.cut(key, keep: 1, .popped)] : [])
      plan.isImplicit = path == nil && origin == nil
    case .close(let refs):
      var ids: [ScreenID] = []
      for ref in refs { ids.append(try target(ref)) }
      plan = try planRemoval(of: ids, named: .popped)
      plan.subject = ids.count == 1 ? ids[0] : nil
    case .dismiss(let ref): plan = try planDismiss(ref, origin: origin)
    case .dismissAll: plan = Plan(moves: layers.count > 1 ? [.dropLayers(from: 1, .dismissed, over: .dismissed)] : [])
    case .dismissPresented(let ref):
      let id: ScreenID
      if let ref { id = try target(ref) } else if let origin { id = origin } else { id = try target(.top) }
      plan = planDismissal(ofPresentedBy: id)
    case .setStack(let path, let elements): plan = try planStack(path, elements, origin: origin)
    case .selectTab(let name, let ref, let reset): plan = try planTab(name, of: ref, reset: reset, origin: origin)
    case .collapse(let ref): plan = try planSplit(ref, collapsed: true, origin: origin)
    case .expand(let ref): plan = try planSplit(ref, collapsed: false, origin: origin)
    case .send(let ref, let input): plan = try planMessage(.input(input), to: try target(ref))
    case .sendSealed(let ref, let input, let seal): plan = try planMessage(.sealedInput(input, seal), to: try target(ref))
    case .act(let ref, let act):
      let id = try target(ref)
      if let cover = cover(of: id) {
        throw Refusal(code: .screenCovered, message: "\(id) \(summary(id).module) is not in view: \(cover)")
      }
      plan = try planMessage(.act(act), to: id)
    case .finish(let ref, let result): plan = try planEnding(of: try target(ref), .finished, result: result)
    case .cancel(let ref): plan = try planEnding(of: try target(ref), .cancelled, result: nil)
    case .gesture(let gesture, _): plan = try planGesture(gesture)
    case .output, .withdraw, .endPlan, .end: plan = Plan()
    }
    // Before what goes along, which may stand on other stacks.
    if let ifTop = command.ifTop { try check(ifTop, plan) }
    if screenless > 0 { takeAlong(&plan) }
    return plan
  }

  /// The stack that a request works on when it names none: the one around its origin, or the visible one.
  func workplace(_ path: NavPath?, origin: ScreenID?) throws(Refusal) -> StackKey {
    if let path { return try stackKey(path) }
    return origin.flatMap(stackAround) ?? activeKey
  }

  private func planBack(_ count: Int, in path: NavPath?, origin: ScreenID?) throws(Refusal) -> Plan {
    let key = try workplace(path, origin: origin)
    let above = max(stack(key).count - 1, 0)
    guard count <= above else { throw rootProtected(key, above: above) }
    var plan = Plan(moves: count > 0 ? [.cut(key, keep: above + 1 - count, .popped)] : [])
    plan.isImplicit = path == nil && origin == nil
    return plan
  }

  private func rootProtected(_ key: StackKey, above: Int) -> Refusal {
    let screens = above == 0 ? "no screens" : above == 1 ? "only 1 screen" : "only \(above) screens"
    let hint = above == 0 && layer(of: key) ?? 0 > 0 ? " (dismiss removes the layer)" : ""
    return Refusal(
      code: .rootProtected, message: "\(screens) above the root of \(self.path(of: key)); nothing removed\(hint)",
      details: [.init(name: "above", value: "\(above)")])
  }

  private func planBack(to id: ScreenID) throws(Refusal) -> Plan {
    guard case .stack(let key)? = nodes[id]?.place, let index = stack(key).lastIndex(of: id) else {
      throw Refusal(code: .targetNotFound, message: "\(id) does not stand in a stack; \(listing(activeKey))")
    }
    var plan = Plan(subject: id)
    if index + 1 < stack(key).count { plan.moves = [.cut(key, keep: index + 1, .popped)] }
    return plan
  }

  private func planDismiss(_ ref: ScreenRef?, origin: ScreenID?) throws(Refusal) -> Plan {
    var plan = Plan()
    let height: Int
    if let ref {
      let id = try target(ref)
      height = layer(of: id) ?? 0
      guard height > 0 else {
        throw Refusal(
          code: .notModal, message: "\(id) \(summary(id).module) stands in \(path(of: id) ?? .main), not in a modal layer")
      }
      plan.subject = id
    } else {
      let own = origin.flatMap(layer(of:)) ?? 0
      height = own > 0 ? own : layers.count - 1
      guard height > 0 else { throw Refusal(code: .notModal, message: "no modal layer is up; nothing removed") }
    }
    plan.moves = [.dropLayers(from: height, .dismissed, over: .parentRemoved)]
    return plan
  }

  /// The plan that removes the layers that a coordinator, or one below it, has presented, and so on for what stands in them (K6).
  private func planDismissal(ofPresentedBy id: ScreenID) -> Plan {
    let height = layers.indices.dropFirst().first { height in
      var presenter = layers[height].presentedBy
      if let presenter, isWithin(presenter, id) { return true }
      while let other = presenter, other != id { presenter = nodes[other]?.parent }
      return presenter == id
    }
    return Plan(moves: height.map { [Move.dropLayers(from: $0, .dismissed, over: .dismissed)] } ?? [])
  }

  private func planStack(_ path: NavPath, _ elements: [Command.Element], origin: ScreenID?) throws(Refusal) -> Plan {
    let key = try stackKey(path)
    // While a split is collapsed its detail stands on the primary stack, which stays.
    let below = joinedPrimary(path, key)
    let current = Array(stack(key).dropFirst(below.count))
    guard !elements.isEmpty || layerHeight(key) == nil else {
      throw Refusal(code: .rootProtected, message: "\(path) must keep a screen; nothing removed")
    }
    var plan = Plan()
    var ids: [ScreenID] = []
    for element in elements {
      switch element {
      case .screen(let ref):
        let id = try target(ref)
        guard current.contains(id) else {
          throw Refusal(code: .targetNotFound, message: "\(id) is not in \(path); \(listing(key))")
        }
        guard !ids.contains(id) else {
          throw Refusal(code: .namedTwice, message: "\(id) is named twice; a screen stands in one place")
        }
        ids.append(id)
      case .module(let module, let input):
        let id = ScreenID(nextScreen + UInt32(plan.openings.count))
        plan.openings.append(Plan.Opening(id: id, module: module, input: input, via: .push))
        ids.append(id)
      }
    }
    let leaving = current.filter { !ids.contains($0) }
    let parent = survivor(of: origin, leaving: leaving[...]) ?? ids.first { current.contains($0) } ?? foundation(of: key)
    for index in plan.openings.indices { plan.openings[index].parent = parent }
    if ids != current { plan.moves = [.arrange(key, below + ids)] }
    plan.subject = ids.last
    return plan
  }

  /// The primary screens below what a path to a detail names, while that is joined to them.
  private func joinedPrimary(_ path: NavPath, _ key: StackKey) -> [ScreenID] {
    guard path.segments.last == .detail, let owner = owner(of: key), let split = split(of: owner), let joined = split.joined else {
      return []
    }
    return Array(split.primary.prefix(joined))
  }

  private func planTab(_ name: String, of ref: ScreenRef?, reset: Bool, origin: ScreenID?) throws(Refusal) -> Plan {
    let from = ref == nil ? origin : try target(ref!)
    let near = try surroundings(of: from, into: nil)
    var seen: [String] = []
    for id in near {
      guard let tabs = tabs(of: id) else { continue }
      guard let index = tabs.tabs.firstIndex(where: { $0.name == name }) else {
        seen += tabs.tabs.map(\.name)
        continue
      }
      var plan = Plan(subject: id)
      if tabs.selected != index { plan.moves.append(.select(id, index)) }
      let key = StackKey.tab(id, index)
      if tabs.tabs[index].stack.isEmpty {
        let start = tabs.tabs[index].start
        plan.openings = [Plan.Opening(id: ScreenID(nextScreen), module: start.module, input: start.input, parent: id, root: key)]
        plan.moves.append(.push(key, ScreenID(nextScreen)))
      } else if reset, tabs.tabs[index].stack.count > 1 {
        plan.moves.append(.cut(key, keep: 1, .popped))
      }
      return plan
    }
    let here = path(of: activeKey)
    throw Refusal(
      code: .noContainer,
      message: seen.isEmpty ? "\(here) has no tabs" : "no tab \"\(name)\" here; tabs: \(seen.joined(separator: " "))")
  }

  private func planSplit(_ ref: ScreenRef?, collapsed: Bool, origin: ScreenID?) throws(Refusal) -> Plan {
    let from = ref == nil ? origin : try target(ref!)
    for id in try surroundings(of: from, into: nil) {
      guard let split = split(of: id) else { continue }
      var plan = Plan(subject: id)
      if (split.joined != nil) != collapsed { plan.moves = [.collapse(id, collapsed)] }
      return plan
    }
    throw Refusal(code: .noContainer, message: "\(path(of: activeKey)) is not in a split")
  }

  private func planMessage(_ body: Message.Body, to id: ScreenID) throws(Refusal) -> Plan {
    if nodes[id]?.link == .needsInput {
      throw Refusal(
        code: .screenNeedsInput,
        message: "\(id) \(summary(id).module) lost its host and the secrets of its input; close it and open it again")
    }
    if nodes[id]?.link == .unclaimed { throw unclaimed(id) }
    guard let node = nodes[id], node.isHosted else {
      throw Refusal(code: .linkNoEndpoint, message: "\(id) \(summary(id).module) has no coordinator that could be told")
    }
    guard node.messages < Self.lastNumber else { throw usedUp(node, "messages") }
    guard node.outbox.count < Self.outbox else {
      throw Refusal(code: .backpressure, message: "\(id) \(node.module.name) has \(Self.outbox) messages to handle; try again later")
    }
    return Plan(subject: id, deed: .tell(id, body))
  }

  private func planGesture(_ gesture: Command.Gesture) throws(Refusal) -> Plan {
    var plan = Plan(deed: .hold(gesture), isImplicit: true)
    switch gesture {
    case .back:
      let key = activeKey
      let screens = stack(key)
      guard screens.count > 1, let top = screens.last else { throw rootProtected(key, above: 0) }
      if nodes[top]?.vetoes.contains(.back) ?? false { throw vetoed(top, gesture) }
      plan.moves = [.cut(key, keep: screens.count - 1, .gesture)]
      plan.subject = top
    case .dismiss:
      guard layers.count > 1 else { throw Refusal(code: .notModal, message: "no modal layer is up; nothing to swipe away") }
      for id in visibleScreens where nodes[id]?.vetoes.contains(.dismiss) ?? false { throw vetoed(id, gesture) }
      plan.moves = [.dropLayers(from: layers.count - 1, .gesture, over: .parentRemoved)]
      plan.subject = layers[layers.count - 1].stack.last
    }
    return plan
  }

  private func vetoed(_ id: ScreenID, _ gesture: Command.Gesture) -> Refusal {
    Refusal(code: .vetoed, message: "\(id) \(summary(id).module) does not allow the gesture \(gesture.rawValue)")
  }

  /// Refuses if the screen the caller saw on top is not there any more (N4).
  private func check(_ ref: ScreenRef, _ plan: Plan) throws(Refusal) {
    var key = activeKey
    search: for move in plan.moves {
      switch move {
      case .cut(let touched, _, _), .push(let touched, _), .arrange(let touched, _):
        key = touched
        break search
      default: continue
      }
    }
    let top = stack(key).last
    guard let top, (try? target(ref)) == top else {
      let actual = top.map { "\($0) \(summary($0).module)" } ?? "nothing"
      throw Refusal(code: .notTop, message: "\(ref) is not on top of \(path(of: key)), \(actual) is")
    }
  }

  /// What keeps a screen from being seen, for people; `nil` if it is in view.
  private func cover(of id: ScreenID) -> String? {
    if isVisible(id) { return nil }
    guard let node = nodes[id], let height = layer(of: id) else {
      return nodes[id]?.isScreenless ?? false ? "it has no screen" : "it is not on the tree"
    }
    if node.phase == .connecting { return "it is still connecting" }
    if height < layers.count - 1 { return "\(NavPath(layer: layers.count - 1)) is over it" }
    if let key = stackAround(id), let top = stack(key).last, top != id, case .stack = node.place {
      return "\(top) \(summary(top).module) is on top of \(path(of: key))"
    }
    return "another part of the scene is shown"
  }

  /// The height of a layer whose own stack this is.
  func layerHeight(_ key: StackKey) -> Int? {
    if case .layer(let height) = key { height } else { nil }
  }
}

extension Command.Action {
  /// Whether it puts something up, so that whoever asks must still stand (N12).
  var needsPresenter: Bool {
    switch self {
    case .open, .go, .launch, .follow: true
    default: false
    }
  }
}
