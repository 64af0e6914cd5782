public import Minerva

extension ShopApp {
  /// What is new.
  public enum Feed: Module {
    public static let summary = "what is new"
    public static var routes: [ModuleRoute] { [ModuleRoute("posts/:id", to: Post.self)] }
  }

  /// One thing that is new.
  public enum Post: Module {
    public struct Input: Codable, Sendable {
      public var id: Int
    }

    public static let summary = "one thing that is new"
  }
}

actor FeedCoordinator: Coordinator {
  let context: Context<ShopApp.Feed>

  init(_ context: Context<ShopApp.Feed>) {
    self.context = context
  }

  func handle(_ action: Action) throws {
    if case .tap(let row) = action, let id = Int(row) { try context.push(ShopApp.Post.self, .init(id: id)) }
  }

  func render() -> Screen {
    Screen("What is new") {
      ListSection("posts") { for id in 1...3 { Label("\(id)", "Post \(id)") } }
    }
  }
}

actor PostCoordinator: Coordinator {
  let context: Context<ShopApp.Post>
  private let id: Int

  init(_ input: ShopApp.Post.Input, _ context: Context<ShopApp.Post>) {
    self.context = context
    id = input.id
  }

  func render() -> Screen {
    Screen("Post \(id)") {
      ListSection("post") { Label("text", "Number \(id) of what is new") }
    }
  }
}
