/// What JSON a type reads.
public indirect enum PayloadShape: Hashable, Sendable, Codable {
  case boolean
  /// An integer of the given range.
  case integer(min: Int64, max: UInt64)
  case number
  case string
  /// One of these values, strings or integers: an enum's raw values.
  case oneOf([JSONValue])
  case array(PayloadShape)
  /// An object with any keys.
  case dictionary(PayloadShape)
  case object(name: String, [Field])
  /// An object type that stands further out: a type that holds itself.
  case reference(String)
  case optional(PayloadShape)
  /// Not to be shown anywhere.
  case secret(PayloadShape)
  /// Any JSON value.
  case any
  /// A type whose coding cannot be seen; says so by its name.
  case opaque(String)

  /// A named part of an object.
  public struct Field: Hashable, Sendable, Codable {
    public var name: String
    public var shape: PayloadShape

    public init(_ name: String, _ shape: PayloadShape) {
      self.name = name
      self.shape = shape
    }

    /// Whether an object without it is refused.
    public var isRequired: Bool {
      switch shape {
      case .optional: false
      case .secret(.optional): false
      default: true
      }
    }

    public var isSecret: Bool {
      switch shape {
      case .secret: true
      case .optional(.secret): true
      default: false
      }
    }
  }

  /// The word for what is expected, in an error text.
  public var expectation: String {
    switch self {
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .oneOf(let values): "one of " + values.map(\.text).joined(separator: ", ")
    case .array: "array"
    case .dictionary, .object, .reference: "object"
    case .optional(let shape), .secret(let shape): shape.expectation
    case .any, .opaque: "a value"
    }
  }
}

extension PayloadShape {
  /// The smallest JSON of this shape.
  public var example: JSONValue {
    switch self {
    case .boolean: false
    case .integer(let min, _): .integer(max(min, 0))
    case .number: 0.0
    case .string: ""
    case .oneOf(let values): values.first ?? .null
    case .array: []
    case .dictionary, .reference: [:]
    case .object(_, let fields): .object(JSONObject(fields.filter(\.isRequired).map { ($0.name, $0.shape.example) }))
    case .secret(let shape): shape.example
    case .optional, .any, .opaque: .null
    }
  }
}

/// A type whose coding a recorder cannot see through (an enum with associated values, a custom decoder) says its shape in one line.
///
/// Without it, whatever has such a type in an input is taken for a secret as a whole: nobody can say what it holds (P4).
///
/// ```swift
/// extension Choice: PayloadDescribing {
///   static var payloadShape: PayloadShape { .any }  // holds no secret
///   static var payloadExample: JSONValue { ["two": [:]] }
/// }
/// ```
public protocol PayloadDescribing {
  /// The shape; ``PayloadShape/any`` for a type of which only that is to be said that it holds no secret.
  static var payloadShape: PayloadShape { get }
  /// JSON that the type reads, with which the type around it is seen through. The smallest of its shape unless it says otherwise.
  static var payloadExample: JSONValue { get }
}

extension PayloadDescribing {
  public static var payloadExample: JSONValue { payloadShape.example }
}

extension JSONValue: PayloadDescribing {
  public static var payloadShape: PayloadShape { .any }
}

extension PayloadShape {
  /// The raw values of an enum that can list its cases; nothing for other types.
  static func cases<T>(of type: T.Type) -> [JSONValue]? {
    guard let listing = type as? any (CaseIterable & RawRepresentable).Type else { return nil }
    return rawValues(listing)
  }

  private static func rawValues<E: CaseIterable & RawRepresentable>(_: E.Type) -> [JSONValue]? {
    let values = E.allCases.compactMap { value -> JSONValue? in
      switch value.rawValue {
      case let text as String: .string(text)
      case let number as any BinaryInteger: Int64(exactly: number).map { .integer($0) }
      default: nil
      }
    }
    return values.count == E.allCases.count ? values : nil
  }

  /// The word for what a type expects, without recording it: for an error about a value that is missing.
  static func word<T>(for type: T.Type) -> String {
    switch type {
    case is String.Type: "string"
    case is Bool.Type: "boolean"
    case is any FixedWidthInteger.Type: "integer"
    case is any BinaryFloatingPoint.Type: "number"
    case let hint as any PayloadDescribing.Type: hint.payloadShape.expectation
    case is any PayloadSequence.Type: "array"
    case is any PayloadDictionary.Type: "object"
    default:
      if let cases = cases(of: type) { "one of " + cases.map(\.text).joined(separator: ", ") } else { "a value" }
    }
  }
}

// Containers whose empty value lets a recorder go on without an element.
protocol PayloadOptional { static var wrapped: any Any.Type { get } }
protocol PayloadSequence {
  static var element: any Any.Type { get }
  static var empty: Any { get }
}
protocol PayloadDictionary {
  static var element: any Any.Type { get }
  static var empty: Any { get }
}

extension Optional: PayloadOptional { static var wrapped: any Any.Type { Wrapped.self } }
extension Array: PayloadSequence {
  static var element: any Any.Type { Element.self }
  static var empty: Any { [Element]() }
}
extension Set: PayloadSequence {
  static var element: any Any.Type { Element.self }
  static var empty: Any { Set<Element>() }
}
extension Dictionary: PayloadDictionary {
  static var element: any Any.Type { Value.self }
  static var empty: Any { [Key: Value]() }
}
