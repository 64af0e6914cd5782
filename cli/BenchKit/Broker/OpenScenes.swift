import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaNavigation
import MinervaTransport

/// Scenes that stay open, each with a few screens: what memory is measured with.
struct OpenScenes: Sendable {
  static let inputBytes = 64

  private let screens: Int

  /// Opens them, 64 scenes at a time.
  ///
  /// - Throws: The first refusal; a cancellation.
  static func open(_ count: Int, screens: Int, by client: Client, _ progress: (Int) -> Void) async throws -> OpenScenes {
    var done = 0
    while done < count {
      let piece = done..<min(count, done + 10_000)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<64 {
          group.addTask(executorPreference: client.bus.taskExecutor) {
            for scene in stride(from: piece.lowerBound + lane, to: piece.upperBound, by: 64) {
              for screen in 0..<screens {
                try Task.checkCancellation()
                let opening = Command.Opening(ModuleAddress(name: Page.name), input: input(scene, screen), unhosted: true)
                _ = try await client.request(.open(opening), in: address(scene), within: .seconds(30))
              }
            }
          }
        }
        try await group.waitForAll()
      }
      done = piece.upperBound
      progress(done)
    }
    return OpenScenes(screens: screens)
  }

  private static func address(_ scene: Int) -> SceneAddress { SceneAddress(name: "open-\(scene)", app: PageHost.app) }

  private static func input(_ scene: Int, _ screen: Int) -> [UInt8] { Page.input(UInt64(scene * 100 + screen), bytes: inputBytes) }

  /// Compares a scene with what was opened.
  func check(_ scene: Int, by client: Client) async throws {
    let tree = try await client.snapshot(of: Self.address(scene), within: .seconds(30)).tree
    let found = tree.layers.flatMap(\.stack).map(\.input)
    guard found == (0..<screens).map({ Self.input(scene, $0) }) else {
      throw SceneModel.Fault(description: "\(Self.address(scene).name) holds \(found.count) screens that are not what was opened")
    }
  }
}
