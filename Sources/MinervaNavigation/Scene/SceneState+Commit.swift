/// The change of the tree itself: all moves of a request at once (N14).
extension SceneState {
  /// Makes the moves.
  mutating func commit(_ request: Request, _ work: inout Work, shows: Bool) {
    let seen = lifecycleListeners > 0 ? listeningVisible : []
    if work.leaving.isEmpty { work.leaving = leaving(by: work.moves, named: work.named) }
    if !work.leaving.isEmpty { detach(work, shows: shows) }
    for move in work.moves { attach(move, work.opened) }
    if work.moves.contains(where: \.addsLayer) { widenScopes() }
    if shows {
      for id in work.opened { if let node = nodes[id] { emit(.presenting(summary(node), via: node.via)) } }
    }
    if lifecycleListeners > 0 {
      let sees = listeningVisible
      work.disappearing = seen.filter { id in !sees.contains(id) && nodes[id]?.phase != .dismissing }
      work.appearing = sees.filter { !seen.contains($0) }
      for id in work.disappearing { _ = post(.lifecycle(.willDisappear), to: id) }
      for id in work.appearing { _ = post(.lifecycle(.willAppear), to: id) }
    }
  }

  /// Whoever is about to remove the presenter of a new layer removes the layer as well: nothing else may begin in it meanwhile (N5).
  private mutating func widenScopes() {
    for index in pending.indices {
      guard case .running(var work) = pending[index].status else { continue }
      switch work.stage {
      case .linking, .held: break
      case .showing, .acting: continue
      }
      let height = droppedHeight(of: work.moves)
      guard height < layers.count else { continue }
      work.scope.add(layersFrom: height)
      pending[index].status = .running(work)
    }
  }

  /// Settles those whose screens are still being shown and leave now: they are there before they go (N6).
  ///
  /// - Parameter index: a place among the pending requests, kept right while others go.
  mutating func settleOvertaken(by leaving: [Leaving], _ index: inout Int?) {
    var place = 0
    while !leaving.isEmpty, place < pending.count {
      guard var work = pending[place].work, case .showing = work.stage,
        work.opened.contains(where: { id in leaving.contains { $0.summary.screen == id } })
      else {
        place += 1
        continue
      }
      let request = pending.remove(at: place)
      if let later = index, place < later { index = later - 1 }
      isFreed = true
      settle(request, &work)
    }
  }

  private var listeningVisible: [ScreenID] {
    visibleScreens.filter { nodes[$0]?.wantsLifecycle ?? false }
  }

  /// Who leaves when these moves are made, topmost first, children before parents, upper layers before lower ones (N8).
  func leaving(by moves: [Move], named: [NamedReason]) -> [Leaving] {
    var list: [Leaving] = []
    var seen: Set<ScreenID> = []
    func leave(_ id: ScreenID, _ reason: RemovalReason) {
      guard let index = nodes.index(of: id), nodes.all[index].phase != .dismissing, seen.insert(id).inserted else { return }
      let node = nodes.all[index]
      for slot in node.slots.reversed() { if let child = slot.content { leave(child, .parentRemoved) } }
      switch node.container {
      case .none: break
      case .tabs(let tabs): for tab in tabs.tabs.reversed() { for id in tab.stack.reversed() { leave(id, .parentRemoved) } }
      case .split(let split):
        for id in split.detail.reversed() { leave(id, .parentRemoved) }
        for id in split.primary.reversed() { leave(id, .parentRemoved) }
      }
      if screenless > 0 {
        for child in children(of: id).reversed() where nodes[child].map({ $0.isScreenless && $0.phase == .presented }) ?? false {
          leave(child, .parentRemoved)
        }
      }
      let reason = named.first { $0.screen == id }?.reason ?? reason
      let isEnding = reason == .finished || reason == .cancelled
      list.append(Leaving(summary: summary(node), reason: reason, hearer: isEnding ? hearer(of: id) : nil))
    }
    let height = droppedHeight(of: moves)
    if height < layers.count {
      var reasons = [RemovalReason](repeating: .parentRemoved, count: layers.count)
      for case .dropLayers(let from, let reason, let over) in moves {
        for above in min(from, layers.count)..<layers.count { reasons[above] = above == from ? reason : over }
      }
      for above in (height..<layers.count).reversed() {
        for id in layers[above].stack.reversed() { leave(id, reasons[above]) }
      }
    }
    for move in moves {
      switch move {
      case .cut(let key, let keep, let reason): for id in stack(key).dropFirst(keep).reversed() { leave(id, reason) }
      case .arrange(let key, let ids): for id in stack(key).reversed() where !ids.contains(id) { leave(id, .replaced) }
      case .vacate(let owner, let slot, let reason): if let old = content(of: owner, slot: slot) { leave(old, reason) }
      case .retire(let id, let reason): leave(id, reason)
      default: break
      }
    }
    return list
  }

  /// Takes those who leave off the tree.
  private mutating func detach(_ work: Work, shows: Bool) {
    let root = layers[0].stack.first
    let height = droppedHeight(of: work.moves)
    for move in work.moves {
      switch move {
      case .cut(let key, let keep, _): withStack(key) { $0.removeLast(max($0.count - keep, 0)) }
      case .vacate(let owner, let slot, _): fill(owner, slot: slot, nil)
      default: break
      }
    }
    if height < layers.count { layers.removeLast(layers.count - height) }
    for leaving in work.leaving {
      _ = nodes.update(leaving.summary.screen) { $0.phase = .dismissing }
      if shows { emit(.dismissing(leaving.summary)) }
    }
    if layers[0].stack.isEmpty, let root, let node = nodes[root], node.phase == .dismissing,
      !work.moves.contains(where: { if case .push(.layer(0), _) = $0 { true } else { false } })
    {
      placeholder(for: node)
    }
  }

