/// A ready coordinator whose screen is a primary and a detail stack side by side (K6).
///
/// What stands in it shows details with `context.showDetail(…)`, joins the two with `collapse` and takes them apart with `expand`.
public actor SplitCoordinator<Subject: Module>: Coordinator {
  public nonisolated let context: Context<Subject>
  private let title: String
  private let primary: Container.Root
  private let detail: Container.Root?
  private let hears: @Sendable (ChildEvent, Context<Subject>) throws -> Void

  /// Makes a split coordinator.
  ///
  /// - Parameters:
  ///   - context: The context that the host gives it.
  ///   - title: What its screen is called.
  ///   - primary: What stands at the root of the primary stack.
  ///   - detail: What stands in the detail stack until something is shown there; nothing if `nil`.
  ///   - hears: What it does about outputs and ends of its modules: nothing unless said otherwise.
  public init(
    _ context: Context<Subject>, _ title: String, primary: Container.Root, detail: Container.Root? = nil,
    hears: @escaping @Sendable (ChildEvent, Context<Subject>) throws -> Void = { _, _ in }
  ) {
    self.context = context
    self.title = title
    self.primary = primary
    self.detail = detail
    self.hears = hears
  }

  public func container() -> Container { .split(primary: primary, detail: detail) }
  public func child(_ event: ChildEvent) throws { try hears(event, context) }
  public func render() -> Screen { Screen(title) }
}
