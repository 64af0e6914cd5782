import CommandKit
import MinervaWire

/// Fits the tokens of a command to the forms of its verb.
struct Binder {
  let verb: Verb
  let item: Lexer.Item

  /// Returns the first form that fits; else throws the complaint of the form that got furthest.
  func bind() throws(ParseError) -> Invocation {
    var best: (error: ParseError, taken: Int)?
    for (index, form) in verb.forms.enumerated() {
      var attempt = Attempt(verb: verb, form: form, item: item, index: index)
      do {
        return try attempt.run()
      } catch {
        if best.map({ attempt.taken > $0.taken }) ?? true { best = (error, attempt.taken) }
      }
    }
    throw best?.error ?? ParseError(.unexpected, "\(verb.name) takes no words", at: item.tokens[0].position)
  }
}

extension Binder {
  /// One form being tried.
  struct Attempt {
    let verb: Verb
    let form: Form
    let item: Lexer.Item
    let index: Int
    /// How many words have found their place.
    var taken = 0
    private var result: Invocation
    private var positional: [Token] = []

    init(verb: Verb, form: Form, item: Lexer.Item, index: Int) {
      self.verb = verb
      self.form = form
      self.item = item
      self.index = index
      result = Invocation(verb: verb.name, form: index, isBackground: item.isBackground, position: item.tokens[0].position)
    }

    private var end: SourcePosition {
      var position = item.tokens[item.tokens.count - 1].position
      position.column += item.tokens[item.tokens.count - 1].text.count
      return position
    }

    private var usage: String { form.usage(of: verb.name) }

    mutating func run() throws(ParseError) -> Invocation {
      try sort()
      try match()
      return result
    }

    /// Takes out options and clauses, which may stand in any order.
    private mutating func sort() throws(ParseError) {
      // A verb that takes any words has no options but this one.
      let takesAll = form.positional.contains { if case .many(_, .words, _) = $0 { true } else { false } }
      var index = 1
      while index < item.tokens.count {
        let token = item.tokens[index]
        index += 1
        if let word = token.bare, word.hasPrefix("--"), word.utf8.count > 2, !takesAll || word == "--json" {
          try option(token, word, &index)
        } else if let word = token.bare, let clause = form.clauses.first(where: { $0.keyword == word }), !positional.isEmpty || !mustBegin {
          guard index < item.tokens.count else {
            throw ParseError(.missing, "\(word) needs \(clause.syllable.placeholder)", at: end)
          }
          let value = item.tokens[index]
          index += 1
          if let complaint = clause.syllable.complaint(about: value) { throw ParseError(.unexpected, complaint, at: value.position) }
          guard result.words[clause.name] == nil else { throw ParseError(.unexpected, "\(word) is given twice", at: token.position) }
          result.words[clause.name] = [value]
        } else {
          positional.append(token)
        }
      }
    }

    private var mustBegin: Bool {
      if case .one = form.positional.first { true } else { false }
    }

    private mutating func option(_ token: Token, _ word: String, _ index: inout Int) throws(ParseError) {
      let body = word.dropFirst(2)
      let name = String(body.prefix { $0 != "=" })
      guard let option = verb.options.first(where: { $0.name == name }) else {
        let hint = Suggestion.nearest(to: name, among: verb.options.map(\.name)).map { "; did you mean --\($0)?" } ?? ""
        throw ParseError(.option, "\(verb.name) has no option --\(Escaping.visible(name))\(hint)", at: token.position)
      }
      guard result.options[name] == nil else { throw ParseError(.option, "--\(name) is given twice", at: token.position) }
      guard let kind = option.value else {
        guard body.count == name.count else { throw ParseError(.option, "--\(name) takes no value", at: token.position) }
        result.options[name] = ""
        return
      }
      var text = body.count > name.count ? String(body.dropFirst(name.count + 1)) : nil
      var place = token.position
      if text == nil, index < item.tokens.count {
        text = item.tokens[index].text
        place = item.tokens[index].position
        index += 1
      }
      guard let text else { throw ParseError(.option, "--\(name) needs a value: \(option.synopsis)", at: end) }
      if let complaint = kind.complaint(about: text) { throw ParseError(.option, "--\(name): \(complaint)", at: place) }
      result.options[name] = text
      result.optionPlaces[name] = place
    }

    private mutating func match() throws(ParseError) {
      var left = positional[...]
      for part in form.positional {
        switch part {
        case .word(let word):
          guard let token = left.first else { throw ParseError(.missing, "expected \(word): \(usage)", at: end) }
          guard token.bare == word else {
            throw ParseError(.unexpected, "expected \(word), found \"\(shown(token))\": \(usage)", at: token.position)
          }
          left.removeFirst()
          taken += 2
        case .one(let name, let syllable):
          guard let token = left.first else { throw ParseError(.missing, "expected \(syllable.placeholder): \(usage)", at: end) }
          if let complaint = syllable.complaint(about: token) { throw ParseError(.unexpected, complaint, at: token.position) }
          result.words[name] = [left.removeFirst()]
          taken += 1
        case .maybe(let name, let syllable):
          guard let token = left.first else { continue }
          // A word that does not fit may belong to the next part; what nobody takes is reported below.
          guard syllable.complaint(about: token) == nil else { continue }
          result.words[name] = [left.removeFirst()]
          taken += 1
        case .many(let name, let syllable, let least):
          var found: [Token] = []
          while let token = left.first, syllable.complaint(about: token) == nil {
            // JSON is a payload by itself; key=value words join.
            if syllable == .payload, let first = found.first, first.pair == nil || token.pair == nil { break }
            found.append(left.removeFirst())
          }
          taken += found.count
          guard found.count >= least else {
            if let token = left.first, let complaint = syllable.complaint(about: token) {
              throw ParseError(.unexpected, complaint, at: token.position)
            }
            throw ParseError(.missing, "expected \(syllable.placeholder): \(usage)", at: end)
          }
          if !found.isEmpty { result.words[name] = found }
        case .clause: continue
        }
      }
      if let extra = left.first { throw surplus(extra) }
    }

    /// Explains a word that no part took: by the optional part it fell short of, if one is open.
    private func surplus(_ token: Token) -> ParseError {
      let open = form.positional.compactMap { part -> Syllable? in
        switch part {
        case .maybe(let name, let syllable) where result.words[name] == nil: syllable
        case .many(let name, let syllable, _) where result.words[name] == nil: syllable
        default: nil
        }
      }
      if open.count == 1, let complaint = open[0].complaint(about: token) {
        return ParseError(.unexpected, complaint, at: token.position)
      }
      let place = token.position
      let previous = item.tokens.last { before in
        if let word = place.word { return before.position.word.map { $0 < word } ?? false }
        return before.position.line == place.line && before.position.column < place.column
      }
      // Behind the verb itself nothing can be the rest of a text.
      let isRest = previous.map { $0.position != item.tokens[0].position && $0.kind == .word && $0.valueKind == .word } ?? false
      let hint = isRest && token.kind == .word ? "; text with spaces needs quotes" : ""
      return ParseError(.unexpected, "unexpected \"\(shown(token))\"\(hint): \(usage)", at: token.position)
    }

    private func shown(_ token: Token) -> String { Escaping.visible(DisplayWidth.clipped(token.text, to: 40)) }
  }
}
