public import Minerva

extension WorkoutsApp {
  /// Somebody stopped being signed in.
  public enum Departure: String, Codable, CaseIterable, Sendable {
    case loggedOut, deleted
  }

  /// A signed-in person's tabs.
  public enum User: Module {
    public struct Input: Codable, Sendable {
      public var userID: Int

      public init(userID: Int) {
        self.userID = userID
      }
    }

    public typealias Output = Departure
    public static let summary = "a signed-in person's tabs"

    public static var routes: [ModuleRoute] {
      [
        ModuleRoute("workouts", to: Workouts.self, via: .tab("Workouts")),
        ModuleRoute("users", to: UserList.self, via: .tab("Users")),
        ModuleRoute("settings", to: Settings.self, via: .tab("Settings")),
      ]
    }
  }
}

actor UserCoordinator: Coordinator {
  let context: Context<WorkoutsApp.User>
  private let userID: Int
  private let store: any WorkoutStore
  private var role = Account.Role.user

  init(_ input: WorkoutsApp.User.Input, _ context: Context<WorkoutsApp.User>, store: any WorkoutStore) {
    self.context = context
    self.store = store
    userID = input.userID
  }

  func load() async throws {
    role = try await store.account(userID, asking: userID).role
  }

  func container() throws -> Container {
    var tabs = [try Container.Root.tab("Workouts", WorkoutsApp.Workouts.self, .init(userID: userID, asking: userID))]
    if role != .user { tabs.append(try .tab("Users", WorkoutsApp.UserList.self, .init(asking: userID))) }
    tabs.append(try .tab("Settings", WorkoutsApp.Settings.self, .init(userID: userID)))
    return .tabs(tabs)
  }

  func child(_ event: ChildEvent) throws {
    let departure = try event.output(of: WorkoutsApp.Settings.self) ?? event.output(of: WorkoutsApp.UserList.self)
    if let departure { try context.output(departure) }
  }

  func render() -> Screen {
    var items = [TabItem("Workouts", "Workouts")]
    if role != .user { items.append(TabItem("Users", "Users")) }
    items.append(TabItem("Settings", "Settings"))
    return Screen("Diary", tabs: items)
  }
}
