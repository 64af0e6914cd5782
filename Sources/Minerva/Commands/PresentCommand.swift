import MinervaNavigation
import MinervaWire

/// Something with a name that may or may not run now.
public protocol PresentationGate {
  var name: String { get }
  var isEnabled: Bool { get }
  var isExecuting: Bool { get }
}

/// A command that presents a module and is disabled from then until the presented screen is gone, or did not come to be (C1).
///
/// ```swift
/// lazy var edit = PresentCommand("edit", EditWorkout.self, via: .modal(.sheet), by: context)
/// // in handle(_:)
/// case .tap("edit"): try edit.execute(.init(workoutID: 5))
/// // in render()
/// Button(edit, "Edit")
/// ```
///
/// The presenter is held weakly and asked at each execution (C2). While it is under way the broker refuses it everywhere, also to a later
/// life of its coordinator in another host. Commands that must exclude each other share a gate (C4):
///
/// ```swift
/// PresentCommand("accept", Accept.self, via: .modal(.sheet), by: context, sharing: "answer")
/// PresentCommand("decline", Decline.self, via: .modal(.sheet), by: context, sharing: "answer")
/// ```
public struct PresentCommand<Presenter: Module, Presented: Module>: PresentationGate, Sendable {
  /// The name that `execute s NAME` and `commands s` mean.
  public let name: String
  /// What is taken while it is under way: its own name, or what it shares with others.
  private let gate: String
  private let presentation: Presentation
  private let isAllowed: Bool
  private let presenter: WeakContext<Presenter>

  /// Makes a command.
  ///
  /// - Parameters:
  ///   - name: What `execute s NAME` means.
  ///   - module: The module that is presented.
  ///   - presentation: Where it goes.
  ///   - presenter: Who presents it; held weakly.
  ///   - isAllowed: Set to `false` for a command that is disabled for a reason of its own.
  ///   - gate: What it shares with other commands of the same coordinator: of all that share it one is under way at a time (C4).
  public init(
    _ name: String, _ module: Presented.Type, via presentation: Presentation, by presenter: Context<Presenter>, isAllowed: Bool = true,
    sharing gate: String? = nil
  ) {
    self.name = name
    self.gate = gate ?? name
    self.presentation = presentation
    self.presenter = WeakContext(presenter)
    self.isAllowed = isAllowed
  }

  /// Whether the presentation, or that of a command with the same gate, is under way or the presented screen still there.
  public var isExecuting: Bool { presenter.context?.link.isExecuting(gate) ?? false }

  public var isEnabled: Bool { isAllowed && !isExecuting }

  /// Presents the module.
  /// - Throws: `command.disabled` when it is disabled or busy, `command.no_presenter` when its presenter is gone; nothing is done then.
  @discardableResult
  public func execute(_ input: Presented.Input) throws -> Opening<Presented> {
    guard let context = presenter.context else {
      throw MinervaError(.commandNoPresenter, "nobody is there to present \(Presented.name)")
    }
    guard isEnabled else {
      throw MinervaError(.commandDisabled, "\(name) cannot run now: \(isAllowed ? "\(Presented.name) is still open" : "it is disabled")")
    }
    return try context.open(Presented.self, input, via: presentation, gate: gate)
  }
}

/// A context that does not keep its coordinator's side alive.
private final class WeakContext<Subject: Module>: Sendable {
  private weak let held: Context<Subject>?

  init(_ context: Context<Subject>) {
    held = context
  }

  var context: Context<Subject>? { held }
}
