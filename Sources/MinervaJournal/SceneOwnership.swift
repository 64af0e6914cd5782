package import MinervaWire

/// Who may write a scene.
package enum SceneClaim: Sendable, Hashable {
  /// We may, under that epoch, until `SceneOwnership` reports a loss.
  case ours(epoch: UInt64)
  /// Another broker may; the hint is its endpoint where known. Callers get `bus.not_owner` with it.
  case elsewhere(epoch: UInt64, hint: String?)
}

/// The right to write scenes, held under an epoch that only grows: whoever has the larger one has the right.
///
/// On one machine a broker owns every scene of its journal; over a distributed store a claim is a lease, so answers
/// come later and a claim can be lost at any time. The fence that makes a late writer harmless is the epoch in the
/// journal's writes, not this protocol's answer.
package protocol SceneOwnership: Sendable {
  /// Claims a scene, or says who has it.
  func claim(_ scene: String, completion: @escaping JournalCompletion<SceneClaim>)

  /// Whether every scene of the journal is ours for good, so that nobody has to be asked.
  var ownsAll: Bool { get }

  /// Calls back when claims are lost: the scenes, or nil for all of them.
  func onLoss(_ handler: @escaping @Sendable ([String]?) -> Void)
}

extension SceneOwnership {
  package var ownsAll: Bool { false }

  /// Claims a scene, or says who has it.
  package func claim(_ scene: String) async throws(MinervaError) -> SceneClaim {
    let result = await withCheckedContinuation { continuation in claim(scene) { continuation.resume(returning: $0) } }
    return try result.get()
  }
}

/// Ownership of a journal that one process has: every scene is ours, under the epoch of the journal's opening.
package final class LocalOwnership: SceneOwnership {
  private let epoch: @Sendable () -> UInt64

  /// - Parameter epoch: the journal's present epoch (`SQLiteJournal.epoch`); it changes when the journal is reopened.
  package init(epoch: @escaping @Sendable () -> UInt64) { self.epoch = epoch }

  package func claim(_ scene: String, completion: @escaping JournalCompletion<SceneClaim>) {
    completion(.success(.ours(epoch: epoch())))
  }

  package var ownsAll: Bool { true }

  /// Never calls: nobody can take a local journal while its lock is held.
  package func onLoss(_ handler: @escaping @Sendable ([String]?) -> Void) {}
}
