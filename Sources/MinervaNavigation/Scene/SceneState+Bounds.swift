/// The ends of a scene's numbers. None is used twice, so a scene that has used them up opens nothing more.
extension SceneState {
  /// The last screen that is opened because somebody asks. Those behind it are for what comes along: roots of containers, placeholders.
  static let lastScreen = UInt32.max - (1 << 20)

  /// Whether every number has room to count on. A state that was read, and not made here, may hold any.
  package var hasRoom: Bool {
    let far = UInt64.max / 2, near = UInt32.max - (1 << 16)
    guard now <= .last, nextScreen < near, nextTicket < far, nextTransition < far, events < far, seq < far else { return false }
    return nodes.all.allSatisfy { node in
      node.messages < near && node.outputs < near && node.turns < near && node.lease < near
    }
  }

  /// Requires that an action that opens something finds numbers for it.
  func requireRoom(for action: Command.Action) throws(Refusal) {
    guard nextScreen > Self.lastScreen else { return }
    switch action {
    case .launch, .open, .go, .follow, .setStack, .selectTab:
      throw Refusal(
        code: .sceneClosed, message: "\(scene) has opened as many screens as it has names for; end it and start a new one")
    default: return
    }
  }
}
