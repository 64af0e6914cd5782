/// A payload as a line gives it; what is sent is decided by ``PayloadText/bytes(typedBy:)`` alone.
package enum PayloadText: Sendable, Hashable {
  /// JSON as typed, carried unchanged.
  case json(String)
  /// `key=value` in the order typed.
  case pairs([Pair])
  /// The contents of a file, one trailing newline dropped.
  case file(String)

  /// One `key=value`.
  package struct Pair: Sendable, Hashable {
    package var key: String
    package var value: String
    /// How the value was written: a quoted one is a string whatever the schema says, a bracketed one is JSON.
    package var kind: Token.Kind

    package init(_ key: String, _ value: String, kind: Token.Kind = .word) {
      self.key = key
      self.value = value
      self.kind = kind
    }
  }
}
