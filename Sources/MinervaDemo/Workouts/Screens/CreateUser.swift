public import Minerva

extension WorkoutsApp {
  /// A form that makes an account for somebody else.
  public enum CreateUser: Module {
    public struct Input: Codable, Sendable {
      public var asking: Int

      public init(asking: Int) {
        self.asking = asking
      }
    }

    public static let summary = "a form that makes an account for somebody else"
  }
}

actor CreateUserCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var email = ""
    var calories = "2000"
    var role = Account.Role.user
  }

  let context: Context<WorkoutsApp.CreateUser>
  var state = State()
  /// Not part of the state: passwords stay out of the journal.
  private var password = ""
  private let asking: Int
  private let store: any WorkoutStore

  init(_ input: WorkoutsApp.CreateUser.Input, _ context: Context<WorkoutsApp.CreateUser>, store: any WorkoutStore) {
    self.context = context
    self.store = store
    asking = input.asking
  }

  func handle(_ action: Action) async throws {
    switch action {
    case .enter("email", let text): state.email = text
    case .enter("calories", let text): state.calories = text
    case .enter("password", let text): password = text
    case .enter("role", let text): if let role = Account.Role(rawValue: text) { state.role = role }
    case .tap("save"): try await save()
    default: break
    }
  }

  private func save() async throws {
    guard !state.email.isEmpty, !password.isEmpty else { return try alert("Email and password are needed.") }
    guard let calories = Int(state.calories) else { return try alert("Daily calories must be a number.") }
    let draft = AccountDraft(email: state.email, password: password, role: state.role, dailyCalories: calories)
    if try await tried({ try await store.apply(.createAccount(draft), asking: asking) }) { try context.dismiss() }
  }

  func render() -> Screen {
    Screen("New user") {
      ListSection("form") {
        TextInput("email", "Email", value: state.email, placeholder: "you@example.com")
        TextInput("calories", "Daily calories", value: state.calories)
        TextInput("password", "Password", value: password, placeholder: "password", isSecret: true)
        Picker("role", "Role", value: state.role.rawValue, options: Account.Role.allCases.map(\.rawValue))
        Button("save", "Save")
      }
    }
  }
}
