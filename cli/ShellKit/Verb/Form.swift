/// One way to say a verb: its words in order.
package struct Form: Sendable, Hashable {
  /// One place in a form.
  package enum Part: Sendable, Hashable {
    /// A fixed word, `to` in `back to REF`.
    case word(String)
    /// A word that must be there.
    case one(String, Syllable)
    /// A word that may be there.
    case maybe(String, Syllable)
    /// As many words as fit, at least the given number.
    case many(String, Syllable, atLeast: Int)
    /// A keyword and its word, in any order behind the positional parts: `via KIND`.
    case clause(String, String, Syllable)
  }

  package var parts: [Part]

  package init(_ parts: Part...) { self.parts = parts }

  package var clauses: [(keyword: String, name: String, syllable: Syllable)] {
    parts.compactMap { if case .clause(let keyword, let name, let syllable) = $0 { (keyword, name, syllable) } else { nil } }
  }

  package var positional: [Part] {
    parts.filter { if case .clause = $0 { false } else { true } }
  }

  /// How help writes it, `tap REF ROW [ACTION]`.
  package func usage(of verb: String) -> String {
    let words = parts.map { part -> String in
      switch part {
      case .word(let word): return word
      case .one(_, let syllable): return syllable.placeholder
      case .maybe(_, .payload): return Syllable.payload.placeholder
      case .maybe(_, let syllable): return "[\(syllable.placeholder)]"
      case .many(_, let syllable, let least):
        let placeholder = syllable.placeholder
        if syllable == .payload || syllable == .words { return least > 0 ? "JSON | KEY=VALUE …" : placeholder }
        return least > 0 ? "\(placeholder) …" : "[\(placeholder) …]"
      case .clause(let keyword, _, let syllable): return "[\(keyword) \(syllable.placeholder)]"
      }
    }
    return ([verb] + words).joined(separator: " ")
  }
}
