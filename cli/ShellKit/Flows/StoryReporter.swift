package import CommandKit

/// Tells a script as a story, for the demo: each command with its answer, who served what, which rows changed, and every recovery.
///
/// What it draws comes from the event feed and from looks at the scene alone.
package struct StoryReporter: FlowReporter {
  private let console: Console
  private let isJSON: Bool

  package init(_ console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  private func tell(_ lines: [String]) {
    guard !isJSON else { return }
    try? console.out.lines(lines)
    try? console.out.flush()
  }

  package func began(_ script: FlowScript) async { tell([console.paint(.bold, Escaping.visible(script.title)), ""]) }

  package func carriedOut(_ step: FlowStep, lines: [String], events: [EventText], in script: FlowScript) async {
    let paint = console.paint
    if case .session(.note(let text)) = step.statement.request {
      return tell(["", paint(.bold, "— \(Escaping.visible(text))")])
    }
    if case .expect = step.statement.request {
      let isGood = lines.first?.hasPrefix("ok") ?? false
      return tell(["  \(isGood ? paint(.green, "✓") : paint(.red, "✗")) \(Escaping.visible(step.statement.source))"])
    }
    var told = [paint(.cyan, "> \(Escaping.visible(step.statement.source))")] + lines.map { "  \($0)" }
    for event in events { if let line = Self.line(event) { told.append(paint(.dim, "    \(line)")) } }
    tell(told)
  }

  /// Events that tell who served what and what changed; the others are told by answers.
  private static func line(_ event: EventText) -> String? {
    func field(_ key: String) -> String { Escaping.visible(event[key] ?? "") }
    switch event.name {
    case "screen.presented": return "\(field("screen")) \(field("module")) served by \(field("host"))"
    case "screen.suspended", "screen.resumed": return "\(field("screen")) \(field("module")) \(event.name.dropFirst(7)) on \(field("host"))"
    case "screen.output": return "\(field("screen")) \(field("module")) says \(field("output"))"
    case "list.changed" where event["from"] != "v0":
      let counts = Expectation.ChangeCount.kinds.compactMap { kind in event[kind].map { "\(kind) \($0)" } }
      return "\(field("screen")) rows: \(counts.isEmpty ? "same" : counts.joined(separator: ", ")) (computed by \(field("by")))"
    case _ where event.name.hasPrefix("process."): return "\(field("node")) \(event.name.dropFirst(8))"
    default: return nil
    }
  }

  package func recovered(_ recovery: Recovery, in script: FlowScript) async {
    if isJSON {
      try? console.out.line(recovery.json)
      try? console.out.flush()
      return
    }
    let paint = console.paint
    func pid(_ value: Int32?) -> String { value.map(String.init) ?? "?" }
    let verdict = recovery.isEqual ? paint(.green, "equal") : paint(.red, "different")
    var lines = [
      "  " + paint(.yellow, "recovery of \(Escaping.visible(recovery.process))")
        + ": process \(pid(recovery.oldPid)) -> \(pid(recovery.newPid)) in \(DurationText.describe(recovery.duration)), "
        + "\(recovery.before.screens.count) screens before, \(recovery.after.screens.count) after: \(verdict)"
    ]
    if recovery.isEqual {
      lines += recovery.after.tree.map { "    = \($0)" }
    } else {
      lines += recovery.before.tree.map { "    - \($0)" } + recovery.after.tree.map { "    + \($0)" }
      for (screen, before) in recovery.before.screens.sorted(by: { $0.key < $1.key }) {
        let after = recovery.after.screens[screen] ?? []
        guard before != after else { continue }
        lines += ["    \(screen) before:"] + before.map { "      \($0)" } + ["    \(screen) after:"] + after.map { "      \($0)" }
      }
    }
    tell(lines)
  }

  package func failed(_ failure: FlowFailure, in script: FlowScript) async {
    if isJSON {
      try? console.out.line(
        JSONLine([
          ("failed", .text("\(failure.file):\(failure.line)")), ("source", .text(failure.source)), ("code", .text(failure.code)),
          ("reason", .text(failure.reason)),
        ]).text)
    }
    for line in failure.lines { console.notice(line) }
  }

  package func ended(_ result: FlowResult) async {
    if isJSON {
      try? console.out.line(RunReporter.json(result))
    } else {
      let verdict = result.isGood ? console.paint(.green, "all \(result.held) expectations held") : console.paint(.red, "failed")
      tell(["", "\(verdict); \(result.recoveries.count) recoveries, \(DurationText.describe(result.duration))"])
    }
    try? console.out.flush()
  }
}
