/// Those in this process who watch topics of the store.
actor LocalHub {
  /// Who hears of changes: a closure that returns when it has been heard.
  typealias Watcher = @Sendable ([StoreTopic]) async -> Void

  /// How long those who watch are waited for.
  private let patience: Duration = .seconds(1)
  private var watchers: [Int: (topics: Set<StoreTopic>?, body: Watcher)] = [:]
  private var lastWatcher = 0

  /// How many watch.
  var count: Int { watchers.count }

  /// Adds someone who hears of changes that touch one of the topics, or of all changes.
  func add(_ topics: [StoreTopic]?, _ body: @escaping Watcher) -> Int {
    lastWatcher += 1
    watchers[lastWatcher] = (topics.map { Set($0) }, body)
    return lastWatcher
  }

  func remove(_ number: Int) {
    watchers[number] = nil
  }

  /// Calls `body` after each change that touches one of the topics, until the task is cancelled.
  func watch(_ topics: [StoreTopic], _ body: @escaping @Sendable () async -> Void) async {
    let number = add(topics) { _ in await body() }
    let (stream, end) = AsyncStream<Void>.makeStream()
    await withTaskCancellationHandler {
      for await _ in stream {}
    } onCancel: {
      end.finish()
    }
    remove(number)
  }

  /// Tells everybody, whatever they watch.
  func tellAll() async {
    await tell(Set(watchers.values.flatMap { $0.topics ?? [] }).sorted { "\($0)" < "\($1)" })
  }

  /// Tells all who watch one of the topics, and waits until they have heard it, or had a second for it.
  func tell(_ topics: [StoreTopic]) async {
    let touched = watchers.values.compactMap { watcher -> (Watcher, [StoreTopic])? in
      guard let wanted = watcher.topics else { return (watcher.body, topics) }
      let touched = topics.filter(wanted.contains)
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
    let timer = Task { [patience] in
      try? await Task.sleep(for: patience)
      end.finish()
    }
    for await _ in heard {}
    timer.cancel()
  }
}
