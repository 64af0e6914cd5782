import CommandKit
import MinervaNavigation
import MinervaWire

/// What a word of a verb may be; parser, help and completion all read it.
package enum Syllable: Sendable, Hashable {
  case module
  case reference
  /// `p3`, a plan that waits.
  case plan
  /// `@name`, a name that is given here.
  case alias
  case place
  case presentation
  /// One JSON value of any type, or `key=value` words; takes as many words as fit.
  case payload
  /// One JSON value of any type.
  case json
  case text
  /// The id of a row, or the name of a field, command, transition or tab.
  case name(String)
  case number
  /// `12` or `#12`, a record's position in the journal.
  case sequence
  case duration
  case file
  case url
  /// `[s1, Home, Item {"id":4}]`, the elements of a stack.
  case elements
  /// `key=value`, the key being one of these; any key when there are none.
  case assignment([String])
  /// `key==number`.
  case equation(String)
  case keyword([String])
  /// An event's dotted name, with `*` for any part.
  case event
  /// The same, or the first word of such names.
  case topic
  /// An error's dotted code, with `*` for any part.
  case code
  /// All that is left, as it is.
  case words

  /// The kinds behind `via`, as help and completion write them.
  package static let presentations = ["push", "replace", "root", "modal", "modal:STYLE", "tab:NAME", "detail", "embed:SLOT", "custom:NAME"]

  /// How help writes it.
  package var placeholder: String {
    switch self {
    case .module: "MODULE"
    case .reference: "REF"
    case .plan: "PLAN"
    case .alias: "@NAME"
    case .place: "PLACE"
    case .presentation: "KIND"
    case .payload: "[JSON | KEY=VALUE …]"
    case .json: "JSON"
    case .text: "TEXT"
    case .name(let name): name
    case .number: "N"
    case .sequence: "SEQ"
    case .duration: "DURATION"
    case .file: "FILE"
    case .url: "URL"
    case .elements: "[ELEMENT, …]"
    case .assignment(let keys): keys.isEmpty ? "KEY=VALUE" : keys.map { "\($0)=…" }.joined(separator: " | ")
    case .equation(let key): "\(key)==N"
    case .keyword(let words): words.joined(separator: "|")
    case .event: "EVENT"
    case .topic: "TOPIC"
    case .code: "CODE"
    case .words: "…"
    }
  }

  /// Says what is wrong with a token in this place, or nil.
  package func complaint(about token: Token) -> String? {
    let shown = "\"\(Escaping.visible(DisplayWidth.clipped(token.text, to: 40)))\""
    switch self {
    case .module:
      guard token.kind == .word, ModuleAddress(token.text) != nil, token.text.first?.isLetter == true else {
        return "expected a module such as Login, shop/Login or Login@shop-1, found \(shown)"
      }
    case .reference:
      guard token.kind == .word, Reference(token.text) != nil else {
        // Modules are what people see the names of.
        let isModule = token.kind == .word && token.text.first?.isUppercase == true && token.text.allSatisfy(\.isLetter)
        let hint = isModule ? "; a module's screen is @\(token.text.lowercased())" : ""
        return "expected a screen (s12, @login, top, root or a place such as main/orders), found \(shown)\(hint)"
      }
    case .plan:
      guard token.kind == .word, PlanID(token.text) != nil else { return "expected a plan such as p3, found \(shown)" }
    case .alias:
      guard token.kind == .word, case .alias? = Reference(token.text) else { return "expected a name such as @login, found \(shown)" }
    case .place:
      guard token.kind == .word, NavPath(token.text) != nil else {
        return "expected a place such as main, modal[1] or main/orders, found \(shown)"
      }
    case .presentation:
      guard token.kind == .word, Presentation(token.text) != nil else {
        let hint = Suggestion.nearest(to: token.text, among: Self.presentations).map { "; did you mean \($0)?" } ?? ""
        return "expected \(Self.presentations.joined(separator: ", ")), found \(shown)\(hint)"
      }
    case .payload:
      guard token.json != nil || token.pair != nil else { return "expected JSON or key=value, found \(shown)\(Self.quotes(for: token))" }
    case .json:
      guard token.kind != .word || !token.text.isEmpty else { return "expected JSON, found \(shown)" }
    case .number:
      guard let number = Int(token.text), number >= 0, token.kind == .word else { return "expected a number, found \(shown)" }
    case .sequence:
      guard token.kind == .word, UInt64(token.text.hasPrefix("#") ? String(token.text.dropFirst()) : token.text) != nil else {
        return "expected the number of a record such as 12, found \(shown)"
      }
    case .duration:
      guard token.kind == .word, DurationText.parse(token.text) != nil else {
        return "expected a duration such as 250ms, 3s or 1m30s, found \(shown)"
      }
    case .elements:
      guard token.kind == .bracket, token.text.hasPrefix("[") else { return "expected a stack such as [s1, Home], found \(shown)" }
    case .assignment(let keys):
      if keys.isEmpty { return token.pair == nil ? "expected KEY=VALUE, found \(shown)" : nil }
      guard let pair = token.pair, keys.contains(pair.key) else {
        return "expected \(keys.map { "\($0)=…" }.joined(separator: ", ")), found \(shown)"
      }
    case .equation(let key):
      guard token.kind == .word, token.text.hasPrefix("\(key)=="), Int(token.text.dropFirst(key.count + 2)) != nil else {
        return "expected \(key)==N, found \(shown)"
      }
    case .keyword(let words):
      guard token.kind == .word, words.contains(token.text) else {
        let hint = Suggestion.nearest(to: token.text, among: words).map { "; did you mean \($0)?" } ?? ""
        return "expected \(words.joined(separator: ", ")), found \(shown)\(hint)"
      }
    case .event, .topic, .code:
      let good = token.kind == .word && !token.text.isEmpty && token.text.allSatisfy { $0.isLetter || $0.isNumber || "._-*".contains($0) }
      let example = self == .code ? "a code such as nav.busy or nav.*" : "an event such as screen.presented or screen.*"
      guard good else { return "expected \(example), found \(shown)" }
      guard self != .code else { return nil }
      return EventText.complaint(about: token.text, isTopic: self == .topic).map { "no event is called \(shown)\($0)" }
    case .file, .url, .name:
      guard !token.text.isEmpty, token.kind != .bracket else { return "expected \(placeholder), found \(shown)" }
    case .text, .words:
      return nil
    }
    return nil
  }
}

extension Syllable {
  /// How a bare word is written that is meant as a text; the system's shell takes one pair of quotes away.
  private static func quotes(for token: Token) -> String {
    guard token.kind == .word, token.text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return "" }
    return token.position.word == nil ? "; a text stands in quotes" : "; a text is '\(PayloadText.quoted(token.text))'"
  }
}

extension Token {
  /// JSON in the system shell's habit of single quotes, `'{"a":1}'`.
  var isQuotedJSON: Bool { kind == .quoted && (text.hasPrefix("{") || text.hasPrefix("[")) }

  /// The JSON value that the word is as a payload: an object or array, a bare number, `true`, `false` or `null`, and any text in quotes,
  /// also in those that the system's shell has left: `'"text"'`. Nil for another bare word.
  var json: String? {
    switch kind {
    case .bracket: return text
    case .quoted: return isQuotedJSON || text.hasPrefix("\"") && isWritten ? text : PayloadText.quoted(text)
    case .word: return isWritten ? text : nil
    }
  }

  /// Whether the text is good JSON as it stands.
  private var isWritten: Bool { PayloadCheck.complaint(about: text) == nil }
}
