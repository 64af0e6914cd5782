import MinervaWire

/// What the text of an option or argument must be.
package enum ValueKind: Sendable, Hashable {
  case text
  case integer(ClosedRange<Int>)
  /// A span of time, `250ms`, `3s`, `1m30s`.
  case duration
  case file
  case directory
  /// `ipc://…` or `tcp://host:port`.
  case endpoint
  case choice([String])

  /// The placeholder help shows when none is given.
  package var placeholder: String {
    switch self {
    case .text: "TEXT"
    case .integer: "N"
    case .duration: "DURATION"
    case .file: "FILE"
    case .directory: "DIR"
    case .endpoint: "ENDPOINT"
    case .choice(let values): values.joined(separator: "|")
    }
  }

  /// Says what is wrong with a text, or nil when it is acceptable.
  package func complaint(about text: String) -> String? {
    switch self {
    case .text, .file, .directory:
      return text.isEmpty ? "must not be empty" : nil
    case .integer(let range):
      guard let number = Int(text) else { return "expected a whole number, found \"\(Escaping.visible(text))\"" }
      guard !range.contains(number) else { return nil }
      if range.upperBound == .max { return "must be at least \(range.lowerBound), found \(number)" }
      return "must be between \(range.lowerBound) and \(range.upperBound), found \(number)"
    case .duration:
      return DurationText.parse(text) == nil
        ? "expected a duration such as 250ms, 3s or 1m30s, found \"\(Escaping.visible(text))\"" : nil
    case .endpoint:
      let known = ["ipc://", "tcp://"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
      return known ? nil : "expected ipc://PATH or tcp://HOST:PORT, found \"\(Escaping.visible(text))\""
    case .choice(let values):
      guard !values.contains(text) else { return nil }
      let hint = Suggestion.nearest(to: text, among: values).map { "; did you mean \($0)?" } ?? ""
      return "expected \(values.joined(separator: ", ")), found \"\(Escaping.visible(text))\"\(hint)"
    }
  }
}
