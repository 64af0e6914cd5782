import CommandKit

extension Verb {
  static let wait = Verb(
    "wait", .run, "Waits until all is settled, for an event, or for a job",
    discussion: "An event counts if it happened since the last command.",
    forms: [
      Form(.word("settled")),
      Form(.word("event"), .one("event", .event), .many("fields", .assignment([]), atLeast: 0)),
      Form(.word("job"), .one("job", .number)),
    ],
    options: [.value("timeout", .duration, "give up after", fallback: "5s")],
    examples: [
      .init("wait settled", "until no request or message is under way"),
      .init("wait event screen.resumed module=Orders", "until a suspended Orders goes on"), .init("wait job 1", "until [1] is answered"),
    ],
    errors: ["bus.deadline"],
    request: { call in
      switch call.form {
      case 0: .wait(.settled)
      case 1: .wait(.event(EventPattern(call.text("event") ?? "", tokens: call.tokens("fields"))))
      default: .wait(.job(call.number("job") ?? 0))
      }
    })
}
