public import MinervaNavigation
import MinervaWire

/// The actor behind an open module: it hears what happens on its screen, and decides what follows.
///
/// A coordinator handles one message at a time. What it asks for in a handler (screens, outputs, its own end) and its `state` are
/// journaled as one record when the handler returns, and none of it takes effect before: after a crash a message is either
/// handled as if for the first time, or not again (K3).
///
/// ```
///   open ──▶ init ──▶ load ──▶ render ─────────────┐
///                                                   ▼
///   a person ──▶ handle(_ action:) ──┐      the screen, the tree
///   a child  ──▶ child(_ event:) ────┼──▶ turn ──▶ one record ──▶ render
///   its opener ─▶ configure(_ input:)┤
///   the clock ──▶ timer(_ name:) ────┘
/// ```
///
/// The whole of a small one:
///
/// ```swift
/// enum Counter: Module {
///   struct Input: Codable, Sendable { var start: Int }
///   typealias Result = Int
/// }
///
/// actor CounterCoordinator: Coordinator {
///   let context: Context<Counter>
///   var state: Int
///
///   init(_ input: Counter.Input, _ context: Context<Counter>) {
///     self.context = context
///     state = input.start
///   }
///
///   func handle(_ action: Action) throws {
///     switch action {
///     case .tap("more"): state += 1
///     case .tap("done"): try context.finish(state)
///     default: break
///     }
///   }
///
///   func render() -> Screen {
///     Screen("Counter") {
///       ListSection("numbers") {
///         Label("count", "\(state)")
///         Button("more", "One more")
///         Button("done", "Done")
///       }
///     }
///   }
/// }
/// ```
public protocol Coordinator: Actor {
  /// The module it stands behind.
  associatedtype Subject: Module
  /// What must survive the process: declared as `state`, journaled with each turn, given back when another host resumes the screen.
  associatedtype State: Codable & Sendable = NoState

  /// Whether it is told when its screen appears and disappears; without it `lifecycle` is never called.
  static var hearsLifecycle: Bool { get }

  /// Its way to the broker: navigation, outputs, its own end, the time.
  nonisolated var context: Context<Subject> { get }
  /// What must survive the process. A coordinator without one is rebuilt from its input.
  var state: State { get set }

  /// Prepares the screen before it is presented; one that throws is never on the tree (`module.factory_failed`).
  ///
  /// It runs again after a resume, with `state` already given back.
  func load() async throws
  /// Takes one more input.
  func configure(_ input: Subject.Input) async throws
  /// Acts on what a person did; an error that it throws is the answer to that person.
  func handle(_ action: Action) async throws
  /// Acts on an output or the end of a module that it opened.
  func child(_ event: ChildEvent) async throws
  /// Answers a question of another coordinator (K7); one that is not answered here is refused with `module.no_answer`.
  func answer(_ asked: inout Asked) throws
  /// Hears that something it asked for, and did not wait for, was not done; also its own end, after which it goes on (N15).
  func refused(_ refusal: Refusal) async throws
  /// Acts when the time has come that it asked for with ``Context/wake(after:as:)``.
  func timer(_ name: String) async throws
  /// Hears that its screen appears or disappears, in order; not awaited by anyone (K5).
  func lifecycle(_ moment: Lifecycle) async
  /// Hears that a row of a displayable cell comes into view or leaves it, in a turn of its own.
  func display(_ row: ListDisplay) async throws
  /// Hears that it is over; its tasks are cancelled next (K2).
  func unload() async
  /// The stacks its screen holds; asked once, after `load`.
  func container() throws -> Container
  /// The named transitions that `go NAME` takes from its screen; asked once, after `load`.
  func segues() throws -> [Segue]
  /// What its screen shows now; asked after each turn.
  func render() throws -> Screen
}

/// What a coordinator does that does not say otherwise: nothing.
///
/// None is `async`: a call from asynchronous code would otherwise prefer the default to a coordinator's own synchronous method.
extension Coordinator {
  public static var hearsLifecycle: Bool { false }
  public func segues() throws -> [Segue] { [] }
  public func load() throws {}
  public func configure(_ input: Subject.Input) throws {}
  public func handle(_ action: Action) throws {}
  public func child(_ event: ChildEvent) throws {}
  public func answer(_ asked: inout Asked) throws {}
  public func refused(_ refusal: Refusal) throws {}
  public func timer(_ name: String) {}
  public func lifecycle(_ moment: Lifecycle) {}
  public func display(_ row: ListDisplay) throws {}
  public func unload() {}
  public func container() throws -> Container { .none }
  public func render() throws -> Screen { .none }
}

extension Coordinator where State == NoState {
  public var state: NoState {
    get { NoState() }
    set {}
  }
}

extension Coordinator {
  /// The declared state as it goes into the turn's record, `nil` when none is declared.
  package func encodedState() throws -> [UInt8]? {
    State.self == NoState.self ? nil : try Payload.encode(state)
  }

  /// Gives the declared state back after a resume.
  package func restore(_ bytes: [UInt8]) throws {
    guard State.self != NoState.self else { return }
    state = try Payload.decode(State.self, from: bytes, as: "\(Subject.name).state", code: .inputInvalid)
  }

  /// The answer to a question, as bytes.
  package func answer(_ name: String, _ argument: [UInt8]) throws -> [UInt8] {
    var asked = Asked(name: name, argument: argument)
    try answer(&asked)
    guard let answer = asked.answer else {
      throw MinervaError(.moduleNoAnswer, "\(Subject.name) does not answer \"\(name)\"")
    }
    return answer
  }
}
