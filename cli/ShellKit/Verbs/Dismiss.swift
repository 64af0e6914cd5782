import CommandKit
import MinervaNavigation

extension Verb {
  static let dismiss = Verb(
    "dismiss", .move, "Removes a modal layer and every layer above it", isEveryday: true,
    forms: [Form(.word("all")), Form(.maybe("screen", .reference))],
    options: OptionDefinition.ofRequests,
    examples: [
      .init("dismiss", "removes the topmost layer"), .init("dismiss @login", "removes the layer of @login"),
      .init("dismiss all", "removes every modal layer"),
    ],
    errors: ["nav.not_modal", "nav.stale_ref"],
    request: { call in
      .action { context in
        if call.form == 0 { return .dismissAll }
        guard let reference = call.reference("screen") else { return .dismiss(nil) }
        return .dismiss(try await context.screen(reference))
      }
    })
}
