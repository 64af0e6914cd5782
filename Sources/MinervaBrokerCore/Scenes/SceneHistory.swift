package import MinervaInterfaces
package import MinervaJournal
package import MinervaNavigation
import MinervaRecording
package import MinervaWire

/// What a scene was: its state from what the journal holds of it.
package enum SceneHistory {
  /// The state after the last of the records, and its moment; empty at the beginning.
  ///
  /// - Throws: The part that cannot be used.
  package static func replay(_ journaled: JournaledScene, of identity: SceneIdentity, settings: SceneSettings) throws(UnusablePart)
    -> (SceneState, at: UInt64)
  {
    guard let restored = try RestoredScene(journaled, settings: settings) else {
      return (SceneState(scene: identity.name, app: identity.app, settings: settings), at: 0)
    }
    return (restored.state, at: restored.at)
  }

  /// The state at a record as others keep it: for a recording to begin with.
  package static func image(_ state: SceneState, at time: UInt64) throws(MinervaError) -> [UInt8] {
    try CBOR.encode(SceneImage(at: time, state: state))
  }
}
