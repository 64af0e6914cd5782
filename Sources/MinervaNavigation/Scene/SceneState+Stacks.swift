/// Where things stand.
extension SceneState {
  /// The screens of a stack from the bottom; empty if there is no such stack.
  func stack(_ key: StackKey) -> [ScreenID] {
    switch key {
    case .layer(let height): layers.indices.contains(height) ? layers[height].stack : []
    case .tab(let owner, let index): tabs(of: owner).flatMap { $0.tabs.indices.contains(index) ? $0.tabs[index].stack : nil } ?? []
    case .primary(let owner): split(of: owner)?.primary ?? []
    case .detail(let owner): split(of: owner)?.detail ?? []
    }
  }

  /// Changes a stack in place.
  mutating func withStack(_ key: StackKey, _ change: (inout [ScreenID]) -> Void) {
    switch key {
    case .layer(let height):
      if layers.indices.contains(height) { change(&layers[height].stack) }
    case .tab(let owner, let index):
      withTabs(of: owner) { tabs in
        if tabs.tabs.indices.contains(index) { change(&tabs.tabs[index].stack) }
      }
    case .primary(let owner):
      withSplit(of: owner) { split in
        change(&split.primary)
        if let joined = split.joined { split.joined = min(joined, split.primary.count) }
      }
    case .detail(let owner):
      withSplit(of: owner) { change(&$0.detail) }
    }
  }

  /// The screen in a slot; `nil` if there is none, or no such slot.
  func content(of owner: ScreenID, slot: Int) -> ScreenID? {
    guard let slots = nodes[owner]?.slots, slots.indices.contains(slot) else { return nil }
    return slots[slot].content
  }

  /// Puts a screen into a slot, or empties it.
  mutating func fill(_ owner: ScreenID, slot: Int, _ content: ScreenID?) {
    _ = nodes.update(owner) { node in
      if node.slots.indices.contains(slot) { node.slots[slot].content = content }
    }
  }

  /// The tabs of a screen, if it has tabs.
  func tabs(of owner: ScreenID) -> TabsState? {
    guard let index = nodes.index(of: owner), case .tabs(let tabs) = nodes.all[index].container else { return nil }
    return tabs
  }

  /// The split of a screen, if it has one.
  func split(of owner: ScreenID) -> SplitState? {
    guard let index = nodes.index(of: owner), case .split(let split) = nodes.all[index].container else { return nil }
    return split
  }

  /// Changes the tabs of a screen in place.
  mutating func withTabs(of owner: ScreenID, _ change: (inout TabsState) -> Void) {
    _ = nodes.update(owner) { node in
      guard case .tabs(var tabs) = node.container else { return }
      node.container = .none
      change(&tabs)
      node.container = .tabs(tabs)
    }
  }

  /// Changes the split of a screen in place.
  mutating func withSplit(of owner: ScreenID, _ change: (inout SplitState) -> Void) {
    _ = nodes.update(owner) { node in
      guard case .split(var split) = node.container else { return }
      node.container = .none
      change(&split)
      node.container = .split(split)
    }
  }

  /// The screen in whose container a stack is; `nil` for a layer's own.
  func owner(of key: StackKey) -> ScreenID? {
    switch key {
    case .layer: nil
    case .tab(let owner, _), .primary(let owner), .detail(let owner): owner
    }
  }

  /// The innermost stack around a screen: its own, or that of the screen in whose slot it is. `nil` off the tree.
  func stackAround(_ id: ScreenID) -> StackKey? {
    var id = id
    while let node = nodes[id] {
      switch node.place {
      case .none: return nil
      case .stack(let key): return key
      case .slot(let owner, _): id = owner
      }
    }
    return nil
  }

  /// The height of the layer in which a screen stands; `nil` off the tree.
  func layer(of id: ScreenID) -> Int? {
    stackAround(id).flatMap(layer(of:))
  }

  /// The height of the layer in which a stack is.
  func layer(of key: StackKey) -> Int? {
    if case .layer(let height) = key { return height }
    return owner(of: key).flatMap(layer(of:))
  }

  /// The name of a stack for people.
  func path(of key: StackKey) -> NavPath {
    switch key {
    case .layer(let height): return NavPath(layer: height)
    case .tab(let owner, let index):
      let tabs = tabs(of: owner)?.tabs ?? []
      return pathInside(owner).appending(.tab(tabs.indices.contains(index) ? tabs[index].name : ""))
    case .primary(let owner): return pathInside(owner).appending(.primary)
    case .detail(let owner): return pathInside(owner).appending(.detail)
    }
  }

  /// The name of the place in which a screen stands; `nil` off the tree.
  func path(of id: ScreenID) -> NavPath? {
    guard let node = nodes[id] else { return nil }
    switch node.place {
    case .none: return nil
    case .stack(let key): return path(of: key)
    case .slot(let owner, let slot):
      let slots = nodes[owner]?.slots ?? []
      return pathInside(owner).appending(.slot(slots.indices.contains(slot) ? slots[slot].name : ""))
    }
  }

