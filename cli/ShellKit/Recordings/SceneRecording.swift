import CommandKit
import MinervaInterfaces
import MinervaNavigation
import MinervaRecording
package import MinervaWire

/// A recording on its way: a scene's records are read from its broker as they become durable, and written to a file with what they did.
package actor SceneRecording {
  /// What a recording was.
  package struct Summary: Sendable, Hashable {
    package var path: String
    package var scene: String
    package var records: Int
    /// The first and the last record; equal to each other's neighbours when there is none.
    package var first: UInt64
    package var last: UInt64

    package var text: String {
      let count = "\(records) record\(records == 1 ? "" : "s") of \(Escaping.visible(scene))"
      return "\(Escaping.visible(path)): \(count)" + (records > 0 ? ", #\(first) to #\(last)" : "")
    }
  }

  private let target: any SceneTarget
  private let identity: SceneIdentity
  private let path: String
  private let file: LineFile
  private var recorder: Recorder
  private let first: UInt64
  /// The last record that is wanted; nil: until it is ended.
  private let limit: UInt64?
  /// Why the file holds no more than it does.
  private var failure: MinervaError?
  /// Whether the last line is written: nothing follows it.
  private var isOver = false

  /// Begins a recording; the file then holds its first line.
  ///
  /// - Parameters:
  ///   - first: The number of the first record; nil: the next that comes.
  ///   - last: The number of the last.
  /// - Throws: `time.out_of_range` when the journal does not reach back that far.
  package static func begin(
    _ target: any SceneTarget, into path: String, from first: UInt64? = nil, upTo last: UInt64? = nil
  ) async throws(MinervaError) -> SceneRecording {
    let now = try await target.look(at: nil).record
    let start = first.map { $0 > 0 ? $0 - 1 : 0 } ?? now
    if let last, last > now || last < start {
      throw MinervaError(.timeOutOfRange, "the scene is at #\(now); --to names a record from #\(start) to there")
    }
    let past = try await target.past(at: start, image: true)
    guard let image = past.image else { throw MinervaError(.unsupported, "this broker gives no states") }
    let (recorder, line) = try Recorder.begin(
      image: image, version: past.version, incarnation: past.scene.incarnation, describe: TreeText.stacks)
    let file = try LineFile(path)
    try file.write([line])
    return SceneRecording(target, past.scene, path, file, recorder, first: start + 1, limit: last)
  }

  private init(
    _ target: any SceneTarget, _ identity: SceneIdentity, _ path: String, _ file: LineFile, _ recorder: Recorder, first: UInt64,
    limit: UInt64?
  ) {
    self.target = target
    self.identity = identity
    self.path = path
    self.file = file
    self.recorder = recorder
    self.first = first
    self.limit = limit
  }

  /// Writes what has become durable since the last time. Called by one task at a time.
  package func pull() async throws(MinervaError) {
    if let failure { throw failure }
    var isMore = true
    while isMore {
      let page = try await target.records(of: identity, after: recorder.state.seq)
      guard !isOver else { return }
      isMore = page.isMore && !page.records.isEmpty
      var lines: [String] = []
      for body in page.records {
        if let limit, recorder.state.seq >= limit {
          isMore = false
          break
        }
        do throws(MinervaError) { lines += try recorder.add(body) } catch {
          failure = error
          break
        }
      }
      do throws(MinervaError) { try file.write(lines) } catch { failure = error }
      if let failure { throw failure }
    }
  }

  /// Writes the rest and the last line; only the last line when the broker cannot be asked for the rest.
  ///
  /// - Throws: What kept the rest away, with where the recording ends; `replay.diverged` when the core here gives another tree than the
  ///   broker has.
  package func end() async throws(MinervaError) -> Summary {
    do throws(MinervaError) { try await pull() } catch { throw try cutOff(by: error) }
    let look = try? await target.look(at: nil)
    if let look, look.scene == identity.name, look.record == recorder.state.seq, look.tree.hash64 != recorder.state.treeHash {
      throw MinervaError(.replayDiverged, "at #\(look.record) the broker has another tree than its records give; is it of another version?")
    }
    try finish()
    return Summary(path: path, scene: identity.name, records: recorder.records, first: first, last: recorder.state.seq)
  }

  /// Writes the last line behind what has been read, so that the file is whole.
  ///
  /// - Returns: The error that kept the rest away, with where the recording ends.
  /// - Throws: Why what has been read is not in the file.
  package func cutOff(by error: MinervaError) throws(MinervaError) -> MinervaError {
    if let failure { throw failure }
    try finish()
    let end = "\(Escaping.visible(path)) ends at #\(recorder.state.seq)"
    return MinervaError(error.code, "\(end): the broker could not be asked for the rest, \(error.message)", details: error.details)
  }

  private func finish() throws(MinervaError) {
    guard !isOver else { return }
    isOver = true
    try file.write([recorder.end()])
  }
}
