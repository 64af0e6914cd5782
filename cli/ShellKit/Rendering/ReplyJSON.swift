import MinervaNavigation
package import MinervaWire

/// Answers as JSON, one object a line: `{"ok":"open",…}` with the reply's fields, `{"standing":…}` before it, `{"error":{"code":…}}` instead.
package enum ReplyJSON {
  /// What a verb without fields of its own tells: its lines as they stand.
  package static func done(_ statement: Statement, _ lines: [String]) -> String { done(statement.verb.name, lines) }

  static func done(_ verb: String, _ lines: [String]) -> String {
    let texts = lines.map { $0 == "ok" ? "" : $0.hasPrefix("ok ") ? String($0.dropFirst(3)).trimmingBlanks() : $0.trimmingBlanks() }
    return JSONLine([("ok", .text(verb)), ("lines", .array(texts.filter { !$0.isEmpty }.map { .text($0) }))]).text
  }

  /// The answer to a request.
  static func reply(_ reply: SceneReply, output: [UInt8]? = nil) -> String {
    let outcome = reply.outcome
    var members: [(String, JSONLine.Value)] = [
      ("ok", .text(outcome.verb)), ("record", reply.record.map { .unsigned($0) } ?? .null), ("changed", .flag(outcome.changed)),
    ]
    if let screen = outcome.screen { members.append(("screen", .text(screen.description))) }
    if !outcome.presented.isEmpty { members.append(("presented", .array(outcome.presented.map(presented)))) }
    if !outcome.removed.isEmpty { members.append(("removed", .array(outcome.removed.map(removed)))) }
    if !outcome.held.isEmpty { members.append(("held", .array(outcome.held.map { .text($0.description) }))) }
    if let spoken = outcome.output {
      members.append(
        (
          "output",
          .object([
            ("screen", .text(spoken.screen.description)), ("listener", spoken.listener.map { .text($0.description) } ?? .null),
            ("number", .number(Int(spoken.number))), ("payload", output.map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null),
          ])
        ))
    }
    if outcome.cancelled { members.append(("cancelled", .flag(true))) }
    if let plan = outcome.plan {
      members.append(("plan", .object([("id", .text(plan.id.description)), ("module", .text(plan.module))])))
    }
    if let shortfall = outcome.shortfall {
      members.append(("shortfall", .object([("code", .text(shortfall.code)), ("message", .text(shortfall.message))])))
    }
    return JSONLine(members).text
  }

  private static func presented(_ summary: ScreenSummary) -> JSONLine.Value {
    .object([
      ("screen", .text(summary.screen.description)), ("module", .text(summary.module)),
      ("in", summary.path.map { .text($0.description) } ?? .null), ("depth", .number(summary.depth)), ("host", .text(summary.host)),
    ])
  }

  private static func removed(_ removal: Removal) -> JSONLine.Value {
    .object([
      ("screen", .text(removal.screen.description)), ("module", .text(removal.module)), ("reason", .text(removal.reason.rawValue)),
      ("outputs", .number(Int(removal.outputs))),
    ])
  }

  /// Where a request stands that is not answered at once.
  static func standing(_ admission: Admission) -> String {
    let (word, other): (String, UInt64?) =
      switch admission.standing {
      case .running: ("admitted", nil)
      case .queued(let behind, _): ("queued", behind)
      case .joined(let other): ("joined", other)
      case .repeated(let other): ("waiting", other)
      }
    var members: [(String, JSONLine.Value)] = [("standing", .text(word)), ("record", .unsigned(admission.seq))]
    if let other { members.append(("behind", .unsigned(other))) }
    if case .queued(_, let because) = admission.standing { members.append(("because", .text(because))) }
    return JSONLine(members).text
  }

  /// Where a request stands of which nothing was heard in time.
  static let unheard = JSONLine([("standing", .text("unheard"))]).text

  package static func error(_ error: MinervaError) -> String {
    JSONLine([("error", .object([("code", .text(error.code.rawValue)), ("message", .text(error.message))]))]).text
  }

  /// The same object headed by the number of the job that it is about.
  static func ofJob(_ number: Int, _ object: String) -> String { "{\"job\":\(number)," + object.dropFirst() }
}
