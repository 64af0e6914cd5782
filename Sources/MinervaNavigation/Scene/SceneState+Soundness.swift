/// Whether a state that comes from outside may be begun from: a file can hold anything, and the law is kept only from a state it holds in.
extension SceneState {
  /// Why this is no scene at rest under the law; `nil` when it is one.
  ///
  /// O(coordinators × log coordinators).
  package var unsoundness: String? {
    if hasEnded { return "the scene has ended" }
    guard isAtRest, gates.isEmpty, !nodes.all.contains(where: { $0.phase == .connecting || $0.phase == .dismissing }) else {
      return "something was under way in it"
    }
    return unsoundCounters ?? unsoundNodes ?? unsoundPlaces ?? unsoundReferences
  }

  /// Numbers that are handed out must be ahead of all that were, and far from their end.
  private var unsoundCounters: String? {
    let far = UInt64.max / 2
    guard seq < far, now < .last, events < far, nextTicket < far, nextTransition < far, nextScreen < .max / 2 else {
      return "its numbers are near their end"
    }
    return nodes.all.allSatisfy { $0.id.number > 0 && $0.id.number < nextScreen && $0.ticket < nextTicket }
      ? nil : "a screen has a number that was not given yet"
  }

  private var unsoundNodes: String? {
    for (node, next) in zip(nodes.all, nodes.all.dropFirst()) where node.id >= next.id { return "\(next.id) is out of order" }
    for node in nodes.all {
      let limit = UInt32.max / 2
      guard node.lease < limit, node.outputs < limit, node.turns < limit, node.messages < limit else {
        return "the numbers of \(node.id) are near their end"
      }
      guard zip(node.outbox, node.outbox.dropFirst()).allSatisfy({ $0.number < $1.number }),
        node.outbox.last.map({ $0.number <= node.messages }) ?? true
      else { return "the messages of \(node.id) are out of order" }
      if node.link == .pending { return "\(node.id) was being made" }
      if node.isScreenless != (node.place == .none) { return "\(node.id) stands nowhere" }
    }
    guard screenless == nodes.all.count(where: \.isScreenless), lifecycleListeners == nodes.all.count(where: \.wantsLifecycle) else {
      return "its counts are wrong"
    }
    return nil
  }

  /// Every screen stands where it says, once, and all of them can be reached from the layers: no screen holds itself.
  private var unsoundPlaces: String? {
    guard let bottom = layers.first, bottom.style == nil else { return "it has no root layer" }
    guard layers.dropFirst().allSatisfy({ $0.style != nil && !$0.stack.isEmpty }) else { return "a modal layer is empty" }
    var reached: Set<ScreenID> = []
    var stacks: [(StackKey, [ScreenID])] = layers.enumerated().map { (.layer($0.offset), $0.element.stack) }
    func standsHere(_ id: ScreenID, _ place: Place) -> Bool { nodes[id]?.place == place && reached.insert(id).inserted }
    while let (key, stack) = stacks.popLast() {
      for id in stack {
        guard standsHere(id, .stack(key)), let node = nodes[id] else { return "\(id) does not stand where it should" }
        var open = [node]
        while let node = open.popLast() {
          switch node.container {
          case .none: break
          case .tabs(let tabs):
            guard tabs.tabs.indices.contains(tabs.selected) else { return "\(node.id) has no selected tab" }
            for (index, tab) in tabs.tabs.enumerated() { stacks.append((.tab(node.id, index), tab.stack)) }
          case .split(let split):
            if let joined = split.joined, !(0...split.primary.count).contains(joined) || !split.detail.isEmpty {
              return "\(node.id) is collapsed at a place it does not have"
            }
            stacks += [(.primary(node.id), split.primary), (.detail(node.id), split.detail)]
          }
          for (index, slot) in node.slots.enumerated() {
            guard let content = slot.content else { continue }
            guard standsHere(content, .slot(node.id, index)), let child = nodes[content] else {
              return "\(content) does not stand where it should"
            }
            open.append(child)
          }
        }
      }
    }
    return reached.count == nodes.all.count(where: { !$0.isScreenless }) ? nil : "a screen cannot be reached"
  }

  /// Parents are open and older or adopted, and never their own descendants; what waits, waits for somebody.
  private var unsoundReferences: String? {
    var children: [ScreenID: Int] = [:]
    for node in nodes.all {
      guard let parent = node.parent else { continue }
      guard nodes.contains(parent) else { return "the parent of \(node.id) is not open" }
      children[parent, default: 0] += 1
    }
    guard nodes.all.allSatisfy({ $0.childCount == children[$0.id, default: 0] }) else { return "its counts are wrong" }
    // Whoever leads to somebody without a parent is in no circle.
    var rooted: Set<ScreenID> = []
    for node in nodes.all {
      var way: [ScreenID] = []
      var next = Optional(node)
      while let there = next, !rooted.contains(there.id) {
        guard way.count < nodes.all.count else { return "\(node.id) is its own ancestor" }
        way.append(there.id)
        next = there.parent.flatMap { nodes[$0] }
      }
      rooted.formUnion(way)
    }
    guard waiting?.items.allSatisfy({ nodes.contains($0.report.awaited) && $0.report.id.number < (waiting?.next ?? 0) }) ?? true,
      (waiting?.next ?? 0) < .max / 2
    else { return "a plan waits for nobody" }
    return wakeCalls?.allSatisfy({ nodes.contains($0.screen) }) ?? true ? nil : "somebody is to be woken who is not open"
  }
}
