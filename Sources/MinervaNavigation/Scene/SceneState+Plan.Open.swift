/// Where an opened module goes.
enum Destination: Hashable {
  case stack(StackKey)
  case layer
  case slot(ScreenID, Int)
  /// A tab of a screen.
  case tab(ScreenID, Int)
  /// The detail side of a screen's split.
  case detail(ScreenID)
}

extension SceneState {
  /// Where an opening goes now; throws `nav.no_container` with the kinds that are possible.
  func destination(of opening: Command.Opening, origin: ScreenID?) throws(Refusal) -> Destination {
    switch opening.via {
    case .push, .replace, .custom:
      if let ref = opening.popTo, opening.into == nil, let key = stackAround(try target(ref)) { return .stack(key) }
      return .stack(try workplace(opening.into, origin: origin))
    case .root:
      if opening.into == nil, let origin, stackAround(origin) == nil { return .stack(.layer(0)) }
      return .stack(try workplace(opening.into, origin: origin))
    case .modal: return .layer
    case .tab(let name):
      let near = try surroundings(of: origin, into: opening.into)
      for id in near {
        if let index = tabs(of: id)?.tabs.firstIndex(where: { $0.name == name }) { return .tab(id, index) }
      }
      throw noContainer("tab \"\(name)\"", near: near, at: try workplace(opening.into, origin: origin))
    case .detail:
      let near = try surroundings(of: origin, into: opening.into)
      guard let id = near.first(where: { split(of: $0) != nil }) else {
        throw noContainer("split", near: near, at: try workplace(opening.into, origin: origin))
      }
      return .detail(id)
    case .embed(let name):
      let near = try surroundings(of: origin, into: opening.into)
      for id in near {
        if let index = nodes[id]?.slots.firstIndex(where: { $0.name == name }) { return .slot(id, index) }
      }
      throw noContainer("slot \"\(name)\"", near: near, at: try workplace(opening.into, origin: origin))
    }
  }

  func planGo(_ name: String, from ref: ScreenRef?, input: [UInt8]?, origin: ScreenID?) throws(Refusal) -> Plan {
    let id: ScreenID
    if let ref { id = try target(ref) } else if let origin { id = origin } else { id = try target(.top) }
    let transitions = nodes[id]?.transitions ?? []
    guard let transition = transitions.first(where: { $0.name == name }) else {
      let has = transitions.isEmpty ? "it has none" : "it has \(transitions.map(\.name).joined(separator: ", "))"
      throw Refusal(code: .noTransition, message: "\(id) \(summary(id).module) has no transition \"\(name)\"; \(has)")
    }
    var opening = transition.opening
    if let input { opening.input = input }
    return try planOpen(opening, origin: id)
  }

  func planOpen(_ opening: Command.Opening, origin: ScreenID?) throws(Refusal) -> Plan {
    let destination = try destination(of: opening, origin: origin)
    try requireShallow(destination)
    var plan = Plan(configures: opening.configures, inputs: opening.configuration)
    let placed = opening.into != nil || opening.popTo != nil
    plan.isImplicit = !placed && (origin.flatMap(stackAround) == nil) && !(opening.via == .root && origin != nil)
    var popped: (key: StackKey, keep: Int)?
    if let ref = opening.popTo {
      popped = try popTo(ref, inclusive: opening.inclusive, before: destination)
      if let popped, popped.keep < stack(popped.key).count { plan.moves.append(.cut(popped.key, keep: popped.keep, .popped)) }
    }
    var id = ScreenID(nextScreen)
    var parent = origin
    switch destination {
    case .stack(let key):
      let screens = stack(key)
      var keep = popped.map { $0.key == key ? $0.keep : screens.count } ?? screens.count
      switch opening.via {
      case .replace where keep > 0:
        keep -= 1
        plan.moves = [.cut(key, keep: keep, .replaced)]
      case .root where keep > 0:
        keep = 0
        plan.moves = [.cut(key, keep: 0, .replaced)]
      default: break
      }
      parent = elder(of: key, keeping: keep, origin: origin)
      plan.moves.append(.push(key, id))
    case .layer:
      guard case .modal(let style) = opening.via else { break }
      let presenter = presenter(for: origin)
      parent = origin ?? presenter
      plan.moves.append(.layer(style, by: presenter, id))
    case .tab(let owner, let index):
      let key = StackKey.tab(owner, index)
      if let tabs = tabs(of: owner) {
        if tabs.tabs[index].stack.isEmpty {
          let start = tabs.tabs[index].start
          plan.openings = [Plan.Opening(id: id, module: start.module, input: start.input, parent: owner, root: key)]
          plan.moves.append(.push(key, id))
          id = ScreenID(nextScreen + 1)
        }
        parent = origin ?? tabs.tabs[index].stack.last ?? owner
        plan.moves.append(.push(key, id))
        if tabs.selected != index { plan.moves.append(.select(owner, index)) }
      }
    case .detail(let owner):
      if let split = split(of: owner) {
        let key: StackKey = split.joined == nil ? .detail(owner) : .primary(owner)
        let keep = split.joined ?? 0
        if stack(key).count > keep { plan.moves.append(.cut(key, keep: keep, .replaced)) }
        parent = elder(of: key, keeping: keep, origin: origin)
        plan.moves.append(.push(key, id))
      }
    case .slot(let owner, let slot):
      parent = origin ?? owner
      if let old = nodes[owner]?.slots[slot].content {
        plan.moves.append(.vacate(owner, slot: slot, .replaced))
        if let asking = origin, isWithin(asking, old) { parent = owner }
      }
      plan.moves.append(.fill(owner, slot: slot, id))
    }
    plan.openings.append(
      Plan.Opening(
        id: id, module: opening.module, input: opening.input, seal: opening.seal, via: opening.via, parent: parent,
        unhosted: opening.unhosted))
    plan.subject = id
    return plan
  }

