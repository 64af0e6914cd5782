import CommandKit
import MinervaInterfaces
import MinervaWire

/// Where a session stands in time (D2).
extension Session {
  /// Looks at the scene as it stood after a record from now on, or at the present again.
  func travel(to record: UInt64?, _ emit: Emit) async throws {
    let look = try await target.look(at: record)
    viewed = record
    see(look)
    let text =
      record.map { "at #\($0) of \(Escaping.visible(look.scene)), read-only; goto now leads back" } ?? "now, at #\(look.record)"
    await emit([ReplyText.headed("ok", text)])
  }

  /// Begins a scene as this one was, and changes to it; the names that were given by `as` go along, since screens keep theirs.
  func fork(at record: UInt64?, as name: String?, _ emit: @escaping Emit) async throws {
    let moment: UInt64 = if let record = record ?? viewed { record } else { try await target.look(at: nil).record }
    let source = await target.scene
    let begun = try await target.fork(at: moment, as: name)
    try await goOn(in: begun, as: "\(Escaping.visible(source.name)) was after #\(moment)", emit)
  }

  /// Writes the scene into a file, as it stands once it has settled: a recording in which nothing happens.
  func save(into path: String, overwrites: Bool, _ emit: Emit) async throws {
    if !overwrites { try Self.refuseExisting(path, hint: "save --force writes over it") }
    let settled = await poll(within: .seconds(5)) { await self.refresh()?.isSettled == true ? true : nil }
    guard settled != nil else {
      throw MinervaError(.deadline, "not settled within 5 s, and what is under way cannot be saved; status shows what it is")
    }
    let now = try await target.look(at: nil).record
    let summary = try await SceneRecording.begin(target, into: path, from: now + 1, upTo: now).end()
    await emit([ReplyText.headed("ok", "\(Escaping.visible(path)): \(Escaping.visible(summary.scene)) as it is at #\(summary.last)")])
  }

  /// Begins a scene as a saved one stood, or a recorded one at the recording's end, and changes to it.
  func restore(_ path: String, as name: String?, _ emit: @escaping Emit) async throws {
    let end = try Self.end(ofRecording: path)
    let begun = try await target.restore(end.image, as: name)
    try await goOn(in: begun, as: "\(Escaping.visible(end.scene)) was at #\(end.record) of \(Escaping.visible(path))", emit)
  }

  /// Changes to a scene that has just begun; hosts are making its modules.
  private func goOn(in scene: SceneIdentity, as origin: String, _ emit: Emit) async throws {
    _ = try await target.change(to: scene.name, app: scene.app)
    viewed = nil
    let settled = await poll(within: .seconds(3)) { await self.refresh()?.isSettled == true ? true : nil }
    let names = "scene \(Escaping.visible(scene.name)) begun as \(origin)"
    await emit([ReplyText.headed("ok", names + (settled == nil ? "; its hosts are still at work" : ""))])
  }

  /// Refuses what would change the past.
  func requirePresent() throws(MinervaError) {
    guard let viewed else { return }
    throw MinervaError(
      .timeReadOnly, "you look at #\(viewed), and the past stays as it was; goto now leads back, fork \(viewed) begins a scene from there")
  }
}
