public import MinervaNavigation
import MinervaWire

/// Where links lead from a module: a path relative to it, and the module that is opened there (R1).
///
/// ```swift
/// enum Order: Module {
///   static var routes: [ModuleRoute] {
///     [ModuleRoute("items/:id", to: Item.self), ModuleRoute("refund", to: Refund.self, via: .modal(.sheet), query: ["reason"])]
///   }
/// }
/// ```
///
/// The values of the path, of the query and of the required context become the input of the module, by name, each typed by its schema; a
/// wildcard's become an array.
public struct ModuleRoute: Sendable {
  /// The path: literals, `:parameter`, `:optional?`, a wildcard `*rest` at the end.
  public var path: String
  package var module: String?
  package var via: Presentation
  package var input: @Sendable () throws -> [UInt8]
  package var query: [String]
  package var context: [String]
  package var redirect: String?
  package var asks: Bool
  package var awaits: Bool

  /// Leads to a module.
  ///
  /// - Parameters:
  ///   - path: The path, relative to the module that publishes the route.
  ///   - module: What is opened.
  ///   - presentation: Where it goes; `.tab(name)` leads to the root of a tab of the publishing module.
  ///   - query: The query parameters that it takes.
  ///   - context: What must be given with the link.
  ///   - asks: Whether the host is asked first; see `ModuleOffer.answering(_:)`.
  ///   - awaits: Whether the link waits until the module ends with its result, and is followed again then (R4): for a log-in. Whoever
  ///     hears of that end first does what it does about it, unless it takes longer than a request may.
  public init<M: Module>(
    _ path: String, to module: M.Type, via presentation: Presentation = .push, query: [String] = [], context: [String] = [],
    asks: Bool = false, awaits: Bool = false
  ) {
    self.init(path: path, module: M.name, via: presentation, input: { [] }, query: query, context: context, asks: asks, awaits: awaits)
  }

  /// Leads to a module that is opened with this input, to which the link's values are added.
  public init<M: Module>(
    _ path: String, to module: M.Type, _ input: M.Input, via presentation: Presentation = .push, query: [String] = [],
    context: [String] = [], asks: Bool = false, awaits: Bool = false
  ) {
    self.init(
      path: path, module: M.name, via: presentation, input: { try Payload.encode(input) }, query: query, context: context, asks: asks,
      awaits: awaits)
  }

  /// Leads to another path of the same module, in which `:name` is the value of that name.
  public static func redirect(_ path: String, to other: String) -> ModuleRoute {
    ModuleRoute(path: path, module: nil, via: .push, input: { [] }, query: [], context: [], redirect: other, asks: false, awaits: false)
  }

  /// A path for which the host alone says where it leads; see `ModuleOffer.answering(_:)`.
  public static func asked(_ path: String) -> ModuleRoute {
    ModuleRoute(path: path, module: nil, via: .push, input: { [] }, query: [], context: [], asks: true, awaits: false)
  }

  /// Leads to a module that is known by its name alone.
  package init(_ path: String, toModule module: String, via presentation: Presentation, query: [String]) {
    self.init(path: path, module: module, via: presentation, input: { [] }, query: query, context: [], asks: false, awaits: false)
  }

  private init(
    path: String, module: String?, via: Presentation, input: @escaping @Sendable () throws -> [UInt8], query: [String],
    context: [String], redirect: String? = nil, asks: Bool, awaits: Bool
  ) {
    self.path = path
    self.module = module
    self.via = via
    self.input = input
    self.query = query
    self.context = context
    self.redirect = redirect
    self.asks = asks
    self.awaits = awaits
  }

  /// The route as brokers have it.
  /// - Throws: `route.bad_pattern` for a path that cannot match.
  package func route(from module: String) throws -> Route {
    guard let pattern = RoutePattern(path) else {
      throw MinervaError(
        .routeBadPattern, "\(module) publishes the route \"\(path)\": write literals, :names, :optional? and a last *rest between slashes")
    }
    return Route(
      from: module, pattern, module: self.module ?? module, via: via, input: try input(), query: query, context: context,
      redirect: redirect, asks: asks, awaits: awaits)
  }
}

/// What an app's links begin with: `app://shop/…`.
public struct AppLinks: Sendable {
  package var scope: DeepLinkScope

  package init(scope: DeepLinkScope) { self.scope = scope }

  /// Names an app's links.
  /// - Parameters:
  ///   - root: The module from which paths start, when the one at the root of the scene has no routes of its own.
  ///   - schemes: The schemes; case does not matter.
  ///   - hosts: The hosts; case does not matter.
  public init<M: Module>(root: M.Type, schemes: [String], hosts: [String]) {
    scope = DeepLinkScope(root: M.name, schemes: schemes, hosts: hosts)
  }
}
