import CommandKit
package import MinervaInterfaces
package import MinervaNavigation

/// Links, routes and plans as lines.
package enum DeepLinkText {
  /// `plan   keep s1 Shell | tab orders (start Orders) | push Order{id:9}`.
  package static func plan(_ reply: DeepLinkReply) -> [String] {
    var lines = [ReplyText.headed("plan", reply.plan.map(step).joined(separator: " | "))]
    if let module = reply.awaits { lines.append("       then it waits for \(Escaping.visible(module))") }
    if let shortfall = reply.shortfall { lines.append("       no further; \(shortfall.code): \(Escaping.visible(shortfall.message))") }
    return lines
  }

  private static func step(_ step: PlannedStep) -> String {
    guard case .open(let module, let input, let via) = step else { return Escaping.visible(step.description) }
    return "\(via) \(Escaping.visible(module))\(PayloadDigest.text(input))"
  }

  /// The routes of an app by module, the first to be tried first.
  package static func lines(_ listing: RouteListing) -> [String] {
    let begins = listing.scope.schemes.flatMap { scheme in listing.scope.hosts.map { "\(scheme)://\($0)" } }
    var table = TableText(["from", "path", "leads to", "takes"])
    for route in listing.routes { table.add([route.from, route.pattern.description, goal(route), wishes(route)]) }
    return [Escaping.visible("\(begins.joined(separator: ", ")) from \(listing.scope.root)")]
      + (table.isEmpty ? ["no routes"] : table.lines())
  }

  /// How a link is matched, hop by hop.
  package static func lines(_ reply: DeepLinkReply) -> [String] {
    var table = TableText(["from", "path", "leads to", "with"])
    for hop in reply.hops {
      let values = hop.values.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
      table.add([hop.route.from, hop.route.pattern.description, goal(hop.route), values])
    }
    return (table.isEmpty ? [] : table.lines()) + (reply.awaits.map { ["then it waits for \(Escaping.visible($0))"] } ?? [])
  }

  private static func goal(_ route: Route) -> String {
    if let redirect = route.redirect { return "= \(redirect)" }
    if route.asks, route.module == route.from { return "as its host says" }
    return "\(route.module) via \(route.via)" + (route.awaits ? ", and waits" : "")
  }

  private static func wishes(_ route: Route) -> String {
    (route.query.map { "?\($0)" } + route.context.map { "context \($0)" } + (route.asks ? ["asks its host"] : [])).joined(separator: " ")
  }

  /// The plans that wait.
  package static func lines(_ plans: [PlanReport], isJSON: Bool) -> [String] {
    if isJSON {
      return plans.map { plan in
        JSONLine([
          ("plan", .text(plan.id.description)), ("link", .text(plan.link)), ("screen", .text(plan.awaited.description)),
          ("module", .text(plan.module)), ("record", .unsigned(plan.seq)), ("deadline_ms", .unsigned(plan.deadline.milliseconds)),
        ]).text
      }
    }
    if plans.isEmpty { return ["no plans"] }
    return plans.map { "\($0.id) waits for \($0.awaited) \(Escaping.visible($0.module)): \(Escaping.visible($0.link)) (#\($0.seq))" }
  }

  package static func json(_ listing: RouteListing) -> [String] { listing.routes.map { json($0, values: nil) } }

  package static func json(_ hops: [Hop]) -> [String] { hops.map { json($0.route, values: $0.values) } }

  private static func json(_ route: Route, values: [RouteValue]?) -> String {
    var members: [(String, JSONLine.Value)] = [
      ("from", .text(route.from)), ("path", .text(route.pattern.description)), ("module", .text(route.module)),
      ("via", .text(route.via.description)), ("query", .array(route.query.map { .text($0) })),
      ("context", .array(route.context.map { .text($0) })), ("redirect", route.redirect.map { .text($0) } ?? .null),
      ("asks", .flag(route.asks)), ("awaits", .flag(route.awaits)),
    ]
    if let values { members.append(("values", .array(values.map { .object([($0.name, .text($0.value))]) }))) }
    return JSONLine(members).text
  }
}
