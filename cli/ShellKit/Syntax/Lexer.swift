/// Takes a line apart into items of tokens (the grammar's `line = item {";" item} [comment]`).
///
/// Quotes open at the start of a word or behind `=`: `"…"` with JSON escapes, `'…'` without any. Brackets open there too and hold JSON,
/// which is carried byte for byte. `;` separates outside of both; `&` counts alone; `#` begins a comment when white space follows.
package struct Lexer {
  /// One command of a line before its verb is looked up.
  package struct Item: Sendable, Hashable {
    package var tokens: [Token]
    /// Ends with `&`: do not wait for the answer.
    package var isBackground: Bool
  }

  /// The longest line in bytes: twice the largest message, for what quoting adds.
  package static let limit = 8 << 20

  private let characters: [Character]
  private var index = 0
  private var position: SourcePosition

  private init(_ text: String, at position: SourcePosition) {
    characters = Array(text)
    self.position = position
  }

  /// Reads a line, which may span several when a bracket or quote does.
  package static func items(of text: String, at position: SourcePosition = SourcePosition()) throws(ParseError) -> [Item] {
    guard text.utf8.count <= limit else {
      throw ParseError(.payload, "a line has at most \(limit >> 20) MiB; a larger payload comes by --input-file", at: position)
    }
    var lexer = Lexer(text, at: position)
    return try lexer.items()
  }

  /// Says whether a text ends inside a quote or bracket, so that a prompt asks for more.
  package static func isIncomplete(_ text: String) -> Bool {
    do {
      _ = try items(of: text)
      return false
    } catch {
      return error.code == .unterminated
    }
  }

  private var current: Character? { index < characters.count ? characters[index] : nil }
  private var following: Character? { index + 1 < characters.count ? characters[index + 1] : nil }

  private mutating func advance() {
    if characters[index].isNewline {
      position.line += 1
      position.column = 1
    } else {
      position.column += 1
    }
    index += 1
  }

  private static func isBlank(_ character: Character?) -> Bool { character.map(\.isWhitespace) ?? true }

  private mutating func items() throws(ParseError) -> [Item] {
    var items: [Item] = []
    var tokens: [Token] = []
    var isBackground = false
    func close() {
      if !tokens.isEmpty { items.append(Item(tokens: tokens, isBackground: isBackground)) }
      tokens = []
      isBackground = false
    }
    while let character = current {
      if character.isWhitespace {
        advance()
      } else if character == ";" {
        advance()
        close()
      } else if character == "#", Self.isBlank(following) {
        // A comment ends with its line; further lines can only follow when a bracket spanned them.
        while let next = current, !next.isNewline {
          _ = next
          advance()
        }
      } else if character == "&", Self.isBlank(following) || following == ";" {
        if tokens.isEmpty { throw ParseError(.unexpected, "& follows no command", at: position) }
        isBackground = true
        advance()
      } else {
        if isBackground { throw ParseError(.unexpected, "a command ends with &; put ; before the next", at: position) }
        tokens.append(try token())
      }
    }
    close()
    return items
  }

  private mutating func token() throws(ParseError) -> Token {
    let start = position
    var text = ""
    var valueKind = Token.Kind.word
    if current == "\"" || current == "'" {
      text = try quoted()
      try endOfWord()
      return Token(.quoted, text, at: start)
    }
    if current == "{" || current == "[" {
      text = try bracket()
      try endOfWord()
      return Token(.bracket, text, at: start)
    }
    while let character = current, !character.isWhitespace, character != ";" {
      text.append(character)
      advance()
      guard character == "=", !text.contains(where: { $0 == "[" || $0 == "/" || $0 == "?" }) else { continue }
      if current == "\"" || current == "'" {
        text += try quoted()
        valueKind = .quoted
      } else if current == "{" || current == "[" {
        text += try bracket()
        valueKind = .bracket
      } else {
        continue
      }
      try endOfWord()
      break
    }
    return Token(.word, text, valueKind: valueKind, at: start)
  }

  private func endOfWord() throws(ParseError) {
    guard let character = current, !character.isWhitespace, character != ";" else { return }
    throw ParseError(.unexpected, "white space must follow here, found \"\(character)\"", at: position)
  }

  private mutating func quoted() throws(ParseError) -> String {
    let start = position
    let quote = characters[index]
    advance()
    var text = ""
    while let character = current {
      if character == quote {
        advance()
        return text
      }
      if character == "\\", quote == "\"" {
        text += try escape()
      } else {
        text.append(character)
        advance()
      }
    }
    throw ParseError(.unterminated, "the quote \(quote) is never closed", at: start)
  }

  private mutating func escape() throws(ParseError) -> String {
    let start = position
    advance()
    guard let character = current else { throw ParseError(.unterminated, "the quote \" is never closed", at: start) }
    advance()
    switch character {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "\"", "\\", "/", "'": return String(character)
    case "u":
      let first = try hexadecimal(start)
      if let scalar = Unicode.Scalar(first) { return String(Character(scalar)) }
      guard (0xD800..<0xDC00).contains(first), current == "\\", following == "u" else {
        throw ParseError(.unexpected, "\\u names half a surrogate pair", at: start)
      }
      advance()
      advance()
      let second = try hexadecimal(start)
      guard (0xDC00..<0xE000).contains(second), let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) else {
        throw ParseError(.unexpected, "\\u names half a surrogate pair", at: start)
      }
      return String(Character(scalar))
    default:
      throw ParseError(.unexpected, "no escape \\\(character); known: \\n \\t \\r \\b \\f \\\" \\\\ \\/ \\uXXXX", at: start)
    }
  }

  private mutating func hexadecimal(_ start: SourcePosition) throws(ParseError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = current?.hexDigitValue else { throw ParseError(.unexpected, "\\u needs four hexadecimal digits", at: start) }
      value = value << 4 | UInt32(digit)
      advance()
    }
    return value
  }

  /// Takes a JSON object or array to its matching bracket; whether it is good JSON is judged by the payload's reader.
  private mutating func bracket() throws(ParseError) -> String {
    let start = position
    let first = index
    var open: [Character] = []
    while let character = current {
      switch character {
      case "{", "[":
        open.append(character == "{" ? "}" : "]")
        // A level more than any reader takes, so that the reader gives the error.
        if open.count > 1_000 { throw ParseError(.payload, "the payload is nested too deeply", at: position) }
      case "}", "]":
        guard open.last == character else {
          throw ParseError(.payload, "\"\(character)\" closes nothing; expected \"\(open.last ?? "}")\"", at: position)
        }
        open.removeLast()
        if open.isEmpty {
          advance()
          return String(characters[first..<index])
        }
      case "\"":
        try string()
        continue
      default: break
      }
      advance()
    }
    throw ParseError(.unterminated, "the bracket \(characters[first]) is never closed", at: start, isOpenBracket: true)
  }

  private mutating func string() throws(ParseError) {
    let start = position
    advance()
    while let character = current {
      advance()
      if character == "\"" { return }
      if character == "\\", current != nil { advance() }
    }
    throw ParseError(.unterminated, "the quote \" is never closed", at: start)
  }
}
