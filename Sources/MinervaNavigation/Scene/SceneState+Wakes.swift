/// When a coordinator wants to be woken, and under which name.
struct WakeCall: Hashable, Sendable, Codable {
  let screen: ScreenID
  let name: String
  let due: SceneTime
}

/// The time of coordinators: durable as everything they ask for, and the scene's own (D3).
extension SceneState {
  /// Takes a wish; the last one of a name counts.
  mutating func note(_ wish: TurnWake, of screen: ScreenID) {
    wakeCalls?.removeAll { $0.screen == screen && $0.name == wish.name }
    guard let after = wish.after else { return }
    wakeCalls = (wakeCalls ?? []) + [WakeCall(screen: screen, name: wish.name, due: now.advanced(by: after))]
  }

  /// Tells those whose time has come, the earliest first.
  mutating func wakeCoordinators() {
    guard let calls = wakeCalls else { return }
    let due = calls.enumerated().filter { $0.element.due <= now }.sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
    guard !due.isEmpty else { return }
    wakeCalls?.removeAll { $0.due <= now }
    for (_, call) in due where nodes.contains(call.screen) {
      let number = post(.timer(call.name), to: call.screen)
      if number > 0 { emit(.delivered(summary(call.screen), message: number, what: "timer")) }
    }
  }
}
