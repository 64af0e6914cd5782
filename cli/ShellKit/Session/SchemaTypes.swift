import CommandKit
import MinervaWire

/// What a module's schema says of the keys of its input.
enum SchemaTypes {
  /// Reads a schema from its JSON text; nil when it is none.
  static func schema(_ text: String) -> PayloadSchema? {
    try? JSONValueDecoder().decode(PayloadSchema.self, from: Array(text.utf8))
  }

  /// Returns the type of each key of an object schema.
  static func ofKeys(in schema: PayloadSchema) -> [String: PayloadText.ValueType] {
    Dictionary(schema.fields.map { ($0.name, type(of: $0.shape)) }) { first, _ in first }
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

extension PayloadSchema {
  /// What is wrong with the keys of an input typed as words; nil when each is one of its fields, or when any may be given.
  ///
  /// JSON passes with more fields than a module knows, as a caller may be newer than its host; a person who types a key means one of these.
  func complaint(about keys: [String], of module: String) -> String? {
    guard let fields = PayloadSchema.closed(shape) else { return nil }
    let known = fields.map(\.name)
    guard let stranger = keys.first(where: { !known.contains($0) }) else { return nil }
    let hint =
      Suggestion.nearest(to: stranger, among: known).map { "; did you mean \($0)?" }
      ?? (known.isEmpty ? "; it takes none" : "; it has \(known.joined(separator: ", "))")
    return "\(module) has no input \"\(Escaping.visible(stranger))\"\(hint)"
  }

  /// The fields of an object that has no others.
  private static func closed(_ shape: PayloadShape) -> [PayloadShape.Field]? {
    switch shape {
    case .object(_, let fields): fields
    case .optional(let inner), .secret(let inner): closed(inner)
    default: nil
    }
  }
}
