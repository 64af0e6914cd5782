import Distributed
import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaRecording
import MinervaTransport
import MinervaWire

/// What scenes were: read from the journal, which holds nothing that is not durable (N16).
extension Gateway {
  distributed func past(_ scene: SceneAddress, at record: UInt64, image: Bool) async throws -> ScenePast {
    let (identity, state, at) = try await state(of: scene, at: record)
    return ScenePast(
      scene: identity, version: version, record: record, at: Int64(clamping: at), tree: state.tree, coordinators: state.coordinators,
      plans: state.plans, settled: state.isSettled, image: image ? try SceneHistory.image(state, at: at) : nil)
  }

  distributed func records(of scene: SceneIdentity, after record: UInt64) async throws -> RecordPage {
    let node = try permit(.observe)
    // Records belong to this life of the scene, whoever has its name now.
    guard mayTouch(scene.name, app: scene.app) else {
      throw MinervaError(.unauthorized, "the key of \(node) may not touch the scene \(scene)")
    }
    try await own(scene.name)
    let limit = RecordPage.limit
    let (last, overflow) = record.addingReportingOverflow(limit.count)
    let entries = try await journal.records(of: scene.description, after: record, upTo: overflow ? .max : last)
    var page = RecordPage(records: [], isMore: entries.count == limit.count)
    var bytes = 0
    for entry in entries {
      guard bytes < limit.bytes else {
        page.isMore = true
        break
      }
      bytes += entry.record.count
      page.records.append(entry.record)
    }
    return page
  }

  distributed func fork(_ scene: SceneAddress, at record: UInt64, as name: String?) async throws -> SceneIdentity {
    try permit(.navigate, scene: scene)
    let (source, state, at) = try await state(of: scene, at: record)
    let name = name ?? machine.forkName(of: source.name, at: record)
    try permit(.navigate, scene: SceneAddress(name: name, app: source.app))
    try await own(name)
    guard case .begun(let identity) = try await reply({ $0.fork(state, at: at, of: source, as: name, token: $1, now: $2) }) else {
      throw Self.unexpected
    }
    return identity
  }

  distributed func restore(_ image: [UInt8], as name: String?) async throws -> SceneIdentity {
    let caller = try permit(.navigate)
    // The loop does not wait for a large scene to be read.
    let image = try await Task.detached {
      do throws(MinervaError) { return try CBOR.decode(SceneImage.self, from: image) } catch {
        throw MinervaError(.recordingDamaged, "the state cannot be read: \(error.message)")
      }
    }.value
    guard mayTouch(image.state.scene, app: image.state.app) else {
      throw MinervaError(.unauthorized, "the key of \(caller) may not touch the scene \(image.state.scene)")
    }
    let name = name ?? machine.restoredName(of: image.state)
    try permit(.navigate, scene: SceneAddress(name: name, app: image.state.app))
    try await own(name)
    guard case .begun(let identity) = try await reply({ $0.restore(image, as: name, token: $1, now: $2) }) else { throw Self.unexpected }
    return identity
  }

  /// The state of a scene after one of its records. The loop does not wait for the core: the records are fed elsewhere.
  func state(of scene: SceneAddress, at record: UInt64) async throws -> (SceneIdentity, SceneState, at: UInt64) {
    let now = try await snapshot(scene, renderings: false)
    guard record <= now.record else {
      throw MinervaError(.timeOutOfRange, "\(scene.name) is at #\(now.record), there is no #\(record) yet")
    }
    // Before its first record a scene is empty, whether or not the journal knows it yet.
    let key = now.scene.description
    let found = record == 0 ? JournaledScene(scene: key, snapshot: nil, records: []) : try await journal.load(key, upTo: record)
    guard let journaled = found, journaled.sequence == record else {
      throw MinervaError(.timeOutOfRange, "#\(record) of \(scene.name) is not kept any more")
    }
    let settings = machine.sceneSettings
    let identity = now.scene
    return try await Task.detached {
      do throws(UnusablePart) {
        let (state, at) = try SceneHistory.replay(journaled, of: identity, settings: settings)
        return (identity, state, at: at)
      } catch {
        throw MinervaError(.journalCorrupt, "\(scene.name): \(error.reason)")
      }
    }.value
  }
}
