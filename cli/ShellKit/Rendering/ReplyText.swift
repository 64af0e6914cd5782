import CommandKit
package import MinervaNavigation
package import MinervaWire

/// Answers as lines: one that starts with what became of the request, details indented.
package enum ReplyText {
  /// Puts the first word into its column.
  package static func headed(_ head: String, _ text: String) -> String {
    "\(DisplayWidth.padded(head, to: 6)) \(text)"
  }

  /// The lines of a reply; the tree, when known, lends inputs and hosts.
  package static func lines(_ reply: SceneReply, tree: SceneTree?, output: [UInt8]? = nil) -> [String] {
    let outcome = reply.outcome
    let number = reply.record.map { "#\($0) " } ?? ""
    if let spoken = outcome.output {
      let listener =
        spoken.listener.map { "-> \($0)\(spoken.listenerModule.map { " \(Escaping.visible($0))" } ?? "")" } ?? "heard by nobody"
      let payload = output.map { " " + Escaping.visible(String(decoding: $0, as: UTF8.self)) } ?? ""
      return [headed("ok", "\(number)\(spoken.screen) \(listener)  output \(spoken.number)\(payload)")]
        + changes(outcome, tree).map(indented)
    }
    if let plan = outcome.plan {
      return [headed("waiting", "plan \(plan.id) at \(Escaping.visible(plan.module))")] + changes(outcome, tree).map(indented)
    }
    if outcome.cancelled { return [headed("ok", "\(number)settled cancelled; nothing removed")] }
    if let held = outcome.held.first {
      return [headed("ok", "\(number)interactive \(pop(outcome)) of \(held) (may be cancelled)")]
    }
    if !outcome.changed { return ["no change" + (reply.record.map { " #\($0)" } ?? "")] }
    var details = changes(outcome, tree)
    let first = acted(outcome, tree) ?? (details.isEmpty ? "\(outcome.verb) done" : details.removeFirst())
    if let shortfall = outcome.shortfall { details.append("kept so far; \(shortfall.code): \(Escaping.visible(shortfall.message))") }
    return [headed("ok", number + first)] + details.map(indented)
  }

  private static func indented(_ text: String) -> String { "       " + text }

  private static func pop(_ outcome: Outcome) -> String { outcome.verb == "gesture" ? "pop" : outcome.verb }

  /// What was presented, the screen asked for first, then what left.
  private static func changes(_ outcome: Outcome, _ tree: SceneTree?) -> [String] {
    var lines: [String] = []
    for summary in outcome.presented.reversed() { lines.append(presented(summary, tree)) }
    for removal in outcome.removed { lines.append(removed(removal)) }
    return lines
  }

  /// For acts, inputs and selections: what was done.
  private static func acted(_ outcome: Outcome, _ tree: SceneTree?) -> String? {
    let named = outcome.screen.map { id in
      "\(id)" + (tree?.screen(id).map { " \(Escaping.visible($0.module))" } ?? "")
    }
    switch outcome.verb {
    case "tap", "enter", "move", "swipe", "execute", "send": return "\(outcome.verb) handled by \(named ?? "its screen")"
    case "tab":
      guard let id = outcome.screen, let bar = tree?.tabBars.last(where: { $0.screen.id == id }) ?? tree?.tabBars.last else { return nil }
      guard bar.tabs.indices.contains(bar.selected) else { return nil }
      return "tab \(Escaping.visible(bar.tabs[bar.selected].name)) selected"
    default: return nil
    }
  }

  /// `s5 Settings{section:"privacy"} presented in main (depth 2, host shop-1)`; at the bottom of a stack, the place says enough.
  package static func presented(_ summary: ScreenSummary, _ tree: SceneTree?) -> String {
    let input = tree?.screen(summary.screen).map { PayloadDigest.text($0.input) } ?? ""
    var text = "\(summary.screen) \(Escaping.visible(summary.module))\(input) presented"
    if let path = summary.path { text += " in \(path)" }
    if summary.depth > 1 {
      text += " (depth \(summary.depth)" + (summary.host.isEmpty ? "" : ", host \(Escaping.visible(summary.host))") + ")"
    }
    return text
  }

  package static func removed(_ removal: Removal) -> String {
    "removed \(removal.screen) \(Escaping.visible(removal.module)) reason=\(removal.reason.rawValue)"
      + (removal.outputs > 0 ? " outputs=\(removal.outputs)" : "")
  }

  /// Where a request stands that is not answered at once.
  package static func standing(_ admission: Admission) -> String {
    switch admission.standing {
    case .running: "admitted #\(admission.seq)"
    case .queued(let behind, let because): "queued #\(admission.seq) behind #\(behind) (\(Escaping.visible(because)))"
    case .joined(let other): "joined #\(other)"
    case .repeated(let other): "waiting #\(other) (sent before)"
    }
  }

  /// Whether lines tell of an error, in either form.
  package static func isError(_ lines: [String]) -> Bool {
    lines.first.map { $0.hasPrefix("error ") || $0.hasPrefix("{\"error\":") } ?? false
  }

  /// `error CODE: text`; further lines of a text are indented.
  package static func error(_ error: MinervaError) -> [String] {
    let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
    return ["error \(error.code): \(Escaping.visible(String(lines.first ?? "")))"]
      + lines.dropFirst().map { indented(Escaping.visible(String($0))) }
  }
}
