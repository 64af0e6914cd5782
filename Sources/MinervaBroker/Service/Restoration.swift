import Distributed
import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaWire

/// Taking a journal's scenes into a broker, whatever state they are in: what is damaged or makes no sense ends its own scene's history
/// there, is kept aside and reported; every other scene is served (P2, P3).
///
/// Scenes that were at rest are known by name and read when they are touched. Those in which something may be under way are read first, for
/// as long as nobody has to wait for it; the others are read while the broker serves.
struct Restoration {
  let journal: any Journal
  let ownership: any SceneOwnership
  let gateway: Gateway
  let log: @Sendable (String) -> Void

  /// For how long a starting broker reads before it serves.
  static let patience = Duration.milliseconds(100)

  /// Restores every scene that is ours.
  ///
  /// - Parameter patience: For how long scenes are read; nil: all of them that may have something under way.
  /// - Throws: `journal.*` when the journal itself cannot be used.
  func run(epoch first: UInt64, within patience: Duration?) async throws {
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
    while let damaged = try await restoreAll(epoch: epoch, except: hopeless, within: patience) {
      // The second time it is not the file: the scene begins anew.
      if !met.insert(damaged).inserted { hopeless.insert(damaged) }
      epoch = try await journal.reopen()
      report()
    }
    let now = epoch
    await gateway.whenLocal { gateway in
      gateway.recovered(epoch: now)
      gateway.loadUnknown()
    }
  }

  private func ours(of heads: [JournaledHead]) async throws -> [JournaledHead] {
    if ownership.ownsAll { return heads }
    var ours: [JournaledHead] = []
    for head in heads {
      if let identity = SceneIdentity(head.scene), case .elsewhere = try await ownership.claim(identity.name) { continue }
      ours.append(head)
    }
    return ours
  }

  /// - Returns: The first scene whose present is damaged: the journal has to be reopened, and salvages what is whole.
  private func restoreAll(epoch: UInt64, except hopeless: Set<String>, within patience: Duration?) async throws -> String? {
    let clock = ContinuousClock()
    let began = clock.now
    await gateway.whenLocal { $0.forget() }
    let heads = try await ours(of: journal.scenes())
    guard let (unknown, settings) = await gateway.whenLocal({ ($0.survey(heads), $0.machine.sceneSettings) }) else { return nil }
    let reading = SceneReading(journal: journal, settings: settings, epoch: epoch)
    var read = 0
    for key in unknown {
      if hopeless.contains(key) {
        await gateway.whenLocal { $0.restore(key, nil) }
        continue
      }
      if let patience, clock.now - began > patience { break }
      do {
        let (scene, troubles) = try await reading.read(key)
        await gateway.whenLocal { gateway in
          for trouble in troubles { gateway.report(trouble) }
          gateway.restore(key, scene)
        }
      } catch let error as MinervaError where error.code == .journalCorrupt || error.code == .timeOutOfRange {
        return key
      }
      read += 1
    }
    if !heads.isEmpty {
      let left = unknown.count - read
      log(
        "journal: \(heads.count) scenes, \(heads.count - unknown.count) at rest or over, \(read) read"
          + (left > 0 ? ", \(left) to be read while serving" : "") + ", \(clock.now - began)")
    }
    return nil
  }
}
