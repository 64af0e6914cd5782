/// Following links (R2): the longest prefix that is open stays, the rest is opened, all in one transaction.
extension SceneState {
  /// What following a link would do now; throws what following it would be refused with.
  package func preview(_ following: Following) throws(Refusal) -> [PlannedStep] {
    try walk(following).preview
  }

  /// The module at the root of the scene.
  package var rootModule: String? { layers[0].stack.first.flatMap { nodes[$0]?.module.name } }

  /// The plan that follows a link.
  func planRoute(_ following: Following) throws(Refusal) -> Plan {
    let walk = try walk(following)
    var plan = Plan(subject: walk.at, openings: walk.openings)
    if walk.height < layers.count { plan.moves.append(.dropLayers(from: walk.height, .dismissed, over: .dismissed)) }
    plan.moves += walk.cuts + walk.moves
    plan.shortfall = walk.shortfall ?? following.shortfall
    return plan
  }

  private func walk(_ following: Following) throws(Refusal) -> RouteWalk {
    guard let first = following.steps.first else {
      throw Refusal(code: .routeIncomplete, message: "the link was understood, but there is nothing to open")
    }
    var walk = try RouteWalk(from: self, first: first, resets: following.resets)
    for (index, step) in following.steps.enumerated() {
      do throws(Refusal) {
        try walk.take(step, in: self)
      } catch {
        // A step that fails ends the way, not what was reached (N14).
        guard following.keepsPrefix, index > 0 else { throw error }
        walk.shortfall = error
        break
      }
    }
    walk.finish(in: self)
    return walk
  }

  /// A hop of a link could not be made, and the caller keeps what was reached (N14): it and all behind it is forgotten.
  ///
  /// Returns whether anything is left to go on with.
  mutating func shorten(_ work: inout Work, before id: ScreenID, _ refusal: Refusal) -> Bool {
    guard let first = work.opened.first, first != id, let reached = nodes[id]?.parent else { return false }
    var gone: Set<ScreenID> = [id]
    var count = 0
    while gone.count > count {
      count = gone.count
      for other in work.opened { if let parent = nodes[other]?.parent, gone.contains(parent) { gone.insert(other) } }
    }
    work.moves.removeAll { move in
      switch move {
      case .push(_, let screen), .layer(_, _, let screen): gone.contains(screen)
      default: false
      }
    }
    for other in work.opened.reversed() where gone.contains(other) {
      remove(Leaving(summary: summary(other), reason: .rolledBack), result: nil)
    }
    work.opened.removeAll { gone.contains($0) }
    work.outcome.screen = reached
    work.outcome.shortfall = refusal
    if let until = work.linkDeadline {
      work.stage = .linking(missing: work.opened.count { nodes[$0]?.link == .pending }, until: until)
    }
    return true
  }
}

/// A way from the scene's root along the steps of a link, with what has to be done on it.
private struct RouteWalk {
  /// The screen that is reached; one that is still to be opened has the name it will have.
  private(set) var at: ScreenID
  /// The stack it stands in, and its place there; `nil` once everything on the way is new.
  private var key: StackKey
  private var index: Int?
  /// Whether the way goes through the root of a tab that nobody has seen yet, so that `at` is the screen around it.
  private var isInNewTab = false
  /// The layers from this height up go.
  private(set) var height = 1
  private(set) var openings: [Plan.Opening] = []
  private(set) var cuts: [Move] = []
  private(set) var moves: [Move] = []
  private(set) var preview: [PlannedStep] = []
  /// Why the way ended before the link did.
  var shortfall: Refusal?
  private var next: UInt32
  /// The layers that are new, above those that stay.
  private var newLayers = 0
  /// Whether nothing that is open may be kept but the root.
  private let resets: Bool

  init(from state: SceneState, first: RouteStep, resets: Bool) throws(Refusal) {
    let root = state.layers[0].stack.first
    guard root != nil || first.via == .root else {
      throw Refusal(code: .routeWrongContext, message: "nothing is open; open the root module first")
    }
    at = root ?? ScreenID(state.nextScreen)
    self.resets = resets
    key = .layer(0)
    index = root == nil ? nil : 0
    next = state.nextScreen
    if let root { keep(root, state) }
  }

