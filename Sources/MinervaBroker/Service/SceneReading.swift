import MinervaBrokerCore
import MinervaJournal
import MinervaNavigation
import MinervaWire

/// Reading one scene of a journal and replaying it, away from the loop that serves everybody.
struct SceneReading: Sendable {
  let journal: any Journal
  let settings: SceneSettings
  let epoch: UInt64

  /// Reads a scene; nil when nothing of it is left. What makes no sense ends its history there, is kept aside and told of (P3).
  ///
  /// - Throws: `journal.*` when the journal could not read it.
  @concurrent func read(_ key: String) async throws -> (scene: RestoredScene?, troubles: [String]) {
    var troubles: [String] = []
    while true {
      guard let journaled = try await journal.load(key) else { return (nil, troubles) }
      let unusable: UnusablePart
      do throws(UnusablePart) { return (try RestoredScene(journaled, settings: settings), troubles) } catch { unusable = error }
      let aside = try await journal.setAside(unusable.part, of: key, reason: unusable.reason, epoch: epoch)
      troubles.append(Self.describe(unusable, aside))
    }
  }

  private static func describe(_ unusable: UnusablePart, _ aside: JournalAside) -> String {
    let place = aside.sequence == 0 ? "it begins anew" : "it goes on after record \(aside.sequence)"
    return
      "scene \(aside.scene): \(unusable.reason); \(place), \(aside.records) records and \(aside.snapshots) snapshots are kept aside (minerva journal export --aside)"
  }
}
