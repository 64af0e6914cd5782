import MinervaInterfaces
import MinervaNavigation
import MinervaTransport
import Synchronization

/// What a host knows of one life of a coordinator, from its making until nothing of it is left (K4): it holds the scope of its tasks,
/// and never the coordinator.
final class CoordinatorAccount: Sendable {
  private struct State {
    var tasks: [UInt64: (task: Task<Void, Never>, place: String, since: Int64)] = [:]
    var lastTask: UInt64 = 0
    var handler: (message: UInt32?, since: Int64)?
    var isMaking = true
    var isUnloading = false
    var ended: Int64?
    weak var coordinator: (any Actor)?
  }

  let scene: SceneIdentity
  let screen: ScreenID
  let module: String
  let lease: UInt32
  let parent: ScreenID?
  private let made = MonotonicTime.milliseconds
  private let state = Mutex(State())

  init(scene: SceneIdentity, screen: ScreenID, module: String, lease: UInt32, parent: ScreenID?) {
    self.scene = scene
    self.screen = screen
    self.module = module
    self.lease = lease
    self.parent = parent
  }

  /// Notes the author's actor.
  func belongs(to coordinator: any Actor) { state.withLock { $0.coordinator = coordinator } }

  /// The coordinator has been made, or it has come to nothing.
  func isMade() { state.withLock { $0.isMaking = false } }

  /// A handler of the author's begins, or goes on.
  func handles(_ message: UInt32?) { state.withLock { $0.handler = (message, MonotonicTime.milliseconds) } }

  /// No handler runs.
  func rests() { state.withLock { $0.handler = nil } }

  func unloads(_ isUnloading: Bool) { state.withLock { $0.isUnloading = isUnloading } }

  /// Starts a task in the coordinator's scope; none after its end (K2).
  func start(at place: String, _ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard state.ended == nil else { return }
      state.lastTask += 1
      let number = state.lastTask
      // It is no part of the run that starts it: what it awaits holds nobody up.
      let task = Mailbox.$currentRun.withValue(nil) {
        Task { [self] in
          await body()
          forget(number)
        }
      }
      state.tasks[number] = (task, place, MonotonicTime.milliseconds)
    }
  }

  private func forget(_ number: UInt64) { state.withLock { _ = $0.tasks.removeValue(forKey: number) } }

  /// The coordinator is over: its tasks are cancelled (K2).
  func end() {
    state.withLock { state in
      state.ended = state.ended ?? MonotonicTime.milliseconds
      for entry in state.tasks.values { entry.task.cancel() }
    }
  }

  /// Whether it is over and nothing of it is left.
  var isClosed: Bool { state.withLock { Self.isClosed($0) } }

  private static func isClosed(_ state: State) -> Bool {
    state.ended != nil && state.tasks.isEmpty && state.handler == nil && remains(of: state) == nil
  }

  private static func remains(of state: State) -> HostInspection.Remains? {
    if state.isMaking { return .making }
    if state.isUnloading { return .unloading }
    return state.coordinator == nil ? nil : .held
  }

  /// What is to be said of it now; `nil` when nothing is left.
  func report() -> HostInspection.Coordinator? {
    let now = MonotonicTime.milliseconds
    return state.withLock { state in
      if Self.isClosed(state) { return nil }
      return HostInspection.Coordinator(
        scene: scene, screen: screen, module: module, lease: lease, parent: parent, age: Int(now - made),
        ended: state.ended.map { Int(now - $0) },
        handler: state.handler.map { HostInspection.Handler(message: $0.message, age: Int(now - $0.since)) },
        tasks: state.tasks.sorted { $0.key < $1.key }.map { HostInspection.Task(place: $0.value.place, age: Int(now - $0.value.since)) },
        remains: state.ended == nil ? nil : Self.remains(of: state))
    }
  }
}
