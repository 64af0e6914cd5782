import CommandKit
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

extension Session {
  /// What a person is told who has just come: where they are, and how to go on. Nil while the scene cannot be looked at.
  package var greeting: String? {
    guard let lastLook else { return nil }
    let count = lastLook.tree.screens.count
    let scene = Escaping.visible(lastLook.scene)
    return "this is scene \(scene) with \(count) \(count == 1 ? "screen" : "screens"); screen draws it, help lists the verbs, Ctrl-D leaves"
  }

  /// Waits for a moment until the scene that was looked at has what its app begins with: the first use of a scene makes it.
  ///
  /// - Returns: Whether there was something to wait for.
  @discardableResult
  func untilBegun() async -> Bool {
    guard let lastLook, !lastLook.isSettled, lastLook.tree.screens.isEmpty else { return false }
    _ = await poll(within: .seconds(3)) { await self.refresh()?.isSettled == true ? true : nil }
    return true
  }

  /// The scene as it is now, for who only wants to see it: the session itself knows no more than before.
  func glance() async -> SceneLook? { try? await target.look(at: viewed) }

  /// Whether the scene comes to rest in time.
  func settles(within time: Duration) async -> Bool {
    await poll(within: time, drives: false) { await self.glance()?.isSettled == true ? true : nil } ?? false
  }

  /// Changes to another scene, or tells which there are.
  func changeScene(to name: String?, app: String?, _ emit: @escaping Emit) async throws {
    guard let name else {
      await emit(try await target.change(to: nil, app: app))
      await refresh()
      return
    }
    if renderer.pace != .off { _ = try await render(.off) }
    var lines = try await target.change(to: name, app: app)
    (aliases, viewed) = ([:], nil)
    let look = await refresh()
    if look?.tree.screens.isEmpty == true, await untilBegun(), let look = lastLook {
      let count = look.tree.screens.count
      lines = [ReplyText.headed("ok", "scene \(Escaping.visible(look.scene)), \(count) \(count == 1 ? "screen" : "screens")")]
    }
    await emit(lines)
  }

  /// Ends a scene, this one or another.
  func end(scene name: String, _ emit: @escaping Emit) async throws {
    let isOwn = await target.scene.name == name
    if isOwn { try requirePresent() }
    mark = await log.end
    let outcome = try await target.end(scene: name)
    let count = outcome.removed.count
    var lines = [ReplyText.headed("ok", "scene \(Escaping.visible(name)) ended, \(count) \(count == 1 ? "module" : "modules") removed")]
    lines += outcome.removed.map { "       " + ReplyText.removed($0) }
    if isOwn {
      aliases = [:]
      lines.append("       its next use begins it anew")
    }
    await emit(lines)
  }
}
