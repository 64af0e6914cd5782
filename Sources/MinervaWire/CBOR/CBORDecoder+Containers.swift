// The containers of the decoder: one line a primitive type, since an unspecialized generic would cost a table look-up for each.

extension CBORDecoder {
  @inline(__always) func float() throws -> Float { Float(try double()) }

  struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: CBORDecoder
    let map: Map

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { decoder.keys(of: map).compactMap { Key(stringValue: $0) } }

    /// Reads the value of a key with `body`, and leaves the decoder between the pairs of this map, also after an error.
    @inline(__always) private func read<T>(_ key: Key, _ body: (CBORDecoder) throws -> T) throws -> T {
      do {
        guard let left = try decoder.seek(key.stringValue, in: map) else { throw decoder.fail(.missing) }
        let value = try body(decoder)
        decoder.owner = map.start
        decoder.left = left
        return value
      } catch {
        decoder.rewind(map)
        throw CBORDecoder.at(key.stringValue, error)
      }
    }

    /// The same for a key that may be missing or null.
    @inline(__always) private func readIfPresent<T>(_ key: Key, _ body: (CBORDecoder) throws -> T) throws -> T? {
      do {
        guard let left = try decoder.seek(key.stringValue, in: map) else { return nil }
        let value = try decoder.null() ? nil : body(decoder)
        decoder.owner = map.start
        decoder.left = left
        return value
      } catch {
        decoder.rewind(map)
        throw CBORDecoder.at(key.stringValue, error)
      }
    }

    /// Looks at a key without moving.
    private func peek(_ key: Key) throws -> Bool? {
      if decoder.owner != map.start { decoder.rewind(map) }
      let resume = (decoder.position, decoder.left)
      defer {
        (decoder.position, decoder.left) = resume
        decoder.owner = map.start
      }
      guard try decoder.seek(key.stringValue, in: map) != nil else { return nil }
      return try decoder.null()
    }

    func contains(_ key: Key) -> Bool { (try? peek(key)) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
      guard let null = try peek(key) else { throw CBORDecoder.at(key.stringValue, decoder.fail(.missing)) }
      return null
    }

    func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try read(key) { try $0.bool() } }
    func decode(_: String.Type, forKey key: Key) throws -> String { try read(key) { try $0.text() } }
    func decode(_: Double.Type, forKey key: Key) throws -> Double { try read(key) { try $0.double() } }
    func decode(_: Float.Type, forKey key: Key) throws -> Float { try read(key) { try $0.float() } }
    func decode(_: Int.Type, forKey key: Key) throws -> Int { try read(key) { try $0.integer(Int.self) } }
    func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try read(key) { try $0.integer(Int8.self) } }
    func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try read(key) { try $0.integer(Int16.self) } }
    func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try read(key) { try $0.integer(Int32.self) } }
    func decode(_: Int64.Type, forKey key: Key) throws -> Int64 { try read(key) { try $0.integer(Int64.self) } }
    func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try read(key) { try $0.integer(UInt.self) } }
    func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(key) { try $0.integer(UInt8.self) } }
    func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try read(key) { try $0.integer(UInt16.self) } }
    func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try read(key) { try $0.integer(UInt32.self) } }
    func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try read(key) { try $0.integer(UInt64.self) } }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try read(key) { try $0.value(type, level: map.level) } }

    func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? { try readIfPresent(key) { try $0.bool() } }
    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? { try readIfPresent(key) { try $0.text() } }
    func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? { try readIfPresent(key) { try $0.double() } }
    func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? { try readIfPresent(key) { try $0.float() } }
    func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? { try readIfPresent(key) { try $0.integer(Int.self) } }
    func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? { try readIfPresent(key) { try $0.integer(Int8.self) } }
    func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? { try readIfPresent(key) { try $0.integer(Int16.self) } }
    func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? { try readIfPresent(key) { try $0.integer(Int32.self) } }
    func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? { try readIfPresent(key) { try $0.integer(Int64.self) } }
    func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? { try readIfPresent(key) { try $0.integer(UInt.self) } }
    func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? { try readIfPresent(key) { try $0.integer(UInt8.self) } }
    func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? { try readIfPresent(key) { try $0.integer(UInt16.self) } }
    func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? { try readIfPresent(key) { try $0.integer(UInt32.self) } }
    func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? { try readIfPresent(key) { try $0.integer(UInt64.self) } }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      try readIfPresent(key) { try $0.value(type, level: map.level) }
    }

    /// Nested containers leave the decoder inside them: the next access of this one scans from its first pair.
    private func nested<T>(_ key: String, _ body: (CBORDecoder) throws -> T) throws -> T {
      do {
        guard try decoder.seek(key, in: map) != nil else { throw decoder.fail(.missing) }
        return try body(decoder)
      } catch {
        decoder.rewind(map)
        throw CBORDecoder.at(key, error)
      }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
      KeyedDecodingContainer(try nested(key.stringValue) { try $0.keyed(at: $0.position, map.level) })
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try nested(key.stringValue) { try $0.unkeyed(at: $0.position, map.level) }
    }

    func superDecoder() throws -> any Decoder {
      try nested("super") { Scope(decoder: $0, start: $0.position, level: map.level) }
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
      try nested(key.stringValue) { Scope(decoder: $0, start: $0.position, level: map.level) }
    }
  }
}

// MARK: - Unkeyed

extension CBORDecoder {
  struct Unkeyed: UnkeyedDecodingContainer {
    let decoder: CBORDecoder
    let start: Int
    private(set) var position: Int
    private var left: Int
    let level: Int
    private(set) var currentIndex = 0

