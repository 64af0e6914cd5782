import Minerva
import MinervaHosting

enum Counter: Module {
  struct Input: Codable, Sendable { var start: Int }
  typealias Result = Int
}

actor CounterCoordinator: Coordinator {
  let context: Context<Counter>
  var state: Int

  init(_ input: Counter.Input, _ context: Context<Counter>) {
    self.context = context
    state = input.start
  }

  func handle(_ action: Action) throws {
    switch action {
    case .tap("more"): state += 1
    case .tap("done"): try context.finish(state)
    default: break
    }
  }

  func render() -> Screen {
    Screen("Counter") {
      ListSection("numbers") {
        Label("count", "\(state)")
        Button("more", "One more")
        Button("done", "Done")
      }
    }
  }
}

@main struct Host: HostApp {
  static let app = "counters"
  static let start: String? = nil
  static var modules: [ModuleOffer] { [ModuleOffer(CounterCoordinator.init)] }
}
