/// A ready coordinator whose screen is tabs, each with a module at its root (K6).
///
/// ```swift
/// enum Shell: Module { typealias Output = Departure }
///
/// ModuleOffer { _, context in
///   TabCoordinator(
///     context, "Shop",
///     tabs: [
///       .init("home", "Home", try .tab("home", Home.self, .init())), .init("orders", "Orders", try .tab("orders", Orders.self, .init())),
///     ]
///   ) { event, context in
///     if let departure = try event.output(of: Orders.self) { try context.output(departure) }
///   }
/// }
/// ```
public actor TabCoordinator<Subject: Module>: Coordinator {
  /// One tab.
  public struct Tab: Sendable {
    var item: TabItem
    var root: Container.Root

    /// Names a tab and what stands at its root; `root` must bear the same name.
    public init(_ name: String, _ title: String, _ root: Container.Root) {
      item = TabItem(name, title)
      self.root = root
    }
  }

  public nonisolated let context: Context<Subject>
  private let title: String
  private let tabs: [Tab]
  private let selected: String?
  private let hears: @Sendable (ChildEvent, Context<Subject>) throws -> Void

  /// Makes a tab coordinator.
  ///
  /// - Parameters:
  ///   - context: The context that the host gives it.
  ///   - title: What its screen is called.
  ///   - tabs: The tabs in order.
  ///   - selected: The tab that is shown first; the first one if `nil`.
  ///   - hears: What it does about outputs and ends of its modules: nothing unless said otherwise.
  public init(
    _ context: Context<Subject>, _ title: String, tabs: [Tab], selected: String? = nil,
    hears: @escaping @Sendable (ChildEvent, Context<Subject>) throws -> Void = { _, _ in }
  ) {
    self.context = context
    self.title = title
    self.tabs = tabs
    self.selected = selected
    self.hears = hears
  }

  public func container() -> Container { .tabs(tabs.map(\.root), selected: selected) }
  public func child(_ event: ChildEvent) throws { try hears(event, context) }
  public func render() -> Screen { Screen(title, tabs: tabs.map(\.item)) }
}
