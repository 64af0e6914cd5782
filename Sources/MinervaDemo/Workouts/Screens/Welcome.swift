public import Minerva

extension WorkoutsApp {
  /// Who is signed in.
  public struct Session: Codable, Hashable, Sendable {
    public var userID: Int

    public init(userID: Int) {
      self.userID = userID
    }
  }

  /// The door: sign in, or make an account.
  public enum Welcome: Module {
    /// Somebody signed in or made an account.
    public typealias Output = Session
    public static let summary = "the door: sign in, or make an account"

    /// Wherever a link leads, somebody signs in first.
    public static var routes: [ModuleRoute] { [ModuleRoute("*rest", to: SignIn.self, .init(mode: .login), awaits: true)] }
  }
}

actor WelcomeCoordinator: Coordinator {
  let context: Context<WorkoutsApp.Welcome>

  init(_ context: Context<WorkoutsApp.Welcome>) {
    self.context = context
  }

  func handle(_ action: Action) throws {
    switch action {
    case .tap("create"): try context.push(WorkoutsApp.SignIn.self, .init(mode: .create))
    case .tap("login"): try context.push(WorkoutsApp.SignIn.self, .init(mode: .login))
    default: break
    }
  }

  func child(_ event: ChildEvent) throws {
    if let session = try event.result(of: WorkoutsApp.SignIn.self) { try context.output(session) }
  }

  func render() -> Screen {
    Screen("Welcome") {
      ListSection("welcome") {
        ImagePlaceholder("logo", "logo")
        Label("title", "Workouts")
        Label("about", "Write down what you did, and see on which days it was enough.")
        Margin()
        Button("create", "Make an account")
        Button("login", "Sign in")
      }
    }
  }
}
