/// Encodes values one after another into one buffer, behind room reserved for a header.
///
/// Not `Sendable` and not reentrant; reuse it with ``reset()`` on a hot path. Coding paths are not kept (`codingPath` is empty): nothing of ours
/// asks for them and they would cost an array a level.
package final class CBOREncoder {
  /// What the values are written into.
  package let buffer: OutputBuffer

  /// Byte strings that travel as payload frames of their own, in the order of their numbers, without having been copied.
  package private(set) var payloads: [[UInt8]] = []
  /// From how many bytes a byte string becomes a payload frame; none does unless this is set.
  package var payloadThreshold = Int.max
  /// How many payload frames there may be.
  package var payloadLimit = 0

  private let headerRoom: Int
  private let depth: Int
  /// The offsets at which the open containers start, outermost first: an offset names a container for good, since bytes are only appended.
  private var open: [Int] = []
  /// The innermost open container, -1 for none.
  private var current = -1
  /// The end of a key whose value has not been written: a super encoder nobody used.
  private var dangling = -1
  /// A fault that could not be thrown where it was noticed.
  private var failure: CBORError?

  package init(headerRoom: Int = 0, capacity: Int = 256, depth: Int = Limits.standard.depth) {
    buffer = OutputBuffer(capacity: capacity)
    self.headerRoom = headerRoom
    self.depth = depth
    buffer.append(zeros: headerRoom)
  }

  /// Forgets the values, keeps the memory and the room for the header.
  package func reset() {
    buffer.removeAll()
    buffer.append(zeros: headerRoom)
    if !payloads.isEmpty { payloads = [] }
    if !open.isEmpty { open.removeAll(keepingCapacity: true) }
    current = -1
    dangling = -1
    if failure != nil { failure = nil }
  }

  /// Appends one value. After an error the buffer ends where it ended before.
  package func encode<T: Encodable>(_ value: T) throws(MinervaError) {
    let start = buffer.count
    do {
      try self.value(value)
      if let failure { throw failure }
    } catch {
      buffer.truncate(to: start)
      open.removeAll(keepingCapacity: true)
      current = -1
      dangling = -1
      failure = nil
      throw CBORDecoder.wireError(error)
    }
  }

  /// The room for the header and the values so far, as an array.
  package var bytes: [UInt8] { buffer.bytes }
}

// MARK: - Containers

extension CBOREncoder {
  /// Makes the container at `start` the innermost one: closes what was opened inside it since.
  @inline(__always) func enter(_ start: Int) throws {
    if current != start || dangling >= 0 { try reenter(start) }
  }

  @inline(never) private func reenter(_ start: Int) throws {
    settleDangling()
    guard let index = open.lastIndex(of: start) else { throw CBORError(.interleaved, at: buffer.count) }
    close(to: index + 1)
  }

  private func settleDangling() {
    if dangling == buffer.count { buffer.append(0xF6) }
    dangling = -1
  }

  private func close(to count: Int) {
    while open.count > count {
      open.removeLast()
      buffer.append(0xFF)
    }
    current = open.last ?? -1
  }

  fileprivate func start(_ head: UInt8) -> Int {
    if open.count >= depth, failure == nil { failure = CBORError(.tooDeep, at: buffer.count) }
    current = buffer.count
    open.append(current)
    buffer.append(head)
    return current
  }

  fileprivate func expectValue() { dangling = buffer.count }

  /// Writes any value: the types of the hot path directly, every other through its `encode(to:)`.
  @inline(__always) func value<T: Encodable>(_ value: T) throws {
    if T.self == String.self {
      buffer.text(unsafe unsafeBitCast(value, to: String.self))
    } else if T.self == Int.self {
      buffer.signed(Int64(unsafe unsafeBitCast(value, to: Int.self)))
    } else if T.self == [UInt8].self {
      blob(unsafe unsafeBitCast(value, to: [UInt8].self))
    } else {
      try slow(value)
    }
  }

  /// Writes a byte string, or the number of the payload frame that carries it.
  @inline(__always) private func blob(_ bytes: [UInt8]) {
    if bytes.count < payloadThreshold || payloads.count >= payloadLimit {
      buffer.blob(bytes)
    } else {
      buffer.append(0xD9)
      buffer.append(bigEndian: CBOR.frameTag)
      buffer.head(0, UInt64(payloads.count))
      payloads.append(bytes)
    }
  }

