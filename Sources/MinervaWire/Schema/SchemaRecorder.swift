/// Finds the shape of a type by letting it decode itself from nothing, and writing down what it asks for.
///
/// Sees structs, optionals, arrays, dictionaries, nesting, recursion, secrets, and enums of raw values that list their cases. A type it cannot see
/// through (enums with associated values, custom decoders that look at what they get) is opaque unless it is ``PayloadDescribing``.
struct SchemaRecorder {
  /// The object types around the present one.
  private var outer: [ObjectIdentifier] = []

  /// The shape of a type.
  static func shape(of type: any Any.Type) -> PayloadShape { SchemaRecorder().shape(of: type) }

  func shape(of type: any Any.Type) -> PayloadShape { record(type).shape }

  /// The shape and a value that lets the type around it go on; none where there is no such value.
  func record(_ type: any Any.Type) -> (shape: PayloadShape, value: Any?) {
    switch type {
    case let hint as any PayloadDescribing.Type: return (hint.payloadShape, SchemaRecorder.example(of: type, hint.payloadShape))
    case is Bool.Type: return (.boolean, false)
    case is String.Type: return (.string, "")
    case is Double.Type: return (.number, 0.0)
    case is Float.Type: return (.number, Float(0))
    case let integer as any FixedWidthInteger.Type: return SchemaRecorder.integer(integer)
    case let optional as any PayloadOptional.Type:
      let none: Any? = Optional<Any>.none
      return (.optional(shape(of: optional.wrapped)), none as Any)
    case let secret as any SecretField.Type:
      let (content, value) = record(secret.content)
      return (.secret(content), value.flatMap { secret.holding($0) })
    case let sequence as any PayloadSequence.Type: return (.array(shape(of: sequence.element)), sequence.empty)
    case let dictionary as any PayloadDictionary.Type: return (.dictionary(shape(of: dictionary.element)), dictionary.empty)
    case let decodable as any Decodable.Type: return recordDecodable(decodable)
    default: return (.opaque("\(type)"), nil)
    }
  }

  private static func integer<T: FixedWidthInteger>(_: T.Type) -> (PayloadShape, Any?) {
    (.integer(min: Int64(clamping: T.min), max: UInt64(clamping: T.max)), T.zero)
  }

  private func recordDecodable<T: Decodable>(_ type: T.Type) -> (shape: PayloadShape, value: Any?) {
    if let cases = PayloadShape.cases(of: type) { return (.oneOf(cases), SchemaRecorder.firstCase(type)) }
    let name = "\(type)"
    guard !outer.contains(ObjectIdentifier(type)) else { return (.reference(name), nil) }
    var inner = self
    inner.outer.append(ObjectIdentifier(type))
    let log = Log()
    let value = try? T(from: RecordingDecoder(recorder: inner, log: log))
    switch log.finding {
    case .single(let shape) where value != nil: return (shape, value)
    case .object(let fields) where value != nil: return (.object(name: name, fields), value)
    // Half a schema would refuse or redact half: what could not be recorded to its end is opaque.
    default: return (.opaque(name), value)
    }
  }

  /// A value of a type that says its shape: made from the smallest JSON of that shape.
  private static func example(of type: any Any.Type, _ shape: PayloadShape) -> Any? {
    func decode<T: Decodable>(_ type: T.Type) -> Any? { try? JSONValueDecoder().decode(type, from: shape.example) }
    return (type as? any Decodable.Type).flatMap { decode($0) }
  }

  private static func firstCase<T>(_ type: T.Type) -> Any? {
    func first<E: CaseIterable>(_: E.Type) -> Any? { E.allCases.first }
    return (type as? any CaseIterable.Type).flatMap { first($0) }
  }

  /// What one type has asked for.
  final class Log {
    enum Finding {
      case nothing
      case single(PayloadShape)
      case object([PayloadShape.Field])
      case unclear
    }

    var finding = Finding.nothing

    func field(_ name: String, _ shape: PayloadShape) {
      switch finding {
      case .nothing: finding = .object([PayloadShape.Field(name, shape)])
      case .object(var fields):
        if !fields.contains(where: { $0.name == name }) { fields.append(PayloadShape.Field(name, shape)) }
        finding = .object(fields)
      case .single, .unclear: finding = .unclear
      }
    }
  }

  /// Ends a recording.
  struct Stop: Error {}
}

/// The decoder a type meets while its shape is recorded.
private struct RecordingDecoder: Decoder {
  let recorder: SchemaRecorder
  let log: SchemaRecorder.Log

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<K: CodingKey>(keyedBy type: K.Type) throws -> KeyedDecodingContainer<K> {
    if case .nothing = log.finding { log.finding = .object([]) }
    return KeyedDecodingContainer(Keyed<K>(recorder: recorder, log: log))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    log.finding = .unclear
    throw SchemaRecorder.Stop()
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(recorder: recorder, log: log) }

  struct Keyed<K: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: SchemaRecorder
    let log: SchemaRecorder.Log

    var codingPath: [any CodingKey] { [] }

    /// A type that asks which keys there are decides by what it gets (an enum with associated values): it cannot be seen through.
    var allKeys: [K] {
      log.finding = .unclear
      return []
    }

    func contains(_ key: K) -> Bool { true }
    func decodeNil(forKey key: K) throws -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: K) throws -> T {
      let (shape, value) = recorder.record(type)
      log.field(key.stringValue, shape)
      if let value = value as? T { return value }
      throw SchemaRecorder.Stop()
    }

    private func optional<T>(_ type: T.Type, _ key: K) -> T? {
      // An optional secret is one optional, not two.
      let shape = recorder.shape(of: type)
      if case .secret(.optional(let inner)) = shape {
        log.field(key.stringValue, .optional(.secret(inner)))
      } else {
        log.field(key.stringValue, .optional(shape))
      }
      return nil
    }

    // The primitive types have requirements of their own, which would ask for the key and for null first.
    func decodeIfPresent(_ type: Bool.Type, forKey key: K) throws -> Bool? { optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: K) throws -> String? { optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: K) throws -> Double? { optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: K) throws -> Float? { optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: K) throws -> Int? { optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: K) throws -> Int8? { optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: K) throws -> Int16? { optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: K) throws -> Int32? { optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: K) throws -> Int64? { optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: K) throws -> UInt? { optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: K) throws -> UInt8? { optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: K) throws -> UInt16? { optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: K) throws -> UInt32? { optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: K) throws -> UInt64? { optional(type, key) }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: K) throws -> T? { optional(type, key) }

    func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: K) throws -> KeyedDecodingContainer<N> { try unclear() }
    func nestedUnkeyedContainer(forKey key: K) throws -> any UnkeyedDecodingContainer { try unclear() }
    func superDecoder() throws -> any Decoder { try unclear() }
    func superDecoder(forKey key: K) throws -> any Decoder { try unclear() }

    private func unclear<T>() throws -> T {
      log.finding = .unclear
      throw SchemaRecorder.Stop()
    }
  }

  struct Single: SingleValueDecodingContainer {
    let recorder: SchemaRecorder
    let log: SchemaRecorder.Log

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
      log.finding = .unclear
      return false
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
      let (shape, value) = recorder.record(type)
      if case .nothing = log.finding { log.finding = .single(shape) } else { log.finding = .unclear }
      if let value = value as? T { return value }
      throw SchemaRecorder.Stop()
    }
  }
}
