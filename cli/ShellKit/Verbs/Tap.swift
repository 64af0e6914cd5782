import CommandKit
import MinervaNavigation

extension Verb {
  static let tap = Verb(
    "tap", .act, "Taps a row or button of a screen, or an action of a row", isEveryday: true,
    forms: [Form(.one("screen", .reference), .one("row", .name("ROW")), .maybe("action", .name("ACTION")))],
    options: OptionDefinition.ofRequests,
    examples: [.init("tap @list u3", "taps the row u3"), .init("tap @list u3 delete", "takes its swipe action delete")],
    errors: ["screen.no_such_row", "screen.disabled", "screen.covered", "nav.stale_ref"],
    request: { call throws(ParseError) in
      let screen = try call.required("screen")
      return .action { context in
        .act(try await context.screen(screen), .tap(row: call.text("row") ?? "", action: call.text("action")))
      }
    })
}
