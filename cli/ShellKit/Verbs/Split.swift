import CommandKit
import MinervaNavigation

extension Verb {
  static let collapse = Verb(
    "collapse", .move, "Joins the detail stack of a split to its primary stack",
    forms: [Form(.maybe("screen", .reference))], options: OptionDefinition.ofRequests,
    examples: [.init("collapse", "joins the stacks of the visible split")], errors: ["nav.no_container"],
    request: { call in
      .action { context in
        guard let reference = call.reference("screen") else { return .collapse(nil) }
        return .collapse(try await context.screen(reference))
      }
    })

  static let expand = Verb(
    "expand", .move, "Takes a collapsed split apart again",
    forms: [Form(.maybe("screen", .reference))], options: OptionDefinition.ofRequests,
    examples: [.init("expand", "takes the visible split apart")], errors: ["nav.no_container"],
    request: { call in
      .action { context in
        guard let reference = call.reference("screen") else { return .expand(nil) }
        return .expand(try await context.screen(reference))
      }
    })
}
