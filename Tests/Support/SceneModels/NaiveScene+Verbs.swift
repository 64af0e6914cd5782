import MinervaNavigation

/// The verbs, each from its line in the table.
extension NaiveScene {
  private static let refused = Verdict(isRefused: true)

  /// Does what a command asks, if it can be done.
  func run(_ action: Command.Action, origin id: ScreenID?) -> Verdict {
    var origin: Screen?
    if let id {
      guard let screen = find(id) else { return Self.refused }
      origin = screen
    }
    switch action {
    case .open(let opening): return open(opening, origin)
    case .back(let count, _):
      let stack = origin.flatMap(around) ?? active
      guard Int(count) <= max(stack.screens.count - 1, 0) else { return Self.refused }
      return done(remove(above(stack, stack.screens.count - Int(count), .popped)))
    case .backTo(.id(let target)):
      guard let screen = find(target), let stack = stack(with: screen), let place = place(of: screen) else { return Self.refused }
      return done(remove(above(stack, place + 1, .popped)))
    case .backRoot:
      let stack = origin.flatMap(around) ?? active
      return done(remove(above(stack, 1, .popped)))
    case .close(let refs): return close(refs, .popped)
    case .finish(let ref, _): return close([ref], .finished)
    case .cancel(let ref): return close([ref], .cancelled)
    case .dismiss(let ref):
      var height = layers.count - 1
      if case .id(let target)? = ref {
        guard let screen = find(target), let own = self.height(of: screen) else { return Self.refused }
        height = own
      } else if let origin, let own = self.height(of: origin), own > 0 {
        height = own
      }
      if height == 0 { return Self.refused }
      return done(remove([], layersFrom: height) { $0 == height ? .dismissed : .parentRemoved })
    case .dismissAll: return layers.count == 1 ? Verdict() : done(remove([], layersFrom: 1) { _ in .dismissed })
    case .selectTab(let name, _, let reset): return select(name, reset, origin)
    case .collapse: return collapse(true, origin)
    case .expand: return collapse(false, origin)
    case .setStack(_, let elements): return set(elements)
    default: return Self.refused
    }
  }

  private func done(_ removed: [String], changed: Bool = false) -> Verdict {
    Verdict(changed: changed || !removed.isEmpty, removed: removed)
  }

  private func place(of screen: Screen) -> Int? {
    stack(with: screen)?.screens.firstIndex { $0 === screen }
  }

  private func open(_ opening: Command.Opening, _ origin: Screen?) -> Verdict {
    var removed: [String] = []
    var popped: Stack?
    if case .id(let target)? = opening.popTo {
      guard let screen = find(target), let stack = stack(with: screen), let place = place(of: screen) else { return Self.refused }
      // Only pushes pop in this model.
      let keep = opening.inclusive ? place : place + 1
      popped = stack
      removed = remove(above(stack, keep, .popped))
    }
    let module = opening.module.name
    switch opening.via {
    case .push, .replace, .root:
      let stack = popped ?? origin.flatMap(around) ?? active
      if opening.via == .replace { removed += remove(above(stack, max(stack.screens.count - 1, 0), .replaced)) }
      if opening.via == .root { removed += remove(above(stack, 0, .replaced)) }
      let screen = make(module)
      stack.screens.append(screen)
      furnish(screen)
    case .modal:
      let presenter = origin ?? active.screens.last ?? holder(of: active)
      let screen = make(module)
      let stack = Stack()
      stack.screens = [screen]
      layers.append(Layer(by: presenter?.id, stack: stack))
      furnish(screen)
    case .tab(let name):
      guard let shell = outwards(from: origin).first(where: { $0.tabs.contains { $0.name == name } }),
        let index = shell.tabs.firstIndex(where: { $0.name == name })
      else { return Self.refused }
      let stack = shell.tabs[index].stack
      let root = stack.screens.isEmpty ? make(name == "home" ? "Home" : "Orders") : nil
      let screen = make(module)
      if let root { stack.screens.append(root) }
      stack.screens.append(screen)
      shell.selected = index
      furnish(screen)
    case .detail:
      guard let owner = outwards(from: origin).first(where: { $0.split != nil }), let split = owner.split else { return Self.refused }
      let stack = owner.joined == nil ? split.detail : split.primary
      removed += remove(above(stack, owner.joined ?? 0, .replaced))
      let screen = make(module)
      stack.screens.append(screen)
      furnish(screen)
    case .embed(let name):
      guard let owner = outwards(from: origin).first(where: { $0.slots.contains { $0.name == name } }),
        let index = owner.slots.firstIndex(where: { $0.name == name })
      else { return Self.refused }
      if let old = owner.slots[index].child { removed += remove([(old, .replaced)]) }
      let screen = make(module)
      owner.slots[index].child = screen
      furnish(screen)
    case .custom: return Self.refused
    }
    return done(removed, changed: true)
  }

