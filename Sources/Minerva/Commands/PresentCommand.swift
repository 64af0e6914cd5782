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
/// The presenter is held weakly and asked at each execution (C2).
public struct PresentCommand<Presenter: Module, Presented: Module>: PresentationGate, Sendable {
  /// The name that `execute s NAME` and `commands s` mean.
  public let name: String
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
  public init(
    _ name: String, _ module: Presented.Type, via presentation: Presentation, by presenter: Context<Presenter>, isAllowed: Bool = true
  ) {
    self.name = name
    self.presentation = presentation
    self.presenter = WeakContext(presenter)
    self.isAllowed = isAllowed
  }

  /// Whether the presentation is under way or the presented screen still there.
  public var isExecuting: Bool { presenter.context?.link.isExecuting(name) ?? false }

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
    return try context.open(Presented.self, input, via: presentation, gate: name)
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
