/// Whether a state that comes from outside may be begun from: a file can hold anything, and the law is kept only from a state it holds in.
extension SceneState {
  /// Why the parts of this do not fit together; `nil` of every state that records have led to, whatever is under way in it.
  ///
  /// Asked of whatever was read and not made here: snapshots, what scenes begin from, heads of recordings. A tree that holds itself would
  /// be walked for ever. O(coordinators × log coordinators).
  package var structuralFault: String? {
    guard hasRoom, settings.remembered >= 0, settings.rememberedAlways >= 0 else { return "its numbers are near their end" }
    return faultyNumbers ?? faultyNodes ?? faultyPlaces ?? faultyReferences ?? faultyRequests
  }

  /// Why this is no scene at rest under the law; `nil` when it is one.
  ///
  /// O(coordinators × log coordinators).
  package var unsoundness: String? {
    if hasEnded { return "the scene has ended" }
    guard isSettled, gates.isEmpty, !nodes.all.contains(where: { $0.phase == .connecting || $0.phase == .dismissing }) else {
      return "something was under way in it"
    }
    return unsoundCounters ?? structuralFault
  }

  /// Numbers that are handed out must be ahead of all that were, and far from their end.
  private var unsoundCounters: String? {
    let far = UInt64.max / 2
    guard seq < far, now < .last, events < far, nextTicket < far, nextTransition < far, nextScreen < .max / 2 else {
      return "its numbers are near their end"
    }
    let limit = UInt32.max / 2
    for node in nodes.all where max(node.lease, node.outputs, node.turns, node.messages) >= limit {
      return "the numbers of \(node.id) are near their end"
    }
    return nil
  }

  private var faultyNumbers: String? {
    nodes.all.allSatisfy { $0.id.number > 0 && $0.id.number < nextScreen && $0.ticket < nextTicket && $0.lease > 0 }
      ? nil : "a screen has a number that was not given yet"
  }

  private var faultyNodes: String? {
    for (node, next) in zip(nodes.all, nodes.all.dropFirst()) where node.id >= next.id { return "\(next.id) is out of order" }
    for node in nodes.all {
      guard zip(node.outbox, node.outbox.dropFirst()).allSatisfy({ $0.number < $1.number }),
        node.outbox.last.map({ $0.number <= node.messages }) ?? true
      else { return "the messages of \(node.id) are out of order" }
      if node.link == .pending, node.phase != .connecting { return "\(node.id) was being made" }
      if node.phase != .dismissing, (node.isScreenless || node.phase == .connecting) != (node.place == .none) {
        return "\(node.id) stands nowhere"
      }
      switch node.container {
      case .none: break
      case .tabs(let tabs):
        guard tabs.tabs.indices.contains(tabs.selected) else { return "\(node.id) has no selected tab" }
      case .split(let split):
        // One that is being made is collapsed before its detail is there.
        guard let joined = split.joined else { break }
        guard (0...max(split.primary.count, 1)).contains(joined), split.detail.isEmpty else {
          return "\(node.id) is collapsed at a place it does not have"
        }
      }
      guard node.phase != .connecting || node.isBare else { return "\(node.id) holds screens before it is there" }
    }
    guard screenless == nodes.all.count(where: \.isScreenless), lifecycleListeners == nodes.all.count(where: \.wantsLifecycle) else {
      return "its counts are wrong"
    }
    return nil
  }

  /// Every screen stands where it says, once, and all of them can be reached from the layers: no screen holds itself. Those that are not
  /// there yet, or on their way out, stand nowhere.
  private var faultyPlaces: String? {
    guard let bottom = layers.first, bottom.style == nil else { return "it has no root layer" }
    guard layers.dropFirst().allSatisfy({ $0.style != nil && !$0.stack.isEmpty }) else { return "a modal layer is empty" }
    var reached: Set<ScreenID> = []
    var stacks: [(StackKey, [ScreenID])] = layers.enumerated().map { (.layer($0.offset), $0.element.stack) }
    func standsHere(_ id: ScreenID, _ place: Place) -> Bool {
      guard let node = nodes[id], node.stands else { return false }
      return node.place == place && reached.insert(id).inserted
    }
    while let (key, stack) = stacks.popLast() {
      for id in stack {
        guard standsHere(id, .stack(key)), let node = nodes[id] else { return "\(id) does not stand where it should" }
        var open = [node]
        while let node = open.popLast() {
          switch node.container {
          case .none: break
          case .tabs(let tabs):
            for (index, tab) in tabs.tabs.enumerated() { stacks.append((.tab(node.id, index), tab.stack)) }
          case .split(let split):
            if let joined = split.joined, joined > split.primary.count { return "\(node.id) is collapsed at a place it does not have" }
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
    guard reached.count == nodes.all.count(where: \.stands) else { return "a screen cannot be reached" }
    // Whoever is on the way out still says where it stood.
    return circle { $0.place.owner }.map { "\($0) is inside itself" }
  }

  /// Parents are open and older or adopted, and never their own descendants; what waits, waits for somebody.
  private var faultyReferences: String? {
    var children: [ScreenID: Int] = [:]
    for node in nodes.all {
      guard let parent = node.parent else { continue }
      guard nodes.contains(parent) else { return "the parent of \(node.id) is not open" }
      children[parent, default: 0] += 1
    }
    guard nodes.all.allSatisfy({ $0.childCount == children[$0.id, default: 0] }) else { return "its counts are wrong" }
    if let own = circle({ $0.parent }) { return "\(own) is its own ancestor" }
    if let waiting {
      let isAwaited = { (item: Waiting.Item) in item.isDue || nodes.contains(item.report.awaited) }
      guard waiting.next < .max / 2, waiting.items.allSatisfy({ isAwaited($0) && $0.report.id.number < waiting.next }) else {
        return "a plan waits for nobody"
      }
    }
    return wakeCalls?.allSatisfy({ nodes.contains($0.screen) }) ?? true ? nil : "somebody is to be woken who is not open"
  }

  /// Somebody from whom a step never leads out; whoever leads to somebody without a next one is in no circle.
  private func circle(_ step: (Node) -> ScreenID?) -> ScreenID? {
    var rooted: Set<ScreenID> = []
    for node in nodes.all {
      var way: [ScreenID] = []
      var next = Optional(node)
      while let there = next, !rooted.contains(there.id) {
        guard way.count < nodes.all.count else { return node.id }
        way.append(there.id)
        next = step(there).flatMap { nodes[$0] }
      }
      rooted.formUnion(way)
    }
    return nil
  }
}

extension Node {
  /// Whether it has a screen that stands on the tree.
  fileprivate var stands: Bool { !isScreenless && phase != .connecting && phase != .dismissing }

  /// Whether nothing is in its stacks and slots.
  fileprivate var isBare: Bool {
    guard slots.allSatisfy({ $0.content == nil }) else { return false }
    return switch container {
    case .none: true
    case .tabs(let tabs): tabs.tabs.allSatisfy(\.stack.isEmpty)
    case .split(let split): split.primary.isEmpty && split.detail.isEmpty
    }
  }
}

extension Place {
  /// The screen in which it is.
  fileprivate var owner: ScreenID? {
    switch self {
    case .none, .stack(.layer): nil
    case .slot(let owner, _), .stack(.tab(let owner, _)), .stack(.primary(let owner)), .stack(.detail(let owner)): owner
    }
  }
}
