/// A field of a payload that must not appear in logs, history or journal: `@Secret var password: String`.
///
/// It travels as the bare value. A ``PayloadSchema`` knows it and redacts it; its own description shows nothing.
@propertyWrapper
public struct Secret<Value> {
  public var wrappedValue: Value

  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Secret: Sendable where Value: Sendable {}
extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { PayloadSchema.redaction }
  public var debugDescription: String { PayloadSchema.redaction }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Decodable where Value: Decodable {
  public init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }
}

extension Secret: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
  /// A secret that is optional may be missing, as any other optional.
  public func decode<Value: Decodable>(_ type: Secret<Value?>.Type, forKey key: Key) throws -> Secret<Value?> {
    try decodeIfPresent(type, forKey: key) ?? Secret(wrappedValue: nil)
  }
}

extension KeyedEncodingContainer {
  /// A secret that is not there is left out, as any other optional.
  public mutating func encode<Value: Encodable>(_ value: Secret<Value?>, forKey key: Key) throws {
    if let wrapped = value.wrappedValue { try encode(wrapped, forKey: key) }
  }
}

/// What the schema's recorder sees of a secret, whatever it holds.
protocol SecretField {
  static var content: any Any.Type { get }
  static func holding(_ value: Any) -> Any?
}

extension Secret: SecretField {
  static var content: any Any.Type { Value.self }
  static func holding(_ value: Any) -> Any? { (value as? Value).map { Secret(wrappedValue: $0) } }
}
