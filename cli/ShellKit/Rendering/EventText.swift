import CommandKit
package import MinervaInterfaces
import MinervaNavigation

/// An event of the feed with its dotted name and its fields, as `watch`, `wait event` and `expect event` read it.
package struct EventText: Sendable {
  package var scene: String
  package var number: UInt64
  package var record: UInt64
  package var name: String
  /// In the order in which they are shown.
  package var fields: [Field]
  /// The change set, when it is one.
  private var change: ListEvent?

  package struct Field: Sendable, Hashable {
    package var key: String
    package var value: String

    /// Its value by kind: numbers, `#12` among them, and yes or no are written as such.
    fileprivate var json: JSONLine.Value {
      let digits = value.hasPrefix("#") ? value.dropFirst() : value[...]
      if Self.numbers.contains(key), let number = UInt64(digits) { return .unsigned(number) }
      if Self.flags.contains(key) { return .flag(value == "yes") }
      return .text(value)
    }

    /// The key beside the event's own members, of which one is its number.
    fileprivate var jsonKey: String { key == "number" ? "ordinal" : key }

    private static let numbers = Set(["request", "behind", "with", "outputs", "number", "message", "turn", "pid"]).union(
      Expectation.ChangeCount.kinds)
    private static let flags: Set<String> = ["changed", "cancelled", "collapsed", "kept", "enabled"]
  }

  package init(scene: String, number: UInt64, record: UInt64, name: String, fields: [(String, String)]) {
    self.scene = scene
    self.number = number
    self.record = record
    self.name = name
    self.fields = fields.map { Field(key: $0, value: $1) }
  }

  package subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

  package func matches(_ pattern: EventPattern) -> Bool {
    EventPattern.matches(pattern.name, name) && pattern.fields.allSatisfy { self[$0.key] == $0.value }
  }

  /// `#31 screen.resumed s11 Orders on shop-2`: the fields without names where they say enough by themselves.
  package var line: String {
    if let change { return "\(record > 0 ? "#\(record)" : "-") \(name) \(ChangeText.line(change, of: change.screen.description))" }
    let plain: Set<String> = ["screen", "module", "node", "text"]
    // A request's own name is for programs: people have its number.
    let words = fields.filter { $0.key != "txn" }.map { field in
      let value = Escaping.visible(field.value)
      return plain.contains(field.key) ? value : "\(field.key)=\(value)"
    }
    return ([record > 0 ? "#\(record)" : "-", name] + words).joined(separator: " ")
  }

  package var json: String {
    JSONLine(
      [("scene", .text(scene)), ("number", .unsigned(number)), ("record", .unsigned(record)), ("event", .text(name))]
        + fields.map { ($0.jsonKey, $0.json) }
    ).text
  }
}

extension EventText {
  package init(_ event: SceneEvent) {
    let (name, fields) = Self.described(event.kind)
    self.init(scene: event.scene, number: event.number, record: event.record, name: name, fields: fields)
    if case .list(let list) = event.kind { change = list }
  }

  private static func described(_ kind: SceneEvent.Kind) -> (String, [(String, String)]) {
    switch kind {
    case .navigation(let event): return (event.kind.name, fields(of: event.kind))
    case .transition(let transition):
      return ("renderer.transition", [("number", "#\(transition.number)"), ("verb", transition.verb)])
    case .joined(let admission):
      guard case .joined(let other) = admission.standing else { return ("request.joined", [("caller", admission.caller)]) }
      return ("request.joined", [("with", "#\(other)"), ("caller", admission.caller)])
    case .list(let list): return ("list.changed", fields(of: list))
    case .process(let process):
      var fields = [("node", process.node), ("kind", process.kind), ("pid", "\(process.pid)")].filter { $0 != ("pid", "0") }
      if !process.reason.isEmpty { fields.append(("reason", process.reason)) }
      return ("process.\(process.change.rawValue)", fields)
    case .idle: return ("scene.idle", [])
    }
  }

  private static func fields(of list: ListEvent) -> [(String, String)] {
    var fields = [("screen", "\(list.screen)"), ("from", "v\(list.from)"), ("to", "v\(list.to)")]
    for kind in Expectation.ChangeCount.kinds {
      let count = list.counts.count(of: kind)
      if count > 0 { fields.append((kind, "\(count)")) }
    }
    return fields + [("by", list.computedBy)]
  }

  private static func named(_ summary: ScreenSummary) -> [(String, String)] {
    var fields = [("screen", "\(summary.screen)"), ("module", summary.module)]
    if let path = summary.path { fields.append(("in", "\(path)")) }
    if !summary.host.isEmpty { fields.append(("host", summary.host)) }
    return fields
  }

  /// A request by its number and its own name, so that its events can be matched.
  private static func named(_ request: RequestSummary) -> [(String, String)] {
    [("verb", request.verb), ("request", "#\(request.seq)"), ("txn", request.txn)]
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func fields(of kind: Event.Kind) -> [(String, String)] {
    switch kind {
    case .admitted(let request): return named(request) + [("caller", request.caller)]
    case .queued(let request, let behind, let because): return named(request) + [("behind", "#\(behind)"), ("because", because)]
    case .refused(let request, let refusal): return named(request) + [("code", refusal.code), ("text", refusal.message)]
    case .connecting(let screen), .dismissing(let screen), .suspended(let screen), .unclaimed(let screen), .needsInput(let screen):
      return named(screen)
    case .presenting(let screen, let via): return named(screen) + (via.map { [("via", "\($0)")] } ?? [])
    case .presented(let screen, let input), .launched(let screen, let input):
      return named(screen) + (input.isEmpty ? [] : [("input", text(input))])
    case .removed(let screen, let reason, let outputs, let result, _):
      return named(screen) + [("reason", reason.rawValue)] + (outputs > 0 ? [("outputs", "\(outputs)")] : [])
        + (result.map { [("result", text($0))] } ?? [])
    case .settled(let request, let outcome):
      return named(request) + [("changed", outcome.changed ? "yes" : "no")] + (outcome.cancelled ? [("cancelled", "yes")] : [])
    case .output(let screen, let number, let bytes, let listener, let byShell):
      return named(screen) + [("number", "\(number)"), ("output", text(bytes))] + (listener.map { [("to", "\($0)")] } ?? [])
        + (byShell ? [("by", "shell")] : [])
    case .delivered(let screen, let message, let what): return named(screen) + [("message", "\(message)"), ("what", what)]
    case .turned(let screen, let number, _): return named(screen) + [("turn", "\(number)")]
    case .tabSelected(let container, let tab): return named(container) + [("tab", tab)]
    case .split(let container, let collapsed): return named(container) + [("collapsed", collapsed ? "yes" : "no")]
    case .gesture(let gesture, let step, let screen):
      return [("screen", "\(screen)"), ("gesture", gesture.rawValue), ("step", step.rawValue)]
    case .resumed(let screen, let kept): return named(screen) + [("kept", kept ? "yes" : "no")]
    case .gate(let name, let origin, let caller, let isEnabled):
      return [("command", name), ("of", origin?.description ?? caller), ("enabled", isEnabled ? "yes" : "no")]
    case .renderer(let name): return [("renderer", name ?? "none")]
    case .plan(let plan, let stage):
      let fields = [("plan", "\(plan.id)"), ("screen", "\(plan.awaited)"), ("module", plan.module), ("link", plan.link)]
      guard case .ended(let refusal) = stage else { return fields }
      return fields + [("code", refusal.code), ("text", refusal.message)]
    case .ended: return []
    }
  }
}

extension ChangeCounts {
  /// The count of a kind as `expect changes` names it.
  package func count(of kind: String) -> Int {
    switch kind {
    case "insert": inserts
    case "delete": deletes
    case "move": moves
    case "update": updates
    case "sectionInsert": sectionInserts
    case "sectionDelete": sectionDeletes
    default: 0
    }
  }
}
