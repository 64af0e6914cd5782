public import MinervaInterfaces
import MinervaActors
import MinervaProtocol
import MinervaTransport
import MinervaWire

/// What a watcher of a scene sees: snapshots to start from, then every event once and in order.
public enum SceneUpdate: Sendable {
  /// The scene as it stands: forget what was known. Comes first, and again after whatever was missed.
  case snapshot(SceneSnapshot)
  case event(SceneEvent)
}

extension Client {
  /// Watches a scene from now on.
  ///
  /// Events are numbered; a gap, a restart of the broker or a silent publisher is answered with a fresh snapshot, so what is shown is never
  /// presented as complete when it is not (C06). The same for a consumer that does not keep up: at most 4,096 updates wait for it, and behind
  /// them comes a snapshot. The stream ends when the client closes or the reading task is cancelled.
  public func watch(_ scene: SceneAddress = SceneAddress()) async throws -> AsyncStream<SceneUpdate> {
    let frames = try await frames(topics: [SceneEvent.topic(of: scene.name)])
    let (stream, continuation) = AsyncStream.makeStream(of: SceneUpdate.self, bufferingPolicy: .bufferingOldest(4_096))
    let watcher = SceneWatcher(client: self, scene: scene, continuation: continuation)
    let reading = Task { await watcher.run(frames) }
    continuation.onTermination = { _ in reading.cancel() }
    return stream
  }

  /// Events of processes: hosts and workers that join, are lost, come back. A gap is visible by the numbers alone.
  public func processEvents() async throws -> AsyncStream<SceneEvent> {
    let frames = try await frames(topics: [SceneEvent.topic(of: SceneEvent.processes)])
    let (stream, continuation) = AsyncStream.makeStream(of: SceneEvent.self, bufferingPolicy: .bufferingNewest(4_096))
    let reading = Task {
      for await frame in frames { if let event = try? CBOR.decode(SceneEvent.self, from: frame.body) { continuation.yield(event) } }
      continuation.finish()
    }
    continuation.onTermination = { _ in reading.cancel() }
    return stream
  }

  private func frames(topics: [String]) async throws -> AsyncStream<PublishedFrame> {
    let published = try await status().events.compactMap { try? Endpoint($0) }
    if let endpoint = published.first(where: isReachable) { return try await bus.subscribe(to: endpoint, topics: topics) }
    // A key narrowed to apps or scenes may read no event socket: what it may hear comes over its own link.
    return try await bus.subscribe(at: broker, topics: topics)
  }

  /// Events come the way the calls go: over a socket file when that is how the broker was dialled, else over tcp.
  private func isReachable(_ endpoint: Endpoint) -> Bool {
    switch (endpoint, self.endpoint) {
    case (.ipc, .ipc), (.inProcess, .inProcess), (.tcp, .tcp): true
    default: false
    }
  }
}

