/// Which events are meant: a dotted name, where `*` stands for any part or the rest, and fields that must have these values.
package struct EventPattern: Sendable, Hashable, CustomStringConvertible {
  package var name: String
  package var fields: [Field]

  /// A condition on one field of an event.
  package struct Field: Sendable, Hashable {
    package var key: String
    package var value: String
  }

  package init(_ name: String, _ fields: [(String, String)] = []) {
    self.name = name
    self.fields = fields.map { Field(key: $0, value: $1) }
  }

  package init(_ name: String, tokens: [Token]) {
    self.init(name, tokens.compactMap(\.pair).map { ($0.key, $0.value) })
  }

  /// Whether an event of that name with those fields is meant.
  package func matches(name candidate: String, fields values: [String: String]) -> Bool {
    Self.matches(name, candidate) && fields.allSatisfy { values[$0.key] == $0.value }
  }

  /// Matches dotted names part by part; `*` takes one part, or all that is left when it is last.
  package static func matches(_ pattern: String, _ name: String) -> Bool {
    let wanted = pattern.split(separator: ".", omittingEmptySubsequences: false)
    let given = name.split(separator: ".", omittingEmptySubsequences: false)
    for (index, part) in wanted.enumerated() {
      if part == "*", index == wanted.count - 1 { return given.count > index }
      guard index < given.count, part == "*" || part == given[index] else { return false }
    }
    return wanted.count == given.count
  }

  /// The topic that a watcher means: events of one kind may be called by their plural, `lists` for `list`.
  package static func topic(_ word: String) -> String {
    switch word {
    case "processes": "process"
    case _ where plurals.contains(word): String(word.dropLast())
    default: word
    }
  }

  /// The topics that may be called by their plural.
  package static let plurals = ["screens", "lists", "requests", "tabs", "gestures", "processes"]

  package var description: String {
    ([name] + fields.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
  }
}
