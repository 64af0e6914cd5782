import Minerva
import MinervaNavigation
import MinervaWire

/// A coordinator whose module the host does not know by type.
protocol CoordinatorRunning: Sendable {
  /// The author's own.
  var actor: any Actor { get }
  func restore(_ state: [UInt8]) async throws
  func load() async throws
  func container() async throws -> ContainerSpec
  func transitions() async throws -> [NamedTransition]
  func configure(_ input: [UInt8]) async throws
  func handle(_ action: Action) async throws
  func child(_ event: ChildEvent) async throws
  func answer(_ question: String, _ argument: [UInt8]) async throws -> [UInt8]
  func refused(_ refusal: Refusal) async throws
  func timer(_ name: String) async throws
  func lifecycle(_ moment: Lifecycle) async
  func display(_ row: ListDisplay) async throws
  func unload() async
  /// The declared state, `nil` when there is none.
  func state() async throws -> [UInt8]?
  func screen() async throws -> Screen
}

/// A coordinator, seen through its module's types.
struct TypedCoordinator<Running: Coordinator>: CoordinatorRunning {
  private let coordinator: Running
  private let read: @Sendable ([UInt8]) throws -> Running.Subject.Input

  /// - Parameter read: Makes an input from its bytes.
  init(_ coordinator: Running, reading read: @escaping @Sendable ([UInt8]) throws -> Running.Subject.Input) {
    self.coordinator = coordinator
    self.read = read
  }

  var actor: any Actor { coordinator }

  func restore(_ state: [UInt8]) async throws { try await coordinator.restore(state) }
  func load() async throws { try await coordinator.load() }
  func container() async throws -> ContainerSpec { try await coordinator.container().spec }

  func transitions() async throws -> [NamedTransition] {
    try await coordinator.segues().map { NamedTransition(name: $0.name, opening: $0.opening) }
  }

  func configure(_ input: [UInt8]) async throws { try await coordinator.configure(try read(input)) }

  func handle(_ action: Action) async throws { try await coordinator.handle(action) }
  func child(_ event: ChildEvent) async throws { try await coordinator.child(event) }
  func answer(_ question: String, _ argument: [UInt8]) async throws -> [UInt8] { try await coordinator.answer(question, argument) }
  func refused(_ refusal: Refusal) async throws { try await coordinator.refused(refusal) }
  func timer(_ name: String) async throws { try await coordinator.timer(name) }
  func lifecycle(_ moment: Lifecycle) async { await coordinator.lifecycle(moment) }
  func display(_ row: ListDisplay) async throws { try await coordinator.display(row) }
  func unload() async { await coordinator.unload() }
  func state() async throws -> [UInt8]? { try await coordinator.encodedState() }
  func screen() async throws -> Screen { try await coordinator.render() }
}

extension Container {
  /// The container as the broker's core has it.
  var spec: ContainerSpec {
    func start(_ root: Root) -> ModuleStart { ModuleStart(ModuleAddress(name: root.module), input: root.input) }
    switch kind {
    case .none: return .none
    case .tabs(let roots, let selected):
      let place = roots.firstIndex { $0.name == selected } ?? 0
      return .tabs(roots.map { TabSpec(name: $0.name, start: start($0)) }, selected: place)
    case .split(let primary, let detail):
      return .split(primary: start(primary), detail: detail.map(start), collapsed: false)
    }
  }
}

extension Refusal {
  /// An error in the words of a refusal: a `MinervaError` and a `Refusal` as they are, anything else by its type alone under `code`, since
  /// its text may hold what a payload held (P4); the host's log has it.
  init(_ error: any Error, otherwise code: String = "app.failed") {
    switch error {
    case let refusal as Refusal: self = refusal
    case let error as MinervaError:
      self.init(
        code: error.code.rawValue, message: error.message,
        details: error.details.sorted { $0.key < $1.key }.map { Detail(name: $0.key, value: $0.value) })
    case is CancellationError: self.init(code: MinervaError.Code.cancelled.rawValue, message: "the coordinator ended meanwhile")
    default: self.init(code: code, message: "the coordinator threw \(String(reflecting: type(of: error))); its host's log says more")
    }
  }
}
