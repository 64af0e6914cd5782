/// How far a link leads by what is known.
public struct RouteTrace: Hashable, Sendable {
  /// The hops, in order.
  public internal(set) var hops: [Hop]
  /// What has to be opened behind them and awaited (R4), because an owner said so.
  public internal(set) var wait: RouteStep?
  /// What has to be asked before the link can be followed further; the hops are those before it.
  public internal(set) var question: RouteQuestion?
  /// Why it leads no further, if the caller keeps what matched.
  public internal(set) var shortfall: Refusal?

  /// Whether the last of it is awaited.
  public var waits: Bool { wait != nil || hops.last?.route.awaits ?? false }
}

extension RouteTable {
  /// How many redirections one link may take.
  private static let depth = 8
  /// How many routes may be tried for one link: where two of a module match the same, the ways through a circle are without number.
  private static let tries = 10_000
  /// How many modules a link may lead through, and how many segments its rest may have with what redirections put in.
  private static let longest = DeepLinkURL.mostSegments

  /// How far a link was followed.
  private struct Failure {
    var matched = 0
    var module: String
    var hops: [Hop] = []
    var missing: (route: Route, names: [String])?
    /// How many routes were tried.
    var tries = 0
  }

  /// The rest of a path: its first `virtual` segments come from redirections.
  private struct Rest {
    var segments: ArraySlice<String>
    var virtual = 0
    var redirections = 0
    /// How many segments of the link itself are behind it.
    var matched = 0

    func dropping(_ count: Int) -> Rest {
      var rest = self
      let own = max(0, count - virtual)
      rest.segments = segments.dropFirst(count)
      rest.virtual -= count - own
      rest.matched += own
      return rest
    }
  }

  /// Follows a link as far as it can be followed by the answers that owners have given.
  ///
  /// Routes are tried in their order, the next one when what follows does not match. Linear in the routes tried, of which there are at
  /// most 10,000, each against at most 64 segments.
  /// - Parameters:
  ///   - module: The module at the scene's root; the table's own, if it has no routes.
  ///   - context: The names of what is given with the link.
  ///   - decisions: What owners have answered so far.
  ///   - keepsPrefix: Whether the hops that matched are of use when the rest does not.
  /// - Throws: `route.no_match` with what matched and what is left (R3), `route.wrong_context`, `route.invalid_url`, `route.failed` for
  ///   redirections without end.
  public func trace(
    _ link: DeepLinkURL, from module: String? = nil, context: Set<String> = [], decisions: [RouteQuestion: RouteDecision] = [:],
    keepsPrefix: Bool = false
  ) throws(Refusal) -> RouteTrace {
    guard schemes.contains(link.scheme), hosts.contains(link.host) else {
      let known = schemes.flatMap { scheme in hosts.map { "\(scheme)://\($0)" } }.joined(separator: ", ")
      throw Refusal(code: .routeNoMatch, message: "\(link.scheme)://\(link.host) is not this app's; it has \(known)")
    }
    let start = module.flatMap { routes(from: $0).isEmpty ? nil : $0 } ?? root
    var best = Failure(module: start)
    let rest = Rest(segments: link.segments[...])
    var hops: [Hop] = []
    guard let trace = try follow(link, rest, from: start, &hops, context, decisions, &best) else {
      let refusal = refusal(for: link, best)
      guard keepsPrefix, !best.hops.isEmpty else { throw refusal }
      return filled(RouteTrace(hops: best.hops, shortfall: refusal), by: link)
    }
    return try withQuery(of: link, trace)
  }

