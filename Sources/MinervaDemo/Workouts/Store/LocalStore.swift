import Minerva
import MinervaWire

/// The store as an actor of this process: the book in memory, its changes on disk, and those who watch.
public actor LocalStore: WorkoutStore {
  private var book: WorkoutBook
  private let file: BookFile?
  private let path: String
  private let hub = LocalHub()
  /// The changes of the last keyed wishes, so that a wish that is asked again is granted once.
  private var granted: [String: BookChange]
  private var keys: [String]

  /// Makes a store in memory, seeded.
  public init(start: Moment) {
    book = WorkoutBook(start: start)
    file = nil
    path = ""
    (granted, keys) = ([:], [])
  }

  /// Opens the store of a file, or seeds a new one.
  public init(path: String, start: Moment) throws {
    let opened = try BookFile.open(path, start: start)
    book = opened.book
    file = opened.file
    self.path = path
    granted = Dictionary(opened.granted, uniquingKeysWith: { $1 })
    keys = opened.granted.map(\.0)
  }

  public func start() -> Moment { book.start }
  public func session(in scene: String) -> Account? { book.session(in: scene) }
  public func signIn(email: String, password: String) throws -> Account { try book.signIn(email: email, password: password) }
  public func accounts(asking: Int) throws -> [Account] { try book.accounts(asking: asking) }
  public func account(_ id: Int, asking: Int) throws -> Account { try book.account(id, asking: asking) }
  public func workouts(of id: Int, asking: Int) throws -> [Workout] { try book.workouts(of: id, asking: asking) }

  @discardableResult
  public func apply(_ wish: BookWish, asking: Int) async throws -> BookChange {
    try await apply(wish, asking: asking, key: nil)
  }

  /// Grants a wish once for its key.
  func apply(_ wish: BookWish, asking: Int, key: String?) async throws -> BookChange {
    if let key, let change = granted[key] { return change }
    let change = try book.change(for: wish, asking: asking)
    try file?.append(BookFile.Line(key: key, change: change), path)
    book.apply(change)
    if let key { remember(key, change) }
    if !change.topics.isEmpty { await hub.tell(change.topics) }
    return change
  }

  private func remember(_ key: String, _ change: BookChange) {
    granted[key] = change
    keys.append(key)
    guard keys.count > 2_048 else { return }
    for old in keys.prefix(1_024) { granted[old] = nil }
    keys.removeFirst(1_024)
  }

  public func watch(_ topics: [StoreTopic], _ body: @escaping @Sendable () async -> Void) async {
    await hub.watch(topics, body)
  }

  /// Adds someone who hears of every change.
  func add(_ body: @escaping LocalHub.Watcher) async -> Int { await hub.add(nil, body) }
  func remove(_ number: Int) async { await hub.remove(number) }

  /// How many watch.
  var watcherCount: Int { get async { await hub.count } }
}