  @inline(never) private func slow<T: Encodable>(_ value: T) throws {
    if T.self == [String].self {
      let texts = unsafe unsafeBitCast(value, to: [String].self)
      buffer.head(4, UInt64(texts.count))
      for text in texts { buffer.text(text) }
    } else if T.self == [Int].self {
      buffer.integers(unsafe unsafeBitCast(value, to: [Int].self))
    } else if T.self == [Int32].self {
      buffer.integers(unsafe unsafeBitCast(value, to: [Int32].self))
    } else if T.self == [UInt32].self {
      buffer.integers(unsafe unsafeBitCast(value, to: [UInt32].self))
    } else if T.self == [Int64].self {
      buffer.integers(unsafe unsafeBitCast(value, to: [Int64].self))
    } else if T.self == [UInt64].self {
      buffer.integers(unsafe unsafeBitCast(value, to: [UInt64].self))
    } else {
      if let failure { throw failure }
      let outside = open.count
      let start = buffer.count
      try value.encode(to: Scope(encoder: self, outside: outside, start: start))
      settleDangling()
      close(to: outside)
      // A type that encodes nothing is an empty map.
      if buffer.count == start { buffer.append(0xA0) }
    }
  }

  /// The place of one value: what `encode(to:)` sees. Three words, so that an existential holds it without memory of its own.
  struct Scope: Encoder {
    let encoder: CBOREncoder
    /// How many containers were open outside the value.
    let outside: Int
    /// Where the value starts.
    let start: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// A second request for the value's container gives the first again, as a class and its superclass may share one.
    private func container(_ head: UInt8) -> Int {
      if encoder.open.count > outside, encoder.open[outside] == start { return start }
      if encoder.dangling == start { encoder.dangling = -1 }
      return encoder.start(head)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      KeyedEncodingContainer(Keyed<Key>(encoder: encoder, start: container(0xBF)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(encoder: encoder, start: container(0x9F)) }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: encoder) }
  }
}

// MARK: - Keyed

extension CBOREncoder {
  struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: CBOREncoder
    let start: Int

    var codingPath: [any CodingKey] { [] }

    @inline(__always) private func key(_ key: Key) throws -> OutputBuffer {
      try encoder.enter(start)
      encoder.buffer.text(key.stringValue)
      return encoder.buffer
    }

    func encodeNil(forKey key: Key) throws { try self.key(key).append(0xF6) }
    func encode(_ value: Bool, forKey key: Key) throws { try self.key(key).append(value ? 0xF5 : 0xF4) }
    func encode(_ value: String, forKey key: Key) throws { try self.key(key).text(value) }
    func encode(_ value: Double, forKey key: Key) throws { try self.key(key).double(value) }
    func encode(_ value: Float, forKey key: Key) throws { try self.key(key).float(value) }
    func encode(_ value: Int, forKey key: Key) throws { try self.key(key).signed(Int64(value)) }
    func encode(_ value: Int8, forKey key: Key) throws { try self.key(key).signed(Int64(value)) }
    func encode(_ value: Int16, forKey key: Key) throws { try self.key(key).signed(Int64(value)) }
    func encode(_ value: Int32, forKey key: Key) throws { try self.key(key).signed(Int64(value)) }
    func encode(_ value: Int64, forKey key: Key) throws { try self.key(key).signed(value) }
    func encode(_ value: UInt, forKey key: Key) throws { try self.key(key).head(0, UInt64(value)) }
    func encode(_ value: UInt8, forKey key: Key) throws { try self.key(key).head(0, UInt64(value)) }
    func encode(_ value: UInt16, forKey key: Key) throws { try self.key(key).head(0, UInt64(value)) }
    func encode(_ value: UInt32, forKey key: Key) throws { try self.key(key).head(0, UInt64(value)) }
    func encode(_ value: UInt64, forKey key: Key) throws { try self.key(key).head(0, value) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      _ = try self.key(key)
      try encoder.value(value)
    }

    /// A container cannot refuse to be made; a fault is kept and thrown by the next value.
    private func nested(_ key: Key, _ head: UInt8) -> Int {
      do { _ = try self.key(key) } catch { encoder.fail(error) }
      return encoder.start(head)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(CBOREncoder.Keyed<Nested>(encoder: encoder, start: nested(key, 0xBF)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      CBOREncoder.Unkeyed(encoder: encoder, start: nested(key, 0x9F))
    }

    func superEncoder() -> any Encoder { superEncoder(named: "super") }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key.stringValue) }