  private func follow(
    _ link: DeepLinkURL, _ rest: Rest, from module: String, _ hops: inout [Hop], _ context: Set<String>,
    _ decisions: [RouteQuestion: RouteDecision],
    _ best: inout Failure
  ) throws(Refusal) -> RouteTrace? {
    if rest.segments.isEmpty { return RouteTrace(hops: hops) }
    if rest.matched > best.matched { best = Failure(matched: rest.matched, module: module, hops: hops, tries: best.tries) }
    for var route in routes(from: module) {
      best.tries += 1
      guard best.tries <= Self.tries else {
        throw Refusal(code: .routeFailed, message: "\(link.text) leads too many ways (\(Self.tries) routes tried)")
      }
      guard let match = route.pattern.match(rest.segments) else { continue }
      let missing = route.context.filter { !context.contains($0) }
      if !missing.isEmpty {
        if rest.matched >= best.matched {
          best = Failure(matched: rest.matched, module: module, hops: hops, missing: (route, missing), tries: best.tries)
        }
        continue
      }
      var redirect = route.redirect
      var values = match.values
      if route.asks {
        let question = RouteQuestion(module: module, pattern: route.pattern, values: match.values)
        switch decisions[question] {
        case nil: return RouteTrace(hops: hops, question: question)
        case .proceed: break
        case .open(let step): (route.module, route.via, route.input, values) = (step.module.name, step.via, step.input, [])
        case .redirect(let path): redirect = path
        case .wait(let step): return RouteTrace(hops: hops, wait: step)
        }
      }
      let further: RouteTrace?
      if let redirect {
        further = try follow(
          link, try self.redirect(link, rest, route, match, to: redirect), from: module, &hops, context, decisions, &best)
      } else {
        guard hops.count < Self.longest else {
          throw Refusal(code: .routeFailed, message: "\(link.text) leads through more than \(Self.longest) modules")
        }
        hops.append(Hop(route: route, values: values))
        if route.awaits { return RouteTrace(hops: hops) }
        further = try follow(link, rest.dropping(match.count), from: route.module, &hops, context, decisions, &best)
        hops.removeLast()
      }
      if let further { return further }
    }
    return nil
  }

  /// The rest of a path with another path in place of what a route has matched: `:name` in it is the value of that name.
  private func redirect(
    _ link: DeepLinkURL, _ rest: Rest, _ route: Route, _ match: RoutePattern.Match, to path: String
  ) throws(Refusal) -> Rest {
    guard rest.redirections < Self.depth else {
      throw Refusal(
        code: .routeFailed, message: "\(route.pattern) under \(route.from) leads in a circle (\(Self.depth) redirections)")
    }
    var rest = rest.dropping(match.count)
    let segments = path.split(separator: "/").flatMap { part -> [String] in
      guard part.hasPrefix(":") else { return [DeepLinkURL.decode(part) ?? String(part)] }
      return match.values.filter { $0.name == part.dropFirst() }.map(\.value)
    }
    guard segments.count + rest.segments.count <= Self.longest else {
      throw Refusal(
        code: .routeFailed, message: "\(route.pattern) under \(route.from) makes \(link.text) longer than \(Self.longest) segments")
    }
    rest.segments = (segments + rest.segments)[...]
    rest.virtual += segments.count
    rest.redirections += 1
    return rest
  }

  private func refusal(for link: DeepLinkURL, _ failure: Failure) -> Refusal {
    if let missing = failure.missing {
      return Refusal(
        code: .routeWrongContext,
        message: "\(missing.route.pattern) under \(failure.module) needs \(missing.names.joined(separator: ", ")) with the link")
    }
    let matched = ([link.host] + link.segments.prefix(failure.matched)).joined(separator: "/")
    let left = link.segments.dropFirst(failure.matched).joined(separator: "/")
    let has = routes(from: failure.module).map(\.pattern.description)
    let hint = has.isEmpty ? "has no routes" : "has: \(has.joined(separator: ", "))"
    return Refusal(
      code: .routeNoMatch, message: "matched \(matched), nothing matches \"\(left)\" under \(failure.module) (\(hint))")
  }

  /// Gives the query's values to the hops that take them. A link that waits is looked at again when it goes on.
  private func withQuery(of link: DeepLinkURL, _ trace: RouteTrace) throws(Refusal) -> RouteTrace {
    if trace.question != nil { return trace }
    var seen: Set<String> = []
    for item in link.query {
      guard trace.waits || trace.hops.contains(where: { $0.route.query.contains(item.name) }) else {
        throw Refusal(code: .routeInvalidURL, message: "nothing on the way takes the query parameter \"\(item.name)\"")
      }
      guard seen.insert(item.name).inserted else {
        throw Refusal(code: .routeInvalidURL, message: "the query parameter \"\(item.name)\" is given twice")
      }
    }
    return filled(trace, by: link)
  }

  private func filled(_ trace: RouteTrace, by link: DeepLinkURL) -> RouteTrace {
    var trace = trace
    for index in trace.hops.indices {
      trace.hops[index].values += trace.hops[index].route.query.compactMap { name in
        link.query.first { $0.name == name }.map { RouteValue(name: name, value: $0.value ?? "") }
      }
    }
    return trace
  }
}