  /// Puts a screen without a coordinator where the scene's root was: the root's stack is never empty.
  private mutating func placeholder(for lost: Node) {
    var node = Node(
      id: ScreenID(nextScreen), module: lost.module, input: lost.input, caller: lost.caller, ticket: 0, openedAt: seq, via: lost.via,
      isScreenless: false, parent: nil, isHeard: false, link: .unhosted)
    nextScreen += 1
    node.phase = .presented
    node.place = .stack(.layer(0))
    nodes.append(node)
    layers[0].stack = [node.id]
    emit(.presented(summary(node), input: node.input))
  }

  /// Makes one move that adds or arranges.
  private mutating func attach(_ move: Move, _ opened: [ScreenID]) {
    switch move {
    case .cut, .dropLayers, .vacate, .retire: break
    case .push(let key, let id):
      withStack(key) { $0.append(id) }
      enter(id, .stack(key))
    case .arrange(let key, let ids):
      withStack(key) { $0 = ids }
      for id in ids where opened.contains(id) { enter(id, .stack(key)) }
    case .layer(let style, let presenter, let id):
      layers.append(LayerState(style: style, presentedBy: presenter, stack: [id]))
      enter(id, .stack(.layer(layers.count - 1)))
    case .fill(let owner, let slot, let id):
      fill(owner, slot: slot, id)
      enter(id, .slot(owner, slot))
    case .select(let owner, let index):
      var name = ""
      withTabs(of: owner) { tabs in
        guard tabs.tabs.indices.contains(index) else { return }
        tabs.selected = index
        name = tabs.tabs[index].name
      }
      emit(.tabSelected(container: summary(owner), tab: name))
    case .collapse(let owner, let collapsed):
      var moved: [ScreenID] = []
      withSplit(of: owner) { split in
        if collapsed, split.joined == nil {
          split.joined = split.primary.count
          moved = split.detail
          split.primary += moved
          split.detail = []
        } else if !collapsed, let joined = split.joined {
          split.joined = nil
          moved = Array(split.primary.dropFirst(joined))
          split.primary.removeLast(moved.count)
          split.detail = moved
        }
      }
      for id in moved { _ = nodes.update(id) { $0.place = .stack(collapsed ? .primary(owner) : .detail(owner)) } }
      emit(.split(container: summary(owner), collapsed: collapsed))
    }
  }

  private mutating func enter(_ id: ScreenID, _ place: Place) {
    _ = nodes.update(id) { node in
      node.place = place
      node.phase = .presenting
    }
  }

  /// Says the last word about a coordinator (N6, N7): its host ends it, watchers and its parent are told. Returns how many outputs it
  /// gave.
  @discardableResult
  mutating func remove(_ leaving: Leaving, result: [UInt8]?) -> UInt32 {
    let id = leaving.summary.screen
    guard let node = nodes.remove(id) else { return 0 }
    if node.isScreenless { screenless -= 1 }
    if node.wantsLifecycle { lifecycleListeners -= 1 }
    if node.childCount > 0 { adopt(childrenOf: node) }
    if let parent = node.parent { _ = nodes.update(parent) { $0.childCount -= 1 } }
    departures.note(Departures.Entry(screen: id, module: node.module.name, seq: seq, reason: leaving.reason))
    hasGone = hasGone || !pending.isEmpty
    if !gates.isEmpty { freeGates { $0.screen == id || $0.origin == id } }
    if node.isHosted { effects.append(.end(departure(of: node, leaving.reason))) }
    emit(.removed(leaving.summary, reason: leaving.reason, outputs: node.outputs, result: result, caller: node.caller))
    let causes = causes
    if waiting != nil, leaving.reason == .finished { addCauses(endOf: id) }
    if node.isHeard, node.phase != .connecting, let parent = node.parent {
      _ = post(.childEnded(child: id, module: node.module.name, reason: leaving.reason, result: result), to: parent)
    }
    if let hearer = leaving.hearer, hearer != node.parent {
      _ = post(.childEnded(child: id, module: node.module.name, reason: leaving.reason, result: result), to: hearer)
    }
    self.causes = causes
    if waiting != nil { notePlans(of: id, leaving.reason) }
    return node.outputs
  }

  /// What a host needs to end a coordinator.
  func departure(of node: Node, _ reason: RemovalReason) -> Departure {
    Departure(screen: node.id, module: node.module.name, host: node.host, lease: node.lease, reason: reason)
  }

  /// Gives the children of a coordinator that is gone to its parent, which does not hear them: a result is never handed to whoever
  /// else waits (L5).
  private mutating func adopt(childrenOf gone: Node) {
    var adopted = 0
    for index in nodes.all.indices where nodes.all[index].parent == gone.id {
      nodes.update(at: index) { node in
        node.parent = gone.parent
        node.isHeard = false
      }
      adopted += 1
    }
    if let parent = gone.parent { _ = nodes.update(parent) { $0.childCount += adopted } }
  }
}
