public import Minerva

extension WorkoutsApp {
  /// Where every scene begins: it shows whoever is signed in their diary, and everybody else the welcome.
  public enum Lifecycle: Module {
    public static let summary = "decides between the welcome and the diary"
  }
}

actor LifecycleCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var isStarted = false
  }

  let context: Context<WorkoutsApp.Lifecycle>
  var state = State()
  private let store: any WorkoutStore

  init(_ context: Context<WorkoutsApp.Lifecycle>, store: any WorkoutStore) {
    self.context = context
    self.store = store
  }

  func load() async throws {
    guard !state.isStarted else { return }
    state.isStarted = true
    if let account = try await store.session(in: context.scene) {
      try showDiary(of: account.id)
    } else {
      try showWelcome()
    }
  }

  func child(_ event: ChildEvent) async throws {
    if let session = try event.output(of: WorkoutsApp.Welcome.self) {
      try await store.apply(.openSession(scene: context.scene, id: session.userID), asking: session.userID)
      try showDiary(of: session.userID)
    }
    if try event.output(of: WorkoutsApp.User.self) != nil {
      try await store.apply(.closeSession(scene: context.scene), asking: WorkoutBook.nobody)
      try showWelcome()
    }
  }

  private func showDiary(of id: Int) throws {
    try context.open(WorkoutsApp.User.self, .init(userID: id), via: .root)
  }

  private func showWelcome() throws {
    try context.open(WorkoutsApp.Welcome.self, via: .root)
  }
}
