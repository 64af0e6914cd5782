import MinervaWire

/// The data of the Workouts app and the rules over it, as a plain value.
///
/// Every change is a `BookChange`, so that what is on disk is the list of changes, and a book is its seed plus those.
public struct WorkoutBook: Sendable {
  private struct Person: Sendable {
    var account: Account
    var password: String
    var workouts: [Int: Workout] = [:]
    var lastWorkout = 0
  }

  private var people: [Int: Person] = [:]
  private var lastPerson = 0
  /// The signed-in person of each scene; a scene that never changed it has `firstSession`.
  private var sessions: [String: Int] = [:]
  private var firstSession: Int?
  /// The start of the run: the date that the seed counts back from.
  public let start: Moment
  /// Counts the changes.
  public private(set) var revision = 0

  /// Makes the seeded book: 22 people, 50 workouts each.
  /// - Parameter start: The start of the run.
  /// - Complexity: Constant; every book of the same start is equal.
  public init(start: Moment) {
    self.start = start
    var random = SplitMix(state: 0x4D69_6E65_7276_6131)
    for n in 1...20 {
      seed(email: "u\(n)@u.com", password: "\(n)", role: .user, calories: 1250 + Int(random.next() % 1251), &random)
    }
    seed(email: "m@m.com", password: "m", role: .manager, calories: 2000, &random)
    seed(email: "a@a.com", password: "a", role: .admin, calories: 2000, &random)
    firstSession = lastPerson
  }

  private mutating func seed(email: String, password: String, role: Account.Role, calories: Int, _ random: inout SplitMix) {
    lastPerson += 1
    var person = Person(account: Account(id: lastPerson, email: email, role: role, dailyCalories: calories), password: password)
    for n in 1...50 {
      person.workouts[n] = Workout(
        id: n, date: Moment(minutes: start.minutes - 480 * n), text: "\(n)", calories: 1 + Int(random.next() % 1250))
    }
    person.lastWorkout = 50
    people[lastPerson] = person
  }

  // MARK: What may be read

  /// The person signed in in a scene.
  public func session(in scene: String) -> Account? {
    let id: Int? = sessions[scene] ?? firstSession
    return id.flatMap { people[$0]?.account }
  }

  /// The person of an e-mail address and password.
  public func signIn(email: String, password: String) throws -> Account {
    guard let person = people.values.first(where: { $0.account.email == email }), person.password == password else {
      throw MinervaError(.appWrongCredentials, "wrong email or password")
    }
    return person.account
  }

  /// All people by e-mail address; for managers and admins.
  public func accounts(asking: Int) throws -> [Account] {
    try mayManage(asking, "list people")
    return people.values.map(\.account).sorted { $0.email < $1.email }
  }

  /// One person; for themselves, managers and admins.
  public func account(_ id: Int, asking: Int) throws -> Account {
    if id != asking { try mayManage(asking, "see other people") }
    return try person(id).account
  }

  /// A person's workouts, newest first; for themselves and admins.
  public func workouts(of id: Int, asking: Int) throws -> [Workout] {
    try mayTrain(asking, of: id)
    return try person(id).workouts.values.sorted { ($0.date, $0.id) > ($1.date, $1.id) }
  }

  // MARK: What may be changed

