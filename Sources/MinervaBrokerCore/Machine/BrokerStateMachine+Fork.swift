package import MinervaInterfaces
package import MinervaNavigation
package import MinervaProtocol
package import MinervaRecording
import MinervaWire

/// Scenes that begin as others were, on this broker or in a file (D2).
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
    begin(state, at: time, settings: state.settings, secretsOf: source.name, as: name, token: token, now: now)
  }

  /// Begins a scene as a file has it, under the name it had there, or, when there is one of that name, under one like a fork's. This
  /// broker's times hold, and no secret comes out of a file: a screen that needs one is a placeholder (P4).
  ///
  /// - Parameter image: What was saved; a state that no scene at rest can have is refused with `recording.damaged`.
  package mutating func restore(_ image: SceneImage, as name: String?, token: CallToken, now: Moment) -> [BrokerAction] {
    if let fault = image.unsoundness {
      return [.answer(token, .refused(MinervaError(.recordingDamaged, "the file holds no scene at rest: \(fault)")))]
    }
    let state = image.state
    return begin(
      state, at: image.at, settings: sceneSettings, secretsOf: nil, as: name ?? restoredName(of: state), token: token, now: now)
  }

  /// The name of a restored scene when nobody gives one.
  package func restoredName(of state: SceneState) -> String {
    isTaken(state.scene) ? forkName(of: state.scene, at: state.seq) : state.scene
  }

  private mutating func begin(
    _ state: SceneState, at time: UInt64, settings times: SceneSettings, secretsOf source: String?, as name: String, token: CallToken,
    now: Moment
  ) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    do throws(MinervaError) {
      guard isServing else { throw recovering }
      guard !state.hasEnded else { throw .sceneEnded(state.scene) }
      guard SceneIdentity(name: name, app: "", incarnation: 0).isValid else { throw .badSceneName }
      guard !isTaken(name) else { throw MinervaError(.sceneExists, "there is a scene \(name); choose another name") }
      let identity = SceneIdentity(name: name, app: state.app, incarnation: incarnations.next(of: name))
      let empty = SceneState(scene: name, app: state.app, settings: times)
      let slot = SceneSlot(identity: identity, state: empty, now: now, at: SceneTime(milliseconds: time))
      slot.hosts = state.hosts
      incarnations.note(identity)
      keep(slot)
      if let source, var vault = vaults[source] {
        vault.keep(state.seals)
        vaults[name] = vault
      }
      feed(.begun(SceneOrigin(state)), to: name, now: now, &actions)
      guard isServing else { throw recovering }
      endLostPlans(of: slot, now: now, &actions)
      guard isServing else { throw recovering }
      for node in registry.hosts.keys.sorted() where registry.isGreeted(node) {
        guard let registration = registry.hosts[node]?.registration else { continue }
        if registration.app == state.app || slot.hosts.contains(node) { takeBack(name, by: registration, now: now, &actions) }
      }
      guard isServing else { throw recovering }
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
