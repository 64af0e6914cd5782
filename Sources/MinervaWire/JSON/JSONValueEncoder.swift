/// Encodes a value as JSON: keys in the order in which they are written, integers exact.
///
/// What JSON cannot hold (an infinity, a NaN, an integer beyond 64 bits) is refused with the path (E01).
public struct JSONValueEncoder: Sendable {
  public init() {}

  public func encode<T: Encodable>(_ value: T) throws(JSONError) -> JSONValue {
    do {
      let node = Node()
      try Place(node: node, path: nil).encode(value)
      return node.value
    } catch let error as JSONError {
      throw error
    } catch EncodingError.invalidValue(_, let context) {
      throw JSONError(path: JSONPath(context.codingPath), expectation: context.debugDescription, found: "something else")
    } catch {
      throw JSONError(expectation: "a value its type can encode", found: "\(error)")
    }
  }
}

extension JSONValueEncoder {
  typealias Path = JSONValueDecoder.Path

  /// A value that is being made: containers may be written to in any order until the end.
  final class Node {
    enum Content {
      case value(JSONValue)
      case array([Node])
      case object([(key: String, node: Node)])
    }

    var content: Content?

    var value: JSONValue {
      switch content {
      case nil: return .object(JSONObject())
      case .value(let value): return value
      case .array(let nodes): return .array(nodes.map(\.value))
      case .object(let members): return .object(JSONObject(members.map { ($0.key, $0.node.value) }))
      }
    }

    func member(_ key: String) -> Node {
      let node = Node()
      if case .object(var members) = content {
        content = nil
        members.append((key, node))
        content = .object(members)
      } else {
        content = .object([(key, node)])
      }
      return node
    }

    func item() -> Node {
      let node = Node()
      if case .array(var items) = content {
        content = nil
        items.append(node)
        content = .array(items)
      } else {
        content = .array([node])
      }
      return node
    }

    var count: Int { if case .array(let items) = content { items.count } else { 0 } }
  }

  /// A place for a value: an encoder and a container for single values.
  struct Place: Encoder, SingleValueEncodingContainer {
    let node: Node
    let path: Path?

    var codingPath: [any CodingKey] { path?.steps.map { JSONValueDecoder.Key($0) } ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private func refuse(_ expectation: String, _ found: String) -> JSONError {
      JSONError(path: JSONPath(path?.steps ?? []), expectation: expectation, found: found)
    }

    func member(_ key: String) -> Place { Place(node: node.member(key), path: Path(.key(key), in: path)) }

    func item() -> Place {
      let index = node.count
      return Place(node: node.item(), path: Path(.index(index), in: path))
    }

    func container<K: CodingKey>(keyedBy type: K.Type) -> KeyedEncodingContainer<K> {
      if node.content == nil { node.content = .object([]) }
      return KeyedEncodingContainer(Keyed<K>(place: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
      if node.content == nil { node.content = .array([]) }
      return Unkeyed(place: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func put(_ value: JSONValue) { node.content = .value(value) }

    private func put<T: BinaryInteger>(integer value: T) throws {
      guard let exact = Int64(exactly: value) else { throw refuse("an integer that fits 64 bits with sign", "\(value)") }
      put(.integer(exact))
    }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }

    func encode(_ value: Double) throws {
      guard value.isFinite else { throw refuse("a finite number", "\(value)") }
      put(.number(value))
    }

    func encode(_ value: Float) throws {
      guard value.isFinite else { throw refuse("a finite number", "\(value)") }
      put(.number(Double(value)))
    }

    func encode(_ value: Int) throws { try put(integer: value) }
    func encode(_ value: Int8) throws { try put(integer: value) }
    func encode(_ value: Int16) throws { try put(integer: value) }
    func encode(_ value: Int32) throws { try put(integer: value) }
    func encode(_ value: Int64) throws { try put(integer: value) }
    func encode(_ value: UInt) throws { try put(integer: value) }
    func encode(_ value: UInt8) throws { try put(integer: value) }
    func encode(_ value: UInt16) throws { try put(integer: value) }
    func encode(_ value: UInt32) throws { try put(integer: value) }
    func encode(_ value: UInt64) throws { try put(integer: value) }

    func encode<T: Encodable>(_ value: T) throws { try value.encode(to: self) }
  }

  struct Keyed<K: CodingKey>: KeyedEncodingContainerProtocol {
    let place: Place

    var codingPath: [any CodingKey] { place.codingPath }

    func encodeNil(forKey key: K) { place.member(key.stringValue).encodeNil() }
    func encode(_ value: Bool, forKey key: K) throws { place.member(key.stringValue).encode(value) }
    func encode(_ value: String, forKey key: K) throws { place.member(key.stringValue).encode(value) }
    func encode(_ value: Double, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: Float, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: Int, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: Int8, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: Int16, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: Int32, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: Int64, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: UInt, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: UInt8, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: UInt16, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: UInt32, forKey key: K) throws { try place.member(key.stringValue).encode(value) }
    func encode(_ value: UInt64, forKey key: K) throws { try place.member(key.stringValue).encode(value) }

    func encode<T: Encodable>(_ value: T, forKey key: K) throws { try place.member(key.stringValue).encode(value) }

    func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: K) -> KeyedEncodingContainer<N> {
      place.member(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: K) -> any UnkeyedEncodingContainer { place.member(key.stringValue).unkeyedContainer() }
    func superEncoder() -> any Encoder { place.member("super") }
    func superEncoder(forKey key: K) -> any Encoder { place.member(key.stringValue) }
  }

  struct Unkeyed: UnkeyedEncodingContainer {
    let place: Place

    var codingPath: [any CodingKey] { place.codingPath }
    var count: Int { place.node.count }

    func encodeNil() { place.item().encodeNil() }
    func encode(_ value: Bool) throws { place.item().encode(value) }
    func encode(_ value: String) throws { place.item().encode(value) }
    func encode(_ value: Double) throws { try place.item().encode(value) }
    func encode(_ value: Float) throws { try place.item().encode(value) }
    func encode(_ value: Int) throws { try place.item().encode(value) }
    func encode(_ value: Int8) throws { try place.item().encode(value) }
    func encode(_ value: Int16) throws { try place.item().encode(value) }
    func encode(_ value: Int32) throws { try place.item().encode(value) }
    func encode(_ value: Int64) throws { try place.item().encode(value) }
    func encode(_ value: UInt) throws { try place.item().encode(value) }
    func encode(_ value: UInt8) throws { try place.item().encode(value) }
    func encode(_ value: UInt16) throws { try place.item().encode(value) }
    func encode(_ value: UInt32) throws { try place.item().encode(value) }
    func encode(_ value: UInt64) throws { try place.item().encode(value) }

    func encode<T: Encodable>(_ value: T) throws { try place.item().encode(value) }

    func nestedContainer<N: CodingKey>(keyedBy type: N.Type) -> KeyedEncodingContainer<N> { place.item().container(keyedBy: type) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { place.item().unkeyedContainer() }
    func superEncoder() -> any Encoder { place.item() }
  }
}
