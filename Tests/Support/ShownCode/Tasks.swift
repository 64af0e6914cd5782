import Minerva

enum ColorPicker: Module {
  struct Input: Codable, Sendable { var initial: String }
  typealias Result = String
}

enum Shell: Module {}

enum Orders: Module {
  struct Input: Codable, Sendable { var filter: String }
}

enum Tasks: Module {}

actor TasksCoordinator: Coordinator {
  struct State: Codable, Sendable {
    struct Entry: Codable, Sendable {
      var id: String
      var title: String
    }

    var open: [Entry] = []
    var title = ""
    var colour = "red"
  }

  let context: Context<Tasks>
  var state = State()

  init(_ context: Context<Tasks>) {
    self.context = context
  }

  func handle(_ action: Action) async throws {
    switch action {
    case .tap("pick"):
      if let colour = try await context.present(ColorPicker.self, .init(initial: state.colour)).result {
        state.colour = colour
      }
    case .tap("show"):
      if let path = try await context.list.indexPath(of: "42") {
        try await context.list.scroll(to: path, position: .center)
      }
    case .tap("orders"):
      try context.open(Shell.self, .init(), via: .root) { try $0.configure(Orders.self, .init(filter: "open")) }
    default: break
    }
  }

  func render() -> Screen {
    Screen("Tasks") {
      ListSection("open", header: "To do") {
        for task in state.open { Label(task.id, task.title).swipeable("delete").reorderable() }
      }
      ListSection("form") {
        TextInput("title", "New task", value: state.title)
        Button("add", "Add", isEnabled: !state.title.isEmpty)
      }
    }
  }
}
