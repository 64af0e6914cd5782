import MinervaInterfaces
import MinervaNavigation

/// Which screens are seen: a list that nobody sees takes no updates, so hosts are told.
extension BrokerStateMachine {
  /// Whether an effect may have changed what is seen.
  static func changesSight(_ effect: Effect) -> Bool {
    guard case .event(let event) = effect else { return false }
    switch event.kind {
    case .presenting, .presented, .dismissing, .removed, .tabSelected, .split, .resumed: return true
    case .settled(let request, let outcome):
      // A stack that was arranged anew: nobody came and nobody left.
      return outcome.changed && request.verb == "stack set"
    default: return false
    }
  }

  /// Tells hosts which of their screens came into view and which left it.
  ///
  /// A list that has something newer, which it kept because nobody saw it, is waited for: the scene is not settled before it.
  /// - Parameter node: A host that is told of all its screens, whatever it was told before.
  func tellSight(of slot: SceneSlot, all node: String? = nil, _ actions: inout [BrokerAction]) {
    // After every step of every scene: nothing here may copy the tree.
    guard !slot.hosts.isEmpty else { return }
    let seen = Set(slot.state.visible)
    slot.state.forEachRunning { screen, host in
      let isSeen = seen.contains(screen)
      let wasHidden = slot.displays.hidden.contains(screen)
      guard isSeen == wasHidden || host == node, registry.isAlive(host) else { return }
      let isAwaited = slot.displays.tell(screen, isSeen: isSeen)
      if isAwaited { slot.announced.insert(screen) }
      actions.append(.order(host: host, .seen(slot.identity, screen, isSeen: isSeen, isAwaited: isAwaited)))
    }
  }
}
