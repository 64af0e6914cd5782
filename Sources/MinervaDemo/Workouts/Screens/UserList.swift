public import Minerva

extension WorkoutsApp {
  /// All people, for those who may see them.
  public enum UserList: Module {
    public struct Input: Codable, Sendable {
      /// Who looks.
      public var asking: Int

      public init(asking: Int) {
        self.asking = asking
      }
    }

    /// The person who looks deleted themselves.
    public typealias Output = Departure
    public static let summary = "all people, by email"

    /// Who asks is not part of a link: the store knows who is signed in.
    public static var routes: [ModuleRoute] { [.asked(":userID")] }
  }
}

actor UserListCoordinator: Coordinator {
  let context: Context<WorkoutsApp.UserList>
  private let asking: Int
  private let store: any WorkoutStore
  private var accounts: [Account] = []

  init(_ input: WorkoutsApp.UserList.Input, _ context: Context<WorkoutsApp.UserList>, store: any WorkoutStore) {
    self.context = context
    self.store = store
    asking = input.asking
  }

  func load() async throws {
    try await reload()
    follow([.accounts], in: store) { try await $0.reload() }
  }

  private func reload() async throws {
    accounts = try await store.accounts(asking: asking)
  }

  private var isAdmin: Bool { accounts.contains { $0.id == asking && $0.role == .admin } }

  func handle(_ action: Action) async throws {
    switch action {
    case .tap("add"): try context.present(WorkoutsApp.CreateUser.self, .init(asking: asking))
    case .tap(let row):
      guard isAdmin, let account = account(row) else { return }
      try context.present(WorkoutsApp.WorkoutSplit.self, .init(userID: account.id, asking: asking), style: .full)
    case .swipe(let row, action: "delete"): if let account = account(row) { try await delete(account) }
    default: break
    }
  }

  private func account(_ row: String) -> Account? {
    Int(row).flatMap { id in accounts.first { $0.id == id } }
  }

  private func delete(_ account: Account) async throws {
    guard try await tried({ try await store.apply(.deleteAccount(id: account.id), asking: asking) }) else { return }
    if account.id == asking { return try context.output(.deleted) }
    try await reload()
  }

  func render() -> Screen {
    Screen("Users", buttons: [BarButton("add", "+")]) {
      ListSection("users") {
        for account in accounts {
          Swipeable(Label("\(account.id)", account.email, detail: "\(account.dailyCalories) kcal"), actions: ["delete"])
        }
      }
    }
  }
}
