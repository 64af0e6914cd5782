/// What somebody wants changed in a book.
public enum BookWish: Codable, Hashable, Sendable {
  case createAccount(AccountDraft)
  case updateAccount(id: Int, email: String, dailyCalories: Int)
  case deleteAccount(id: Int)
  /// Stores a workout: a new one when `id` is `nil`.
  case saveWorkout(owner: Int, id: Int?, WorkoutDraft)
  case deleteWorkout(owner: Int, id: Int)
  /// Remembers who is signed in in a scene.
  case openSession(scene: String, id: Int)
  case closeSession(scene: String)
}

/// A change as it is recorded: numbered, checked, without wishes left in it.
public enum BookChange: Codable, Hashable, Sendable {
  case account(id: Int, AccountDraft)
  case accountDeleted(id: Int)
  case workout(owner: Int, id: Int, WorkoutDraft)
  case workoutDeleted(owner: Int, id: Int)
  case session(scene: String, id: Int)

  /// Who and what it concerns, for those who subscribed.
  public var topics: [StoreTopic] {
    switch self {
    case .account(let id, _), .accountDeleted(let id): [.accounts, .account(id), .workouts(id)]
    case .workout(let owner, _, _), .workoutDeleted(let owner, _): [.workouts(owner)]
    case .session: []
    }
  }
}

/// A part of the store that one can subscribe to.
public enum StoreTopic: Codable, Hashable, Sendable {
  case accounts
  case account(Int)
  case workouts(Int)
}
