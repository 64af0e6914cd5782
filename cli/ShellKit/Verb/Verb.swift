package import CommandKit
package import MinervaNavigation

/// A verb of the shell as data: the parser, help, completion and `minerva VERB` all come from here.
package struct Verb: Sendable {
  /// The groups in which `help all` lists the verbs.
  package enum Group: String, Sendable, CaseIterable {
    case move, act, look, run, speak, lab, expect

    /// The heading.
    package var title: String {
      switch self {
      case .move: "move"
      case .act: "act as a person would"
      case .look: "look"
      case .run: "run and wait"
      case .speak: "speak in a module's place"
      case .lab: "lab"
      case .expect: "expect"
      }
    }
  }

  package var name: String
  package var group: Group
  /// One sentence, without a full stop.
  package var summary: String
  /// Whether plain `help` lists it.
  package var isEveryday: Bool
  /// Further sentences for `help VERB`.
  package var discussion: String
  package var forms: [Form]
  package var options: [OptionDefinition]
  package var examples: [CommandDefinition.Example]
  /// The codes of errors it answers with, beside those every verb may.
  package var errors: [String]
  /// The version that brought it.
  package var since: String
  /// What its words ask for.
  package var request: @Sendable (Invocation) throws(ParseError) -> Request

  package init(
    _ name: String, _ group: Group, _ summary: String, isEveryday: Bool = false, discussion: String = "", forms: [Form],
    options: [OptionDefinition] = [], examples: [CommandDefinition.Example], errors: [String] = [], since: String = "0.1",
    request: @escaping @Sendable (Invocation) throws(ParseError) -> Request
  ) {
    self.name = name
    self.group = group
    self.summary = summary
    self.isEveryday = isEveryday
    self.discussion = discussion
    self.forms = forms
    self.options = options.contains { $0.name == "json" } ? options : options + [.json]
    self.examples = examples
    self.errors = errors
    self.since = since
    self.request = request
  }

  /// Every form, as help writes it.
  package var usages: [String] { forms.map { $0.usage(of: name) } }
}

/// What an action's words need to become bytes and screens.
package protocol InvocationContext: Sendable {
  /// Resolves an alias; an unknown one is `nav.unknown_alias`.
  func screen(_ reference: Reference) async throws -> ScreenRef

  /// Makes the bytes of a payload; `key=value` is typed by the schema of the module, else each value is a string.
  func bytes(_ payload: PayloadText, schemaOf module: String?) async throws -> [UInt8]

  /// The module of a screen, for its schema; nil when unknown.
  func module(of reference: Reference) async -> String?
}
