public import Minerva

extension WorkoutsApp {
  /// A person's workouts beside the one that was chosen.
  public enum WorkoutSplit: Module {
    public struct Input: Codable, Sendable {
      public var userID: Int
      public var asking: Int

      public init(userID: Int, asking: Int) {
        self.userID = userID
        self.asking = asking
      }
    }

    public static let summary = "a person's workouts beside the one that was chosen"
  }

  /// What stands beside a list as long as nothing was chosen.
  public enum NothingSelected: Module {
    public static let summary = "what stands beside a list as long as nothing was chosen"
  }
}

actor WorkoutSplitCoordinator: Coordinator {
  let context: Context<WorkoutsApp.WorkoutSplit>
  private let input: WorkoutsApp.WorkoutSplit.Input

  init(_ input: WorkoutsApp.WorkoutSplit.Input, _ context: Context<WorkoutsApp.WorkoutSplit>) {
    self.context = context
    self.input = input
  }

  func container() throws -> Container {
    .split(
      primary: try .root(WorkoutsApp.Workouts.self, .init(userID: input.userID, asking: input.asking, isPrimary: true)),
      detail: try .root(WorkoutsApp.NothingSelected.self, NoInput()))
  }

  func handle(_ action: Action) throws {
    if case .tap("close") = action { try context.dismiss() }
  }

  func child(_ event: ChildEvent) throws {
    guard let choice = try event.output(of: WorkoutsApp.Workouts.self) else { return }
    if let id = choice.workoutID {
      try context.open(
        WorkoutsApp.WorkoutDetails.self, .init(userID: input.userID, asking: input.asking, workoutID: id), via: .detail)
    } else {
      try context.open(WorkoutsApp.EditWorkout.self, .init(userID: input.userID, asking: input.asking), via: .detail)
    }
  }

  func render() -> Screen {
    Screen("Workouts of one user", buttons: [BarButton("close", "Close", side: .left)])
  }
}

actor NothingSelectedCoordinator: Coordinator {
  let context: Context<WorkoutsApp.NothingSelected>

  init(_ context: Context<WorkoutsApp.NothingSelected>) {
    self.context = context
  }

  func render() -> Screen {
    Screen("Details") {
      ListSection("nothing") { Label("nothing", "Nothing selected") }
    }
  }
}
