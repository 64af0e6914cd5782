import Minerva
import MinervaNavigation
import MinervaWire

/// What became of one script.
package struct FlowResult: Sendable {
  package var file: String
  package var title: String
  /// Statements carried out, and how many of them were expectations that held.
  package var statements = 0
  package var held = 0
  package var failures: [FlowFailure] = []
  package var recoveries: [Recovery] = []
  package var duration: Duration = .zero
  /// The tree at the end, when the script failed and its recording was wanted.
  package var tree: [String] = []
  /// What could not be kept of it.
  package var notes: [String] = []
  /// Not run, because a script before it failed.
  package var isSkipped = false

  package init(file: String, title: String) {
    self.file = file
    self.title = title
  }

  package var isGood: Bool { failures.isEmpty && !isSkipped }
}

/// Why a line of a script failed, with all that a reader needs to see it.
package struct FlowFailure: Sendable, Hashable {
  package var file: String
  package var line: Int
  /// The line as written.
  package var source: String
  /// The stable code, `expect.failed` for expectations.
  package var code: String
  package var reason: String
  /// The tree before the last command and now.
  package var before: [String]
  package var after: [String]

  package init(file: String, line: Int, source: String, code: String, reason: String, before: [String], after: [String]) {
    self.file = file
    self.line = line
    self.source = source
    self.code = code
    self.reason = reason
    self.before = before
    self.after = after
  }

  /// The failure as lines for people.
  package var lines: [String] {
    var lines = ["\(file):\(line): \(source)", "  \(code): \(reason)"]
    if before == after {
      lines += ["  tree:"] + after.map { "    \($0)" }
    } else {
      lines += ["  tree before the last command:"] + before.map { "  - \($0)" } + ["  tree now:"] + after.map { "  + \($0)" }
    }
    return lines
  }
}

/// A process that was killed and what was there again afterwards.
package struct Recovery: Sendable {
  /// What a person would see, for comparing.
  package struct State: Sendable, Hashable {
    /// The tree, a line a stack.
    package var tree: [String]
    /// What each screen shows, by its name.
    package var screens: [String: [String]]

    package init(tree: [String], screens: [String: [String]]) {
      self.tree = tree
      self.screens = screens
    }
  }

  package var process: String
  package var oldPid: Int32?
  package var newPid: Int32?
  package var before: State
  package var after: State
  package var duration: Duration

  package var isEqual: Bool { before == after }

  /// One object, for `--json`.
  package var json: String {
    func pid(_ value: Int32?) -> JSONLine.Value { value.map { .number(Int($0)) } ?? .null }
    func written(_ state: State) -> JSONLine.Value {
      .object([
        ("tree", .array(state.tree.map { .text($0) })),
        ("state", .object(state.screens.sorted { $0.key < $1.key }.map { ($0.key, .array($0.value.map { .text($0) })) })),
      ])
    }
    let milliseconds = Int(clamping: duration.milliseconds)
    return JSONLine([
      ("recovery", .text(process)), ("old_pid", pid(oldPid)), ("new_pid", pid(newPid)), ("milliseconds", .number(milliseconds)),
      ("before", written(before)), ("after", written(after)), ("equal", .flag(isEqual)),
    ]).text
  }
}

extension Recovery.State {
  /// What a look shows; in outline, of each screen only its title and how many rows it has.
  package init(_ look: SceneLook, isOutline: Bool = false) {
    var screens: [String: [String]] = [:]
    for (id, rendering) in look.renderings {
      screens[id.description] = isOutline ? ["\(rendering.title), \(rendering.count) rows"] : rendering.lines(width: 80)
    }
    self.init(tree: look.tree.places.map(TreeText.stack), screens: screens)
  }
}
