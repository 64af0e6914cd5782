package import MinervaNavigation

extension SceneTree {
  /// A stack with its path.
  package struct Place: Sendable, Hashable {
    package var path: NavPath
    package var stack: [Screen]
  }

  /// Every stack and slot in the order in which people read them: layers from the bottom, containers inside out.
  package var places: [Place] {
    var result: [Place] = []
    for (index, layer) in layers.enumerated() { Self.collect(layer.stack, NavPath(layer: index), &result) }
    return result
  }

  private static func collect(_ stack: [Screen], _ path: NavPath, _ result: inout [Place]) {
    result.append(Place(path: path, stack: stack))
    // A navpath's segments are relative to the innermost container, the topmost screen that has one.
    for screen in stack {
      switch screen.container {
      case .none: break
      case .tabs(let tabs, _):
        for tab in tabs { collect(tab.stack, path.appending(.tab(tab.name)), &result) }
      case .split(let primary, let detail, _):
        collect(primary, path.appending(.primary), &result)
        collect(detail, path.appending(.detail), &result)
      }
      for slot in screen.slots { collect(slot.content, path.appending(.slot(slot.name)), &result) }
    }
  }

  /// Every screen.
  package var screens: [Screen] { places.flatMap(\.stack) }

  /// Returns the screen of that name.
  package func screen(_ id: ScreenID) -> Screen? { screens.first { $0.id == id } }

  /// Returns the stack at a path.
  package func stack(at path: NavPath) -> [Screen]? { places.first { $0.path == path }?.stack }

  /// The path of the stack that holds a screen, and the screen's place in it from 1.
  package func place(of id: ScreenID) -> (path: NavPath, depth: Int)? {
    for place in places {
      if let index = place.stack.firstIndex(where: { $0.id == id }) { return (place.path, index + 1) }
    }
    return nil
  }

  /// The visible stack: the active leaf of the topmost layer. Of a split it is the detail stack when that holds anything.
  package var activePath: NavPath {
    guard let layer = layers.last else { return .main }
    var path = NavPath(layer: layers.count - 1)
    var stack = layer.stack
    while let top = stack.last {
      switch top.container {
      case .none: return path
      case .tabs(let tabs, let selected):
        guard tabs.indices.contains(selected) else { return path }
        path = path.appending(.tab(tabs[selected].name))
        stack = tabs[selected].stack
      case .split(let primary, let detail, let collapsed):
        let isPrimary = collapsed || detail.isEmpty
        path = path.appending(isPrimary ? .primary : .detail)
        stack = isPrimary ? primary : detail
      }
    }
    return path
  }

  /// The screen that a reference means, nil when there is none.
  package func resolve(_ ref: ScreenRef) -> Screen? {
    switch ref {
    case .id(let id): screen(id)
    case .top: stack(at: activePath)?.last ?? layers.last?.stack.last
    case .root: layers.first?.stack.first
    case .path(let path): stack(at: path)?.last
    }
  }

  /// The tab bars of the scene: container, names, the selected one, innermost last.
  package var tabBars: [(screen: Screen, path: NavPath, tabs: [Tab], selected: Int)] {
    places.flatMap { place in
      place.stack.compactMap { screen in
        if case .tabs(let tabs, let selected) = screen.container { (screen, place.path, tabs, selected) } else { nil }
      }
    }
  }
}
