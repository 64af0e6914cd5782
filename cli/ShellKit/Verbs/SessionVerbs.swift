import CommandKit

extension Verb {
  static let scene = Verb(
    "scene", .run, "Lists the scenes, changes to another, or ends one",
    discussion: """
      scene NAME begins the scene where there is none. scene end NAME removes every screen of it, topmost first, each with the reason \
      sceneClosed; its name is free again.
      """,
    forms: [Form(.word("end"), .one("ended", .name("NAME"))), Form(.maybe("name", .name("NAME")))],
    options: [.value("app", .text, "the app of a new scene", placeholder: "NAME")],
    examples: [
      .init("scene", "lists them, with * at this one"), .init("scene second --app shop", "a second tree of the same app"),
      .init("scene end second", "ends it for good"),
    ], errors: ["scene.app_required", "scene.unknown", "bus.unauthorized"],
    request: { call throws(ParseError) in
      if let ended = call.text("ended") { return .session(.endScene(ended)) }
      // Whoever forgets the name wants no scene of that name.
      if let token = call.token("name"), token.bare == "end" {
        throw ParseError(.missing, "scene end takes the name of the scene that is to end; scene lists them", at: token.position)
      }
      return .session(.scene(name: call.text("name"), app: call.option("app")))
    })

  static let source = Verb(
    "source", .run, "Runs the lines of a file", forms: [Form(.one("file", .file))],
    examples: [.init("source setup.flow", "as if typed")], errors: ["script.file", "script.encoding"],
    request: { call in .session(.source(call.text("file") ?? "")) })

  static let option = Verb(
    "option", .run, "Shows or sets an option of the session",
    forms: [Form(.one("name", .keyword(["timings", "width"])), .maybe("value", .text)), Form()],
    examples: [.init("option timings on", "replies say how long they took")],
    request: { call in .session(.option(name: call.text("name"), value: call.text("value"))) })

  static let help = Verb(
    "help", .run, "Explains the shell, a verb, or the error codes", forms: [Form(.many("topic", .words, atLeast: 0))],
    examples: [
      .init("help all", "every verb"), .init("help open", "one verb"), .init("help errors", "every code with cause and remedy"),
      .init("help catalog", "the form of an app in a file"),
    ],
    request: { call in .session(.help(call.tokens("topic").map(\.text))) })

  static let quit = Verb(
    "quit", .run, "Leaves the shell",
    discussion: "Requests in the background have a moment to be answered; those that are not are counted, and the shell ends with 1.",
    forms: [Form()], examples: [.init("quit", "as Ctrl-D does")], errors: ["bus.closed"],
    request: { _ in .session(.quit) })

  static let note = Verb(
    "note", .run, "Writes a line into the run's report", forms: [Form(.one("text", .text))],
    examples: [.init("note \"now the broker dies\"", "a heading in a script's output")],
    request: { call in .session(.note(call.text("text") ?? "")) })

  static let record = Verb(
    "record", .run, "Records the scene, or the session's commands, into a file",
    discussion: """
      A recording holds the scene's journaled records and what they did; replay feeds it to the core again. A script holds the session's \
      commands as a flow. Secrets are in neither. As minerva record it goes on until Ctrl-C.
      """,
    forms: [Form(.word("stop")), Form(.one("file", .file))],
    options: [
      .flag("as-script", "as shell lines instead of records"),
      .value("from", .text, "begin with this record, not the next", placeholder: "SEQ"),
      .value("to", .text, "end with this record, at once", placeholder: "SEQ"),
    ],
    examples: [
      .init("record bug.mrec", "begins"), .init("record stop", "ends"), .init("record bug.mrec --from 1", "from the scene's beginning"),
      .init("record bug.flow --as-script", "a script of what is typed from now on"),
    ],
    errors: ["recording.running", "recording.none", "time.out_of_range", "file.exists", "file.unwritable"],
    request: { call throws(ParseError) in
      if call.form == 0 { return .session(.recordStop) }
      let file = call.text("file") ?? ""
      if call.flag("as-script") { return .session(.recordScript(file)) }
      return .session(.record(file, from: try call.record("from"), to: try call.record("to")))
    })

  static let replay = Verb(
    "replay", .run, "Feeds a recording to the core alone", discussion: "Needs no broker, host or worker.",
    forms: [Form(.one("file", .file))],
    options: [.flag("verify", "compare every effect, tree and the final state")],
    examples: [.init("replay bug.mrec --verify", "stops at the first difference")],
    errors: ["replay.diverged", "recording.damaged", "recording.newer_format"],
    request: { call in .session(.replay(call.text("file") ?? "", verify: call.flag("verify"))) })

  static let save = Verb(
    "save", .run, "Writes the scene into a file",
    discussion: """
      Waits until it has settled, for at most 5 s. The file is a recording in which nothing happens: its tree, the inputs and what \
      coordinators declared to keep. Secrets are not in it.
      """,
    forms: [Form(.one("file", .file))], options: [.flag("force", "also over a file that is there")],
    examples: [
      .init("save a.mrec", "to go on from there, here or elsewhere"), .init("save a.mrec --force", "in place of what was saved before"),
    ],
    errors: ["bus.deadline", "file.exists", "file.unwritable"],
    request: { call in .session(.save(call.text("file") ?? "", overwrites: call.flag("force"))) })

  static let restore = Verb(
    "restore", .run, "Begins a scene as a file has it, and changes to it",
    discussion: """
      The file was made by save, or by record: then it is the scene at the recording's end. Hosts of the app resume its modules, as \
      after a restart. It has the name it was saved under, or, where there is such a scene, one like main@12.
      """,
    forms: [Form(.one("file", .file))], options: [.value("name", .text, "the new scene's name", placeholder: "NAME")],
    examples: [.init("restore a.mrec", "as it was saved"), .init("restore a.mrec --name second", "under another name")],
    errors: ["scene.exists", "recording.damaged", "recording.newer_format", "file.unreadable"],
    request: { call in .session(.restore(call.text("file") ?? "", name: call.option("name"))) })
}
