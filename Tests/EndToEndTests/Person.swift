import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Testing

/// A person at a scene: taps, enters, looks, and waits for what they see.
struct Person {
  let client: Client
  var scene = SceneAddress()

  @discardableResult
  func does(_ action: Command.Action, within time: Duration = .seconds(8)) async throws -> Outcome {
    try await client.request(action, in: scene, within: time).outcome
  }

  func taps(_ row: String, on screen: ScreenID) async throws {
    try await does(.act(.id(screen), .tap(row: row, action: nil)))
  }

  func enters(_ value: String, into field: String, on screen: ScreenID) async throws {
    try await does(.act(.id(screen), .enter(field: field, value: value)))
  }

  func opens(_ module: String, via: Presentation = .push, input: String = "{}") async throws -> ScreenID {
    let outcome = try await does(.open(Command.Opening(ModuleAddress(name: module), input: Array(input.utf8), via: via)))
    return try #require(outcome.presented.last?.screen)
  }

  /// The modules on the visible stack of the topmost layer, from the bottom.
  func stack() async throws -> [String] { try await client.snapshot(of: scene).tree.layers.last?.stack.map(\.module) ?? [] }

  /// The screen of a module, once it is there and the scene has settled.
  func waits(for module: String, set: ProcessSet, atMost time: Duration = .seconds(10)) async throws -> ScreenID {
    var found: ScreenID?
    _ = try await set.wait(atMost: time) {
      guard let snapshot = try? await client.snapshot(of: scene), snapshot.settled else { return false }
      let reports = try await client.coordinators(of: scene)
      found = reports.last { $0.module.name == module && $0.phase == .presented && !$0.isSuspended }?.summary.screen
      return found != nil
    }
    return try #require(found, "\(module) did not appear")
  }

  /// What a screen shows.
  func rendering(_ screen: ScreenID) async throws -> ScreenRendering {
    let body = try await client.rendering(of: screen, in: scene).body
    return try ScreenRendering(encoded: body)
  }

  /// The value of a field.
  func field(_ name: String, on screen: ScreenID) async throws -> String? { try await rendering(screen).row(name)?.value }
}
