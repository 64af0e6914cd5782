public import Minerva

extension WorkoutsApp {
  /// A sheet that changes a person's e-mail address and daily calories.
  public enum UpdateUser: Module {
    public struct Input: Codable, Sendable {
      public var userID: Int
      public var asking: Int

      public init(userID: Int, asking: Int) {
        self.userID = userID
        self.asking = asking
      }
    }

    public static let summary = "a sheet that changes email and daily calories"
  }
}

actor UpdateUserCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var email: String?
    var calories = ""
  }

  let context: Context<WorkoutsApp.UpdateUser>
  var state = State()
  private let input: WorkoutsApp.UpdateUser.Input
  private let store: any WorkoutStore

  init(_ input: WorkoutsApp.UpdateUser.Input, _ context: Context<WorkoutsApp.UpdateUser>, store: any WorkoutStore) {
    self.context = context
    self.input = input
    self.store = store
  }

  func load() async throws {
    guard state.email == nil else { return }
    let account = try await store.account(input.userID, asking: input.asking)
    state = State(email: account.email, calories: "\(account.dailyCalories)")
  }

  func handle(_ action: Action) async throws {
    switch action {
    case .enter("email", let text): state.email = text
    case .enter("calories", let text): state.calories = text
    case .tap("save"): try await save()
    default: break
    }
  }

  private func save() async throws {
    guard let calories = Int(state.calories) else { return try alert("Daily calories must be a number.") }
    let wish = BookWish.updateAccount(id: input.userID, email: state.email ?? "", dailyCalories: calories)
    if try await tried({ try await store.apply(wish, asking: input.asking) }) { try context.dismiss() }
  }

  func render() -> Screen {
    Screen("Edit user") {
      ListSection("form") {
        TextInput("email", "Email", value: state.email ?? "", placeholder: "you@example.com")
        TextInput("calories", "Daily calories", value: state.calories)
        Button("save", "Save")
      }
    }
  }
}