  /// Goes one step on.
  mutating func take(_ step: RouteStep, in state: SceneState) throws(Refusal) {
    switch step.via {
    case .push, .custom: push(step, in: state)
    case .tab(let name): try tab(name, step, in: state)
    case .modal(let style): present(step, style, in: state)
    case .root where openings.isEmpty && preview.count <= 1: root(step, in: state)
    case .detail where splitAround(state) != nil: detail(step, in: state)
    case .embed(let slot) where hasSlot(slot, state): try embed(slot, step, in: state)
    case .detail, .embed:
      let what = step.via == .detail ? "split" : "slot of that name"
      throw Refusal(
        code: .routeNotRoutable, message: "\(step.module) is opened via \(step.via), and no \(what) is open on the way to it")
    case .replace, .root:
      throw Refusal(code: .routeNotRoutable, message: "\(step.module) is opened via \(step.via), which a link cannot follow")
    }
  }

  /// What stands above the end of the way goes: the target becomes visible (R5).
  mutating func finish(in state: SceneState) {
    uncover(in: state)
    let kept = preview.prefix { if case .keep = $0 { true } else { false } }.count
    for gone in min(height, state.layers.count)..<state.layers.count {
      if let root = state.layers[gone].stack.first { preview.insert(.dismiss(root, module: name(root, state)), at: kept) }
    }
  }

  private func name(_ id: ScreenID, _ state: SceneState) -> String { state.nodes[id]?.module.name ?? "" }

  private mutating func keep(_ id: ScreenID, _ state: SceneState) {
    preview.append(.keep(id, module: name(id, state)))
  }

  /// Cuts what stands above the reached screen in its stack.
  private mutating func uncover(in state: SceneState) {
    guard let index, state.stack(key).count > index + 1 else { return }
    cuts.append(.cut(key, keep: index + 1, .popped))
    for id in state.stack(key).dropFirst(index + 1).reversed() { preview.append(.pop(id, module: name(id, state))) }
  }

  /// Makes the module the root of the scene, unless it is.
  private mutating func root(_ step: RouteStep, in state: SceneState) {
    if index != nil {
      if isOpen(step, at, state) { return }
      preview = []
      cuts.append(.cut(.layer(0), keep: 0, .replaced))
    }
    index = nil
    let id = open(step, parent: state.foundation(of: .layer(0)))
    moves.append(.push(.layer(0), id))
    at = id
  }

  private mutating func push(_ step: RouteStep, in state: SceneState) {
    if let index, let there = state.stack(key).dropFirst(index + 1).first, isOpen(step, there, state) {
      at = there
      self.index = index + 1
      keep(there, state)
      return
    }
    uncover(in: state)
    index = nil
    let id = open(step, parent: at)
    moves.append(.push(key, id))
    at = id
    isInNewTab = false
  }

  private mutating func present(_ step: RouteStep, _ style: ModalStyle, in state: SceneState) {
    uncover(in: state)
    if index != nil, newLayers == 0, state.layers.indices.contains(height), state.layers[height].presentedBy == at,
      let there = state.layers[height].stack.first, isOpen(step, there, state)
    {
      at = there
      key = .layer(height)
      index = 0
      height += 1
      keep(there, state)
      return
    }
    let presenter = at
    let id = open(step, parent: at)
    moves.append(.layer(style, by: presenter, id))
    key = .layer(height + newLayers)
    newLayers += 1
    index = nil
    at = id
    isInNewTab = false
  }

  private mutating func tab(_ tabName: String, _ step: RouteStep, in state: SceneState) throws(Refusal) {
    if index == nil, !isInNewTab, let last = openings.indices.last, openings[last].id == at {
      // What tabs a new screen has is only known when its host has made it.
      openings[last].tab = tabName
      openings[last].tabStart = ModuleStart(step.module, input: step.input)
      openings[last].tabSeal = step.seal
      key = .tab(at, StackKey.unknownTab)
      isInNewTab = true
      preview.append(.tab(tabName, starting: step.module.name))
      return
    }
    guard index != nil, let tabs = state.tabs(of: at), let place = tabs.tabs.firstIndex(where: { $0.name == tabName }) else {
      throw Refusal(code: .routeFailed, message: "\(at) \(name(at, state)) has no tab \"\(tabName)\" to follow the link into")
    }
    uncover(in: state)
    let owner = at
    key = .tab(owner, place)
    if tabs.selected != place { moves.append(.select(owner, place)) }
    guard let root = tabs.tabs[place].stack.first else {
      let start = tabs.tabs[place].start
      preview.append(.tab(tabName, starting: start.module.name))
      let id = ScreenID(next)
      next += 1
      let isIt = start.module.name == step.module.name
      var opening = Plan.Opening(id: id, module: start.module, input: start.input, parent: owner, root: key)
      if isIt, !SameInput.isNone(step.input) { (opening.input, opening.seal) = (step.input, step.seal) }
      openings.append(opening)
      moves.append(.push(key, id))
      at = id
      index = nil
      if !isIt { push(step.pushed, in: state) }
      return
    }
    if tabs.selected != place { preview.append(.tab(tabName, starting: nil)) }
    at = root
    index = 0
    keep(root, state)
    // A tab's root stays what it is: what the link wants another input for stands on it.
    let isIt = state.nodes[root].map { node in
      node.module.name == step.module.name && (SameInput.isNone(step.input) || step.isSame(as: node))
    }
    if isIt != true { push(step.pushed, in: state) }
  }

