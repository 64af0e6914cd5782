/// The routes of an app (R1). The order in which they were added does not matter.
public struct RouteTable: Hashable, Sendable, Codable {
  /// The module at the root, from which every path starts.
  public let root: String
  /// The schemes it answers to, in lower case.
  public let schemes: [String]
  /// The hosts it answers to, in lower case.
  public let hosts: [String]
  /// The routes of each module, the first to be tried first.
  private var routes: [String: [Route]] = [:]

  /// Creates a table without routes.
  public init(root: String, schemes: [String], hosts: [String]) {
    self.root = root
    self.schemes = schemes.map { $0.lowercased() }
    self.hosts = hosts.map { $0.lowercased() }
  }

  /// The routes of a module, the first to be tried first.
  public func routes(from module: String) -> [Route] { routes[module] ?? [] }

  /// All routes, by module, the first to be tried first.
  public var all: [Route] { routes.keys.sorted().flatMap { routes[$0] ?? [] } }

  /// Adds a route.
  /// - Throws: `route.ambiguous` if one is there that the same paths match.
  public mutating func add(_ route: Route) throws(Refusal) {
    let known = routes(from: route.from)
    if let twin = known.first(where: { $0.pattern.shape == route.pattern.shape }) {
      if twin == route { return }
      throw Refusal(
        code: .routeAmbiguous,
        message: "\(route.from) leads by \(twin.pattern) to \(twin.module) and by \(route.pattern) to \(route.module)")
    }
    routes[route.from] = (known + [route]).sorted { $0.pattern.precedes($1.pattern) }
  }

  /// Resolves a link into hops, each owned by the module before it, without asking anybody.
  ///
  /// - Parameter context: The names of what is given with the link.
  /// - Throws: `route.no_match` with what matched and what is left (R3), `route.wrong_context`, `route.invalid_url`.
  public func resolve(_ link: DeepLinkURL, context: Set<String> = []) throws(Refusal) -> [Hop] {
    try trace(link, context: context).hops
  }
}
