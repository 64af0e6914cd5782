public import Minerva

extension WorkoutsApp {
  /// A person's workouts by day.
  public enum Workouts: Module {
    public struct Input: Codable, Sendable {
      public var userID: Int
      /// Who looks at them.
      public var asking: Int
      /// Set in a split, where rows and additions are told to the parent.
      public var isPrimary: Bool?

      public init(userID: Int, asking: Int, isPrimary: Bool? = nil) {
        self.userID = userID
        self.asking = asking
        self.isPrimary = isPrimary
      }
    }

    /// What was asked for in a split: the workout of a number, or a new one.
    public struct Choice: Codable, Sendable {
      public var workoutID: Int?
    }

    public typealias Output = Choice
    public static let summary = "a person's workouts by day"
  }
}

actor WorkoutsCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var filter = WorkoutFilter()
  }

  let context: Context<WorkoutsApp.Workouts>
  var state = State()
  private let input: WorkoutsApp.Workouts.Input
  private let store: any WorkoutStore
  private var account: Account?
  private var workouts: [Workout] = []

  init(_ input: WorkoutsApp.Workouts.Input, _ context: Context<WorkoutsApp.Workouts>, store: any WorkoutStore) {
    self.context = context
    self.input = input
    self.store = store
  }

  func load() async throws {
    try await reload()
    follow([.workouts(input.userID)], in: store) { try await $0.reload() }
  }

  private func reload() async throws {
    account = try await store.account(input.userID, asking: input.asking)
    workouts = try await store.workouts(of: input.userID, asking: input.asking)
  }

  func handle(_ action: Action) async throws {
    switch action {
    case .tap("filter"): try context.present(WorkoutsApp.Filter.self, .init(filter: state.filter))
    case .tap("add"): try edit(nil)
    case .tap(let row): if let id = try workoutID(row) { try edit(id) }
    case .swipe(let row, action: "delete"):
      guard let id = try workoutID(row) else { return }
      let isDone = try await tried { try await store.apply(.deleteWorkout(owner: input.userID, id: id), asking: input.asking) }
      if isDone { try await reload() }
    default: break
    }
  }

  private func workoutID(_ row: String) throws -> Int? {
    Int(row).flatMap { id in workouts.contains { $0.id == id } ? id : nil }
  }

  private func edit(_ id: Int?) throws {
    if input.isPrimary == true { return try context.output(.init(workoutID: id)) }
    try context.present(WorkoutsApp.EditWorkout.self, .init(userID: input.userID, asking: input.asking, workoutID: id))
  }

  func child(_ event: ChildEvent) throws {
    guard let filter = try event.output(of: WorkoutsApp.Filter.self) else { return }
    state.filter = filter
    try context.dismiss(event.child)
  }

  func render() -> Screen {
    Screen(account?.email ?? "Workouts", buttons: [BarButton("add", "Add")]) {
      ListSection("filter") { DetailLabel("filter", "Filter", detail: state.filter.spoken) }
      WorkoutDays.sections(of: workouts, dailyCalories: account?.dailyCalories ?? .max, filter: state.filter)
    }
  }
}