  /// Refuses containers in containers without end: whoever walks the tree must come back.
  func requireShallow(_ destination: Destination) throws(Refusal) {
    var outer: ScreenID?
    switch destination {
    case .layer: return
    case .stack(let key): outer = owner(of: key)
    case .slot(let owner, _), .tab(let owner, _), .detail(let owner): outer = owner
    }
    if let outer, depth(around: outer) >= Self.mostContainers {
      throw Refusal(code: .tooDeep, message: "\(Self.mostContainers) containers stand in one another; open it further out")
    }
  }

  /// How many containers and slots may be around a screen: a tree of so many can be said in one message, whose values stand at most 64 deep in
  /// one another.
  static let mostContainers = 8

  /// How many containers and slots a screen stands in.
  func depth(around id: ScreenID) -> Int {
    var depth = 0
    var next = Optional(id)
    while let id = next, let node = nodes[id] {
      switch node.place {
      case .none: next = nil
      case .stack(let key): next = owner(of: key)
      case .slot(let owner, _): next = owner
      }
      if next != nil { depth += 1 }
    }
    return depth
  }

  /// What a pop-to leaves of its target's stack.
  private func popTo(_ ref: ScreenRef, inclusive: Bool, before destination: Destination) throws(Refusal) -> (StackKey, Int) {
    let id = try target(ref)
    guard case .stack(let key)? = nodes[id]?.place, let index = stack(key).lastIndex(of: id) else {
      throw Refusal(code: .targetNotFound, message: "\(id) does not stand in a stack; \(listing(activeKey))")
    }
    let keep = inclusive ? index : index + 1
    if keep == 0, destination != .stack(key) {
      throw Refusal(code: .rootProtected, message: "\(id) is the root of \(path(of: key)); nothing removed")
    }
    return (key, keep)
  }

  /// The coordinator that becomes the parent of what is put on a stack of which the lowest `keep` screens stay: the origin if it
  /// survives, else the screen it is put upon, the screen around the stack, or the coordinator that was launched.
  func elder(of key: StackKey, keeping keep: Int, origin: ScreenID?) -> ScreenID? {
    let screens = stack(key)
    if let survivor = survivor(of: origin, leaving: screens.dropFirst(keep)) { return survivor }
    return keep > 0 && screens.count >= keep ? screens[keep - 1] : foundation(of: key)
  }

  /// The nearest coordinator from the origin upwards that stays when these screens leave with all that is in them.
  func survivor(of origin: ScreenID?, leaving: ArraySlice<ScreenID>) -> ScreenID? {
    var candidate = origin
    while let id = candidate, let node = nodes[id] {
      if !leaving.contains(where: { isWithin(id, $0) }) { return id }
      candidate = node.parent
    }
    return nil
  }

  /// The coordinator on which a stack as a whole rests: the screen around it, its layer's presenter, or the one that was launched.
  func foundation(of key: StackKey) -> ScreenID? {
    owner(of: key) ?? layerPresenter(key) ?? launched
  }

  private func layerPresenter(_ key: StackKey) -> ScreenID? {
    layerHeight(key).flatMap { layers.indices.contains($0) ? layers[$0].presentedBy : nil }
  }

  /// The app's start coordinator.
  private var launched: ScreenID? {
    screenless == 0 ? nil : nodes.all.first { $0.isScreenless && $0.parent == nil && $0.phase == .presented }?.id
  }

  /// The screen from which a new layer is presented: the origin's, or what a person sees.
  private func presenter(for origin: ScreenID?) -> ScreenID? {
    if let origin, stackAround(origin) != nil { return origin }
    let key = activeKey
    return stack(key).last ?? owner(of: key)
  }

  /// Whether a coordinator's screen is another's, or stands inside it.
  func isWithin(_ id: ScreenID, _ outer: ScreenID) -> Bool {
    var id = id
    while id != outer {
      switch nodes[id]?.place {
      case .slot(let owner, _): id = owner
      case .stack(let key):
        guard let owner = owner(of: key) else { return false }
        id = owner
      default: return false
      }
    }
    return true
  }
}