/// Reads one scene's events and asks for snapshots where some were missed.
actor SceneWatcher {
  private let client: Client
  private let scene: SceneAddress
  private let continuation: AsyncStream<SceneUpdate>.Continuation
  private var machine = SubscriberStateMachine<SceneEvent>(settings: SceneWatcher.settings)
  private var snapshot: SceneSnapshot?
  private var fetching: Task<Void, Never>?
  /// Brings the consumer a snapshot once it has made room, while what came after the last update it got is missing.
  private var recovery: Task<Void, Never>?
  /// How many events have come.
  private var taken: UInt64 = 0

  /// A scene may rest for hours: only a lost connection makes the view doubtful, not silence.
  private static var settings: SubscriberStateMachine<SceneEvent>.Settings {
    var settings = SubscriberStateMachine<SceneEvent>.Settings()
    settings.silence = .max / 4
    settings.snapshotTimeout = 6_000
    return settings
  }

  init(client: Client, scene: SceneAddress, continuation: AsyncStream<SceneUpdate>.Continuation) {
    self.client = client
    self.scene = scene
    self.continuation = continuation
  }

  private var now: Moment { Moment(milliseconds: MonotonicTime.milliseconds) }

  /// Reads until the frames end or the task is cancelled.
  func run(_ frames: AsyncStream<PublishedFrame>) async {
    let notices = await client.notices()
    let listening = Task {
      for await notice in notices where notice == .brokerBack { self.perform(self.machine.connectionLost(at: self.now)) }
    }
    let checking = Task { await self.check() }
    perform(machine.start(at: now))
    for await frame in frames {
      guard let event = try? CBOR.decode(SceneEvent.self, from: frame.body), event.scene == scene.name, !client.losses.take(event) else {
        continue
      }
      taken += 1
      perform(machine.event(event, number: event.number, publisher: event.epoch, at: now))
    }
    listening.cancel()
    checking.cancel()
    fetching?.cancel()
    recovery?.cancel()
    continuation.finish()
  }

  /// Compares with the broker when nothing has come for a while, ever more rarely as long as nothing comes.
  ///
  /// A gap shows by the event behind it; events lost behind the last one taken would show by nothing (C06).
  private func check() async {
    var backoff = Backoff(first: 1_000, cap: 30_000)
    var random = SystemRandomNumberGenerator()
    while !Task.isCancelled {
      let before = taken
      try? await ContinuousClock().sleep(for: .milliseconds(backoff.next(using: &random)))
      guard taken == before else {
        backoff.reset()
        continue
      }
      guard machine.isComplete, let snapshot = try? await client.snapshot(of: scene) else { continue }
      guard snapshot.epoch != self.snapshot?.epoch || snapshot.event > machine.lastApplied ?? .max else { continue }
      // What was published just now may still be on its way, beside the answer.
      try? await ContinuousClock().sleep(for: .milliseconds(300))
      guard taken == before else { continue }
      perform(machine.watermark(snapshot.event, publisher: snapshot.epoch, at: now))
    }
  }

  private func perform(_ actions: [SubscriberStateMachine<SceneEvent>.Action]) {
    for action in actions {
      switch action {
      case .requestSnapshot(let request): fetch(request)
      case .reset: if let snapshot { give(.snapshot(snapshot)) }
      case .apply(let event, _): if recovery == nil { give(.event(event)) }
      case .incomplete, .complete: break
      }
    }
  }

  /// Hands an update to the consumer. One that finds no room is missing, and so is what follows it, until there is room for a snapshot.
  private func give(_ update: SceneUpdate) {
    switch continuation.yield(update) {
    case .dropped:
      guard recovery == nil else { return }
      recovery = Task {
        var backoff = Backoff(first: 50, cap: 2_000)
        var random = SystemRandomNumberGenerator()
        while !Task.isCancelled, self.recovery != nil {
          try? await ContinuousClock().sleep(for: .milliseconds(backoff.next(using: &random)))
          if self.recovery != nil { self.perform(self.machine.connectionLost(at: self.now)) }
        }
      }
    default:
      guard case .snapshot = update else { return }
      recovery?.cancel()
      recovery = nil
    }
  }

  /// Asks for a snapshot until one comes: while the broker is away there is nothing to show. A refusal that stays ends the stream.
  private func fetch(_ request: UInt64) {
    fetching?.cancel()
    fetching = Task {
      var backoff = Backoff(first: 50, cap: 1_000)
      var random = SystemRandomNumberGenerator()
      while !Task.isCancelled {
        do {
          let snapshot = try await self.client.snapshot(of: self.scene)
          self.snapshot = snapshot
          return self.perform(self.machine.snapshot(request, through: snapshot.event, publisher: snapshot.epoch, at: self.now))
        } catch {
          // A newer question has taken the place of this one: that is no end of watching.
          guard !Task.isCancelled else { return }
          if let error = error as? MinervaError, !error.retryable, error.code != .deadline { return self.continuation.finish() }
          try? await ContinuousClock().sleep(for: .milliseconds(backoff.next(using: &random)))
        }
      }
    }
  }
}
