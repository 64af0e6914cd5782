import CommandKit
package import MinervaInterfaces
import MinervaNavigation

/// Leaks as lines (K4).
package enum LeakText {
  package static func lines(_ report: LeakReport, of scene: String?, isJSON: Bool) -> [String] {
    let lines =
      report.leaks.map { isJSON ? json($0) : line($0, of: scene) } + report.unanswered.map { isJSON ? silence($0) : unanswered($0) }
    return lines.isEmpty && !isJSON ? ["no leaks"] : lines
  }

  /// `task s5 Edit at shop-1: removed at #12 (popped); its task from Shop/Edit.swift:31 goes on; 4.2s; owned by s2 Users`.
  package static func line(_ leak: Leak, of scene: String?) -> String {
    var text =
      "\(leak.kind.rawValue) \(leak.scene == scene ? "" : "\(leak.scene):")\(leak.screen) \(leak.module) at \(leak.host): \(leak.text)"
    if let age = leak.age { text += "; for \(DurationText.describe(.milliseconds(age)))" }
    if !leak.owners.isEmpty { text += "; owned by \(leak.owners.joined(separator: " < "))" }
    return Escaping.visible(text)
  }

  private static func unanswered(_ host: String) -> String {
    Escaping.visible("unknown \(host) did not answer in time; what it runs is not known")
  }

  private static func json(_ leak: Leak) -> String {
    JSONLine([
      ("leak", .text(leak.kind.rawValue)), ("scene", .text(leak.scene)), ("screen", .text(leak.screen.description)),
      ("module", .text(leak.module)), ("host", .text(leak.host)), ("age_ms", leak.age.map { .number($0) } ?? .null),
      ("owners", .array(leak.owners.map { .text($0) })), ("text", .text(leak.text)),
    ]).text
  }

  private static func silence(_ host: String) -> String { JSONLine([("unanswered", .text(host))]).text }
}
