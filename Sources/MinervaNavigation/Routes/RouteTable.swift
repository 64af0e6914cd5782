/// One route: where a path leads from a module.
public struct Route: Hashable, Sendable, Codable {
  /// The module from which it leads.
  public var from: String
  /// The path.
  public var pattern: RoutePattern
  /// The module it opens.
  public var module: String
  /// How it is opened.
  public var via: Presentation
  /// The query parameters the module takes, by name.
  public var query: [String]
  /// What must be given with the link (R1), by name.
  public var context: [String]

  /// Creates a route; a push without query and context unless said otherwise.
  public init(
    from: String, _ pattern: RoutePattern, module: String, via: Presentation = .push, query: [String] = [], context: [String] = []
  ) {
    self.from = from
    self.pattern = pattern
    self.module = module
    self.via = via
    self.query = query
    self.context = context
  }
}

/// One step of a resolved link.
public struct Hop: Hashable, Sendable, Codable {
  /// The route that was taken.
  public let route: Route
  /// The values of the path, then those of the query.
  public let values: [RouteValue]
}

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

  /// Adds a route.
  /// - Throws: `route.ambiguous` if one is there that the same paths match.
  public mutating func add(_ route: Route) throws(Refusal) {
    let known = routes(from: route.from)
    if let twin = known.first(where: { $0.pattern.shape == route.pattern.shape }) {
      if twin == route { return }
      throw Refusal(
        code: "route.ambiguous",
        message: "\(route.from) leads by \(twin.pattern) to \(twin.module) and by \(route.pattern) to \(route.module)")
    }
    routes[route.from] = (known + [route]).sorted { $0.pattern.precedes($1.pattern) }
  }

  /// Resolves a link into hops, each owned by the module before it.
  ///
  /// Routes are tried in their order, the next one when what follows does not match. Linear in the routes tried.
  /// - Parameter context: The names of what is given with the link.
  /// - Throws: `route.no_match` with what matched and what is left (R3), `route.wrong_context`, `route.invalid_url`.
  public func resolve(_ link: LinkURL, context: Set<String> = []) throws(Refusal) -> [Hop] {
    guard schemes.contains(link.scheme), hosts.contains(link.host) else {
      let known = schemes.flatMap { scheme in hosts.map { "\(scheme)://\($0)" } }.joined(separator: ", ")
      throw Refusal(code: "route.no_match", message: "\(link.scheme)://\(link.host) is not this app's; it has \(known)")
    }
    var best = Failure(matched: 0, module: root, missing: nil)
    guard let hops = follow(link, link.segments[...], from: root, context: context, &best) else {
      throw refusal(for: link, best)
    }
    return try withQuery(of: link, hops)
  }

  /// How far a link was followed.
  private struct Failure {
    var matched: Int
    var module: String
    var missing: (route: Route, names: [String])?
  }

  private func follow(
    _ link: LinkURL, _ rest: ArraySlice<String>, from module: String, context: Set<String>, _ best: inout Failure
  ) -> [Hop]? {
    if rest.isEmpty { return [] }
    let matched = link.segments.count - rest.count
    if matched > best.matched { best = Failure(matched: matched, module: module, missing: nil) }
    for route in routes(from: module) {
      guard let match = route.pattern.match(rest) else { continue }
      let missing = route.context.filter { !context.contains($0) }
      if !missing.isEmpty {
        if matched >= best.matched { best = Failure(matched: matched, module: module, missing: (route, missing)) }
        continue
      }
      if let hops = follow(link, rest.dropFirst(match.count), from: route.module, context: context, &best) {
        return [Hop(route: route, values: match.values)] + hops
      }
    }
    return nil
  }

  private func refusal(for link: LinkURL, _ failure: Failure) -> Refusal {
    if let missing = failure.missing {
      return Refusal(
        code: "route.wrong_context",
        message: "\(missing.route.pattern) under \(failure.module) needs \(missing.names.joined(separator: ", ")) with the link")
    }
    let matched = ([link.host] + link.segments.prefix(failure.matched)).joined(separator: "/")
    let left = link.segments.dropFirst(failure.matched).joined(separator: "/")
    let has = routes(from: failure.module).map(\.pattern.description)
    let hint = has.isEmpty ? "has no routes" : "has: \(has.joined(separator: ", "))"
    return Refusal(
      code: "route.no_match", message: "matched \(matched), nothing matches \"\(left)\" under \(failure.module) (\(hint))")
  }

  /// Gives the query's values to the hops that take them.
  private func withQuery(of link: LinkURL, _ hops: [Hop]) throws(Refusal) -> [Hop] {
    var seen: Set<String> = []
    for item in link.query {
      guard hops.contains(where: { $0.route.query.contains(item.name) }) else {
        throw Refusal(code: "route.invalid_url", message: "nothing on the way takes the query parameter \"\(item.name)\"")
      }
      guard seen.insert(item.name).inserted else {
        throw Refusal(code: "route.invalid_url", message: "the query parameter \"\(item.name)\" is given twice")
      }
    }
    return hops.map { hop in
      let values = hop.route.query.compactMap { name in
        link.query.first { $0.name == name }.map { RouteValue(name: name, value: $0.value ?? "") }
      }
      return Hop(route: hop.route, values: hop.values + values)
    }
  }
}
