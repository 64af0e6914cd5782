public import MinervaNavigation

extension Context {
  /// Opens a module.
  ///
  /// - Parameters:
  ///   - module: The module.
  ///   - input: What it is opened with.
  ///   - presentation: Where it goes; on top of the own stack unless said otherwise.
  ///   - path: The stack or container it goes into, the own one if `nil`.
  ///   - popTo: A screen that is popped to in the same transaction.
  ///   - inclusive: Whether that screen is removed too.
  ///   - policy: What happens when the place is busy (N3).
  /// - Returns: A handle whose `screen` and `result` can be awaited; forgetting it is fine.
  @discardableResult
  public func open<M: Module>(
    _ module: M.Type, _ input: M.Input, via presentation: Presentation = .push, into path: NavPath? = nil, popTo: ScreenID? = nil,
    inclusive: Bool = false, policy: Policy = .queue
  ) throws -> Opening<M> {
    try open(module, input, via: presentation, into: path, popTo: popTo, inclusive: inclusive, policy: policy, gate: nil)
  }

  /// Opens a module that needs no input.
  @discardableResult
  public func open<M: Module>(
    _ module: M.Type, via presentation: Presentation = .push, into path: NavPath? = nil, policy: Policy = .queue
  ) throws -> Opening<M> where M.Input == NoInput {
    try open(module, NoInput(), via: presentation, into: path, policy: policy)
  }

  /// Opens a module and configures it, or the module that is the active leaf of the container it is, before it is presented (L1, L4).
  ///
  /// The block runs at once. What it gives is handled in order while the module is being opened; an input that is refused rolls the
  /// opening back. What the leaf tells arrives at `child(_:)`, as what the container tells does.
  ///
  /// ```swift
  /// try context.open(Shell.self, .init(), via: .root) { try $0.configure(Orders.self, .init(filter: "open")) }
  /// ```
  @discardableResult
  public func open<M: Module>(
    _ module: M.Type, _ input: M.Input, via presentation: Presentation = .push, into path: NavPath? = nil, policy: Policy = .queue,
    configuring block: (inout ModuleConfiguration) throws -> Void
  ) throws -> Opening<M> {
    var configuration = ModuleConfiguration()
    try block(&configuration)
    return try open(module, input, via: presentation, into: path, policy: policy, gate: nil, configuration: configuration.inputs)
  }

  package func open<M: Module>(
    _ module: M.Type, _ input: M.Input, via presentation: Presentation, into path: NavPath? = nil, popTo: ScreenID? = nil,
    inclusive: Bool = false, policy: Policy = .queue, gate: String?, configuration: [Command.ModuleInput] = []
  ) throws -> Opening<M> {
    var opening = Command.Opening(
      ModuleAddress(name: M.name), input: try Payload.encode(input), via: presentation, into: path, popTo: popTo.map { .id($0) },
      inclusive: inclusive)
    if !configuration.isEmpty { opening.configuration = configuration }
    return Opening(link: link, token: try link.request(.open(opening), policy: policy, gate: gate))
  }

  /// Opens a module on top of the own stack.
  @discardableResult
  public func push<M: Module>(_ module: M.Type, _ input: M.Input) throws -> Opening<M> {
    try open(module, input, via: .push)
  }

  /// Opens a module in a new layer on top of everything.
  @discardableResult
  public func present<M: Module>(_ module: M.Type, _ input: M.Input, style: ModalStyle = .sheet) throws -> Opening<M> {
    try open(module, input, via: .modal(style))
  }

  /// Opens a module in place of the own stack's top screen.
  @discardableResult
  public func replace<M: Module>(_ module: M.Type, _ input: M.Input) throws -> Opening<M> {
    try open(module, input, via: .replace)
  }

  /// Removes the top screens of the own stack.
  public func pop(_ count: Int = 1) throws {
    try ask(.back(count: UInt32(clamping: count), in: nil))
  }

  /// Removes all above a screen.
  public func popTo(_ screen: ScreenID) throws {
    try ask(.backTo(.id(screen)))
  }

  /// Removes all above the root of the own stack.
  public func popToRoot() throws {
    try ask(.backRoot(in: nil))
  }

  /// Removes exactly a screen, the own one unless said otherwise, and all above it, wherever it stands.
  public func close(_ screen: ScreenID? = nil) throws {
    try ask(.close([.id(screen ?? self.screen)]))
  }

  /// Removes the layer of a screen, the own one unless said otherwise, and every layer above it.
  public func dismiss(_ screen: ScreenID? = nil) throws {
    try ask(.dismiss(.id(screen ?? self.screen)))
  }

  /// Removes every modal layer.
  public func dismissAll() throws {
    try ask(.dismissAll)
  }

  /// Removes every layer that this coordinator or one below it has presented, and what those present in turn (K6).
  public func dismissAllPresented() throws {
    try ask(.dismissPresented(.id(screen)))
  }

  /// Opens a module on the detail side of the innermost split around the own screen, in place of what is there.
  @discardableResult
  public func showDetail<M: Module>(_ module: M.Type, _ input: M.Input) throws -> Opening<M> {
    try open(module, input, via: .detail)
  }

  /// Makes a stack exactly these screens, from the bottom; they keep identity and state.
  public func setScreens(_ screens: [ScreenID], in path: NavPath) throws {
    try ask(.setStack(path, screens.map { .screen(.id($0)) }))
  }

  /// Selects a tab of the innermost tab container around the own screen; `reset` pops that tab to its root.
  public func select(tab name: String, reset: Bool = false) throws {
    try ask(.selectTab(name: name, of: .id(screen), reset: reset))
  }

  /// Joins the detail stack of the innermost split around the own screen to its primary stack.
  public func collapse() throws {
    try ask(.collapse(.id(screen)))
  }

  /// Takes the joined detail stack apart again.
  public func expand() throws {
    try ask(.expand(.id(screen)))
  }

  /// Gives a module that is open one more input.
  public func send<M: Module>(_ input: M.Input, to screen: ScreenID, of module: M.Type) throws {
    try ask(.send(.id(screen), Payload.encode(input)))
  }

  private func ask(_ action: Command.Action) throws {
    _ = try link.request(action, policy: .queue, gate: nil)
  }
}
