package import MinervaInterfaces
package import MinervaJournal
package import MinervaNavigation
import MinervaRecording
import MinervaWire

/// A scene as its records and its snapshot make it. Made of them alone, wherever there is time for it.
package struct RestoredScene: Sendable {
  package let identity: SceneIdentity
  package let state: SceneState
  /// The moment of its last record, in milliseconds of scene time.
  let at: UInt64
  /// Records and bytes that no snapshot covers.
  let tail: (records: Int, bytes: Int)

  /// Replays a scene; nil for what is no scene, or of which nothing is left.
  ///
  /// - Parameter settings: The times of a scene without a snapshot.
  /// - Throws: The part that cannot be used.
  package init?(_ journaled: JournaledScene, settings: SceneSettings) throws(UnusablePart) {
    guard let identity = SceneIdentity(journaled.scene), journaled.snapshot != nil || !journaled.records.isEmpty else { return nil }
    var at: UInt64 = 0
    var state = SceneState(scene: identity.name, app: identity.app, settings: settings)
    if let snapshot = journaled.snapshot {
      do {
        let image = try CBOR.decode(SceneImage.self, from: snapshot.bytes)
        (at, state) = (image.at, image.state)
      } catch {
        throw UnusablePart(
          scene: journaled.scene, part: .snapshot(snapshot.sequence), reason: "the snapshot at record \(snapshot.sequence): \(error)")
      }
      guard state.hasRoom, SceneTime(milliseconds: at) <= .last else {
        throw UnusablePart(
          scene: journaled.scene, part: .snapshot(snapshot.sequence),
          reason: "the snapshot at record \(snapshot.sequence) holds numbers after which there are no more")
      }
      guard state.seq == snapshot.sequence else {
        throw UnusablePart(
          scene: journaled.scene, part: .snapshot(snapshot.sequence),
          reason: "the snapshot at record \(snapshot.sequence) is the scene after record \(state.seq)")
      }
      // Before anything walks its tree: a journal can be made up.
      if let fault = state.structuralFault {
        throw UnusablePart(
          scene: journaled.scene, part: .snapshot(snapshot.sequence), reason: "the snapshot at record \(snapshot.sequence): \(fault)")
      }
    }
    var bytes = 0
    for entry in journaled.records {
      let record: SceneRecord
      do { record = try SceneRecord(decoding: entry.record) } catch {
        throw UnusablePart(
          scene: journaled.scene, part: .records(after: entry.sequence - 1), reason: "record \(entry.sequence): \(error)")
      }
      at = record.at
      guard SceneTime(milliseconds: at) <= .last else {
        throw UnusablePart(
          scene: journaled.scene, part: .records(after: entry.sequence - 1),
          reason: "record \(entry.sequence) is of a moment that no clock shows")
      }
      bytes += entry.record.count
      // A record has the number it had when it was written, or this build reads it otherwise: the next one would use a number again, and the
      // journal would refuse it, and every scene's with it (N17, P1).
      let step = state.apply(record.record, at: SceneTime(milliseconds: at))
      guard step.seq == entry.sequence else {
        let place = step.seq.map { "is number \($0)" } ?? "changes nothing"
        throw UnusablePart(
          scene: journaled.scene, part: .records(after: entry.sequence - 1),
          reason: "record \(entry.sequence) \(place) to this build; the one that wrote it reads it otherwise")
      }
    }
    self.identity = identity
    self.state = state
    self.at = at
    tail = (journaled.records.count, bytes)
  }
}
