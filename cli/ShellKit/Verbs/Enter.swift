import CommandKit
import MinervaNavigation

extension Verb {
  static let enter = Verb(
    "enter", .act, "Enters a value into a field of a screen", isEveryday: true,
    forms: [Form(.one("screen", .reference), .one("field", .name("FIELD")), .one("value", .text))],
    options: OptionDefinition.ofRequests,
    examples: [.init("enter @login email a@a.com", "types the address"), .init("enter @note text \"two words\"", "quotes keep spaces")],
    errors: ["screen.no_such_row", "screen.disabled", "screen.covered", "nav.stale_ref"],
    request: { call throws(ParseError) in
      let screen = try call.required("screen")
      return .action { context in
        .act(try await context.screen(screen), .enter(field: call.text("field") ?? "", value: call.text("value") ?? ""))
      }
    })
}
