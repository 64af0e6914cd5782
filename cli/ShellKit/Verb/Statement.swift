import CommandKit
import MinervaWire

/// One command, understood: what is carried out at a prompt, from a script's line, or from `minerva VERB`.
package struct Statement: Sendable {
  package var verb: Verb
  package var call: Invocation
  /// What its words ask for.
  package var request: Request
  /// The command as typed, for echoes and failures.
  package var source: String

  /// Reads all statements of a line.
  package static func parse(_ text: String, at position: SourcePosition = SourcePosition()) throws(ParseError) -> [Statement] {
    var statements: [Statement] = []
    let items = try Lexer.items(of: text, at: position)
    for item in items { statements.append(try parse(item, source: items.count == 1 ? text : nil)) }
    return statements
  }

  /// Reads the words of one command.
  package static func parse(_ item: Lexer.Item, source: String? = nil) throws(ParseError) -> Statement {
    let head = item.tokens[0]
    guard let name = head.bare, let verb = Verb.named(name) else {
      let hint = Suggestion.nearest(to: head.text, among: Verb.all.map(\.name)).map { "; did you mean \($0)?" } ?? "; help lists them"
      throw ParseError(.verb, "no verb \"\(Escaping.visible(DisplayWidth.clipped(head.text, to: 40)))\"\(hint)", at: head.position)
    }
    let call = try Binder(verb: verb, item: item).bind()
    try checkPayloads(of: item)
    let request = try verb.request(call)
    if item.isBackground, !request.mayRunInBackground {
      throw ParseError(.unexpected, "\(verb.name) is done at once and takes no &", at: head.position)
    }
    let spelled = source ?? item.tokens.map(\.spelled).joined(separator: " ")
    return Statement(verb: verb, call: call, request: request, source: spelled.trimmingBlanks())
  }

  /// Reads words that the system's shell has taken apart: `minerva open Settings '{"section":"privacy"}'`.
  package static func parse(arguments: [String]) throws(ParseError) -> Statement {
    let tokens = arguments.enumerated().map { Token.argument($1, $0) }
    guard !tokens.isEmpty else { throw ParseError(.missing, "no verb", at: SourcePosition()) }
    return try parse(Lexer.Item(tokens: tokens, isBackground: false))
  }

  private static func checkPayloads(of item: Lexer.Item) throws(ParseError) {
    for token in item.tokens where token.kind == .bracket || token.valueKind == .bracket || token.isQuotedJSON {
      // A list of stack elements looks like an array, but is none.
      if token.kind == .bracket, token.text.hasPrefix("["), item.tokens.contains(where: { $0.bare == "set" || $0.bare == "==" }) {
        continue
      }
      let text = token.kind == .word ? token.pair?.value ?? token.text : token.text
      if let complaint = PayloadCheck.complaint(about: text) {
        var position = token.position
        let offset = complaint.column - 1 + (token.kind == .word ? token.text.count - text.count : token.kind == .quoted ? 1 : 0)
        if complaint.line > 1 {
          position.line += complaint.line - 1
          position.column = complaint.column
        } else {
          position.column += offset
        }
        throw ParseError(.payload, complaint.message, at: position)
      }
    }
  }
}

extension Statement {
  /// Whether its error may be expected by the next command: not that of an expectation itself.
  var isAnswerable: Bool {
    switch request {
    case .expect, .wait: false
    default: true
    }
  }

  /// Whether it says which error the command before is to end with.
  var expectsError: Bool { if case .expect(.error) = request { true } else { false } }

  /// Whether its error fails nothing, because the command behind it expects one: in scripts, in sourced files and in pipes alike.
  func isForgiven(before next: Statement?) -> Bool { isAnswerable && next?.expectsError ?? false }
}

extension String {
  func trimmingBlanks() -> String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
