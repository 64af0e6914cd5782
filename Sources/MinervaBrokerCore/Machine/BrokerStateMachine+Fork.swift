package import MinervaInterfaces
package import MinervaNavigation
package import MinervaProtocol
import MinervaWire

/// Scenes that begin as others were (D2).
extension BrokerStateMachine {
  /// The name of a scene that is forked from another, when nobody gives one: `main@12`, or `main@12-2`…
  package func forkName(of scene: String, at record: UInt64) -> String {
    let first = "\(scene)@\(record)"
    if !isTaken(first) { return first }
    var number = 2
    while isTaken("\(first)-\(number)") { number += 1 }
    return "\(first)-\(number)"
  }

  private func isTaken(_ name: String) -> Bool { identity(of: name) != nil }

  /// Begins a scene as another one was: hosts resume its coordinators, as after a loss. What of its secrets this broker still has goes
  /// along (P4); where it has not, the screen is a placeholder.
  ///
  /// - Parameters:
  ///   - state: The other scene's state, and its moment.
  ///   - source: The other scene, whose secrets they are.
  package mutating func fork(
    _ state: SceneState, at time: UInt64, of source: SceneIdentity, as name: String, token: CallToken, now: Moment
  ) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    do throws(MinervaError) {
      guard isServing else { throw .recovering }
      guard !state.hasEnded else { throw .sceneEnded(source.name) }
      guard SceneIdentity(name: name, app: "", incarnation: 0).isValid else { throw .badSceneName }
      guard !isTaken(name) else { throw MinervaError(.sceneExists, "there is a scene \(name); choose another name") }
      let incarnation = incarnations[name, default: 0] + 1
      let identity = SceneIdentity(name: name, app: source.app, incarnation: incarnation)
      let empty = SceneState(scene: name, app: source.app, settings: state.settings)
      let slot = SceneSlot(identity: identity, state: empty, now: now, at: SceneTime(milliseconds: time))
      slot.hosts = state.hosts
      incarnations[name] = incarnation
      keep(slot)
      if var vault = vaults[source.name] {
        vault.keep(state.seals)
        vaults[name] = vault
      }
      feed(.begun(SceneOrigin(state)), to: name, now: now, &actions)
      guard isServing else { throw .recovering }
      for node in registry.hosts.keys.sorted() where registry.isGreeted(node) {
        guard let registration = registry.hosts[node]?.registration else { continue }
        if registration.app == source.app || slot.hosts.contains(node) { takeBack(name, by: registration, now: now, &actions) }
      }
      guard isServing else { throw .recovering }
      hold(.reply(token, .begun(identity)), now: now, &actions)
    } catch {
      actions.append(.answer(token, .refused(error)))
    }
    return actions
  }
}

extension MinervaError {
  static let badSceneName = MinervaError(
    .sceneBadName, "a scene's name has 1 to 128 bytes, without \"/\", \"#\" and control characters")
}
