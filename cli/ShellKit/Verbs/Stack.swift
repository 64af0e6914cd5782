import CommandKit
import MinervaNavigation

extension Verb {
  static let stack = Verb(
    "stack", .look, "Shows a stack, or makes it exactly this", isEveryday: true,
    discussion: "In stack set, screens named by id keep their identity and state; modules are opened.",
    forms: [
      Form(.maybe("place", .place)),
      Form(.word("set"), .one("place", .place), .one("elements", .elements)),
    ],
    options: [.flag("all", "every stack of the scene")] + OptionDefinition.ofLooks + OptionDefinition.ofRequests,
    examples: [
      .init("stack", "shows the visible stack"), .init("stack main/orders --json", "one screen a line"),
      .init("stack set main [s1, Item {\"id\":4}]", "keeps s1, opens Item above it"),
    ],
    errors: ["nav.stale_ref", "nav.target_not_found", "module.unknown"],
    request: { call throws(ParseError) in
      guard call.form == 1, let place = call.place("place"), let token = call.token("elements") else {
        return call.flag("all") ? .look(.tree) : .look(.stack(call.place("place")))
      }
      let elements = try StackElement.parse(token)
      return .action { context in
        var result: [Command.Element] = []
        for element in elements {
          switch element {
          case .screen(let reference): result.append(.screen(try await context.screen(reference)))
          case .module(let module, let input): result.append(.module(module, input: Array((input ?? "").utf8)))
          }
        }
        return .setStack(place, result)
      }
    })
}
