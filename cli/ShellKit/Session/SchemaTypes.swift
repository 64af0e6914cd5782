import MinervaWire

/// What a module's schema says of the keys of its input.
enum SchemaTypes {
  /// Reads a schema from its JSON text; nil when it is none.
  static func schema(_ text: String) -> PayloadSchema? {
    try? JSONValueDecoder().decode(PayloadSchema.self, from: Array(text.utf8))
  }

  /// Returns the type of each key of an object schema.
  static func ofKeys(in text: String) -> [String: PayloadText.ValueType] {
    guard let schema = schema(text) else { return [:] }
    return Dictionary(schema.fields.map { ($0.name, type(of: $0.shape)) }) { first, _ in first }
  }

  private static func type(of shape: PayloadShape) -> PayloadText.ValueType {
    switch shape {
    case .boolean: .boolean
    case .integer: .integer
    case .number: .number
    case .string: .string
    case .optional(let inner), .secret(let inner): type(of: inner)
    case .oneOf(let values): values.allSatisfy { $0.kind == "string" } ? .string : .integer
    default: .other
    }
  }
}
