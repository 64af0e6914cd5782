import CommandKit
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
