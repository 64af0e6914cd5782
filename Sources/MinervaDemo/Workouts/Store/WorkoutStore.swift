/// Where the Workouts app keeps its data: an actor of this process, or one in a process of its own over the bus.
///
/// Errors are `MinervaError` with the codes `app.unauthorized`, `app.invalid_email`, `app.exists`, `app.does_not_exist`,
/// `app.wrong_credentials` and `app.invalid_value`.
public protocol WorkoutStore: Sendable {
  /// The start of the run; the scene's clock counts from it.
  func start() async throws -> Moment
  /// The person signed in in a scene.
  func session(in scene: String) async throws -> Account?
  func signIn(email: String, password: String) async throws -> Account
  /// All people, by e-mail address.
  func accounts(asking: Int) async throws -> [Account]
  func account(_ id: Int, asking: Int) async throws -> Account
  /// A person's workouts, newest first.
  func workouts(of id: Int, asking: Int) async throws -> [Workout]
  /// Checks and stores a change; returns when it is on disk and everyone who subscribed has heard of it, or had a second for it.
  @discardableResult
  func apply(_ wish: BookWish, asking: Int) async throws -> BookChange
  /// Calls `body` after each change that touches one of the topics, until the task is cancelled.
  func watch(_ topics: [StoreTopic], _ body: @escaping @Sendable () async -> Void) async
}
