import CommandKit
import MinervaNavigation

extension Verb {
  static let open = Verb(
    "open", .move, "Opens a module on the tree", isEveryday: true,
    discussion: """
      The payload is the module's input: JSON, carried byte for byte, or key=value words typed by the module's schema. Without via it is \
      pushed on the visible stack.
      """,
    forms: [
      Form(
        .one("module", .module), .many("input", .payload, atLeast: 0), .clause("via", "via", .presentation),
        .clause("in", "place", .place), .clause("as", "alias", .alias))
    ],
    options: [
      .value("input-file", .file, "read the payload from a file"), .value("pop-to", .text, "first pop to this screen", placeholder: "REF"),
      .flag("inclusive", "with --pop-to: that screen leaves as well"),
    ] + OptionDefinition.ofRequests,
    examples: [
      .init("open Settings {\"section\":\"privacy\"} via push as @s", "pushes Settings and calls it @s"),
      .init("open Alert text=\"hi\" via modal", "presents Alert in a new layer"),
      .init("open Detail id=7 --policy join &", "does not wait for the answer"),
    ],
    errors: ["module.unknown", "input.invalid", "nav.no_container", "nav.busy", "nav.superseded", "link.timeout"],
    request: { call throws(ParseError) in
      let popTo = try call.referenceOption("pop-to")
      guard let module = call.module("module") else { throw ParseError(.missing, "which module?", at: call.position) }
      return .action { context in
        var opening = Command.Opening(module)
        if let payload = call.payload("input") { opening.input = try await context.bytes(payload, schemaOf: module.name) }
        if let via = call.text("via").flatMap(Presentation.init) { opening.via = via }
        opening.into = call.place("place")
        if let popTo { opening.popTo = try await context.screen(popTo) }
        opening.inclusive = call.flag("inclusive")
        return .open(opening)
      }
    })
}

extension Invocation {
  /// Reads an option that names a screen.
  func referenceOption(_ name: String) throws(ParseError) -> Reference? {
    guard let text = option(name) else { return nil }
    guard let reference = Reference(text) else {
      throw ParseError(.option, "--\(name): expected a screen (s12, @login, top, root), found \"\(Escaping.visible(text))\"", at: position)
    }
    return reference
  }

  /// Reads a reference that the form demands.
  func required(_ name: String) throws(ParseError) -> Reference {
    guard let reference = reference(name) else { throw ParseError(.missing, "which screen?", at: position) }
    return reference
  }
}