    init(decoder: CBORDecoder, start: Int, position: Int, left: Int, level: Int) {
      self.decoder = decoder
      self.start = start
      self.position = position
      self.left = left
      self.level = level
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { left >= 0 ? left + currentIndex : nil }

    /// False also where the bytes end too early, so that a loop reads on and meets the error.
    var isAtEnd: Bool {
      if left == 0 { return true }
      return unsafe left < 0 && position < decoder.end && decoder.bytes[position] == 0xFF
    }

    @inline(__always) private mutating func next<T>(_ body: (CBORDecoder) throws -> T) throws -> T {
      decoder.position = position
      do {
        guard !isAtEnd else { throw decoder.fail(.missing) }
        let value = try body(decoder)
        step()
        return value
      } catch {
        decoder.owner = -1
        decoder.consumed = -1
        throw CBORDecoder.at("\(currentIndex)", error)
      }
    }

    @inline(__always) private mutating func step() {
      position = decoder.position
      currentIndex += 1
      left -= left > 0 ? 1 : 0
      decoder.owner = start
      decoder.left = left
    }

    mutating func decodeNil() throws -> Bool {
      decoder.position = position
      guard !isAtEnd else { throw CBORDecoder.at("\(currentIndex)", decoder.fail(.missing)) }
      guard try decoder.null() else { return false }
      step()
      return true
    }

    mutating func decode(_: Bool.Type) throws -> Bool { try next { try $0.bool() } }
    mutating func decode(_: String.Type) throws -> String { try next { try $0.text() } }
    mutating func decode(_: Double.Type) throws -> Double { try next { try $0.double() } }
    mutating func decode(_: Float.Type) throws -> Float { try next { try $0.float() } }
    mutating func decode(_: Int.Type) throws -> Int { try next { try $0.integer(Int.self) } }
    mutating func decode(_: Int8.Type) throws -> Int8 { try next { try $0.integer(Int8.self) } }
    mutating func decode(_: Int16.Type) throws -> Int16 { try next { try $0.integer(Int16.self) } }
    mutating func decode(_: Int32.Type) throws -> Int32 { try next { try $0.integer(Int32.self) } }
    mutating func decode(_: Int64.Type) throws -> Int64 { try next { try $0.integer(Int64.self) } }
    mutating func decode(_: UInt.Type) throws -> UInt { try next { try $0.integer(UInt.self) } }
    mutating func decode(_: UInt8.Type) throws -> UInt8 { try next { try $0.integer(UInt8.self) } }
    mutating func decode(_: UInt16.Type) throws -> UInt16 { try next { try $0.integer(UInt16.self) } }
    mutating func decode(_: UInt32.Type) throws -> UInt32 { try next { try $0.integer(UInt32.self) } }
    mutating func decode(_: UInt64.Type) throws -> UInt64 { try next { try $0.integer(UInt64.self) } }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      let level = level
      return try next { try $0.value(type, level: level) }
    }

    /// Steps over the item and gives its place, so that a nested container may be read now or later.
    private mutating func place() throws -> Int {
      let place = position
      let levels = decoder.depth - level
      try next { try $0.skip(levels: levels) }
      return place
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
      KeyedDecodingContainer(try decoder.keyed(at: place(), level))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder.unkeyed(at: place(), level) }

    mutating func superDecoder() throws -> any Decoder { Scope(decoder: decoder, start: try place(), level: level) }
  }
}

// MARK: - Single value

extension CBORDecoder {
  struct Single: SingleValueDecodingContainer {
    let decoder: CBORDecoder
    let start: Int
    let level: Int

    var codingPath: [any CodingKey] { [] }

    @inline(__always) private func read<T>(_ body: (CBORDecoder) throws -> T) throws -> T {
      decoder.position = start
      decoder.consumed = -1
      let value = try body(decoder)
      decoder.consumed = start
      return value
    }

    func decodeNil() -> Bool {
      decoder.position = start
      guard let null = try? decoder.null(), null else { return false }
      decoder.consumed = start
      return true
    }

    func decode(_: Bool.Type) throws -> Bool { try read { try $0.bool() } }
    func decode(_: String.Type) throws -> String { try read { try $0.text() } }
    func decode(_: Double.Type) throws -> Double { try read { try $0.double() } }
    func decode(_: Float.Type) throws -> Float { try read { try $0.float() } }
    func decode(_: Int.Type) throws -> Int { try read { try $0.integer(Int.self) } }
    func decode(_: Int8.Type) throws -> Int8 { try read { try $0.integer(Int8.self) } }
    func decode(_: Int16.Type) throws -> Int16 { try read { try $0.integer(Int16.self) } }
    func decode(_: Int32.Type) throws -> Int32 { try read { try $0.integer(Int32.self) } }
    func decode(_: Int64.Type) throws -> Int64 { try read { try $0.integer(Int64.self) } }
    func decode(_: UInt.Type) throws -> UInt { try read { try $0.integer(UInt.self) } }
    func decode(_: UInt8.Type) throws -> UInt8 { try read { try $0.integer(UInt8.self) } }
    func decode(_: UInt16.Type) throws -> UInt16 { try read { try $0.integer(UInt16.self) } }
    func decode(_: UInt32.Type) throws -> UInt32 { try read { try $0.integer(UInt32.self) } }
    func decode(_: UInt64.Type) throws -> UInt64 { try read { try $0.integer(UInt64.self) } }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try read { try $0.value(type, level: level) } }
  }
}
