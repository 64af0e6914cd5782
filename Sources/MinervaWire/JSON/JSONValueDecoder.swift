/// Decodes a type from a JSON value, with errors that say where, what was expected and what was found.
///
/// Integers may be written `1.0` or `1e2` where the double is exact (up to 2^53); anything else that does not fit is refused, never rounded (E01).
public struct JSONValueDecoder: Sendable {
  public init() {}

  /// The value as the type; errors are ``JSONError``.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from value: JSONValue) throws(JSONError) -> T {
    do {
      return try Place(value: value, path: nil).decode(type)
    } catch let error as JSONError {
      throw error
    } catch {
      throw JSONValueDecoder.translate(error)
    }
  }

  /// The type from JSON text.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from bytes: [UInt8]) throws(JSONError) -> T {
    try decode(type, from: JSONValue(parsing: bytes))
  }

  /// What a type's own coding threw, in our words.
  private static func translate(_ error: any Error) -> JSONError {
    switch error {
    case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
      JSONError(path: JSONPath(context.codingPath), expectation: "\(type) (\(context.debugDescription))", found: "something else")
    case DecodingError.keyNotFound(let key, let context):
      JSONError(path: JSONPath(context.codingPath + [key]), expectation: "a value")
    case DecodingError.dataCorrupted(let context):
      JSONError(path: JSONPath(context.codingPath), expectation: context.debugDescription, found: "something else")
    default: JSONError(expectation: "a value its type accepts", found: "\(error)")
    }
  }
}

// MARK: - Places

extension JSONValueDecoder {
  /// The way to a value, from the inside out: shared, so that going down costs one small object.
  final class Path: Sendable {
    let step: JSONPath.Step
    let outer: Path?

    init(_ step: JSONPath.Step, in outer: Path?) {
      self.step = step
      self.outer = outer
    }

    var steps: [JSONPath.Step] { (outer?.steps ?? []) + [step] }
  }

