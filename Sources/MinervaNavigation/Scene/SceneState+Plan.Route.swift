/// Following links (R2): the longest prefix that is open stays, the rest is opened, all in one transaction.
extension SceneState {
  /// What following these steps would do now; throws what following them would be refused with.
  package func preview(_ steps: [RouteStep]) throws(Refusal) -> [PlannedStep] {
    var walk = try RouteWalk(from: self)
    for step in steps { try walk.take(step, in: self) }
    walk.finish(in: self)
    return walk.preview
  }

  /// The plan that follows these steps.
  func planRoute(_ steps: [RouteStep]) throws(Refusal) -> Plan {
    var walk = try RouteWalk(from: self)
    for step in steps { try walk.take(step, in: self) }
    walk.finish(in: self)
    var plan = Plan(subject: walk.at, openings: walk.openings)
    if walk.height < layers.count { plan.moves.append(.dropLayers(from: walk.height, .dismissed, over: .dismissed)) }
    plan.moves += walk.cuts + walk.moves
    return plan
  }
}

/// A way from the scene's root along the steps of a link, with what has to be done on it.
private struct RouteWalk {
  /// The screen that is reached; one that is still to be opened has the name it will have.
  private(set) var at: ScreenID
  /// The stack it stands in, and its place there; `nil` once everything on the way is new.
  private var key: StackKey
  private var index: Int?
  /// The layers from this height up go.
  private(set) var height = 1
  private(set) var openings: [Plan.Opening] = []
  private(set) var cuts: [Move] = []
  private(set) var moves: [Move] = []
  private(set) var preview: [PlannedStep] = []
  private var next: UInt32
  /// The layers that are new, above those that stay.
  private var newLayers = 0

  init(from state: SceneState) throws(Refusal) {
    guard let root = state.layers[0].stack.first else {
      throw Refusal(code: "route.wrong_context", message: "nothing is open; open the root module first")
    }
    at = root
    key = .layer(0)
    index = 0
    next = state.nextScreen
    keep(root, state)
  }

  /// Goes one step on.
  mutating func take(_ step: RouteStep, in state: SceneState) throws(Refusal) {
    switch step.via {
    case .push, .custom: push(step, in: state)
    case .tab(let name): try tab(name, step, in: state)
    case .modal(let style): present(step, style, in: state)
    case .replace, .root, .detail, .embed:
      throw Refusal(code: "route.not_routable", message: "\(step.module) is opened via \(step.via), which a link cannot follow")
    }
  }

  /// What stands above the end of the way goes: the target becomes visible (R5).
  mutating func finish(in state: SceneState) {
    uncover(in: state)
    for gone in (min(height, state.layers.count)..<state.layers.count).reversed() {
      if let root = state.layers[gone].stack.first { preview.insert(.dismiss(root, module: name(root, state)), at: 0) }
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

  private mutating func push(_ step: RouteStep, in state: SceneState) {
    if let index, let there = state.stack(key).dropFirst(index + 1).first, isOpen(step, there, state) {
      at = there
      self.index = index + 1
      keep(there, state)
      return
    }
    uncover(in: state)
    index = nil
    let id = open(step)
    moves.append(.push(key, id))
    at = id
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
    let id = open(step)
    moves.append(.layer(style, by: presenter, id))
    key = .layer(height + newLayers)
    newLayers += 1
    index = nil
    at = id
  }

  private mutating func tab(_ tabName: String, _ step: RouteStep, in state: SceneState) throws(Refusal) {
    guard index != nil, let tabs = state.tabs(of: at), let place = tabs.tabs.firstIndex(where: { $0.name == tabName }) else {
      throw Refusal(code: "route.failed", message: "\(at) \(name(at, state)) has no tab \"\(tabName)\" to follow the link into")
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
      openings.append(Plan.Opening(id: id, module: start.module, input: start.input, parent: owner, root: key))
      moves.append(.push(key, id))
      at = id
      index = nil
      if start.module.name != step.module.name { push(step, in: state) }
      return
    }
    if tabs.selected != place { preview.append(.tab(tabName, starting: nil)) }
    at = root
    index = 0
    keep(root, state)
    if state.nodes[root]?.module.name != step.module.name { push(step, in: state) }
  }

  private mutating func open(_ step: RouteStep) -> ScreenID {
    let id = ScreenID(next)
    next += 1
    openings.append(Plan.Opening(id: id, module: step.module, input: step.input, via: step.via, parent: at))
    preview.append(.open(module: step.module.name, input: step.input, via: step.via))
    return id
  }

  private func isOpen(_ step: RouteStep, _ id: ScreenID, _ state: SceneState) -> Bool {
    guard let node = state.nodes[id] else { return false }
    return node.module.name == step.module.name && node.input == step.input
  }
}