  /// The path to which the segments of a screen's container are appended.
  private func pathInside(_ owner: ScreenID) -> NavPath {
    path(of: owner) ?? .main
  }

  /// A screen as a person wants it named.
  func summary(_ id: ScreenID) -> ScreenSummary {
    guard let index = nodes.index(of: id) else {
      return ScreenSummary(screen: id, module: departures.entry(id)?.module ?? "", host: "", path: nil, depth: 0, parent: nil)
    }
    return summary(nodes.all[index])
  }

  /// A coordinator as a person wants it named.
  func summary(_ node: Node) -> ScreenSummary {
    var depth = 0
    switch node.place {
    case .none: break
    case .stack(let key): depth = (stack(key).lastIndex(of: node.id) ?? -1) + 1
    case .slot: depth = 1
    }
    return ScreenSummary(
      screen: node.id, module: node.module.name, host: node.host, path: path(of: node.id), depth: depth, parent: node.parent)
  }

  /// The stack that a person works on inside a stack: its top's selected tab, or the busier side of its top's split, and so on.
  func activeStack(in key: StackKey) -> StackKey {
    var key = key
    while let top = stack(key).last, let index = nodes.index(of: top) {
      guard let inner = shownStack(ofNodeAt: index) else { return key }
      key = inner
    }
    return key
  }

  /// The stack of a container that a person works on: its selected tab, or the busier side of its split; `nil` without container.
  func shownStack(of owner: ScreenID) -> StackKey? { nodes.index(of: owner).flatMap(shownStack(ofNodeAt:)) }

  private func shownStack(ofNodeAt index: Int) -> StackKey? {
    let owner = nodes.all[index].id
    switch nodes.all[index].container {
    case .none: return nil
    case .tabs(let tabs): return .tab(owner, tabs.selected)
    case .split(let split):
      let isPrimary = split.joined != nil || split.detail.isEmpty || (split.detail.count == 1 && split.primary.count > 1)
      return isPrimary ? .primary(owner) : .detail(owner)
    }
  }

  /// The visible stack: the active one of the topmost layer.
  var activeKey: StackKey { activeStack(in: .layer(layers.count - 1)) }

  /// Whether a person sees the screen: on top where it stands, and nothing over it.
  func isVisible(_ id: ScreenID) -> Bool {
    var id = id
    while let node = nodes[id] {
      switch node.place {
      case .none: return false
      case .slot(let owner, _): id = owner
      case .stack(let key):
        guard stack(key).last == id else { return false }
        switch key {
        case .layer(let height): return height == layers.count - 1
        case .tab(let owner, let index):
          guard tabs(of: owner)?.selected == index else { return false }
          id = owner
        case .primary(let owner), .detail(let owner): id = owner
        }
      }
    }
    return false
  }

  /// Every visible screen: containers before what they show.
  var visibleScreens: [ScreenID] {
    var visible: [ScreenID] = []
    func see(_ id: ScreenID) {
      guard let index = nodes.index(of: id) else { return }
      visible.append(id)
      let node = nodes.all[index]
      for slot in node.slots { if let child = slot.content { see(child) } }
      switch node.container {
      case .none: break
      case .tabs(let tabs): if let top = tabs.tabs[tabs.selected].stack.last { see(top) }
      case .split(let split):
        if let top = split.primary.last { see(top) }
        if let top = split.detail.last { see(top) }
      }
    }
    if let top = layers[layers.count - 1].stack.last { see(top) }
    return visible
  }

  /// The way to a stack from its layer, for locks (N5).
  func scopePath(_ key: StackKey) -> [UInt64] {
    switch key {
    case .layer(let height): [Scope.step(layer: height)]
    case .tab(let owner, let index): scopePath(inside: owner) + [Scope.step(owner, kind: 1, index: index)]
    case .primary(let owner): scopePath(inside: owner) + [Scope.step(owner, kind: 2)]
    case .detail(let owner): scopePath(inside: owner) + [Scope.step(owner, kind: 3)]
    }
  }

  /// The way to a screen's own parts: two parts of a screen are not in each other's way, its stack's whole is in both's.
  func scopePath(inside owner: ScreenID) -> [UInt64] {
    guard let node = nodes[owner] else { return [0] }
    switch node.place {
    case .none: return [0]
    case .stack(let key): return scopePath(key)
    case .slot(let outer, let slot): return scopePath(inside: outer) + [Scope.step(outer, kind: 4, index: slot)]
    }
  }

  /// The way to the choice of a screen's tab.
  func selectionPath(_ owner: ScreenID) -> [UInt64] {
    scopePath(inside: owner) + [Scope.step(owner, kind: 5)]
  }
}