  struct Key: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ step: JSONPath.Step) {
      switch step {
      case .key(let key): (stringValue, intValue) = (key, nil)
      case .index(let index): (stringValue, intValue) = ("\(index)", index)
      }
    }
    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
  }

  /// A value and the way to it: a decoder and a container for single values.
  struct Place: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    let path: Path?

    var codingPath: [any CodingKey] { path?.steps.map { Key($0) } ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func mismatch(_ expectation: String) -> JSONError {
      JSONError(path: JSONPath(path?.steps ?? []), expectation: expectation, found: value.summary)
    }

    func inside(_ step: JSONPath.Step, _ value: JSONValue) -> Place { Place(value: value, path: Path(step, in: path)) }

    func container<K: CodingKey>(keyedBy type: K.Type) throws -> KeyedDecodingContainer<K> {
      guard case .object(let object) = value else { throw mismatch("object") }
      return KeyedDecodingContainer(Keyed<K>(place: self, object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
      guard case .array(let items) = value else { throw mismatch("array") }
      return Unkeyed(place: self, items: items)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    // MARK: Single values

    func decodeNil() -> Bool { value == .null }

    func bool() throws -> Bool {
      guard case .bool(let value) = value else { throw mismatch("boolean") }
      return value
    }

    func text() throws -> String {
      guard case .string(let text) = value else { throw mismatch("string") }
      return text
    }

    func double() throws -> Double {
      switch value {
      case .number(let value): return value
      case .integer(let value):
        guard let exact = Double(exactly: value) else { throw mismatch("a number that a double holds exactly") }
        return exact
      default: throw mismatch("number")
      }
    }

    func float() throws -> Float {
      let value = Float(try double())
      guard value.isFinite else { throw mismatch("a number that a float holds") }
      return value
    }

    func integer<T: FixedWidthInteger>(_: T.Type) throws -> T {
      switch value {
      case .integer(let value):
        if let exact = T(exactly: value) { return exact }
        throw mismatch("integer from \(T.min) to \(T.max)")
      case .number(let value):
        // Beyond 2^53 a double may stand for a neighbour of what was written.
        if abs(value) <= 0x1p53, let exact = T(exactly: value) { return exact }
        throw mismatch("integer")
      default: throw mismatch("integer")
      }
    }

    func decode(_: Bool.Type) throws -> Bool { try bool() }
    func decode(_: String.Type) throws -> String { try text() }
    func decode(_: Double.Type) throws -> Double { try double() }
    func decode(_: Float.Type) throws -> Float { try float() }
    func decode(_: Int.Type) throws -> Int { try integer(Int.self) }
    func decode(_: Int8.Type) throws -> Int8 { try integer(Int8.self) }
    func decode(_: Int16.Type) throws -> Int16 { try integer(Int16.self) }
    func decode(_: Int32.Type) throws -> Int32 { try integer(Int32.self) }
    func decode(_: Int64.Type) throws -> Int64 { try integer(Int64.self) }
    func decode(_: UInt.Type) throws -> UInt { try integer(UInt.self) }
    func decode(_: UInt8.Type) throws -> UInt8 { try integer(UInt8.self) }
    func decode(_: UInt16.Type) throws -> UInt16 { try integer(UInt16.self) }
    func decode(_: UInt32.Type) throws -> UInt32 { try integer(UInt32.self) }
    func decode(_: UInt64.Type) throws -> UInt64 { try integer(UInt64.self) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
      if T.self == JSONValue.self, let value = value as? T { return value }
      do {
        return try T(from: self)
      } catch DecodingError.dataCorrupted(let context) where context.codingPath.count <= (path?.steps.count ?? 0) {
        // A raw value no case has, or a type's own check: say what was allowed, where the type can tell.
        throw mismatch(allowed(by: type) ?? context.debugDescription)
      }
    }

    private func allowed<T>(by type: T.Type) -> String? {
      PayloadShape.cases(of: type).map { "one of " + $0.map(\.text).joined(separator: ", ") }
    }
  }
}

// MARK: - Containers

extension JSONValueDecoder {
  struct Keyed<K: CodingKey>: KeyedDecodingContainerProtocol {
    let place: Place
    let object: JSONObject

    var codingPath: [any CodingKey] { place.codingPath }
    var allKeys: [K] { object.members.compactMap { K(stringValue: $0.key) } }

    func contains(_ key: K) -> Bool { object[key.stringValue] != nil }

    private func at(_ key: K, _ expectation: String) throws -> Place {
      guard let value = object[key.stringValue] else {
        throw JSONError(path: JSONPath((place.path?.steps ?? []) + [.key(key.stringValue)]), expectation: expectation)
      }
      return place.inside(.key(key.stringValue), value)
    }

    func decodeNil(forKey key: K) throws -> Bool { try at(key, "a value").decodeNil() }
    func decode(_: Bool.Type, forKey key: K) throws -> Bool { try at(key, "boolean").bool() }
    func decode(_: String.Type, forKey key: K) throws -> String { try at(key, "string").text() }
    func decode(_: Double.Type, forKey key: K) throws -> Double { try at(key, "number").double() }
    func decode(_: Float.Type, forKey key: K) throws -> Float { try at(key, "number").float() }
    func decode(_: Int.Type, forKey key: K) throws -> Int { try at(key, "integer").integer(Int.self) }
    func decode(_: Int8.Type, forKey key: K) throws -> Int8 { try at(key, "integer").integer(Int8.self) }
    func decode(_: Int16.Type, forKey key: K) throws -> Int16 { try at(key, "integer").integer(Int16.self) }
    func decode(_: Int32.Type, forKey key: K) throws -> Int32 { try at(key, "integer").integer(Int32.self) }
    func decode(_: Int64.Type, forKey key: K) throws -> Int64 { try at(key, "integer").integer(Int64.self) }
    func decode(_: UInt.Type, forKey key: K) throws -> UInt { try at(key, "integer").integer(UInt.self) }
    func decode(_: UInt8.Type, forKey key: K) throws -> UInt8 { try at(key, "integer").integer(UInt8.self) }
    func decode(_: UInt16.Type, forKey key: K) throws -> UInt16 { try at(key, "integer").integer(UInt16.self) }
    func decode(_: UInt32.Type, forKey key: K) throws -> UInt32 { try at(key, "integer").integer(UInt32.self) }
    func decode(_: UInt64.Type, forKey key: K) throws -> UInt64 { try at(key, "integer").integer(UInt64.self) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: K) throws -> T { try at(key, PayloadShape.word(for: type)).decode(type) }

    func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: K) throws -> KeyedDecodingContainer<N> {
      try at(key, "object").container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: K) throws -> any UnkeyedDecodingContainer { try at(key, "array").unkeyedContainer() }

    func superDecoder() throws -> any Decoder { place.inside(.key("super"), object["super"] ?? .null) }
    func superDecoder(forKey key: K) throws -> any Decoder { try at(key, "a value") }
  }

  struct Unkeyed: UnkeyedDecodingContainer {
    let place: Place
    let items: [JSONValue]
    private(set) var currentIndex = 0

    init(place: Place, items: [JSONValue]) {
      self.place = place
      self.items = items
    }

    var codingPath: [any CodingKey] { place.codingPath }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    /// The item here; it is passed only when its reading succeeds.
    private func here(_ expectation: String) throws -> Place {
      guard !isAtEnd else {
        throw JSONError(path: JSONPath((place.path?.steps ?? []) + [.index(currentIndex)]), expectation: expectation)
      }
      return place.inside(.index(currentIndex), items[currentIndex])
    }

    private mutating func next<T>(_ expectation: String, _ read: (Place) throws -> T) throws -> T {
      let value = try read(here(expectation))
      currentIndex += 1
      return value
    }

    mutating func decodeNil() throws -> Bool {
      guard try here("a value").decodeNil() else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode(_: Bool.Type) throws -> Bool { try next("boolean") { try $0.bool() } }
    mutating func decode(_: String.Type) throws -> String { try next("string") { try $0.text() } }
    mutating func decode(_: Double.Type) throws -> Double { try next("number") { try $0.double() } }
    mutating func decode(_: Float.Type) throws -> Float { try next("number") { try $0.float() } }
    mutating func decode(_: Int.Type) throws -> Int { try next("integer") { try $0.integer(Int.self) } }
    mutating func decode(_: Int8.Type) throws -> Int8 { try next("integer") { try $0.integer(Int8.self) } }
    mutating func decode(_: Int16.Type) throws -> Int16 { try next("integer") { try $0.integer(Int16.self) } }
    mutating func decode(_: Int32.Type) throws -> Int32 { try next("integer") { try $0.integer(Int32.self) } }
    mutating func decode(_: Int64.Type) throws -> Int64 { try next("integer") { try $0.integer(Int64.self) } }
    mutating func decode(_: UInt.Type) throws -> UInt { try next("integer") { try $0.integer(UInt.self) } }
    mutating func decode(_: UInt8.Type) throws -> UInt8 { try next("integer") { try $0.integer(UInt8.self) } }
    mutating func decode(_: UInt16.Type) throws -> UInt16 { try next("integer") { try $0.integer(UInt16.self) } }
    mutating func decode(_: UInt32.Type) throws -> UInt32 { try next("integer") { try $0.integer(UInt32.self) } }
    mutating func decode(_: UInt64.Type) throws -> UInt64 { try next("integer") { try $0.integer(UInt64.self) } }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(PayloadShape.word(for: type)) { try $0.decode(type) } }

    mutating func nestedContainer<N: CodingKey>(keyedBy type: N.Type) throws -> KeyedDecodingContainer<N> {
      try next("object") { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next("array") { try $0.unkeyedContainer() } }
    mutating func superDecoder() throws -> any Decoder { try next("a value") { $0 } }
  }
}

// MARK: - JSONValue itself

extension JSONValue: Codable {
  /// Any value, whatever the format: with our JSON coder it passes unchanged.
  public init(from decoder: any Decoder) throws {
    if let place = decoder as? JSONValueDecoder.Place {
      self = place.value
    } else {
      // Other formats know no order of keys and no shape in advance: the canonical text travels.
      self = try JSONValue(parsing: decoder.singleValueContainer().decode([UInt8].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    if let place = encoder as? JSONValueEncoder.Place {
      place.node.content = .value(self)
    } else {
      var container = encoder.singleValueContainer()
      try container.encode(bytes)
    }
  }
}
