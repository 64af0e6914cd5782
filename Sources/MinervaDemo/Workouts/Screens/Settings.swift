public import Minerva

extension WorkoutsApp {
  /// The signed-in person's own data.
  public enum Settings: Module {
    public struct Input: Codable, Sendable {
      public var userID: Int

      public init(userID: Int) {
        self.userID = userID
      }
    }

    public typealias Output = Departure
    public static let summary = "the signed-in person's own data"
  }
}

actor SettingsCoordinator: Coordinator {
  let context: Context<WorkoutsApp.Settings>
  private let userID: Int
  private let store: any WorkoutStore
  private var account: Account?

  init(_ input: WorkoutsApp.Settings.Input, _ context: Context<WorkoutsApp.Settings>, store: any WorkoutStore) {
    self.context = context
    self.store = store
    userID = input.userID
  }

  func load() async throws {
    try await reload()
    follow([.account(userID)], in: store) { try await $0.reload() }
  }

  private func reload() async throws {
    account = try await store.account(userID, asking: userID)
  }

  func handle(_ action: Action) async throws {
    switch action {
    case .tap("name"), .tap("calories"): try context.present(WorkoutsApp.UpdateUser.self, .init(userID: userID, asking: userID))
    case .tap("logout"): try context.output(.loggedOut)
    case .tap("delete"):
      if try await tried({ try await store.apply(.deleteAccount(id: userID), asking: userID) }) { try context.output(.deleted) }
    default: break
    }
  }

  func render() -> Screen {
    Screen("Settings") {
      ListSection("account", header: "Account") {
        DetailLabel("name", "Name", detail: account?.email ?? "")
        DetailLabel("calories", "Daily calories", detail: "\(account?.dailyCalories ?? 0) kcal")
        DetailLabel("role", "Role", detail: account?.role.title ?? "")
      }
      ListSection("leave", header: "Leave for now") { Button("logout", "Log out") }
      ListSection("end", header: "Leave for good") { Button("delete", "Delete my account") }
    }
  }
}
