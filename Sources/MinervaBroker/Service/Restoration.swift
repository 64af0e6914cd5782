import Distributed
import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaWire

/// Taking a journal's scenes into a broker, whatever state they are in: what is damaged or makes no sense ends its own scene's history
/// there, is kept aside and reported; every other scene is served (P2, P3).
struct Restoration {
  let journal: any Journal
  let ownership: any SceneOwnership
  let gateway: Gateway
  let log: @Sendable (String) -> Void

  /// Restores every scene that is ours.
  ///
  /// - Throws: `journal.*` when the journal itself cannot be used.
  func run(epoch first: UInt64) async throws {
    var epoch = first
    var reported = 0
    func report() {
      let troubles = journal.troubles
      for trouble in troubles.dropFirst(reported) { log("journal: \(trouble)") }
      reported = troubles.count
    }
    var met: Set<String> = []
    var hopeless: Set<String> = []
    report()
    while let damaged = try await restoreAll(epoch: epoch, except: hopeless) {
      // The second time it is not the file: the scene begins anew.
      if !met.insert(damaged).inserted { hopeless.insert(damaged) }
      epoch = try await journal.reopen()
      report()
    }
    let now = epoch
    await gateway.whenLocal { $0.recovered(epoch: now) }
  }

  /// - Returns: The first scene whose present is damaged: the journal has to be reopened, and salvages what is whole.
  private func restoreAll(epoch: UInt64, except hopeless: Set<String>) async throws -> String? {
    await gateway.whenLocal { $0.forget() }
    for head in try await journal.scenes() {
      if let identity = SceneIdentity(head.scene), case .elsewhere = try await ownership.claim(identity.name) { continue }
      var scene = JournaledScene(scene: head.scene, snapshot: nil, records: [])
      while !hopeless.contains(head.scene) {
        do { scene = try await journal.load(head.scene) ?? scene } catch {
          guard error.code == .journalCorrupt || error.code == .timeOutOfRange else { throw error }
          return head.scene
        }
        guard let unusable = await gateway.whenLocal({ [scene] in $0.restore(scene) }) ?? nil else { break }
        let aside = try await journal.setAside(unusable.part, of: head.scene, reason: unusable.reason, epoch: epoch)
        let trouble = Self.describe(unusable, aside)
        log("journal: \(trouble)")
        await gateway.whenLocal { $0.note(trouble) }
      }
      if hopeless.contains(head.scene) { _ = await gateway.whenLocal { [scene] in $0.restore(scene) } }
    }
    return nil
  }

  private static func describe(_ unusable: UnusablePart, _ aside: JournalAside) -> String {
    let place = aside.sequence == 0 ? "it begins anew" : "it goes on after record \(aside.sequence)"
    return
      "scene \(aside.scene): \(unusable.reason); \(place), \(aside.records) records and \(aside.snapshots) snapshots are kept aside (minerva journal export --aside)"
  }
}
