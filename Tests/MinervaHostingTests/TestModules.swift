import Minerva
import MinervaHosting
import MinervaWire

/// The coordinator of the documentation, word for word.
enum Counter: Module {
  struct Input: Codable, Sendable { var start: Int }
  typealias Result = Int
}

actor CounterCoordinator: Coordinator {
  let context: Context<Counter>
  var state: Int

  init(_ input: Counter.Input, _ context: Context<Counter>) {
    self.context = context
    state = input.start
  }

  func handle(_ action: Action) throws {
    switch action {
    case .tap("more"): state += 1
    case .tap("done"): try context.finish(state)
    default: break
    }
  }

  func render() -> Screen {
    Screen("Counter") {
      ListSection("numbers") {
        Label("count", "\(state)")
        Button("more", "One more")
        Button("done", "Done")
      }
    }
  }
}

/// A coordinator that does whatever its test wrote down for a row.
enum Scripted: Module {
  typealias Output = String
  typealias Result = String
}

struct Greeting: Question {
  typealias Answer = String
  var name: String
}

actor ScriptedCoordinator: Coordinator {
  static let hearsLifecycle = true

  struct State: Codable, Sendable {
    var log: [String] = []
  }

  typealias Step = @Sendable (isolated ScriptedCoordinator) async throws -> Void

  let context: Context<Scripted>
  var state = State()
  /// What is not journaled.
  var seen: [String] = []
  private let steps: [String: Step]
  private let onLoad: Step

  init(_ context: Context<Scripted>, _ steps: [String: Step], onLoad: @escaping Step = { _ in }) {
    self.context = context
    self.steps = steps
    self.onLoad = onLoad
  }

  func note(_ text: String) { state.log.append(text) }

  func load() async throws { try await onLoad(self) }

  func handle(_ action: Action) async throws {
    if case .tap(let row) = action, let step = steps[row] { try await step(self) }
  }

  func child(_ event: ChildEvent) async throws {
    if let number = try event.result(of: Counter.self) { note("result \(number)") } else { note("child \(event.child) \(event.kind)") }
  }

  func answer(_ asked: inout Asked) throws {
    try asked.reply(to: Greeting.self) { "hello \($0.name)" }
  }

  func refused(_ refusal: Refusal) { note("refused \(refusal.code)") }
  func lifecycle(_ moment: Lifecycle) { note(moment.rawValue) }
  func timer(_ name: String) { note("timer \(name)") }
  func unload() async { try? await steps["unload"]?(self) }

  func render() -> Screen {
    Screen("Scripted") {
      ListSection("steps", cells: steps.keys.sorted().map { Button($0, $0) })
      ListSection("log", cells: state.log.enumerated().map { Label("l\($0.offset)", $0.element) })
    }
  }
}

extension ModuleOffer {
  static func scripted(_ steps: [String: ScriptedCoordinator.Step], onLoad: @escaping ScriptedCoordinator.Step = { _ in }) -> ModuleOffer {
    ModuleOffer { _, context in ScriptedCoordinator(context, steps, onLoad: onLoad) }
  }

  static let counter = ModuleOffer(CounterCoordinator.init)
}
