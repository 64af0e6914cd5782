public import Minerva

extension WorkoutsApp {
  /// A form for an e-mail address and a password; it ends with a session.
  public enum SignIn: Module {
    public enum Mode: String, Codable, CaseIterable, Sendable {
      case create, login
    }

    public struct Input: Codable, Sendable {
      public var mode: Mode

      public init(mode: Mode) {
        self.mode = mode
      }
    }

    public typealias Result = Session
    public static let summary = "a form that ends with a session"
  }
}

actor SignInCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var email = ""
  }

  let context: Context<WorkoutsApp.SignIn>
  var state = State()
  /// Not part of the state: passwords stay out of the journal.
  private var password = ""
  private let mode: WorkoutsApp.SignIn.Mode
  private let store: any WorkoutStore

  init(_ input: WorkoutsApp.SignIn.Input, _ context: Context<WorkoutsApp.SignIn>, store: any WorkoutStore) {
    self.context = context
    self.store = store
    mode = input.mode
  }

  func handle(_ action: Action) async throws {
    switch action {
    case .enter("email", let text): state.email = text
    case .enter("password", let text): password = text
    case .tap("submit"): try await submit()
    default: break
    }
  }

  private func submit() async throws {
    guard !state.email.isEmpty else { return try alert("An email address is missing.") }
    guard !password.isEmpty else { return try alert("A password is missing.") }
    _ = try await tried {
      let id =
        switch mode {
        case .login: try await store.signIn(email: state.email, password: password).id
        case .create: try await create()
        }
      try context.finish(WorkoutsApp.Session(userID: id))
    }
  }

  private func create() async throws -> Int {
    let draft = AccountDraft(email: state.email, password: password)
    guard case .account(let id, _) = try await store.apply(.createAccount(draft), asking: WorkoutBook.nobody) else {
      return WorkoutBook.nobody
    }
    return id
  }

  func render() -> Screen {
    let title = mode == .login ? "Sign in" : "Make an account"
    return Screen(title) {
      ListSection("form") {
        ImagePlaceholder("logo", "logo")
        TextInput("email", "Email", value: state.email, placeholder: "you@example.com")
        TextInput("password", "Password", value: password, placeholder: "password", isSecret: true)
        Button("submit", title)
      }
    }
  }
}
