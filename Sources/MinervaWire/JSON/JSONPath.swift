/// Where in a JSON value something is: `Profile.rows[2].name`.
public struct JSONPath: Hashable, Sendable, Codable, CustomStringConvertible {
  public enum Step: Hashable, Sendable, Codable {
    case key(String)
    case index(Int)
  }

  public var steps: [Step]

  public init(_ steps: [Step] = []) { self.steps = steps }

  /// The path as people read it; empty for the whole value.
  public var description: String { described(under: nil) }

  /// The path below a name for the whole: a module's name in front of its payload's fields.
  public func described(under root: String?) -> String {
    var text = root ?? ""
    for step in steps {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .key(let key):
        if !text.isEmpty { text += "." }
        let plain = !key.isEmpty && key.utf8.allSatisfy { $0 > 0x20 && $0 != 0x2E && $0 != 0x5B && $0 != 0x5D && $0 != 0x22 && $0 != 0x7F }
        text += plain ? key : JSONValue.string(key).text
      }
    }
    return text
  }

  /// The path of coding keys: a key with an index is a place in an array.
  init(_ codingPath: [any CodingKey]) {
    steps = codingPath.map { key in key.intValue.map { .index($0) } ?? .key(key.stringValue) }
  }
}