    private func superEncoder(named name: String) -> any Encoder {
      do { try encoder.enter(start) } catch { encoder.fail(error) }
      encoder.buffer.text(name)
      encoder.expectValue()
      return Scope(encoder: encoder, outside: encoder.open.count, start: encoder.buffer.count)
    }
  }

  fileprivate func fail(_ error: any Error) {
    if failure == nil { failure = error as? CBORError ?? CBORError(.other("\(error)"), at: buffer.count) }
  }
}

// MARK: - Unkeyed

extension CBOREncoder {
  struct Unkeyed: UnkeyedEncodingContainer {
    let encoder: CBOREncoder
    let start: Int
    private(set) var count = 0

    init(encoder: CBOREncoder, start: Int) {
      self.encoder = encoder
      self.start = start
    }

    var codingPath: [any CodingKey] { [] }

    @inline(__always) private mutating func next() throws -> OutputBuffer {
      try encoder.enter(start)
      count += 1
      return encoder.buffer
    }

    mutating func encodeNil() throws { try next().append(0xF6) }
    mutating func encode(_ value: Bool) throws { try next().append(value ? 0xF5 : 0xF4) }
    mutating func encode(_ value: String) throws { try next().text(value) }
    mutating func encode(_ value: Double) throws { try next().double(value) }
    mutating func encode(_ value: Float) throws { try next().float(value) }
    mutating func encode(_ value: Int) throws { try next().signed(Int64(value)) }
    mutating func encode(_ value: Int8) throws { try next().signed(Int64(value)) }
    mutating func encode(_ value: Int16) throws { try next().signed(Int64(value)) }
    mutating func encode(_ value: Int32) throws { try next().signed(Int64(value)) }
    mutating func encode(_ value: Int64) throws { try next().signed(value) }
    mutating func encode(_ value: UInt) throws { try next().head(0, UInt64(value)) }
    mutating func encode(_ value: UInt8) throws { try next().head(0, UInt64(value)) }
    mutating func encode(_ value: UInt16) throws { try next().head(0, UInt64(value)) }
    mutating func encode(_ value: UInt32) throws { try next().head(0, UInt64(value)) }
    mutating func encode(_ value: UInt64) throws { try next().head(0, value) }

    mutating func encode<T: Encodable>(_ value: T) throws {
      _ = try next()
      try encoder.value(value)
    }

    private mutating func nested(_ head: UInt8) -> Int {
      do { _ = try next() } catch { encoder.fail(error) }
      return encoder.start(head)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(CBOREncoder.Keyed<Nested>(encoder: encoder, start: nested(0xBF)))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      CBOREncoder.Unkeyed(encoder: encoder, start: nested(0x9F))
    }

    mutating func superEncoder() -> any Encoder {
      do { _ = try next() } catch { encoder.fail(error) }
      encoder.expectValue()
      return Scope(encoder: encoder, outside: encoder.open.count, start: encoder.buffer.count)
    }
  }
}

// MARK: - Single value

extension CBOREncoder {
  struct Single: SingleValueEncodingContainer {
    let encoder: CBOREncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil() { encoder.buffer.append(0xF6) }
    func encode(_ value: Bool) { encoder.buffer.append(value ? 0xF5 : 0xF4) }
    func encode(_ value: String) { encoder.buffer.text(value) }
    func encode(_ value: Double) { encoder.buffer.double(value) }
    func encode(_ value: Float) { encoder.buffer.float(value) }
    func encode(_ value: Int) { encoder.buffer.signed(Int64(value)) }
    func encode(_ value: Int8) { encoder.buffer.signed(Int64(value)) }
    func encode(_ value: Int16) { encoder.buffer.signed(Int64(value)) }
    func encode(_ value: Int32) { encoder.buffer.signed(Int64(value)) }
    func encode(_ value: Int64) { encoder.buffer.signed(value) }
    func encode(_ value: UInt) { encoder.buffer.head(0, UInt64(value)) }
    func encode(_ value: UInt8) { encoder.buffer.head(0, UInt64(value)) }
    func encode(_ value: UInt16) { encoder.buffer.head(0, UInt64(value)) }
    func encode(_ value: UInt32) { encoder.buffer.head(0, UInt64(value)) }
    func encode(_ value: UInt64) { encoder.buffer.head(0, value) }
    func encode<T: Encodable>(_ value: T) throws { try encoder.value(value) }
  }
}
