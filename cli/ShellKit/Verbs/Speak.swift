import CommandKit
import MinervaNavigation

extension Verb {
  static let send = Verb(
    "send", .speak, "Gives a module one more input",
    forms: [Form(.one("screen", .reference), .many("payload", .payload, atLeast: 1))],
    options: OptionDefinition.ofRequests, examples: [.init("send @login {\"retry\":true}", "sends an input")],
    errors: ["input.invalid", "nav.stale_ref"],
    request: { call throws(ParseError) in
      let screen = try call.required("screen")
      return .action { context in .send(try await context.screen(screen), try await context.required(call.payload("payload"), of: screen)) }
    })

  static let output = Verb(
    "output", .speak, "Speaks an output in a module's place",
    discussion: "Needs the role admin; the output is marked by=shell.",
    forms: [Form(.one("screen", .reference), .many("payload", .payload, atLeast: 1))],
    options: OptionDefinition.ofRequests, examples: [.init("output @s {\"theme\":\"dark\"}", "its listener hears it")],
    errors: ["output.invalid", "nav.stale_ref", "bus.unauthorized"],
    request: { call throws(ParseError) in
      let screen = try call.required("screen")
      return .action { context in .output(try await context.screen(screen), try await context.required(call.payload("payload"), of: nil)) }
    })

  static let finish = Verb(
    "finish", .speak, "Ends a module with its result, in its place",
    discussion: "Needs the role admin; the end is marked by=shell.",
    forms: [Form(.one("screen", .reference), .many("result", .payload, atLeast: 0))],
    options: OptionDefinition.ofRequests,
    examples: [
      .init("finish @picker {\"id\":4}", "whoever awaits it gets the value"), .init("finish @counter 42", "a result that is a number"),
      .init("finish @note \"two words\"", "or a text, which stands in quotes"),
    ],
    errors: ["nav.stale_ref", "bus.unauthorized"],
    request: { call throws(ParseError) in
      let screen = try call.required("screen")
      return .action { context in
        var result: [UInt8]?
        if let payload = call.payload("result") { result = try await context.bytes(payload, schemaOf: nil) }
        return .finish(try await context.screen(screen), result)
      }
    })

  static let cancel = Verb(
    "cancel", .speak, "Ends a module without a result, in its place, or a plan that waits",
    forms: [Form(.one("plan", .plan)), Form(.one("screen", .reference))],
    options: OptionDefinition.ofRequests,
    examples: [.init("cancel @picker", "whoever awaits it gets nothing"), .init("cancel p3", "the link is not followed any more")],
    errors: ["nav.stale_ref", "route.no_plan", "bus.unauthorized"],
    request: { call throws(ParseError) in
      if let plan = call.text("plan").flatMap(PlanID.init) { return .action { _ in .endPlan(plan, nil) } }
      let screen = try call.required("screen")
      return .action { context in .cancel(try await context.screen(screen)) }
    })
}

extension InvocationContext {
  /// Makes the bytes of a payload that the form demands, typed by the module of a screen where there is one.
  func required(_ payload: PayloadText?, of screen: Reference?) async throws -> [UInt8] {
    guard let payload else { return [] }
    var module: String?
    if let screen { module = await self.module(of: screen) }
    return try await bytes(payload, schemaOf: module)
  }
}
