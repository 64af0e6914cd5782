/// A command as data: what the parser accepts, what help shows and what completion offers all come from here.
package struct CommandDefinition: Sendable, Hashable {
  /// The word typed, `up`; for the root, the program's name.
  package var name: String
  /// One sentence, without a full stop, for the list of commands.
  package var summary: String
  /// Further paragraphs of the command's own help.
  package var discussion: String
  /// The heading under which the parent's help lists this command.
  package var group: String
  package var options: [OptionDefinition]
  package var arguments: [ArgumentDefinition]
  package var subcommands: [CommandDefinition]
  package var examples: [Example]
  /// What becomes of the words that follow the command's name.
  package var trailing: Trailing

  package enum Trailing: Sendable, Hashable {
    /// Every word is an argument or an option of this definition.
    case parsed
    /// Words are handed on as they came, in order; only the program's own options are taken out.
    case verbatim
  }

  /// A line that a reader can type, and what it does.
  package struct Example: Sendable, Hashable {
    package var line: String
    package var meaning: String

    package init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  package init(
    _ name: String,
    _ summary: String,
    discussion: String = "",
    group: String = "",
    options: [OptionDefinition] = [],
    arguments: [ArgumentDefinition] = [],
    subcommands: [CommandDefinition] = [],
    examples: [Example] = [],
    trailing: Trailing = .parsed
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.group = group
    self.options = options
    self.arguments = arguments
    self.subcommands = subcommands
    self.examples = examples
    self.trailing = trailing
  }

  /// Returns the subcommand of that name.
  package func subcommand(_ name: String) -> CommandDefinition? {
    subcommands.first { $0.name == name }
  }
}
