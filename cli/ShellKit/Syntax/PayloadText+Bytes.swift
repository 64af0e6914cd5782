extension PayloadText {
  /// The JSON type that a schema gives a key.
  package enum ValueType: String, Sendable, Hashable {
    case string, integer, number, boolean, other
  }

  /// Writes `key=value` words as one object in the order typed.
  ///
  /// A bracketed value is JSON, a quoted one a string; a bare one is what the schema says, else a string. A bare word that does not look like
  /// its type is written as a string, so that the module's own check names it.
  package static func object(of pairs: [Pair], typedBy type: (String) -> ValueType? = { _ in nil }) -> String {
    let members = pairs.map { pair in "\(quoted(pair.key)):\(value(pair, type(pair.key)))" }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func value(_ pair: Pair, _ type: ValueType?) -> String {
    switch pair.kind {
    case .bracket: return pair.value
    case .quoted: return quoted(pair.value)
    case .word: break
    }
    switch type {
    case .boolean where pair.value == "true" || pair.value == "false": return pair.value
    case .integer where isNumber(pair.value, fraction: false): return pair.value
    case .number where isNumber(pair.value, fraction: true): return pair.value
    case .integer, .number, .boolean, .other:
      // `null` clears an optional of any type but text, where it may be meant as the word.
      return pair.value == "null" ? "null" : quoted(pair.value)
    case .string, nil: return quoted(pair.value)
    }
  }

  /// Whether a text is a number in JSON's own spelling.
  private static func isNumber(_ text: String, fraction: Bool) -> Bool {
    var rest = Substring(text).utf8
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let whole = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(whole.count)
    guard !whole.isEmpty, whole.count == 1 || whole.first != 0x30 else { return false }
    guard fraction else { return rest.isEmpty }
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return false }
      rest = rest.dropFirst(digits.count + 1)
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return false }
      rest = rest.dropFirst(digits.count)
    }
    return rest.isEmpty
  }

  /// Writes a text as a JSON string.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
