/// A JSON value as people typed it: keys in their order, integers exact, texts unchanged.
///
/// The one reader of payloads for shell, host, catalogue and replay (RFC 8259, strict). Refused, with path and column: repeated keys (E02, also in
/// another spelling or a canonically equal form, since Swift compares texts so), integers beyond 64 bits, numbers that a finite double can only
/// hold as infinity or as zero (E01), lone surrogates, bytes that are not UTF-8, more than 64 levels, a byte order mark.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number written without fraction and exponent; `-0` is not one, so that its sign stays.
  case integer(Int64)
  /// Any other finite number.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

/// The members of an object in their order, each key once.
public struct JSONObject: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: JSONValue

    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  public private(set) var members: [Member]

  public init() { members = [] }

  /// Creates an object; of a repeated key the last value counts, at the place of the first.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    self.members = []
    for (key, value) in members { self[key] = value }
  }

  /// Creates an object whose keys are known to differ.
  init(distinct members: [Member]) { self.members = members }

  public var isEmpty: Bool { members.isEmpty }
  public var count: Int { members.count }
  public var keys: [String] { members.map(\.key) }

  /// The value of a key; linear in the number of members, as payloads have few.
  public subscript(key: String) -> JSONValue? {
    get { members.first { $0.key == key }?.value }
    set {
      if let index = members.firstIndex(where: { $0.key == key }) {
        if let newValue { members[index].value = newValue } else { members.remove(at: index) }
      } else if let newValue {
        members.append(Member(key, newValue))
      }
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

// MARK: - Reading

extension JSONValue {
  /// Reads one value and nothing after it but white space.
  public init(parsing bytes: [UInt8], depth: Int = Limits.standard.depth) throws(JSONError) {
    self = try unsafe bytes.withUnsafeBytesTyped { (raw) throws(JSONError) in
      var parser = unsafe JSONParser(raw, depth: depth)
      return try parser.parse()
    }
  }

  /// Reads one value and nothing after it but white space.
  public init(parsing text: String, depth: Int = Limits.standard.depth) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), depth: depth)
  }

  public subscript(key: String) -> JSONValue? { if case .object(let object) = self { object[key] } else { nil } }

  public subscript(index: Int) -> JSONValue? {
    if case .array(let items) = self, items.indices.contains(index) { items[index] } else { nil }
  }

  /// What kind of value it is, in the words of an error text.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// Kind and value, shortened, for the part of an error text that says what was found.
  public var summary: String {
    switch self {
    case .null: "null"
    case .array(let items): "array of \(items.count)"
    case .object(let object): "object of \(object.count)"
    case .string(let text) where text.count > 40: "string \(JSONValue.string(text.prefix(40) + "…").text)"
    default: "\(kind) \(text)"
    }
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` that keeps the type of the error.
  func withUnsafeBytesTyped<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    let outcome: Result<R, E> = unsafe withUnsafeBytes { raw in
      do throws(E) { return .success(try unsafe body(raw)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}

// MARK: - Literals

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}
