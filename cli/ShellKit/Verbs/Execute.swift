import CommandKit
import MinervaNavigation

extension Verb {
  static let execute = Verb(
    "execute", .act, "Executes a presentation command of a screen",
    forms: [Form(.one("screen", .reference), .one("command", .name("COMMAND")), .many("input", .payload, atLeast: 0))],
    options: [.value("input-file", .file, "read the payload from a file")] + OptionDefinition.ofRequests,
    examples: [.init("execute @home showSettings", "as its button would")], errors: ["command.disabled", "command.no_presenter"],
    request: { call throws(ParseError) in
      let screen = try call.required("screen")
      return .action { context in
        var input: [UInt8]?
        if let payload = call.payload("input") { input = try await context.bytes(payload, schemaOf: nil) }
        return .act(try await context.screen(screen), .execute(command: call.text("command") ?? "", input: input))
      }
    })
}
