import CommandKit
import MinervaNavigation

extension Verb {
  static let back = Verb(
    "back", .move, "Removes screens from the top of the visible stack", isEveryday: true,
    forms: [
      Form(.maybe("count", .number)), Form(.word("to"), .one("to", .reference)), Form(.word("root")),
    ],
    options: OptionDefinition.ofRequests,
    examples: [
      .init("back", "removes the top screen"), .init("back 2", "removes two"), .init("back to @list", "removes all above @list"),
      .init("back root", "leaves only the root"),
    ],
    errors: ["nav.root_protected", "nav.target_not_found", "nav.stale_ref"],
    request: { call throws(ParseError) in
      if call.form == 0, let count = call.number("count"), !(1...1_000_000).contains(count) {
        throw ParseError(.unexpected, "back takes a number from 1", at: call.token("count")?.position ?? call.position)
      }
      return .action { context in
        switch call.form {
        case 0: return .back(count: UInt32(call.number("count") ?? 1), in: nil)
        case 1:
          guard let reference = call.reference("to") else { return .backRoot(in: nil) }
          return .backTo(try await context.screen(reference))
        default: return .backRoot(in: nil)
        }
      }
    })
}
