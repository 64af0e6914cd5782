/// One route: where a path leads from a module.
public struct Route: Hashable, Sendable, Codable {
  /// The module from which it leads.
  public var from: String
  /// The path.
  public var pattern: RoutePattern
  /// The module it opens; its own module for a route that only leads elsewhere.
  public var module: String
  /// How it is opened.
  public var via: Presentation
  /// What the module is opened with beside the values of the link: an object, UTF-8 JSON; no bytes for nothing.
  public var input: [UInt8]
  /// The query parameters the module takes, by name.
  public var query: [String]
  /// What must be given with the link (R1), by name.
  public var context: [String]
  /// The path, from the same module, that stands in place of this one.
  public var redirect: String?
  /// Whether the owner's host is asked before it is taken.
  public var asks: Bool
  /// Whether the link waits until the module it opens ends with its result (R4), and is followed again then.
  public var awaits: Bool

  /// Creates a route; a push without query and context unless said otherwise.
  public init(
    from: String, _ pattern: RoutePattern, module: String, via: Presentation = .push, input: [UInt8] = [], query: [String] = [],
    context: [String] = [], redirect: String? = nil, asks: Bool = false, awaits: Bool = false
  ) {
    self.from = from
    self.pattern = pattern
    self.module = module
    self.via = via
    self.input = input
    self.query = query
    self.context = context
    self.redirect = redirect
    self.asks = asks
    self.awaits = awaits
  }
}

/// One step of a resolved link.
public struct Hop: Hashable, Sendable, Codable {
  /// The route that was taken.
  public let route: Route
  /// The values of the path, then those of the query.
  public internal(set) var values: [RouteValue]
}

/// What the broker asks the owner of a route before it is taken (R1).
public struct RouteQuestion: Hashable, Sendable, Codable {
  /// The module whose route it is.
  public let module: String
  /// The route's path.
  public let pattern: RoutePattern
  /// The values of the path.
  public let values: [RouteValue]

  /// Creates a question.
  public init(module: String, pattern: RoutePattern, values: [RouteValue]) {
    self.module = module
    self.pattern = pattern
    self.values = values
  }
}

/// What the owner of a route answers.
public enum RouteDecision: Hashable, Sendable, Codable {
  /// It is taken.
  case proceed
  /// This path, from the same module, stands in its place.
  case redirect(String)
  /// This is opened, with this input, and the link goes on from its module.
  case open(RouteStep)
  /// First this has to be opened and to end with its result; then the link is followed again (R4).
  case wait(RouteStep)
}

/// What the link's owner in the app says of the app's links.
public struct DeepLinkScope: Hashable, Sendable, Codable {
  /// The module at the scene's root from which paths start, unless the module at the root has routes of its own.
  public var root: String
  /// The schemes it answers to.
  public var schemes: [String]
  /// The hosts it answers to.
  public var hosts: [String]

  /// Creates a scope; case does not matter.
  public init(root: String, schemes: [String], hosts: [String]) {
    self.root = root
    self.schemes = schemes
    self.hosts = hosts
  }
}
