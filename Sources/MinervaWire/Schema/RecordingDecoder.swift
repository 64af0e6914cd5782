extension SchemaRecorder {
  /// What one type has asked for.
  final class Log {
    enum Finding {
      case nothing
      case single(PayloadShape)
      case object([PayloadShape.Field])
      case unclear
    }

    var finding = Finding.nothing
    /// What is known of secrets in the parts that it asked for, also in containers within its own.
    private(set) var met = PayloadSecrecy.plain
    /// Whether it ended because the type refused what it got.
    var isRefusal = false
    private let parent: Log?

    init(within parent: Log? = nil) { self.parent = parent }

    func single(_ shape: PayloadShape) {
      meet(shape.secrecy)
      if case .nothing = finding { finding = .single(shape) } else { finding = .unclear }
    }

    func field(_ name: String, _ shape: PayloadShape) {
      meet(shape.secrecy)
      switch finding {
      case .nothing: finding = .object([PayloadShape.Field(name, shape)])
      case .object(var fields):
        if !fields.contains(where: { $0.name == name }) { fields.append(PayloadShape.Field(name, shape)) }
        finding = .object(fields)
      case .single, .unclear: finding = .unclear
      }
    }

    /// Notes a part whose own shape says all that is to be said of it elsewhere.
    func meet(_ secrecy: PayloadSecrecy) {
      met = max(met, secrecy)
      parent?.meet(secrecy)
    }
  }
}

/// The decoder a type meets while its shape is recorded.
struct RecordingDecoder: Decoder {
  let recorder: SchemaRecorder
  let log: SchemaRecorder.Log

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<K: CodingKey>(keyedBy type: K.Type) throws -> KeyedDecodingContainer<K> {
    if case .nothing = log.finding { log.finding = .object([]) }
    return KeyedDecodingContainer(Keyed<K>(recorder: recorder, log: log))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    log.single(.array(.any))
    return Unkeyed(recorder: recorder, log: log)
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

    // What stands in a container within this one is recorded for its secrets alone.
    func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: K) throws -> KeyedDecodingContainer<N> {
      try within(key.stringValue).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: K) throws -> any UnkeyedDecodingContainer { try within(key.stringValue).unkeyedContainer() }
    func superDecoder() throws -> any Decoder { within("super") }
    func superDecoder(forKey key: K) throws -> any Decoder { within(key.stringValue) }

    private func within(_ key: String) -> RecordingDecoder {
      log.field(key, .any)
      return RecordingDecoder(recorder: recorder, log: SchemaRecorder.Log(within: log))
    }
  }

  /// A few elements, whatever is asked for.
  struct Unkeyed: UnkeyedDecodingContainer {
    let recorder: SchemaRecorder
    let log: SchemaRecorder.Log

    var codingPath: [any CodingKey] { [] }
    var count: Int? { recorder.elements }
    private(set) var currentIndex = 0
    var isAtEnd: Bool { currentIndex >= recorder.elements }

    init(recorder: SchemaRecorder, log: SchemaRecorder.Log) {
      self.recorder = recorder
      self.log = log
    }

    func decodeNil() throws -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      try step()
      let (shape, value) = recorder.record(type)
      log.meet(shape.secrecy)
      if let value = value as? T { return value }
      throw SchemaRecorder.Stop()
    }

    mutating func nestedContainer<N: CodingKey>(keyedBy type: N.Type) throws -> KeyedDecodingContainer<N> {
      try within().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try within().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try within() }

    /// Some read until there is no more, and do not ask whether they are at the end.
    private mutating func step() throws {
      guard currentIndex < 1_024 else { throw SchemaRecorder.Stop() }
      currentIndex += 1
    }

    private mutating func within() throws -> RecordingDecoder {
      try step()
      return RecordingDecoder(recorder: recorder, log: SchemaRecorder.Log(within: log))
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
      log.single(shape)
      if let value = value as? T { return value }
      throw SchemaRecorder.Stop()
    }
  }
}