  /// The innermost split around what is reached, if that is open.
  private func splitAround(_ state: SceneState) -> ScreenID? {
    guard index != nil else { return nil }
    if state.split(of: at) != nil { return at }
    var next = state.owner(of: key)
    while let owner = next, state.split(of: owner) == nil { next = state.stackAround(owner).flatMap(state.owner(of:)) }
    return next
  }

  /// Goes to the detail side of a split that is open: what stands there is kept or replaced.
  private mutating func detail(_ step: RouteStep, in state: SceneState) {
    guard let owner = splitAround(state), let split = state.split(of: owner) else { return }
    uncover(in: state)
    key = split.joined == nil ? .detail(owner) : .primary(owner)
    let (screens, base) = (state.stack(key), split.joined ?? 0)
    if screens.count > base, isOpen(step, screens[base], state) {
      at = screens[base]
      index = base
      return keep(at, state)
    }
    if screens.count > base {
      cuts.append(.cut(key, keep: base, .replaced))
      for id in screens.dropFirst(base).reversed() { preview.append(.pop(id, module: name(id, state))) }
    }
    index = nil
    at = open(step, parent: owner)
    moves.append(.push(key, at))
  }

  /// Whether what is reached is open and has a slot of this name.
  private func hasSlot(_ slot: String, _ state: SceneState) -> Bool {
    index != nil && state.nodes[at]?.slots.contains { $0.name == slot } ?? false
  }

  /// Goes into a slot of a screen that is open: its child is kept or replaced. What follows is pushed where the screen itself stands.
  private mutating func embed(_ slot: String, _ step: RouteStep, in state: SceneState) throws(Refusal) {
    guard let place = state.nodes[at]?.slots.firstIndex(where: { $0.name == slot }) else { return }
    let owner = at
    try state.requireShallow(.slot(owner, place))
    if let child = state.nodes[owner]?.slots[place].content {
      if isOpen(step, child, state) {
        at = child
        return keep(child, state)
      }
      cuts.append(.vacate(owner, slot: place, .replaced))
      preview.append(.pop(child, module: name(child, state)))
    }
    at = open(step, parent: owner)
    moves.append(.fill(owner, slot: place, at))
  }

  private mutating func open(_ step: RouteStep, parent: ScreenID?) -> ScreenID {
    let id = ScreenID(next)
    next += 1
    openings.append(Plan.Opening(id: id, module: step.module, input: step.input, seal: step.seal, via: step.via, parent: parent))
    preview.append(.open(module: step.module.name, input: step.input, via: step.via))
    return id
  }

  private func isOpen(_ step: RouteStep, _ id: ScreenID, _ state: SceneState) -> Bool {
    guard let node = state.nodes[id], node.module.name == step.module.name else { return false }
    if step.via == .root { return SameInput.isNone(step.input) || step.isSame(as: node) }
    return !resets && step.isSame(as: node)
  }
}

extension RouteStep {
  /// The same, pushed.
  fileprivate var pushed: RouteStep {
    var step = self
    step.via = .push
    return step
  }

  /// Whether a screen has its input: of what must not be seen the same text has the same seal.
  fileprivate func isSame(as node: Node) -> Bool {
    // What is shown of it was redacted by the broker in the one, by the host in the other.
    seal == node.seal && (seal != nil || SameInput.isSame(node.input, input))
  }
}
