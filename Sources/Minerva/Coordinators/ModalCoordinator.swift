public import MinervaNavigation

/// A ready coordinator for a layer of its own: a title, a button that closes it, and one module inside, with whose result it ends (K6).
///
/// The module it stands behind declares the slot `content`. At which heights the layer rests is said by whoever presents it:
///
/// ```swift
/// enum Picking: Module {
///   typealias Result = Colour
///   static let slots = ["content"]
/// }
///
/// ModuleOffer { _, context in ModalCoordinator(context, "Pick a colour", ColourPicker.self, .init(), vetoes: .dismiss) }
/// // at the presenter
/// try context.present(Picking.self, .init(), style: .sheet(detents: [.medium, .large]))
/// ```
public actor ModalCoordinator<Subject: Module, Content: Module>: Coordinator where Subject.Result == Content.Result {
  public nonisolated let context: Context<Subject>
  private let title: String
  private let input: Content.Input
  private let vetoes: Vetoes

  /// Makes a modal coordinator.
  ///
  /// - Parameters:
  ///   - context: The context that the host gives it.
  ///   - title: What its screen is called.
  ///   - content: The module inside.
  ///   - input: What that is opened with.
  ///   - vetoes: The gestures that do not take the layer away; the button and requests always do.
  public init(_ context: Context<Subject>, _ title: String, _ content: Content.Type, _ input: Content.Input, vetoes: Vetoes = []) {
    self.context = context
    self.title = title
    self.input = input
    self.vetoes = vetoes
  }

  /// It has shown its content before; a coordinator that is made again finds it in its slot.
  public struct State: Codable, Sendable {
    var hasContent = false
  }

  public var state = State()

  public func load() throws {
    if vetoes != [] { try context.veto(vetoes) }
    guard !state.hasContent else { return }
    state.hasContent = true
    try context.open(Content.self, input, via: .embed("content"))
  }

  public func handle(_ action: Action) throws {
    if action == .tap("close") { try context.cancel() }
  }

  public func child(_ event: ChildEvent) throws {
    guard event.module == Content.name, case .ended = event.kind else { return }
    if let result = try event.result(of: Content.self) { try context.finish(result) } else { try context.cancel() }
  }

  public func render() -> Screen { Screen(title, buttons: [BarButton("close", "Close", side: .left)]) }
}
