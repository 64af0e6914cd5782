import CommandKit
import MinervaInterfaces
import MinervaNavigation
import MinervaRecording
package import MinervaWire

/// Recordings and scripts of a session, and their replay.
extension Session {
  /// A recording with the task that keeps it up to date.
  struct RunningRecording {
    var recording: SceneRecording
    var task: Task<Void, Never>
  }

  /// Begins a recording; with a last record it is made at once.
  func record(_ path: String, from first: UInt64?, upTo last: UInt64?, _ emit: Emit) async throws {
    guard recording == nil else { throw MinervaError(.recordingRunning, "a recording is running; record stop ends it") }
    try Self.refuseExisting(path)
    let begun = try await SceneRecording.begin(target, into: path, from: first, upTo: last)
    if last != nil { return await emit([ReplyText.headed("ok", try await begun.end().text)]) }
    let log = log
    let task = Task {
      while !Task.isCancelled {
        let position = await log.end
        // A broker that is away is asked again with the next event, and at the end.
        do { try await begun.pull() } catch {}
        await log.changed(behind: position)
      }
    }
    recording = RunningRecording(recording: begun, task: task)
    await emit([ReplyText.headed("ok", "recording into \(Escaping.visible(path)); record stop, or leaving, ends it")])
  }

  /// Begins a script of what is asked for.
  func recordScript(_ path: String, _ emit: Emit) async throws {
    guard script == nil else { throw MinervaError(.recordingRunning, "a script is being recorded; record stop ends it") }
    try Self.refuseExisting(path)
    let past = try await target.past(at: try await target.look(at: nil).record, image: false)
    script = try RecordedScript(path, scene: past.scene.name, app: past.scene.app, at: past.record)
    await emit([ReplyText.headed("ok", "recording commands into \(Escaping.visible(path)); record stop, or leaving, ends it")])
  }

  /// What was recorded or saved before is not overwritten, unless that is meant.
  ///
  /// - Parameter hint: How the file is replaced all the same.
  static func refuseExisting(_ path: String, hint: String? = nil) throws(MinervaError) {
    guard FileBytes.isFile(path) else { return }
    throw MinervaError(.fileExists, "\(path) exists already" + (hint.map { "; \($0)" } ?? ""))
  }

  /// Ends whatever is being recorded.
  func stopRecording(_ emit: Emit) async throws {
    guard recording != nil || script != nil else { throw MinervaError(.recordingNone, "nothing is being recorded; record FILE begins") }
    if let done = script?.end() { await emit([ReplyText.headed("ok", Escaping.visible(done))]) }
    script = nil
    if let summary = try await endRecording(within: isLeaving ? .seconds(1) : .seconds(10)) {
      await emit([ReplyText.headed("ok", summary.text)])
    }
  }

  /// Ends the recording, if there is one.
  ///
  /// - Parameter time: For how long the broker is asked for the rest; what is in the file is whole in any case.
  /// - Throws: What kept the rest away, with where the recording ends.
  func endRecording(within time: Duration) async throws(MinervaError) -> SceneRecording.Summary? {
    guard let running = recording else { return nil }
    recording = nil
    running.task.cancel()
    let ended = await withDeadline(time) { () -> Result<SceneRecording.Summary, MinervaError> in
      await running.task.value
      do throws(MinervaError) { return .success(try await running.recording.end()) } catch { return .failure(error) }
    }
    if let ended { return try ended.get() }
    let reason =
      Task.isCancelled
      ? MinervaError(.cancelled, "interrupted") : MinervaError(.deadline, "no answer within \(DurationText.describe(time))")
    throw try await running.recording.cutOff(by: reason)
  }

  /// Notes a statement that was carried out for the script that is being recorded.
  func noteInScript(_ statement: Statement, _ error: MinervaError?, _ before: RecordedScript.Before?) throws {
    guard let script, let before else { return }
    try script.add(statement, error: error, before)
  }

  /// What is noted before a statement is carried out, when a script is being recorded.
  func beforeScripted(_ statement: Statement) async -> RecordedScript.Before? {
    guard script != nil else { return nil }
    let isSettled = await refresh()?.isSettled ?? false
    return RecordedScript.Before(wasSettled: isSettled, mayBeSecret: await memory(for: [statement]) != .file)
  }

  /// The state at the end of a recording, for a scene to begin with.
  static func end(ofRecording path: String) throws(MinervaError) -> (scene: String, record: UInt64, image: [UInt8]) {
    var lines = try FileLines(path)
    defer { lines.end() }
    var replayer = Replayer(file: path, isVerifying: true, describe: TreeText.stacks)
    while !replayer.isOver, let line = try lines.next() { try replayer.take(line) }
    guard let report = try replayer.finish(), let image = replayer.image else {
      throw replayer.divergence?.error ?? MinervaError(.recordingDamaged, "\(path) is no recording")
    }
    return (report.head.scene, report.seq, try CBOR.encode(image))
  }

  /// Feeds a recording to the core; with `verify` the first thing that differs ends it (D1).
  package static func replay(_ path: String, verify: Bool) throws(MinervaError) -> [String] {
    var lines = try FileLines(path)
    defer { lines.end() }
    var replayer = Replayer(file: path, isVerifying: verify, describe: TreeText.stacks)
    while !replayer.isOver, let line = try lines.next() { try replayer.take(line) }
    let report = try replayer.finish()
    if let divergence = replayer.divergence { throw divergence.error }
    guard let report else { return [] }
    let scene = "\(Escaping.visible(report.head.scene)) (\(Escaping.visible(report.head.app)))"
    let count = "\(report.records) record\(report.records == 1 ? "" : "s")"
    let first =
      verify
      ? "\(count) of \(scene) replayed, \(report.effects) effects as recorded, at #\(report.seq)"
      : "\(count) of \(scene) fed, at #\(report.seq)"
    return [ReplyText.headed("ok", first)] + TreeText.stacks(report.tree).map { "       \($0)" }
  }
}
