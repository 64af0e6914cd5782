extension SceneState {
  /// The plan that ends a module: its screen and those above it, or a coordinator without screen with all it opened.
  func planEnding(of id: ScreenID, _ reason: RemovalReason, result: [UInt8]?) throws(Refusal) -> Plan {
    var plan = try planRemoval(of: [id], named: reason)
    plan.result = result
    plan.subject = id
    return plan
  }

  /// The plan that removes those of these coordinators that still wait for a host.
  func planEviction(_ refs: [ScreenRef]) throws(Refusal) -> Plan {
    var ids: [ScreenID] = []
    for case .id(let id) in refs where nodes[id]?.isSuspended ?? false { ids.append(id) }
    return try planRemoval(of: ids, named: .hostLost)
  }

  /// The plan that removes exactly these coordinators and what stands above their screens, as one transaction.
  ///
  /// The root of the scene is refused, unless its host is lost: then a placeholder takes its place.
  func planRemoval(of ids: [ScreenID], named reason: RemovalReason) throws(Refusal) -> Plan {
    var plan = Plan()
    var cuts: [(key: StackKey, keep: Int)] = []
    func cut(_ key: StackKey, keep: Int) {
      if let index = cuts.firstIndex(where: { $0.key == key }) {
        cuts[index].keep = min(cuts[index].keep, keep)
      } else {
        cuts.append((key, keep))
      }
    }
    var lowest: (height: Int, reason: RemovalReason)?
    var slots: [Move] = []
    var retired: [Move] = []
    // No lost host keeps its place: where it had the root, a placeholder stands.
    let lost = reason == .hostLost
    func remove(_ id: ScreenID, _ reason: RemovalReason) throws(Refusal) {
      guard let node = nodes[id], node.phase != .dismissing else { return }
      if plan.named.contains(where: { $0.screen == id }) { return }
      switch node.place {
      case .none:
        guard node.isScreenless, node.phase != .connecting else {
          throw Refusal(code: .stillConnecting, message: "\(id) \(node.module.name) is not on the tree yet; withdraw its request")
        }
        plan.named.append(NamedReason(screen: id, reason: reason))
        retired.append(.retire(id, reason))
        for child in children(of: id) where nodes[child]?.phase != .connecting {
          // Who is lost as well leaves for that reason, whoever its parent is.
          try remove(child, lost && ids.contains(child) ? reason : .parentRemoved)
        }
      case .slot(let owner, let slot):
        plan.named.append(NamedReason(screen: id, reason: reason))
        slots.append(.vacate(owner, slot: slot, reason))
      case .stack(let key):
        guard let index = stack(key).lastIndex(of: id) else { return }
        if case .layer(let height) = key, index == 0 {
          if height == 0 {
            guard lost else {
              throw Refusal(
                code: .rootProtected, message: "\(id) \(node.module.name) is the root of the scene; replace it via root")
            }
            plan.named.append(NamedReason(screen: id, reason: reason))
            cut(key, keep: 0)
          } else {
            let dismissal = reason == .popped ? RemovalReason.dismissed : reason
            plan.named.append(NamedReason(screen: id, reason: dismissal))
            if height < lowest?.height ?? .max { lowest = (height, reason == .popped ? .dismissed : .popped) }
          }
        } else {
          plan.named.append(NamedReason(screen: id, reason: reason))
          cut(key, keep: index)
        }
      }
    }
    for id in ids { try remove(id, reason) }
    if ids.count > 1 || !retired.isEmpty {
      // Who stands above a screen that is named is popped with it, also when that screen's own place goes with another one.
      for cut in cuts {
        for id in stack(cut.key).dropFirst(cut.keep) where !plan.named.contains(where: { $0.screen == id }) {
          plan.named.append(NamedReason(screen: id, reason: .popped))
        }
      }
    }
    if let lowest { plan.moves.append(.dropLayers(from: lowest.height, lowest.reason, over: .parentRemoved)) }
    plan.moves += cuts.map { .cut($0.key, keep: $0.keep, .popped) } + slots + retired
    return plan
  }

  /// A coordinator without screen that leaves with its parent takes along what it opened, wherever that stands (K2); but never the scene's
  /// root, nor what the request itself keeps or builds on.
  func takeAlong(_ plan: inout Plan) {
    // The app's start coordinator leaves with nobody.
    guard !plan.moves.isEmpty, screenless > 1 || nodes.all.first.map({ !$0.isScreenless || $0.parent != nil }) ?? false else { return }
    var gone = leaving(by: plan.moves, named: plan.named)
    let needed = needed(by: plan).subtracting(gone.map(\.summary.screen))
    var seen = needed
    while true {
      let ids = Set(gone.map(\.summary.screen))
      var more: [ScreenID] = []
      for leaving in gone where nodes[leaving.summary.screen]?.isScreenless ?? false {
        more += children(of: leaving.summary.screen).filter { !ids.contains($0) && seen.insert($0).inserted }
      }
      if more.isEmpty { return }
      for id in more where nodes[id].map({ $0.phase == .presented || $0.phase == .presenting }) ?? false {
        // One below it on its stack may have taken it along.
        guard !gone.contains(where: { $0.summary.screen == id }) else { continue }
        guard let extra = try? planRemoval(of: [id], named: .parentRemoved) else { continue }
        // It leaves before those it goes along with (N8), who keep their reasons.
        let known = Set(plan.named.map(\.screen))
        let named =
          plan.named
          + (gone.map { NamedReason(screen: $0.summary.screen, reason: $0.reason) } + extra.named).filter { !known.contains($0.screen) }
        let then = leaving(by: extra.moves + plan.moves, named: named)
        if then.contains(where: { needed.contains($0.summary.screen) }) { continue }
        plan.moves = extra.moves + plan.moves
        plan.named = named
        gone = then
      }
    }
  }

  /// The screens that must be there when a plan is carried out: what it keeps, what it is about, and what its openings stand on.
  private func needed(by plan: Plan) -> Set<ScreenID> {
    var needed = Set(plan.openings.compactMap(\.parent))
    if let subject = plan.subject { needed.insert(subject) }
    for move in plan.moves {
      switch move {
      case .arrange(_, let ids): needed.formUnion(ids)
      case .layer(_, let presenter?, _): needed.insert(presenter)
      case .push(let key, _):
        // A layer goes with its root.
        if let base = owner(of: key) ?? stack(key).first { needed.insert(base) }
      case .fill(let owner, _, _), .select(let owner, _), .collapse(let owner, _): needed.insert(owner)
      case .layer, .cut, .dropLayers, .vacate, .retire: break
      }
    }
    return needed
  }

  /// The coordinators that name one as their parent, in the order of their opening.
  func children(of id: ScreenID) -> [ScreenID] {
    guard let index = nodes.index(of: id) else { return [] }
    return children(ofNodeAt: index)
  }

  /// The children of the coordinator at a place in `nodes.all`.
  ///
  /// Read field by field: a copy of every node on the way would cost more than the whole transition.
  func children(ofNodeAt index: Int) -> [ScreenID] {
    let (id, count) = (nodes.all[index].id, nodes.all[index].childCount)
    var children: [ScreenID] = []
    var place = index + 1
    while children.count < count, place < nodes.all.count {
      if nodes.all[place].parent == id { children.append(nodes.all[place].id) }
      place += 1
    }
    return children
  }

  /// What a plan needs for itself.
  func scope(of plan: Plan) -> Scope {
    var scope = Scope()
    for move in plan.moves {
      switch move {
      case .cut(let key, _, _), .arrange(let key, _), .push(let key, _): scope.subtrees.append(scopePath(key))
      case .dropLayers(let height, _, _): scope.add(layersFrom: height)
      case .vacate(let owner, let slot, _), .fill(let owner, let slot, _):
        scope.subtrees.append(scopePath(inside: owner) + [Scope.step(owner, kind: 4, index: slot)])
      case .retire: scope.add(layersFrom: 0)
      case .layer: scope.add(layersFrom: layers.count)
      case .select(let owner, _): scope.subtrees.append(selectionPath(owner))
      case .collapse(let owner, _): scope.subtrees += [scopePath(.primary(owner)), scopePath(.detail(owner))]
      }
    }
    if layers.count > 1 {
      let height = droppedHeight(of: plan.moves)
      if height < layers.count { scope.add(layersFrom: height) }
    }
    if case .tell(let id, _) = plan.deed, let key = stackAround(id) { scope.subtrees.append(scopePath(key)) }
    if plan.isImplicit {
      scope.add(layersFrom: layers.count)
      var key = activeKey
      scope.subtrees.append(scopePath(key))
      while let owner = owner(of: key), let outer = stackAround(owner) {
        scope.subtrees.append(selectionPath(owner))
        key = outer
      }
    }
    return scope
  }

  /// The height from which layers leave when these moves are made: those named, and those presented by what leaves.
  func droppedHeight(of moves: [Move]) -> Int {
    var height = layers.count
    var cuts: [(key: StackKey, keep: Int)] = []
    var roots: [ScreenID] = []
    for move in moves {
      switch move {
      case .dropLayers(let from, _, _): height = min(height, from)
      case .cut(let key, let keep, _): cuts.append((key, keep))
      case .arrange(let key, let ids): roots += stack(key).filter { !ids.contains($0) }
      case .vacate(let owner, let slot, _): if let old = content(of: owner, slot: slot) { roots.append(old) }
      default: break
      }
    }
    for (key, keep) in cuts { roots += stack(key).dropFirst(keep) }
    var candidate = 1
    while candidate < height {
      if let presenter = layers[candidate].presentedBy, roots.contains(where: { isWithin(presenter, $0) }) { height = candidate }
      candidate += 1
    }
    return height
  }
}
