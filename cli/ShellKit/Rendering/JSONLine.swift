/// One JSON object on one line, in the order given.
package struct JSONLine: Sendable {
  package indirect enum Value: Sendable {
    case text(String)
    case number(Int)
    case unsigned(UInt64)
    case flag(Bool)
    case null
    /// JSON that is already written; line ends in it become blanks, so that an object stays on its line.
    case json(String)
    case array([Value])
    case object([(String, Value)])
  }

  private let members: [(String, Value)]

  package init(_ members: [(String, Value)]) { self.members = members }

  package var text: String { Self.written(.object(members)) }

  private static func written(_ value: Value) -> String {
    switch value {
    case .text(let text): PayloadText.quoted(text)
    case .number(let number): String(number)
    case .unsigned(let number): String(number)
    case .flag(let flag): flag ? "true" : "false"
    case .null: "null"
    case .json(let text): String(text.map { $0.isNewline ? " " : $0 })
    case .array(let values): "[" + values.map(written).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\(PayloadText.quoted($0.0)):\(written($0.1))" }.joined(separator: ",") + "}"
    }
  }
}
