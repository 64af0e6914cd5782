import CommandKit

extension Verb {
  static let screen = Verb(
    "screen", .look, "Draws what a person would see", isEveryday: true, forms: [Form(.maybe("screen", .reference))],
    options: OptionDefinition.ofLooks, examples: [.init("screen", "the whole scene"), .init("screen @login", "one screen alone")],
    errors: ["nav.stale_ref"], request: { call in .look(.screen(call.reference("screen"))) })

  static let tree = Verb(
    "tree", .look, "Shows layers, stacks, tabs and slots as a tree", isEveryday: true, forms: [Form()],
    options: OptionDefinition.ofLooks, examples: [.init("tree", "everything that is open")],
    request: { _ in .look(.tree) })

  static let list = Verb(
    "list", .look, "Shows the sections and rows of a screen, and its last change", isEveryday: true,
    discussion: "In the margin stands what the last change set did: + inserted, ~ updated, ↔ moved. A row with ↕ may be moved.",
    forms: [Form(.maybe("screen", .reference))],
    options: OptionDefinition.ofLooks, examples: [.init("list @users", "its rows with their ids")], errors: ["nav.stale_ref"],
    request: { call in .look(.list(call.reference("screen"))) })

  static let show = Verb(
    "show", .look, "Shows all that is known of one screen", forms: [Form(.one("screen", .reference))],
    options: OptionDefinition.ofLooks, examples: [.init("show @login", "module, host, input, phase, place")], errors: ["nav.stale_ref"],
    request: { call throws(ParseError) in .look(.show(try call.required("screen"))) })

  static let modules = Verb(
    "modules", .look, "Lists the modules that hosts offer", forms: [Form(.maybe("name", .name("NAME")))],
    options: OptionDefinition.ofLooks, examples: [.init("modules", "all"), .init("modules Login", "one with its schema")],
    request: { call in .look(.modules(call.text("name"))) })

  static let routes = Verb(
    "routes", .look, "Lists the routes, or explains how a link would match", forms: [Form(.maybe("url", .url))],
    options: OptionDefinition.ofLooks, examples: [.init("routes", "all")], request: { call in .look(.routes(call.text("url"))) })

  static let commands = Verb(
    "commands", .look, "Lists the presentation commands of a screen", forms: [Form(.maybe("screen", .reference))],
    options: OptionDefinition.ofLooks, examples: [.init("commands @home", "which may run now")], errors: ["nav.stale_ref"],
    request: { call in .look(.commands(call.reference("screen"))) })

  static let plans = Verb(
    "plans", .look, "Lists the plans that wait", forms: [Form()], options: OptionDefinition.ofLooks,
    examples: [.init("plans", "what a link still waits for")], request: { _ in .look(.plans) })

  static let status = Verb(
    "status", .look, "Shows processes, connections and counters", forms: [Form()], options: OptionDefinition.ofLooks,
    examples: [.init("status --json", "one process a line")], request: { _ in .look(.status) })

  static let leaks = Verb(
    "leaks", .look, "Names what outlives its screen: coordinators, tasks, handlers",
    discussion: """
      Every host is asked what it runs, and that is compared with the scenes: coordinators and tasks whose screen is gone, handlers over \
      their deadline, screens that nobody runs. Tasks are known when they were started through a coordinator's context. A host that does \
      not answer is named.
      """,
    forms: [Form()],
    options: [.flag("json", "one JSON object a line"), .flag("all", "of every scene, also of those that are over")],
    examples: [.init("leaks", "no leaks, if all is well"), .init("leaks --all --json", "for a watcher of a whole broker")],
    request: { _ in .look(.leaks) })

  static let watch = Verb(
    "watch", .look, "Shows events as they happen, until Ctrl-C", isEveryday: true,
    discussion: """
      Topics are the first word of an event's name, or the name, * for any part of it. The names: \
      \(EventText.names.joined(separator: " ")).
      """,
    forms: [Form(.many("topics", .topic, atLeast: 0))],
    options: [.value("from", .text, "begin behind this record", placeholder: "SEQ")] + OptionDefinition.ofLooks,
    examples: [
      .init("watch", "all of the scene"), .init("watch lists", "change sets as they happen: v6 → v7 s5 workouts +2 -1 by diff-1"),
      .init("watch screens lists", "screens coming and going, and lists"),
    ],
    request: { call throws(ParseError) in .look(.watch(topics: call.tokens("topics").map(\.text), from: try call.record("from"))) })
}