  private func close(_ refs: [ScreenRef], _ reason: RemovalReason) -> Verdict {
    var victims: [(Screen, RemovalReason)] = []
    var lowest: Int?
    var named: [ScreenID: RemovalReason] = [:]
    var stacks: [(Stack, Int)] = []
    var slots: [Screen] = []
    for ref in refs {
      guard case .id(let target) = ref, let screen = find(target) else { return Self.refused }
      if let stack = stack(with: screen), let place = place(of: screen) {
        if place == 0, let height = layers.firstIndex(where: { $0.stack === stack }) {
          if height == 0 { return Self.refused }
          named[target] = reason == .popped ? .dismissed : reason
          lowest = min(lowest ?? height, height)
          continue
        }
        named[target] = reason
        if let index = stacks.firstIndex(where: { $0.0 === stack }) {
          stacks[index].1 = min(stacks[index].1, place)
        } else {
          stacks.append((stack, place))
        }
      } else {
        named[target] = reason
        slots.append(screen)
      }
    }
    for (stack, place) in stacks {
      for screen in stack.screens.dropFirst(place).reversed() { victims.append((screen, named[screen.id] ?? .popped)) }
    }
    for screen in slots { victims.append((screen, reason)) }
    for (id, reason) in named where !victims.contains(where: { $0.0.id == id }) {
      // Roots of layers: their reason is their own, what stands above is popped or dismissed with the layer.
      if let screen = find(id) { victims.append((screen, reason)) }
    }
    let inLayer = reason == .popped ? RemovalReason.dismissed : .popped
    return done(remove(victims, layersFrom: lowest) { $0 == lowest ? inLayer : .parentRemoved })
  }

  private func select(_ name: String, _ reset: Bool, _ origin: Screen?) -> Verdict {
    guard let shell = outwards(from: origin).first(where: { $0.tabs.contains { $0.name == name } }),
      let index = shell.tabs.firstIndex(where: { $0.name == name })
    else { return Self.refused }
    let stack = shell.tabs[index].stack
    let changes = shell.selected != index || stack.screens.isEmpty
    let removed = reset ? remove(above(stack, 1, .popped)) : []
    if stack.screens.isEmpty { stack.screens = [make(name == "home" ? "Home" : "Orders")] }
    shell.selected = index
    return done(removed, changed: changes)
  }

  private func collapse(_ collapsed: Bool, _ origin: Screen?) -> Verdict {
    guard let owner = outwards(from: origin).first(where: { $0.split != nil }), let split = owner.split else { return Self.refused }
    if (owner.joined != nil) == collapsed { return Verdict() }
    if collapsed {
      owner.joined = split.primary.screens.count
      split.primary.screens += split.detail.screens
      split.detail.screens = []
    } else if let joined = owner.joined {
      split.detail.screens = Array(split.primary.screens[joined...])
      split.primary.screens.removeLast(split.detail.screens.count)
      owner.joined = nil
    }
    return Verdict(changed: true)
  }

  /// Sets the root layer's stack.
  private func set(_ elements: [Command.Element]) -> Verdict {
    let stack = layers[0].stack
    var screens: [Screen?] = []
    for element in elements {
      guard case .screen(.id(let id)) = element else {
        screens.append(nil)
        continue
      }
      guard let screen = stack.screens.first(where: { $0.id == id }), !screens.contains(where: { $0 === screen }) else {
        return Self.refused
      }
      screens.append(screen)
    }
    if screens.isEmpty { return Self.refused }
    if screens.count == stack.screens.count, zip(screens, stack.screens).allSatisfy({ $0 === $1 }) { return Verdict() }
    let kept = screens.compactMap { $0 }
    let removed = remove(stack.screens.reversed().filter { screen in !kept.contains { $0 === screen } }.map { ($0, .replaced) })
    stack.screens = screens.map { $0 ?? make("Plain") }
    return done(removed, changed: true)
  }
}
