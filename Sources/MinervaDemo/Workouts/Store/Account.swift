/// A person who may sign in.
public struct Account: Codable, Hashable, Sendable {
  public var id: Int
  public var email: String
  public var role: Role
  /// The calories the person wants to burn in a day.
  public var dailyCalories: Int

  /// What a person may do.
  public enum Role: String, Codable, CaseIterable, Sendable {
    case user, manager, admin

    /// What the role is called on screens.
    public var title: String {
      switch self {
      case .user: "User"
      case .manager: "User manager"
      case .admin: "Admin"
      }
    }
  }
}

/// One workout of a person.
public struct Workout: Codable, Hashable, Sendable {
  /// Counts from 1 for each person.
  public var id: Int
  public var date: Moment
  public var text: String
  public var calories: Int
}

/// What a form says of a workout that is to be stored.
public struct WorkoutDraft: Codable, Hashable, Sendable {
  public var date: Moment
  public var text: String
  public var calories: Int

  public init(date: Moment, text: String, calories: Int) {
    self.date = date
    self.text = text
    self.calories = calories
  }
}

/// What a form says of a person who is to be stored.
public struct AccountDraft: Codable, Hashable, Sendable {
  public var email: String
  public var password: String
  public var role: Account.Role
  public var dailyCalories: Int

  public init(email: String, password: String, role: Account.Role = .user, dailyCalories: Int = 2000) {
    self.email = email
    self.password = password
    self.role = role
    self.dailyCalories = dailyCalories
  }
}
