/// The state that a scene begins with when it is forked from another.
public struct SceneOrigin: Hashable, Sendable, Codable {
  package let state: SceneState

  package init(_ state: SceneState) { self.state = state }
}

/// Beginning as another scene was (D2).
extension SceneState {
  /// Takes over the tree with its names, inputs and states, and what was under way; ignored by a scene that has begun already, and of
  /// what is no scene: a journal can be made up.
  ///
  /// No host runs any of it for this scene: all coordinators wait to be resumed, as after the loss of their hosts, with the whole lease
  /// before them. Nobody shows it, and the answers that the other scene remembers are not its own (N2).
  mutating func takeOrigin(_ origin: SceneOrigin, at time: SceneTime) {
    let other = origin.state
    guard seq == 0, !other.hasEnded, other.structuralFault == nil else { return }
    (nextScreen, nextTicket, nextTransition) = (other.nextScreen, other.nextTicket, other.nextTransition)
    (nodes, screenless, lifecycleListeners) = (other.nodes, other.screenless, other.lifecycleListeners)
    (layers, pending, gates, waiting) = (other.layers, other.pending, other.gates, other.waiting)
    // Whoever holds these asked another scene: nobody could tell this one of their end.
    gates.removeAll { $0.origin == nil }
    wakeCalls = other.wakeCalls
    record(at: max(time, other.now))
    for index in waiting?.items.indices ?? 0..<0 { waiting?.items[index].isAsked = false }
    // Whoever was awaited, or was being made again, is awaited anew: the losses of the other scene are not this one's.
    let until = now.advanced(by: UInt64(settings.lease))
    var hosts: Set<String> = []
    for node in nodes.all where node.isLinked || node.isSuspended {
      hosts.insert(node.host)
      if case .resuming(let host) = node.link { hosts.insert(host) }
      // But not those whose lease is over there: they are leaving.
      if other.lostHosts.contains(where: { $0.concerns(node) }) { _ = nodes.update(node.id) { $0.lostUntil = until } }
    }
    for host in hosts.sorted() where !host.isEmpty {
      suspend(nodes.all.indices.filter { isLost(nodes.all[$0], with: host) }, of: host)
    }
    // Whoever was asked to make these was asked for the other scene.
    for case .connect(let connection) in outstanding() where !isConnecting(connection.screen) { effects.append(.connect(connection)) }
  }

  /// Whether the current record asks a host for it already.
  private func isConnecting(_ screen: ScreenID) -> Bool {
    effects.contains { if case .connect(let connection) = $0 { connection.screen == screen } else { false } }
  }
}
