import CommandKit
import MinervaNavigation

extension Verb {
  static let go = Verb(
    "go", .move, "Takes a named transition of a screen",
    forms: [Form(.one("name", .name("NAME")), .many("input", .payload, atLeast: 0), .clause("from", "from", .reference))],
    options: [.value("input-file", .file, "read the payload from a file")] + OptionDefinition.ofRequests,
    examples: [.init("go details id=7 from @list", "takes the transition details of @list")],
    errors: ["nav.no_transition", "nav.stale_ref"],
    request: { call in
      .action { context in
        var from: ScreenRef?
        if let reference = call.reference("from") { from = try await context.screen(reference) }
        var input: [UInt8]?
        if let payload = call.payload("input") { input = try await context.bytes(payload, schemaOf: nil) }
        return .go(name: call.text("name") ?? "", from: from, input: input)
      }
    })
}
