package import CommandKit
import MinervaWire

/// Tells of a run: a line a script, and everything about a failure.
package struct RunReporter: FlowReporter {
  private let console: Console
  private let isJSON: Bool

  package init(_ console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  package func failed(_ failure: FlowFailure, in script: FlowScript) async {
    guard !isJSON else { return }
    for line in failure.lines { console.notice(line) }
  }

  package func ended(_ result: FlowResult) async {
    // A reader that has left shows at the end of the run; the run itself goes on.
    try? console.out.line(isJSON ? Self.json(result) : Self.line(result, console.paint))
    try? console.out.flush()
  }

  private static func line(_ result: FlowResult, _ paint: Paint) -> String {
    let head = result.isGood ? paint(.green, "ok    ") : paint(.red, "failed")
    return "\(head) \(Escaping.visible(result.title)) (\(Escaping.visible(result.file)), \(result.held) expectations held, "
      + "\(DurationText.describe(result.duration)))"
  }

  package static func json(_ result: FlowResult) -> String {
    let milliseconds = Int(clamping: result.duration.milliseconds)
    return JSONLine([
      ("file", .text(result.file)), ("title", .text(result.title)), ("good", .flag(result.isGood)), ("skipped", .flag(result.isSkipped)),
      ("statements", .number(result.statements)), ("held", .number(result.held)), ("milliseconds", .number(milliseconds)),
      (
        "failures",
        .array(
          result.failures.map { failure in
            .object([
              ("line", .number(failure.line)), ("source", .text(failure.source)), ("code", .text(failure.code)),
              ("reason", .text(failure.reason)), ("before", .array(failure.before.map { .text($0) })),
              ("after", .array(failure.after.map { .text($0) })),
            ])
          })
      ),
    ]).text
  }
}
