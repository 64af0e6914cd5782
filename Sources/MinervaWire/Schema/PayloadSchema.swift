/// What a payload must look like: derived from the type that reads it, sent to the broker, shown to people.
public struct PayloadSchema: Hashable, Sendable, Codable {
  /// The name in front of paths in error texts: the module's.
  public var name: String
  public var shape: PayloadShape

  public init(name: String, shape: PayloadShape) {
    self.name = name
    self.shape = shape
  }

  /// The schema of a type.
  public init(of type: any Decodable.Type, name: String) {
    self.init(name: name, shape: SchemaRecorder.shape(of: type))
  }

  /// What stands in place of a secret.
  public static let redaction = "•••"

  /// The fields of the payload, where it is an object.
  public var fields: [PayloadShape.Field] { PayloadSchema.fields(of: shape) }

  private static func fields(of shape: PayloadShape) -> [PayloadShape.Field] {
    switch shape {
    case .object(_, let fields): fields
    case .optional(let inner), .secret(let inner): fields(of: inner)
    default: []
    }
  }

  /// Whether the type could be seen through; an opaque one is validated by its host alone.
  public var isOpaque: Bool {
    switch shape {
    case .opaque, .secret(.opaque): true
    default: false
    }
  }

  /// Whether it says which names a payload has: any other name means nothing to the type.
  public var namesFields: Bool { PayloadSchema.namesFields(shape) }

  private static func namesFields(_ shape: PayloadShape) -> Bool {
    switch shape {
    case .object: true
    case .optional(let inner), .secret(let inner): namesFields(inner)
    case .boolean, .integer, .number, .string, .oneOf, .array, .dictionary, .reference, .any, .opaque: false
    }
  }

  /// A number that differs for schemas that differ, the same in every process: two hosts that offer one module must agree on it.
  public var fingerprint: UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in shape.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}

// MARK: - Description

extension PayloadShape: CustomStringConvertible {
  /// The shape in one line: `{userID: integer, section?: "privacy" | "general", password: string (secret)}`.
  public var description: String {
    switch self {
    case .boolean, .number, .string: expectation
    case .integer(Int64(Int.min), UInt64(Int.max)): "integer"
    case .integer(let min, let max): "integer \(min)…\(max)"
    case .oneOf(let values): values.map(\.text).joined(separator: " | ")
    case .array(let shape): "[\(shape)]"
    case .dictionary(let shape): "{…: \(shape)}"
    case .object(_, let fields): "{" + fields.map(\.description).joined(separator: ", ") + "}"
    case .reference(let name): name
    case .optional(let shape): "\(shape)?"
    case .secret(let shape): "\(shape) (secret)"
    case .any: "any"
    case .opaque(let name): "\(name) (no schema)"
    }
  }
}

extension PayloadShape.Field: CustomStringConvertible {
  public var description: String {
    if case .optional(let inner) = shape { "\(name)?: \(inner)" } else { "\(name): \(shape)" }
  }
}

extension PayloadSchema: CustomStringConvertible {
  public var description: String { "\(name) \(shape)" }
}

// MARK: - Validation

extension PayloadSchema {
  /// Refuses what the type would refuse, with the same text: `Profile.userID: expected integer, found string "x"`.
  ///
  /// Fields the schema does not know pass, as they do in the type. A secret's value is not in the text.
  public func validate(_ value: JSONValue, code: MinervaError.Code = .inputInvalid) throws(MinervaError) {
    var path: [JSONPath.Step] = []
    guard let (error, secret) = mismatch(value, shape, &path, secret: false, objects: [:]) else { return }
    throw .invalid(code, error, under: name, redacted: secret)
  }

  /// Reads and validates the bytes of a payload.
  public func validate(_ bytes: [UInt8], code: MinervaError.Code = .inputInvalid) throws(MinervaError) {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch { throw .invalid(code, error, under: name) }
    try validate(value, code: code)
  }

  /// The first mismatch, and whether it lies in a secret.
  private func mismatch(
    _ value: JSONValue, _ shape: PayloadShape, _ path: inout [JSONPath.Step], secret: Bool, objects: [String: PayloadShape]
  ) -> (JSONError, secret: Bool)? {
    func wrong(_ expectation: String) -> (JSONError, secret: Bool)? {
      (JSONError(path: JSONPath(path), expectation: expectation, found: value.summary), secret)
    }
    switch shape {
    case .any, .opaque: return nil
    case .boolean: if case .bool = value { return nil }
    case .string: if case .string = value { return nil }
    case .number:
      switch value {
      case .number: return nil
      case .integer(let value) where Double(exactly: value) != nil: return nil
      default: break
      }
    case .integer(let min, let max):
      guard let exact = PayloadSchema.integer(value) else { return wrong("integer") }
      if exact >= min, exact <= 0 || UInt64(exact) <= max { return nil }
      return wrong("integer from \(min) to \(max)")
    case .oneOf(let values): if values.contains(value) { return nil }
    case .optional(let inner):
      return value == .null ? nil : mismatch(value, inner, &path, secret: secret, objects: objects)
    case .secret(let inner): return mismatch(value, inner, &path, secret: true, objects: objects)
    case .reference(let name):
      guard let object = objects[name] else { return nil }
      return mismatch(value, object, &path, secret: secret, objects: objects)
    case .array(let element):
      guard case .array(let items) = value else { return wrong("array") }
      for (index, item) in items.enumerated() {
        path.append(.index(index))
        if let found = mismatch(item, element, &path, secret: secret, objects: objects) { return found }
        path.removeLast()
      }
      return nil
    case .dictionary(let element):
      guard case .object(let object) = value else { return wrong("object") }
      for member in object.members {
        path.append(.key(member.key))
        if let found = mismatch(member.value, element, &path, secret: secret, objects: objects) { return found }
        path.removeLast()
      }
      return nil
    case .object(let name, let fields):
      guard case .object(let object) = value else { return wrong("object") }
      var objects = objects
      objects[name] = shape
      for field in fields {
        path.append(.key(field.name))
        if let value = object[field.name] {
          if let found = mismatch(value, field.shape, &path, secret: secret, objects: objects) { return found }
        } else if field.isRequired {
          return (JSONError(path: JSONPath(path), expectation: field.shape.expectation), secret)
        }
        path.removeLast()
      }
      return nil
    }
    return wrong(shape.expectation)
  }

