internal import MinervaWire
internal import Synchronization

/// A journal that lives as long as the process: for tests.
///
/// Answers before the call returns. It keeps the rules of `Journal` in all but durability.
package final class MemoryJournal: Journal {
  private struct Scene {
    var records: [JournalEntry] = []
    var snapshots: [JournalSnapshot] = []
    var rest: JournalRest?
  }

  private struct State {
    var scenes: [String: Scene] = [:]
    var epoch: UInt64 = 1
    var isClosed = false
    var isRefusing = false
  }

  private let state = Mutex(State())

  package init() {}

  package var epoch: UInt64 { state.withLock { $0.epoch } }

  package func append(_ group: [JournalEntry], epoch: UInt64, completion: @escaping JournalCompletion<Void>) {
    completion(
      answer { (state) throws(MinervaError) in
        try Self.admit(epoch, state)
        // Checked before anything is stored: a group is whole or absent.
        var next: [String: UInt64] = [:]
        for entry in group {
          let expected = next[entry.scene] ?? UInt64(state.scenes[entry.scene]?.records.count ?? 0) + 1
          guard entry.sequence == expected else { throw .gap(entry, expected: expected) }
          next[entry.scene] = expected + 1
        }
        for entry in group { state.scenes[entry.scene, default: Scene()].records.append(entry) }
      })
  }

  package func load(_ scene: String, upTo limit: UInt64?, completion: @escaping JournalCompletion<JournaledScene?>) {
    completion(
      answer { (state) throws(MinervaError) in
        try Self.admit(nil, state)
        guard let stored = state.scenes[scene] else { return nil }
        let limit = min(limit ?? .max, UInt64(stored.records.count))
        let snapshot = stored.snapshots.last { $0.sequence <= limit }
        return JournaledScene(
          scene: scene, snapshot: snapshot, records: Array(stored.records[Int(snapshot?.sequence ?? 0)..<Int(limit)]))
      })
  }

  package func records(
    of scene: String, after sequence: UInt64, upTo limit: UInt64, completion: @escaping JournalCompletion<[JournalEntry]>
  ) {
    completion(
      answer { (state) throws(MinervaError) in
        try Self.admit(nil, state)
        return (state.scenes[scene]?.records ?? []).filter { $0.sequence > sequence && $0.sequence <= limit }
      })
  }

  package func scenes(completion: @escaping JournalCompletion<[JournaledHead]>) {
    completion(
      answer { (state) throws(MinervaError) in
        try Self.admit(nil, state)
        return state.scenes.sorted { $0.key < $1.key }.map { name, scene in
          let sequence = UInt64(scene.records.count)
          return JournaledHead(
            scene: name, sequence: sequence, snapshotSequence: scene.snapshots.last?.sequence ?? 0,
            rest: scene.rest?.sequence == sequence ? scene.rest?.note : nil,
            isOver: scene.rest?.sequence == sequence && scene.rest?.over != nil)
        }
      })
  }

  package func writeSnapshot(_ snapshot: JournalSnapshot, epoch: UInt64, completion: @escaping JournalCompletion<Void>) {
    completion(
      answer { (state) throws(MinervaError) in
        try Self.admit(epoch, state)
        guard var scene = state.scenes[snapshot.scene], snapshot.sequence <= UInt64(scene.records.count) else {
          throw .early(snapshot)
        }
        scene.snapshots.removeAll { $0.sequence == snapshot.sequence }
        scene.snapshots.append(snapshot)
        scene.snapshots.sort { $0.sequence < $1.sequence }
        state.scenes[snapshot.scene] = scene
      })
  }

  package func noteRest(_ rest: JournalRest, epoch: UInt64, completion: @escaping JournalCompletion<Void>) {
    completion(
      answer { (state) throws(MinervaError) in
        try Self.admit(epoch, state)
        let last = UInt64(state.scenes[rest.scene]?.records.count ?? 0)
        guard rest.sequence > 0, rest.sequence <= last else { throw .early(rest) }
        if rest.sequence == last { state.scenes[rest.scene]?.rest = rest }
      })
  }

  package func setAside(
    _ part: JournalPart, of scene: String, reason: String, epoch: UInt64, completion: @escaping JournalCompletion<JournalAside>
  ) {
    completion(
      answer { (state) throws(MinervaError) in
        try Self.admit(epoch, state)
        guard var stored = state.scenes[scene] else { return JournalAside(scene: scene, sequence: 0, records: 0, snapshots: 0) }
        stored.rest = nil
        let before = (records: stored.records.count, snapshots: stored.snapshots.count)
        switch part {
        case .records(let last):
          stored.records.removeAll { $0.sequence > last }
          stored.snapshots.removeAll { $0.sequence > last }
        case .snapshot(let sequence): stored.snapshots.removeAll { $0.sequence == sequence }
        }
        state.scenes[scene] = stored
        return JournalAside(
          scene: scene, sequence: UInt64(stored.records.count), records: before.records - stored.records.count,
          snapshots: before.snapshots - stored.snapshots.count)
      })
  }

  package var forgotten: UInt64 { 0 }

  package var troubles: [String] { [] }

  package func reopen(completion: @escaping JournalCompletion<UInt64>) {
    completion(
      answer { (state) throws(MinervaError) in
        guard !state.isClosed else { throw .closedJournal }
        state.isRefusing = false
        state.epoch += 1
        return state.epoch
      })
  }

  package func close(completion: @escaping @Sendable () -> Void) {
    state.withLock { $0.isClosed = true }
    completion()
  }

  /// Behaves from now on as after a failed commit, until `reopen`.
  package func refuse() { state.withLock { $0.isRefusing = true } }

  private func answer<Value: Sendable>(
    _ body: (inout State) throws(MinervaError) -> Value
  ) -> Result<Value, MinervaError> {
    state.withLock { state in
      do throws(MinervaError) { return .success(try body(&state)) } catch { return .failure(error) }
    }
  }

  private static func admit(_ epoch: UInt64?, _ state: State) throws(MinervaError) {
    guard !state.isClosed else { throw .closedJournal }
    guard !state.isRefusing else { throw .refusing("the journal was told to refuse") }
    if let epoch, epoch != state.epoch { throw .stale(epoch, now: state.epoch) }
  }
}
