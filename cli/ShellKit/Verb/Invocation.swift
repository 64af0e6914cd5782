package import CommandKit
package import MinervaNavigation

/// The words of one command, bound to the names of its verb's form.
///
/// Every token was checked by its ``Syllable`` while binding, so the typed readers only translate.
package struct Invocation: Sendable, Hashable {
  package var verb: String
  /// Which of the verb's forms fits.
  package var form: Int
  package var words: [String: [Token]] = [:]
  /// Values of options; a flag stands as an empty text.
  package var options: [String: String] = [:]
  /// Where each value of an option stands.
  package var optionPlaces: [String: SourcePosition] = [:]
  package var isBackground: Bool
  package var position: SourcePosition

  package func has(_ name: String) -> Bool { words[name] != nil }
  package func flag(_ name: String) -> Bool { options[name] != nil }
  package func option(_ name: String) -> String? { options[name] }
  package func token(_ name: String) -> Token? { words[name]?.first }
  package func tokens(_ name: String) -> [Token] { words[name] ?? [] }
  package func text(_ name: String) -> String? { token(name)?.text }
  package func reference(_ name: String) -> Reference? { text(name).flatMap(Reference.init) }
  package func place(_ name: String) -> NavPath? { text(name).flatMap(NavPath.init) }
  package func module(_ name: String) -> ModuleAddress? { text(name).flatMap(ModuleAddress.init) }
  package func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }
  package func sequence(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0.drop { $0 == "#" }) } }

  /// The record that an option names, `12` or `#12`.
  /// - Throws: When it names none.
  package func record(_ option: String) throws(ParseError) -> UInt64? {
    guard let text = options[option] else { return nil }
    guard let number = UInt64(text.hasPrefix("#") ? String(text.dropFirst()) : text) else {
      let place = optionPlaces[option] ?? position
      throw ParseError(.unexpected, "--\(option) takes the number of a record such as 12, not \"\(Escaping.visible(text))\"", at: place)
    }
    return number
  }

  package func duration(_ name: String) -> Duration? { text(name).flatMap(DurationText.parse) }

  /// The value behind `key=` among the words of a name.
  package func assigned(_ key: String, in name: String) -> String? {
    tokens(name).lazy.compactMap(\.pair).first { $0.key == key }?.value
  }

  /// The payload of a name, or of `--input-file`; nil when there is none.
  package func payload(_ name: String) -> PayloadText? {
    if let file = options["input-file"] { return .file(file) }
    guard let tokens = words[name], let first = tokens.first else { return nil }
    if let json = first.json { return .json(json) }
    return .pairs(
      tokens.compactMap { token in token.pair.map { PayloadText.Pair($0.key, $0.value, kind: token.valueKind) } })
  }
}

extension OptionDefinition {
  /// The options that every request to the core understands.
  package static let ofRequests: [OptionDefinition] = [
    .value("policy", .choice(Policy.allCases.map(\.rawValue)), "what happens when the place is busy", fallback: "queue"),
    .value("if-top", .text, "refuse unless this screen is on top", placeholder: "REF"),
    .flag("instant", "settle without waiting for the renderer"),
    .value("timeout", .duration, "answer within", fallback: "5s"),
    .value("txn", .text, "the request's own name; sent twice, it is done once", placeholder: "ID"),
  ]

  /// What every verb understands.
  package static let json = OptionDefinition.flag("json", "one JSON object a line")

  /// The options of everything that shows something.
  package static let ofLooks: [OptionDefinition] = [
    .json, .value("at", .text, "as it was at a record", placeholder: "SEQ"),
  ]
}
