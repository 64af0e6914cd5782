public import Minerva
public import MinervaHosting
import MinervaWire

/// The modules of the Workouts app: a diary of workouts, and the people who keep one.
public enum WorkoutsApp {
  /// The name under which its hosts register.
  public static let name = "workouts"
}

extension Coordinator {
  /// Shows a person why something was not done.
  func alert(_ text: String, title: String? = nil) throws {
    try context.present(Alert.self, Alert.Input(text: text, title: title), style: .alert)
  }

  /// Does something that the app's rules may refuse, and shows the refusal in an alert.
  /// - Returns: Whether it was done.
  func tried(_ work: () async throws -> Void) async throws -> Bool {
    do {
      try await work()
      return true
    } catch let error as MinervaError where error.code.family == "app" {
      try alert(error.message)
      return false
    }
  }

  /// Reads anew whenever one of the topics changes, as a message of its own.
  func follow(_ topics: [StoreTopic], in store: any WorkoutStore, _ reload: @escaping @Sendable (isolated Self) async throws -> Void) {
    context.task { [context, weak self] in
      await store.watch(topics) { [weak self] in
        guard let coordinator = self else { return }
        await context.perform { try await reload(coordinator) }
      }
    }
  }
}

extension WorkoutsApp {
  /// The module that a scene begins with.
  public static let start = Lifecycle.name

  /// What links begin with.
  public static let links = AppLinks(root: User.self, schemes: ["app"], hosts: ["workouts"])

  /// The modules of the app, over a store.
  public static func modules(store: any WorkoutStore) -> [ModuleOffer] {
    [
      ModuleOffer { LifecycleCoordinator($0, store: store) },
      ModuleOffer(WelcomeCoordinator.init),
      ModuleOffer { SignInCoordinator($0, $1, store: store) },
      ModuleOffer { UserCoordinator($0, $1, store: store) },
      ModuleOffer { WorkoutsCoordinator($0, $1, store: store) },
      ModuleOffer(FilterCoordinator.init),
      ModuleOffer { UpdateFilterCoordinator($0, $1, store: store) },
      ModuleOffer { UserListCoordinator($0, $1, store: store) }.answering { route in
        guard let asking = try await store.session(in: route.scene), let id = route["userID"].flatMap({ Int($0) }) else {
          throw MinervaError("app.does_not_exist", "nobody is number \(route["userID"] ?? "")")
        }
        return try .open(
          WorkoutSplit.self, .init(userID: try await store.account(id, asking: asking.id).id, asking: asking.id), via: .modal(.full))
      },
      ModuleOffer { CreateUserCoordinator($0, $1, store: store) },
      ModuleOffer { UpdateUserCoordinator($0, $1, store: store) },
      ModuleOffer(WorkoutSplitCoordinator.init),
      ModuleOffer(NothingSelectedCoordinator.init),
      ModuleOffer { WorkoutDetailsCoordinator($0, $1, store: store) },
      ModuleOffer { EditWorkoutCoordinator($0, $1, store: store) },
      ModuleOffer { SettingsCoordinator($0, $1, store: store) },
      ModuleOffer(HistoryCoordinator.init),
      ModuleOffer(AlertCoordinator.init),
    ]
  }
}
