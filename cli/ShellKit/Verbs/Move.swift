import CommandKit
import MinervaNavigation

extension Verb {
  static let move = Verb(
    "move", .act, "Moves a row before or after another",
    forms: [
      Form(.one("screen", .reference), .one("row", .name("ROW")), .one("side", .keyword(["before", "after"])), .one("other", .name("ROW")))
    ],
    options: OptionDefinition.ofRequests, examples: [.init("move @list u3 before u1", "drags u3 above u1")],
    errors: ["screen.no_such_row", "screen.disabled", "screen.covered"],
    request: { call throws(ParseError) in
      let screen = try call.required("screen")
      return .action { context in
        .act(
          try await context.screen(screen),
          .move(row: call.text("row") ?? "", before: call.text("side") == "before", other: call.text("other") ?? ""))
      }
    })
}
