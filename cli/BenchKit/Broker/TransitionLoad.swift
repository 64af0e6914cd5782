import LoadKit
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaNavigation
import MinervaTransport
import MinervaWire

/// Callers that push and pop screens, each waiting for its answer before its next request, and models that hear every answer.
///
/// A lane pops only after a push of its own was answered, so there is always a screen to pop and every transition changes something.
struct TransitionLoad: Sendable {
  /// What is asked for.
  struct Settings: Hashable, Sendable {
    var scenes: Int
    var inFlight: Int
    var isHosted: Bool
    var inputBytes = 64
    /// How long one request may take.
    var patience: Duration = .seconds(30)

    init(scenes: Int, inFlight: Int, isHosted: Bool) {
      self.scenes = scenes
      self.inFlight = inFlight
      self.isHosted = isHosted
    }
  }

  /// What a stretch of load gave.
  struct Stretch: Sendable {
    var seconds = 0.0
    var latencies = LatencyHistogram()
    var perSecond: Double { seconds > 0 ? Double(latencies.count) / seconds : 0 }
  }

  /// When a stretch ends.
  enum End: Sendable {
    case after(Duration)
    /// After so many transitions, give or take what is in flight; the last lane fills up to exactly this number.
    case count(Int)
  }

  let settings: Settings
  private let client: Client
  private var lanes: [Lane]
  private var models: [SceneModel]

  /// - Parameter models: What the scenes are already; without them none is open.
  init(client: Client, settings: Settings, models: [SceneModel]? = nil) {
    self.client = client
    self.settings = settings
    self.models = models ?? Array(repeating: SceneModel(), count: settings.scenes)
    lanes = (0..<settings.inFlight).map { Lane(number: $0, of: settings.inFlight, scenes: settings.scenes) }
  }

  static func address(_ scene: Int) -> SceneAddress { SceneAddress(name: "scene-\(scene)", app: PageHost.app) }

  /// One caller.
  private struct Lane: Sendable {
    let number: Int
    /// The scenes it works on, one after another.
    let scenes: [Int]
    var place = 0
    var isOpen = false
    var made: UInt64 = 0

    init(number: Int, of inFlight: Int, scenes count: Int) {
      self.number = number
      scenes = inFlight >= count ? [number % count] : Array(stride(from: number, to: count, by: inFlight))
    }

    /// A number that no other push of the bench has.
    mutating func nextInput() -> UInt64 {
      made += 1
      return UInt64(number) << 40 | made
    }
  }

  /// What a lane has seen in one stretch.
  private struct Log: Sendable {
    var lane: Lane
    var steps: [(scene: Int, step: SceneModel.Step)] = []
    var latencies = LatencyHistogram()
  }

  // MARK: Load