  /// The integer a value stands for, by the rule of ``JSONValueDecoder``.
  private static func integer(_ value: JSONValue) -> Int64? {
    switch value {
    case .integer(let value): value
    case .number(let value) where abs(value) <= 0x1p53: Int64(exactly: value)
    default: nil
    }
  }
}

// MARK: - Secrets

extension PayloadSchema {
  /// Whether any field is known to be secret.
  public var hasSecrets: Bool { shape.holdsSecrets }

  /// Whether any field is secret or, being opaque, may hold one.
  public var mayHoldSecrets: Bool { shape.mayHoldSecrets }

  /// Whether what stands under a name of the payload is secret, or may hold a secret.
  public func mayHide(_ field: String) -> Bool { PayloadSchema.mayHide(field, shape) }

  private static func mayHide(_ field: String, _ shape: PayloadShape) -> Bool {
    switch shape {
    case .secret, .opaque: true
    case .optional(let inner): mayHide(field, inner)
    case .dictionary(let inner): inner.mayHoldSecrets
    case .object(_, let fields): fields.contains { $0.name == field && $0.shape.mayHoldSecrets }
    case .boolean, .integer, .number, .string, .oneOf, .array, .reference, .any: false
    }
  }

  /// The value with every secret, and everything that may hold one, replaced by ``redaction``; what journal, events and logs may hold (P4).
  public func redacted(_ value: JSONValue) -> JSONValue { PayloadSchema.redact(value, shape, [:]) }

  /// The payload with every secret replaced, or the bytes themselves where there is none: no bytes hold none. Bytes that cannot be read are
  /// replaced as a whole.
  public func redacted(_ bytes: [UInt8]) -> [UInt8] {
    guard mayHoldSecrets, !bytes.isEmpty else { return bytes }
    guard let value = try? JSONValue(parsing: bytes) else { return JSONValue.string(PayloadSchema.redaction).bytes }
    return redacted(value).bytes
  }

  private static func redact(_ value: JSONValue, _ shape: PayloadShape, _ objects: [String: PayloadShape]) -> JSONValue {
    switch (shape, value) {
    case (.secret, .null), (.optional, .null), (.opaque, .null), (.opaque, .array([])), (.opaque, .object(JSONObject([]))): value
    case (.secret, _), (.opaque, _): .string(redaction)
    case (.optional(let inner), _): redact(value, inner, objects)
    case (.array(let inner), .array(let items)): .array(items.map { redact($0, inner, objects) })
    case (.dictionary(let inner), .object(let object)):
      .object(JSONObject(object.members.map { ($0.key, redact($0.value, inner, objects)) }))
    case (.reference(let name), _): objects[name].map { redact(value, $0, objects) } ?? value
    case (.object(let name, let fields), .object(let object)):
      .object(
        JSONObject(
          object.members.map { member in
            let shape = fields.first { $0.name == member.key }?.shape
            return (
              member.key,
              shape.map { redact(member.value, $0, objects.merging([name: PayloadShape.object(name: name, fields)]) { $1 }) }
                ?? member.value
            )
          }))
    // A value of the wrong kind may hold the secret anywhere.
    default: shape.mayHoldSecrets ? .string(redaction) : value
    }
  }
}

extension PayloadShape {
  /// Whether it or a part of it is secret.
  public var holdsSecrets: Bool { hasPart { if case .secret = $0 { true } else { false } } }

  /// Whether it or a part of it is secret, or of a type of which nobody can say.
  public var mayHoldSecrets: Bool {
    hasPart {
      switch $0 {
      case .secret, .opaque: true
      default: false
      }
    }
  }

  private func hasPart(_ matches: (PayloadShape) -> Bool) -> Bool {
    if matches(self) { return true }
    return switch self {
    case .array(let inner), .dictionary(let inner), .optional(let inner), .secret(let inner): inner.hasPart(matches)
    case .object(_, let fields): fields.contains { $0.shape.hasPart(matches) }
    case .boolean, .integer, .number, .string, .oneOf, .reference, .any, .opaque: false
    }
  }
}
