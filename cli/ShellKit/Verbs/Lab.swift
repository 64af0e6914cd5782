import CommandKit

extension Verb {
  static let fault = Verb(
    "fault", .lab, "Kills or stalls a process, or drops events",
    forms: [
      Form(.word("kill"), .one("process", .name("PROCESS"))),
      Form(.word("stall"), .one("process", .name("PROCESS")), .maybe("for", .duration)),
      Form(.word("drop"), .one("topic", .topic), .one("count", .number)),
    ],
    examples: [
      .init("fault kill shop-2", "as kill -9 would; its supervisor starts it again"),
      .init("fault kill diff-*", "the worker that holds a job"), .init("fault stall broker 2s", "stops it for 2 s"),
      .init("fault drop screen.* 3", "this shell loses the next three events, and mends the gap"),
    ],
    errors: ["process.unknown", "bus.unauthorized"],
    request: { call in
      switch call.form {
      case 0: .lab(.kill(process: call.text("process") ?? ""))
      case 1: .lab(.stall(process: call.text("process") ?? "", call.duration("for")))
      default: .lab(.drop(topic: call.text("topic") ?? "", count: call.number("count") ?? 1))
      }
    })

  static let render = Verb(
    "render", .lab, "Makes the shell the scene's renderer, and says when it acknowledges",
    discussion: """
      Transitions stay presenting or dismissing until they are acknowledged, or for a second. A scene has one primary renderer: a second \
      is refused.
      """,
    forms: [Form(.one("how", .keyword(["instant", "hold", "off"]))), Form(.one("how", .duration))],
    examples: [
      .init("render 300ms", "after 300 ms of scene time"), .init("render hold", "until ack"),
      .init("render off", "leaves the scene to itself"),
    ],
    errors: ["nav.renderer_taken"],
    request: { call in .lab(.render(ShellRenderer.Pace(call.text("how") ?? "", duration: call.duration("how")) ?? .instant)) })

  static let ack = Verb(
    "ack", .lab, "Acknowledges a transition that is held", forms: [Form(.maybe("request", .sequence))],
    examples: [.init("ack", "the oldest one"), .init("ack 21", "that of #21")], errors: ["renderer.idle"],
    request: { call in .lab(.acknowledge(call.sequence("request"))) })

  static let advance = Verb(
    "advance", .lab, "Moves the virtual clock",
    discussion: """
      What becomes due on the way happens in order. Virtual time also goes on by itself while a command waits for its answer, and stands \
      still otherwise; but only advance lets the lease of a lost host run out.
      """,
    forms: [Form(.one("by", .duration))], examples: [.init("advance 3s", "three seconds of scene time")],
    errors: ["clock.real", "clock.busy"], request: { call in .lab(.advance(call.duration("by") ?? .zero)) })

  static let goTo = Verb(
    "goto", .lab, "Views the past, read-only",
    discussion: """
      The prompt says where you are. Looks show the scene as it stood after that record; what would change it is refused. What screens \
      showed is not kept: screen draws the frame alone.
      """,
    forms: [Form(.one("record", .sequence)), Form(.word("now"))],
    examples: [.init("goto 12", "as it was after #12"), .init("goto now", "back to the present")],
    errors: ["time.out_of_range", "time.read_only", "time.not_kept"],
    request: { call in .lab(.goTo(call.form == 1 ? nil : call.sequence("record") ?? 0)) })

  static let fork = Verb(
    "fork", .lab, "Starts a new scene from the past, and changes to it",
    discussion: """
      The new scene has the tree, the names and the states as they were after that record; hosts resume its modules as after a restart. \
      The scene it comes from goes on by itself. Without a record it starts from where you look, without --name it is called main@12.
      """,
    forms: [Form(.maybe("record", .sequence))], options: [.value("name", .text, "the new scene's name", placeholder: "NAME")],
    examples: [.init("fork 12", "a scene main@12 that begins as it was after #12"), .init("fork", "from where goto led")],
    errors: ["time.out_of_range", "scene.exists"],
    request: { call in .lab(.fork(call.sequence("record"), name: call.option("name"))) })

  static let repeated = Verb(
    "repeat", .lab, "Runs a line again and again", forms: [Form(.one("line", .text))],
    options: [
      .value("rate", .integer(1...100_000), "times a second", fallback: "10"), .value("for", .duration, "how long", fallback: "10s"),
    ],
    examples: [.init("repeat \"open Detail id=7; back\" --rate 50 --for 3s", "load from the shell")],
    request: { call throws(ParseError) in
      let line = call.text("line") ?? ""
      _ = try Statement.parse(line, at: call.token("line")?.position ?? call.position)
      return .lab(
        .repeated(
          line: line, rate: call.option("rate").flatMap { Int($0) } ?? 10,
          call.option("for").flatMap(DurationText.parse) ?? .seconds(10)))
    })
}