  /// Checks a change against the rights and the data, and says what is to be recorded.
  public func change(for wish: BookWish, asking: Int) throws -> BookChange {
    switch wish {
    case .createAccount(let draft):
      if asking != Self.nobody { try mayManage(asking, "make people") }
      try valid(draft.email, draft.dailyCalories)
      guard !draft.password.isEmpty else { throw MinervaError(.appInvalidValue, "a password is missing") }
      try free(draft.email, besides: nil)
      if draft.role == .admin { try mayMakeAdmin(asking) }
      if draft.role == .manager { try mayManage(asking, "make managers") }
      return .account(id: lastPerson + 1, draft)
    case .updateAccount(let id, let email, let calories):
      if id != asking { try mayManage(asking, "change other people") }
      let old = try person(id)
      try valid(email, calories)
      try free(email, besides: id)
      return .account(
        id: id, AccountDraft(email: email, password: old.password, role: old.account.role, dailyCalories: calories))
    case .deleteAccount(let id):
      if id != asking { try mayManage(asking, "delete other people") }
      _ = try person(id)
      return .accountDeleted(id: id)
    case .saveWorkout(let owner, let id, let draft):
      try mayTrain(asking, of: owner)
      let person = try person(owner)
      if let id, person.workouts[id] == nil { throw Self.missing("workout \(id)") }
      guard draft.calories >= 1 else { throw MinervaError(.appInvalidValue, "calories must be a number from 1") }
      return .workout(owner: owner, id: id ?? person.lastWorkout + 1, draft)
    case .deleteWorkout(let owner, let id):
      try mayTrain(asking, of: owner)
      guard try person(owner).workouts[id] != nil else { throw Self.missing("workout \(id)") }
      return .workoutDeleted(owner: owner, id: id)
    case .openSession(let scene, let id):
      _ = try person(id)
      return .session(scene: scene, id: id)
    case .closeSession(let scene):
      return .session(scene: scene, id: Self.nobody)
    }
  }

  /// Applies a recorded change; one that names what is not there changes nothing.
  public mutating func apply(_ change: BookChange) {
    revision += 1
    switch change {
    case .account(let id, let draft):
      let account = Account(id: id, email: draft.email, role: draft.role, dailyCalories: draft.dailyCalories)
      people[id, default: Person(account: account, password: draft.password)].account = account
      people[id]?.password = draft.password
      lastPerson = max(lastPerson, id)
    case .accountDeleted(let id):
      people[id] = nil
    case .workout(let owner, let id, let draft):
      people[owner]?.workouts[id] = Workout(id: id, date: draft.date, text: draft.text, calories: draft.calories)
      if let person = people[owner] { people[owner]?.lastWorkout = max(person.lastWorkout, id) }
    case .workoutDeleted(let owner, let id):
      people[owner]?.workouts[id] = nil
    case .session(let scene, let id):
      sessions[scene] = id
    }
  }

  // MARK: Rules

  /// The number that stands for somebody who has not signed in.
  public static let nobody = 0

  private func person(_ id: Int) throws -> Person {
    guard let person = people[id] else { throw Self.missing("person \(id)") }
    return person
  }

  private func mayManage(_ id: Int, _ what: String) throws {
    guard people[id].map({ $0.account.role != .user }) == true else {
      throw MinervaError(.appUnauthorized, "only a user manager or an admin may \(what)")
    }
  }

  private func mayMakeAdmin(_ id: Int) throws {
    guard people[id]?.account.role == .admin else {
      throw MinervaError(.appUnauthorized, "only an admin makes an admin")
    }
  }

  private func mayTrain(_ asking: Int, of owner: Int) throws {
    guard asking == owner || people[asking]?.account.role == .admin else {
      throw MinervaError(.appUnauthorized, "only an admin may see or change the workouts of others")
    }
  }

  private func valid(_ email: String, _ calories: Int) throws {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    let domain = parts.count == 2 ? parts[1].split(separator: ".", omittingEmptySubsequences: false) : []
    guard parts.count == 2, !parts[0].isEmpty, domain.count >= 2, domain.allSatisfy({ !$0.isEmpty }),
      email.unicodeScalars.allSatisfy({ !$0.properties.isWhitespace && $0.value >= 0x20 })
    else { throw MinervaError(.appInvalidEmail, "\"\(email)\" is no email address") }
    guard calories >= 1 else { throw MinervaError(.appInvalidValue, "daily calories must be a number from 1") }
  }

  private func free(_ email: String, besides id: Int?) throws {
    if people.values.contains(where: { $0.account.email == email && $0.account.id != id }) {
      throw MinervaError(.appExists, "somebody has the email \(email) already")
    }
  }

  private static func missing(_ what: String) -> MinervaError {
    MinervaError(.appDoesNotExist, "\(what) does not exist")
  }
}

/// The random numbers of the seed (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
