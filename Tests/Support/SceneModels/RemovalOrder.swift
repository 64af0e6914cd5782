import MinervaNavigation

/// The order in which screens must leave, read off the tree as it stood (N8).
struct RemovalOrder {
  /// Whoever must have left before a screen: what stands in it, and what stands above it.
  private var before: [ScreenID: Set<ScreenID>] = [:]

  init(_ tree: SceneTree) {
    for layer in tree.layers { visit(layer.stack) }
  }

  /// Notes a stack; returns everything in it.
  @discardableResult
  private mutating func visit(_ stack: [SceneTree.Screen]) -> Set<ScreenID> {
    var above: Set<ScreenID> = []
    for screen in stack.reversed() {
      var inside: Set<ScreenID> = []
      switch screen.container {
      case .none: break
      case .tabs(let tabs, _): for tab in tabs { inside.formUnion(visit(tab.stack)) }
      case .split(let primary, let detail, _): inside.formUnion(visit(primary).union(visit(detail)))
      }
      for slot in screen.slots { inside.formUnion(visit(slot.content)) }
      before[screen.id] = inside.union(above)
      above.formUnion(inside.union([screen.id]))
    }
    return above
  }

  /// What is out of order among screens that left together.
  func flaw(_ removed: [ScreenID]) -> String? {
    var seen: Set<ScreenID> = []
    for id in removed {
      let late = (before[id] ?? []).intersection(removed).subtracting(seen)
      if let first = late.min() { return "\(id) left before \(first), which stood in it or above it" }
      seen.insert(id)
    }
    return nil
  }
}
