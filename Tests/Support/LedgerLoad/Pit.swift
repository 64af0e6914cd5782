package import Minerva

/// A module whose handler takes its process down, as an author's mistake does: it traps each time that it is asked to.
package enum Pit: Module {
  package struct Input: Codable, Sendable {}
}

package actor PitCoordinator: Coordinator {
  package nonisolated let context: Context<Pit>
  package var state = 0

  package init(_ input: Pit.Input, _ context: Context<Pit>) { self.context = context }

  package func handle(_ action: Action) throws {
    switch action {
    case .tap("step"): state += 1
    // The first index behind the end.
    case .tap("fall"): state = Array(0..<state)[state]
    default: break
    }
  }

  package func render() -> Screen {
    Screen("Pit") {
      ListSection("ways") {
        Label("steps", "\(state)")
        Button("step", "One step")
        Button("fall", "Fall")
      }
    }
  }
}
