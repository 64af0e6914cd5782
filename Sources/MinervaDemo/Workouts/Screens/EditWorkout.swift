public import Minerva
import MinervaWire

extension WorkoutsApp {
  /// A form for one workout, a new one or one that is there.
  public enum EditWorkout: Module {
    public struct Input: Codable, Sendable {
      public var userID: Int
      public var asking: Int
      /// The workout to change, or `nil` to make one.
      public var workoutID: Int?

      public init(userID: Int, asking: Int, workoutID: Int? = nil) {
        self.userID = userID
        self.asking = asking
        self.workoutID = workoutID
      }
    }

    public static let summary = "a form for one workout"
  }
}

actor EditWorkoutCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var date: String?
    var calories = ""
    var text = ""
  }

  let context: Context<WorkoutsApp.EditWorkout>
  var state = State()
  private let input: WorkoutsApp.EditWorkout.Input
  private let store: any WorkoutStore
  private var start = Moment(minutes: 0)

  init(_ input: WorkoutsApp.EditWorkout.Input, _ context: Context<WorkoutsApp.EditWorkout>, store: any WorkoutStore) {
    self.context = context
    self.input = input
    self.store = store
  }

  /// The present, by the scene's clock.
  private var now: Moment { Moment(minutes: start.minutes + Int(context.now.milliseconds / 60_000)) }

  func load() async throws {
    start = try await store.start()
    guard state.date == nil else { return }
    guard let id = input.workoutID else {
      state.date = now.iso
      return
    }
    guard let workout = try await store.workouts(of: input.userID, asking: input.asking).first(where: { $0.id == id }) else {
      throw MinervaError(.appDoesNotExist, "workout \(id) does not exist")
    }
    state = State(date: workout.date.iso, calories: "\(workout.calories)", text: workout.text)
  }

  func handle(_ action: Action) async throws {
    switch action {
    case .enter("date", let text): state.date = text
    case .enter("calories", let text): state.calories = text
    case .enter("text", let text): state.text = text
    case .tap("save"): try await save()
    default: break
    }
  }

  private func save() async throws {
    guard let date = Moment(iso: state.date ?? "") else { return try alert("Write the date as 2026-01-31T07:30.") }
    guard date <= now else { return try alert("The date must not be in the future.") }
    guard let calories = Int(state.calories), calories >= 1 else { return try alert("Calories must be a number from 1.") }
    guard !state.text.isEmpty else { return try alert("A text is missing.") }
    let draft = WorkoutDraft(date: date, text: state.text, calories: calories)
    let wish = BookWish.saveWorkout(owner: input.userID, id: input.workoutID, draft)
    if try await tried({ try await store.apply(wish, asking: input.asking) }) { try context.close() }
  }

  func render() -> Screen {
    Screen(input.workoutID.map { "Edit workout \($0)" } ?? "New workout") {
      ListSection("form") {
        DatePicker("date", "Date", value: state.date ?? "", to: now.isoDate)
        TextInput("calories", "Calories", value: state.calories, placeholder: "kcal")
        TextInput("text", "Text", value: state.text, placeholder: "what you did")
        Button("save", "Save")
      }
    }
  }
}
