import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaWire

/// How scenes come to a broker, and how they leave it.
extension Gateway {
  // MARK: Restoring

  /// Takes in a scene as the journal holds it, or returns the part of it that cannot be used.
  func restore(_ scene: JournaledScene) -> UnusablePart? {
    do throws(UnusablePart) { try machine.restore(scene, now: now) } catch { return error }
    if let identity = SceneIdentity(scene.scene) { claimed.insert(identity.name) }
    return nil
  }

  /// Every scene was restored.
  func recovered(epoch: UInt64) { perform(machine.recovered(epoch: epoch, now: now)) }

  /// The journal is read from its beginning once more.
  func forget() {
    machine.forget()
    claimed = []
  }

  /// Keeps a line for `status`, the last hundred of them.
  func note(_ trouble: String) {
    notes.append(trouble)
    if notes.count > 100 { notes.removeFirst() }
  }

  // MARK: Ownership

  /// Claims a scene before its first use here.
  /// - Throws: `bus.not_owner` with the owner's endpoint where known.
  func own(_ name: String) async throws {
    guard !claimed.contains(name) else { return }
    guard case .elsewhere(let epoch, let hint) = try await ownership.claim(name) else { return _ = claimed.insert(name) }
    throw MinervaError.notOwner(of: name, epoch: epoch, owner: hint)
  }

  /// Another broker has taken scenes, or all of them: what they hold here is forgotten, and whoever waits for them is told.
  func disown(_ names: [String]?) {
    let lost = names.map(Set.init) ?? claimed
    claimed.subtract(lost)
    perform(machine.disown(lost))
  }
}
