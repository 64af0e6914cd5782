import MinervaWire

extension EventText {
  /// The names that events have, the order that of a request's life.
  package static let names = [
    "request.admitted", "request.queued", "request.joined", "request.refused", "request.settled", "coordinator.launched",
    "screen.connecting", "screen.presenting", "screen.presented", "screen.delivered", "screen.turned", "screen.output",
    "screen.dismissing", "screen.removed", "screen.suspended", "screen.unclaimed", "screen.needs_input", "screen.resumed",
    "list.changed", "tab.selected", "split.changed", "gesture", "command.changed", "plan.waiting", "plan.due", "plan.followed",
    "plan.ended", "renderer", "renderer.transition", "process.joined", "process.lost", "process.suspended", "process.resumed",
    "process.expired", "scene.idle", "scene.ended",
  ]

  /// What `watch` takes beside the names: their first words, where there are several also in the plural.
  package static let topics: [String] = {
    var words: [String] = []
    for name in names {
      let word = String(name.prefix { $0 != "." })
      if !words.contains(word) { words.append(word) }
    }
    return EventPattern.plurals + words
  }()

  /// What no event is called, with what was perhaps meant; nil when the pattern means one.
  ///
  /// - Parameter isTopic: Whether a first word alone means all events that begin so.
  static func complaint(about pattern: String, isTopic: Bool) -> String? {
    let wanted = isTopic ? EventPattern.topic(pattern) : pattern
    let isKnown = names.contains { EventPattern.matches(wanted, $0) || isTopic && EventPattern.matches("\(wanted).*", $0) }
    guard !isKnown else { return nil }
    if !isTopic, topics.contains(pattern) { return "; did you mean \(EventPattern.topic(pattern)).*?" }
    return Suggestion.nearest(to: pattern, among: names + (isTopic ? topics : [])).map { "; did you mean \($0)?" }
      ?? "; help watch lists them"
  }
}
