import Minerva
import MinervaWire
import Synchronization

/// A coordinator's link that notes what is asked for.
final class RecordingLink: CoordinatorLink {
  private struct State {
    var requests: [Command.Action] = []
    var outputs: [String] = []
    var ending = ModuleEnding.none
    var last: UInt64 = 0
    var tasks: [Task<Void, Never>] = []
    var now = SceneTime.zero
  }

  private let state = Mutex(State())
  let screen = ScreenID(1)
  let scene = "main"

  deinit {
    for task in state.withLock({ $0.tasks }) { task.cancel() }
  }

  var now: SceneTime {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }

  var outputs: [String] { state.withLock { $0.outputs } }
  var ending: ModuleEnding { state.withLock { $0.ending } }

  /// The requests since the last look, as `open EditWorkout modal` or `dismiss s4`.
  func asked() -> [String] {
    let requests = state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
    return requests.map { request in
      switch request {
      case .open(let opening): "open \(opening.module) \(opening.via)"
      case .dismiss(let ref?): "dismiss \(ref)"
      case .close(let refs): "close \(refs.map(\.description).joined(separator: " "))"
      default: request.verb
      }
    }
  }

  /// The input of the last request to open something.
  func lastInput() -> String? {
    state.withLock { state in
      for case .open(let opening) in state.requests.reversed() { return String(decoding: opening.input, as: UTF8.self) }
      return nil
    }
  }

  func request(_ action: Command.Action, policy: Policy, gate: String?) throws -> RequestToken {
    state.withLock { state in
      state.requests.append(action)
      state.last += 1
      return RequestToken(number: state.last)
    }
  }

  func tell(_ output: [UInt8]) throws { state.withLock { $0.outputs.append(String(decoding: output, as: UTF8.self)) } }
  func end(_ ending: ModuleEnding) throws { state.withLock { $0.ending = ending } }
  func veto(_ gestures: Vetoes) throws {}
  func wake(_ name: String, after milliseconds: UInt64?) throws {}
  func isExecuting(_ gate: String) -> Bool { false }
  func screen(of token: RequestToken) async throws -> ScreenID { throw CancellationError() }
  func ending(of token: RequestToken) async throws -> ChildEnding { throw CancellationError() }
  func ask(_ question: String, _ argument: [UInt8], of screen: ScreenID) async throws -> [UInt8] { throw CancellationError() }

  func children() async throws -> [ScreenID] { [] }

  func task(at place: String, _ body: @escaping @Sendable () async -> Void) {
    let task = Task { await body() }
    state.withLock { $0.tasks.append(task) }
  }

  func perform(_ body: @escaping @Sendable () async throws -> Void) async {
    try? await body()
  }
}
