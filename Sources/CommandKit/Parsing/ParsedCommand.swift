/// A command line that was understood: which command, with which options and arguments.
///
/// Values were checked against their ``ValueKind`` while parsing, so the typed readers only translate.
package struct ParsedCommand: Sendable, Hashable {
  /// What the words ask for.
  package enum Request: Sendable, Hashable {
    case run
    case help
    case version
  }

  /// The names from the root down, `["minerva", "keys", "new"]`.
  package var path: [String]
  package var request: Request
  /// Values by option name, in the order given; a flag stands as one empty text.
  package var options: [String: [String]]
  /// Values by argument name.
  package var arguments: [String: [String]]
  /// The options whose values come from the environment.
  package var fromEnvironment: Set<String> = []
  /// The words of a verbatim command, as they came.
  package var rest: [String]

  package init(
    path: [String], request: Request = .run, options: [String: [String]] = [:], arguments: [String: [String]] = [:], rest: [String] = []
  ) {
    self.path = path
    self.request = request
    self.options = options
    self.arguments = arguments
    self.rest = rest
  }

  /// The last name of the path.
  package var name: String { path.last ?? "" }

  package func flag(_ name: String) -> Bool { options[name] != nil }
  package func text(_ name: String) -> String? { options[name]?.last }
  package func texts(_ name: String) -> [String] { options[name] ?? [] }
  package func integer(_ name: String) -> Int? { text(name).flatMap { Int($0) } }
  package func duration(_ name: String) -> Duration? { text(name).flatMap(DurationText.parse) }
  package func argument(_ name: String) -> String? { arguments[name]?.first }
  package func arguments(_ name: String) -> [String] { arguments[name] ?? [] }
}
