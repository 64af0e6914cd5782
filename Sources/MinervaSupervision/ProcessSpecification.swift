/// What a supervised process is and how it is started.
package struct ProcessSpecification: Sendable, Hashable, Codable {
  /// Where standard output and error go.
  package enum Output: String, Sendable, Hashable, Codable {
    /// Appended to `<runtime>/logs/NAME.log`.
    case log
    /// The supervisor's own.
    case inherit
    /// Nowhere.
    case discard
  }

  /// When an ended process is started again.
  package enum Restart: String, Sendable, Hashable, Codable {
    case always, onFailure, never
  }

  /// The name in `status`, logs and messages, such as `shop-1`; unique within a supervisor.
  package var name: String
  /// What it is: `broker`, `host`, `diff`.
  package var kind: String
  /// The path of the executable.
  package var executable: String
  /// The arguments after the executable's own name.
  package var arguments: [String]
  /// Variables set in addition to the supervisor's environment.
  package var environment: [String: String]
  package var output: Output
  package var restart: Restart
  /// Lower stages start earlier and stop later: the broker is 0.
  package var stage: Int
  /// Whether it leads a process group of its own, so that a Ctrl-C at the terminal reaches the supervisor alone.
  package var ownGroup: Bool

  package init(
    name: String, kind: String, executable: String, arguments: [String] = [], environment: [String: String] = [:],
    output: Output = .log, restart: Restart = .always, stage: Int = 0, ownGroup: Bool = true
  ) {
    self.name = name
    self.kind = kind
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.output = output
    self.restart = restart
    self.stage = stage
    self.ownGroup = ownGroup
  }
}
