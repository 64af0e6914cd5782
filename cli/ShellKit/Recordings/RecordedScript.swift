import MinervaNavigation
import MinervaWire

/// The commands of a session as a script: each line as typed, with what it was answered when that was an error.
final class RecordedScript {
  let path: String
  private let file: LineFile
  private var commands = 0
  /// Whether the line before asked for something whose consequences a person would have waited for.
  private var isWaiting = false

  init(_ path: String, scene: String, app: String, at record: UInt64) throws(MinervaError) {
    self.path = path
    file = try LineFile(path)
    try file.write(["flow \(PayloadText.quoted("recorded in \(scene)"))", "app \(app)"])
    try file.write(["# begun at #\(record) of \(scene); a run begins with a fresh scene", ""])
  }

  /// What is known before a statement is carried out.
  struct Before {
    /// Whether the scene had settled.
    var wasSettled: Bool
    /// Whether its words must not be written down, or nobody can say (P4).
    var mayBeSecret: Bool
  }

  /// Adds a statement that was carried out.
  func add(_ statement: Statement, error: MinervaError?, _ before: Before) throws(MinervaError) {
    guard statement.request.isScripted else { return }
    if before.mayBeSecret {
      isWaiting = false
      return try file.write(["# left out, since it may give a secret: \(statement.verb.name)"])
    }
    var isExpectation = false
    if case .expect = statement.request { isExpectation = true }
    // An expectation that did not hold would end the run.
    if isExpectation, error != nil { return }
    var lines: [String] = []
    if isWaiting, before.wasSettled, !statement.request.isPassive { lines.append("wait settled") }
    lines.append(statement.written)
    if let error, statement.isAnswerable { lines.append("expect error \(error.code)") }
    isWaiting = !statement.request.isPassive && error == nil
    commands += 1
    try file.write(lines)
  }

  /// Ends the script; says what there is.
  func end() -> String { "\(path): \(commands) command\(commands == 1 ? "" : "s")" }
}

extension Request {
  /// Whether a script of the session repeats it.
  fileprivate var isScripted: Bool {
    switch self {
    case .action, .deeplink, .wait, .expect: true
    case .lab(let lab): !lab.isTravel
    case .look, .session: false
    }
  }
}

extension Statement {
  /// The statement as a line of its own.
  fileprivate var written: String {
    let line = source.filter { !$0.isNewline }
    return call.isBackground && !line.hasSuffix("&") ? line + " &" : line
  }
}
