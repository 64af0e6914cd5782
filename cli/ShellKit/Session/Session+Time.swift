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
    _ = try await target.change(to: begun.name, app: begun.app)
    viewed = nil
    // Hosts are making its modules again.
    let settled = await poll(within: .seconds(3)) { await self.refresh()?.isSettled == true ? true : nil }
    let names = "scene \(Escaping.visible(begun.name)) begun as \(Escaping.visible(source.name)) was after #\(moment)"
    await emit([ReplyText.headed("ok", names + (settled == nil ? "; its hosts are still at work" : ""))])
  }

  /// Refuses what would change the past.
  func requirePresent() throws(MinervaError) {
    guard let viewed else { return }
    throw MinervaError(
      .timeReadOnly, "you look at #\(viewed), and the past stays as it was; goto now leads back, fork #\(viewed) begins a scene from there")
  }
}
