import Minerva
import MinervaWire

/// The store as an actor of this process: the book in memory, its changes on disk, and those who watch.
public actor LocalStore: WorkoutStore {
  /// Who hears of changes: a closure that returns when it has been heard.
  typealias Watcher = @Sendable ([StoreTopic]) async -> Void

  private var book: WorkoutBook
  private let file: BookFile?
  private let path: String
  private var watchers: [Int: (topics: Set<StoreTopic>, body: Watcher)] = [:]
  private var lastWatcher = 0

  /// Makes a store in memory, seeded.
  public init(start: Moment) {
    book = WorkoutBook(start: start)
    file = nil
    path = ""
  }

  /// Opens the store of a file, or seeds a new one.
  public init(path: String, start: Moment) throws {
    let (file, book) = try BookFile.open(path, start: start)
    self.book = book
    self.file = file
    self.path = path
  }

  public func start() -> Moment { book.start }
  public func session(in scene: String) -> Account? { book.session(in: scene) }
  public func signIn(email: String, password: String) throws -> Account { try book.signIn(email: email, password: password) }
  public func accounts(asking: Int) throws -> [Account] { try book.accounts(asking: asking) }
  public func account(_ id: Int, asking: Int) throws -> Account { try book.account(id, asking: asking) }
  public func workouts(of id: Int, asking: Int) throws -> [Workout] { try book.workouts(of: id, asking: asking) }

  @discardableResult
  public func apply(_ wish: BookWish, asking: Int) async throws -> BookChange {
    let change = try book.change(for: wish, asking: asking)
    try file?.append(change, path)
    book.apply(change)
    await tell(change.topics)
    return change
  }

  public func watch(_ topics: [StoreTopic], _ body: @escaping @Sendable () async -> Void) async {
    let number = add(topics) { _ in await body() }
    let (stream, end) = AsyncStream<Void>.makeStream()
    await withTaskCancellationHandler {
      for await _ in stream {}
    } onCancel: {
      end.finish()
    }
    remove(number)
  }

  /// Adds someone who hears of changes that touch one of the topics.
  func add(_ topics: [StoreTopic], _ body: @escaping Watcher) -> Int {
    lastWatcher += 1
    watchers[lastWatcher] = (Set(topics), body)
    return lastWatcher
  }

  func remove(_ number: Int) {
    watchers[number] = nil
  }

  /// Tells all who watch, and waits until they have heard it, or had a second for it.
  private func tell(_ topics: [StoreTopic]) async {
    let touched = watchers.values.compactMap { watcher in
      let touched = topics.filter(watcher.topics.contains)
      return touched.isEmpty ? nil : (watcher.body, touched)
    }
    guard !touched.isEmpty else { return }
    let (heard, end) = AsyncStream<Void>.makeStream()
    Task {
      await withTaskGroup { group in
        for (body, topics) in touched { group.addTask { await body(topics) } }
      }
      end.finish()
    }
    let timer = Task {
      try? await Task.sleep(for: .seconds(1))
      end.finish()
    }
    for await _ in heard {}
    timer.cancel()
  }
}

extension LocalStore {
  /// How many watch.
  var watcherCount: Int { watchers.count }
}
