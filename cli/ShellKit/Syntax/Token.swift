/// One word of a line.
package struct Token: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// A bare word, possibly `key=value` with a quoted or bracketed value.
    case word
    /// A word wholly in quotes; its text is what they hold.
    case quoted
    /// A JSON object or array, byte for byte as typed.
    case bracket
  }

  package var kind: Kind
  /// What the word says, quotes and escapes resolved; of a bracket, its very bytes.
  package var text: String
  /// For `key=value`: how the part behind the first `=` was written.
  package var valueKind: Kind
  package var position: SourcePosition

  package init(_ kind: Kind, _ text: String, valueKind: Kind = .word, at position: SourcePosition = SourcePosition()) {
    self.kind = kind
    self.text = text
    self.valueKind = valueKind
    self.position = position
  }

  /// Makes a token of a word that the system's shell has already taken apart: nothing in it is quoted again (D05).
  package static func argument(_ word: String, _ index: Int) -> Token {
    let position = SourcePosition(word: index + 1)
    if word.hasPrefix("{") || word.hasPrefix("[") { return Token(.bracket, word, at: position) }
    if word.isEmpty || word.contains(where: \.isWhitespace), !word.contains("=") { return Token(.quoted, word, at: position) }
    guard let equals = word.firstIndex(of: "=") else { return Token(.word, word, at: position) }
    let value = word[word.index(after: equals)...]
    return Token(.word, word, valueKind: value.hasPrefix("{") || value.hasPrefix("[") ? .bracket : .word, at: position)
  }

  /// The word as a person may type it: in quotes where it was.
  package var spelled: String {
    switch (kind, valueKind, pair) {
    case (.quoted, _, _): PayloadText.quoted(text)
    case (.word, .quoted, let pair?): "\(pair.key)=\(PayloadText.quoted(pair.value))"
    default: text
    }
  }

  /// The word when it is bare, for comparing with keywords: a quoted `via` is never the keyword.
  package var bare: String? { kind == .word ? text : nil }

  /// The two sides of `key=value`, when the key is a plain name.
  package var pair: (key: String, value: String)? {
    guard kind == .word, let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
    let key = text[..<equals]
    guard key.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "." }) else { return nil }
    return (String(key), String(text[text.index(after: equals)...]))
  }
}
