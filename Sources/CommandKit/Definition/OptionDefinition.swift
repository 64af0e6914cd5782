/// A long option of a command, with or without a value.
package struct OptionDefinition: Sendable, Hashable {
  /// The name without its dashes, `junit`.
  package var name: String
  /// A one-letter form, `j` for `-j`; rare by convention.
  package var short: Character?
  /// What its value must look like; nil for a flag.
  package var value: ValueKind?
  /// The name of the value in help, `FILE`.
  package var placeholder: String
  package var summary: String
  /// Whether the option may be given more than once.
  package var repeats: Bool
  /// The variable read when the option is not given.
  package var environment: String?
  /// The value used when neither option nor variable is given, as help shows it.
  package var fallback: String?

  /// Makes an option that takes no value.
  package static func flag(_ name: String, _ summary: String, short: Character? = nil) -> OptionDefinition {
    OptionDefinition(
      name: name, short: short, value: nil, placeholder: "", summary: summary, repeats: false, environment: nil, fallback: nil)
  }

  /// Makes an option that takes a value.
  package static func value(
    _ name: String,
    _ kind: ValueKind,
    _ summary: String,
    placeholder: String? = nil,
    short: Character? = nil,
    repeats: Bool = false,
    environment: String? = nil,
    fallback: String? = nil
  ) -> OptionDefinition {
    OptionDefinition(
      name: name, short: short, value: kind, placeholder: placeholder ?? kind.placeholder, summary: summary, repeats: repeats,
      environment: environment, fallback: fallback)
  }

  /// The left column of its line in help, `--junit FILE`.
  package var synopsis: String {
    let dashed = short.map { "-\($0), --\(name)" } ?? "--\(name)"
    return value == nil ? dashed : "\(dashed) \(placeholder)"
  }
}

/// A word that a command takes by position.
package struct ArgumentDefinition: Sendable, Hashable {
  package var name: String
  package var kind: ValueKind
  package var summary: String
  package var isRequired: Bool
  /// Whether it takes all remaining words; only the last argument may.
  package var repeats: Bool
  /// The length of a word that is this argument whatever it begins with: keys may begin with a dash.
  package var dashedLength: Int?

  package init(
    _ name: String, _ summary: String, _ kind: ValueKind = .text, isRequired: Bool = true, repeats: Bool = false, dashedLength: Int? = nil
  ) {
    self.name = name
    self.kind = kind
    self.summary = summary
    self.isRequired = isRequired
    self.repeats = repeats
    self.dashedLength = dashedLength
  }

  /// Its place in the usage line, `FILE…` or `[NAME]`.
  package var synopsis: String {
    let word = repeats ? "\(name)…" : name
    return isRequired ? word : "[\(word)]"
  }
}
