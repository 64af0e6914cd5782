public import Minerva
import MinervaWire

extension WorkoutsApp {
  /// One workout, to read.
  public enum WorkoutDetails: Module {
    public struct Input: Codable, Sendable {
      public var userID: Int
      public var asking: Int
      public var workoutID: Int

      public init(userID: Int, asking: Int, workoutID: Int) {
        self.userID = userID
        self.asking = asking
        self.workoutID = workoutID
      }
    }

    public static let summary = "one workout, to read"
  }
}

actor WorkoutDetailsCoordinator: Coordinator {
  let context: Context<WorkoutsApp.WorkoutDetails>
  private let input: WorkoutsApp.WorkoutDetails.Input
  private let store: any WorkoutStore
  private var workout: Workout?

  init(_ input: WorkoutsApp.WorkoutDetails.Input, _ context: Context<WorkoutsApp.WorkoutDetails>, store: any WorkoutStore) {
    self.context = context
    self.input = input
    self.store = store
  }

  func load() async throws {
    try await reload()
    guard workout != nil else {
      throw MinervaError(.appDoesNotExist, "workout \(input.workoutID) does not exist")
    }
    follow([.workouts(input.userID)], in: store) { try await $0.reload() }
  }

  private func reload() async throws {
    workout = try await store.workouts(of: input.userID, asking: input.asking).first { $0.id == input.workoutID }
  }

  func handle(_ action: Action) throws {
    if case .tap("edit") = action, workout != nil {
      try context.push(
        WorkoutsApp.EditWorkout.self, .init(userID: input.userID, asking: input.asking, workoutID: input.workoutID))
    }
  }

  func render() -> Screen {
    Screen("Workout \(input.workoutID)", buttons: [BarButton("edit", "Edit", isEnabled: workout != nil)]) {
      ListSection("workout") {
        if let workout {
          DetailLabel("date", "Date", detail: "\(workout.date.spoken) \(workout.date.isoTime)")
          DetailLabel("calories", "Calories", detail: "\(workout.calories) kcal")
          DetailLabel("text", "Text", detail: workout.text)
        } else {
          Label("gone", "This workout was deleted.")
        }
      }
    }
  }
}