  /// Opens the first screen of every scene.
  mutating func begin() async throws {
    let (client, settings) = (client, settings)
    let scenes = models.count
    let width = min(64, scenes)
    let opened = try await withThrowingTaskGroup(of: [(Int, SceneModel.Step)].self) { group in
      for first in 0..<width {
        group.addTask(executorPreference: client.bus.taskExecutor) {
          var steps: [(Int, SceneModel.Step)] = []
          for scene in stride(from: first, to: scenes, by: width) {
            let kind = SceneModel.Step.Kind.push(UInt64(scene))
            steps.append((scene, try await Self.make(kind, in: Self.address(scene), client, settings)))
          }
          return steps
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    for (scene, step) in opened { models[scene].note(step) }
  }

  /// Runs all lanes until the end, and notes what was answered.
  ///
  /// - Throws: The first refusal or ``SceneModel/Fault``; a cancellation.
  mutating func run(_ end: End) async throws -> Stretch {
    let (client, settings, count) = (client, settings, lanes.count)
    let clock = ContinuousClock()
    let start = clock.now
    let until: ContinuousClock.Instant? = if case .after(let duration) = end { start + duration } else { nil }
    let logs = try await withThrowingTaskGroup(of: Log.self) { group in
      for lane in lanes {
        let share: Int? = if case .count(let wanted) = end { wanted / count + (lane.number < wanted % count ? 1 : 0) } else { nil }
        group.addTask(executorPreference: client.bus.taskExecutor) {
          try await Self.run(lane, until: until, share: share, client, settings)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let elapsed = clock.now - start
    var stretch = Stretch()
    stretch.seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    for log in logs {
      lanes[log.lane.number] = log.lane
      for (scene, step) in log.steps { models[scene].note(step) }
      stretch.latencies.merge(log.latencies)
    }
    return stretch
  }

  private static func run(
    _ lane: Lane, until: ContinuousClock.Instant?, share: Int?, _ client: Client, _ settings: Settings
  ) async throws -> Log {
    let clock = ContinuousClock()
    var log = Log(lane: lane)
    var now = clock.now
    while until.map({ now < $0 }) ?? (log.latencies.count < share ?? 0) {
      let scene = log.lane.scenes[log.lane.place]
      let kind: SceneModel.Step.Kind = log.lane.isOpen ? .pop : .push(log.lane.nextInput())
      let step = try await make(kind, in: address(scene), client, settings)
      let after = clock.now
      log.latencies.add(Int((after - now).components.attoseconds / 1_000_000_000_000 + (after - now).components.seconds * 1_000_000))
      now = after
      log.steps.append((scene, step))
      log.lane.isOpen.toggle()
      if !log.lane.isOpen { log.lane.place = (log.lane.place + 1) % log.lane.scenes.count }
    }
    return log
  }

  /// Makes one transition and reads its answer.
  private static func make(
    _ kind: SceneModel.Step.Kind, in scene: SceneAddress, _ client: Client, _ settings: Settings
  ) async throws -> SceneModel.Step {
    try Task.checkCancellation()
    let action = action(kind, isHosted: settings.isHosted, inputBytes: settings.inputBytes)
    return try SceneModel.Step(kind, try await client.request(action, in: scene, within: settings.patience))
  }

  /// What is asked for to make a transition.
  static func action(_ kind: SceneModel.Step.Kind, isHosted: Bool, inputBytes: Int = 64) -> Command.Action {
    switch kind {
    case .push(let number):
      .open(Command.Opening(ModuleAddress(name: Page.name), input: Page.input(number, bytes: inputBytes), unhosted: !isHosted))
    case .pop: .back(count: 1, in: nil)
    }
  }

  // MARK: Checking

  /// The scene that a lane alone works on, and its last record.
  func lastRecord(of scene: Int) -> UInt64 { models[scene].lastRecord }

  /// Replays what was answered and compares the scenes with it.
  ///
  /// - Parameters:
  ///   - client: Who looks; another than the one that made the load after a restart.
  ///   - step: How many scenes one stands for: looking at each of many would take longer than all the rest.
  /// - Throws: ``SceneModel/Fault`` with the scene's name.
  mutating func check(by client: Client? = nil, every step: Int = 1) async throws {
    let client = client ?? self.client
    for scene in stride(from: 0, to: models.count, by: step) {
      let address = Self.address(scene)
      do {
        // A hosted push has records of its own beside the request's.
        try models[scene].settle(isGapless: !settings.isHosted)
        let snapshot = try await client.snapshot(of: address, within: settings.patience)
        let bytes = settings.inputBytes
        try models[scene].check(snapshot.tree, module: Page.name) { Page.input($0, bytes: bytes) }
        if !settings.isHosted, snapshot.record != models[scene].seq {
          throw SceneModel.Fault(description: "the broker is at #\(snapshot.record), the last answer was #\(models[scene].seq)")
        }
      } catch let fault as SceneModel.Fault {
        throw SceneModel.Fault(description: "\(address.name): \(fault.description)")
      }
    }
  }
}
