import MinervaWire
import Testing

/// The codec against values of every shape that Codable knows.
@Suite("CBOR") struct CBORTests {
  struct Small: Codable, Hashable {
    var name: String
    var count: Int
    var on: Bool
    var ratio: Double
  }

  enum Shape: Codable, Hashable {
    case none
    case circle(radius: Double)
    case line(Int, Int)
    indirect case group([Shape], name: String?)
  }

  enum Level: String, Codable, Hashable { case low, high }

  struct Everything: Codable, Hashable {
    var i8: Int8 = -128
    var i16: Int16 = -32768
    var i32: Int32 = .min
    var i64: Int64 = .min
    var u8: UInt8 = 255
    var u16: UInt16 = .max
    var u32: UInt32 = .max
    var u64: UInt64 = .max
    var float: Float = 1.5
    var double = -0.0
    var text = "ä日本\u{0}"
    var maybe: String? = nil
    var some: Int? = 7
    var bytes: [UInt8] = [0, 1, 255]
    var ints = [0, 23, 24, 255, 256, 65535, 65536, -1, -24, -25, Int.max, Int.min]
    var narrow: [Int32] = [.min, .max, 0]
    var texts = ["", "a", String(repeating: "x", count: 300)]
    var optionals: [Int?] = [1, nil, 3]
    var small = Small(name: "n", count: 1, on: true, ratio: 0.1)
    var smalls = [
      Small(name: "a", count: 0, on: false, ratio: .leastNonzeroMagnitude), Small(name: "", count: -1, on: true, ratio: .infinity),
    ]
    var map = ["a": 1, "b": 2]
    var numbered = [1: "x", -5: "y"]
    var level = Level.high
    var shapes: [Shape] = [.none, .circle(radius: 2), .line(1, -1), .group([.none, .group([], name: nil)], name: "g")]
    var nested: [[String: [Small?]]] = [["k": [nil, Small(name: "z", count: 3, on: false, ratio: 1)]], [:]]
    var empty = Empty()
    var empties = [Empty(), Empty()]
  }

  struct Empty: Codable, Hashable {}

  @Test func `a value of every shape comes back as it was`() throws {
    let value = Everything()
    let bytes = try CBOR.encode(value)
    #expect(try CBOR.decode(Everything.self, from: bytes) == value)
  }

  @Test(arguments: [Int.min, -65537, -257, -256, -25, -24, -1, 0, 23, 24, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296, Int.max])
  func `integers take their shortest form and come back`(value: Int) throws {
    let bytes = try CBOR.encode(value)
    #expect(try CBOR.decode(Int.self, from: bytes) == value)
    let magnitude = value >= 0 ? UInt64(value) : UInt64(~value)
    let expected = magnitude < 24 ? 1 : magnitude < 256 ? 2 : magnitude < 65536 ? 3 : magnitude <= UInt64(UInt32.max) ? 5 : 9
    #expect(bytes.count == expected)
  }

  /// Golden bytes: what is on the wire is a contract (RFC 8949, appendix A where it has the value).
  @Test func `golden bytes`() throws {
    #expect(try CBOR.encode(1_000_000) == [0x1A, 0x00, 0x0F, 0x42, 0x40])
    #expect(try CBOR.encode(-1000) == [0x39, 0x03, 0xE7])
    #expect(try CBOR.encode("ü") == [0x62, 0xC3, 0xBC])
    #expect(try CBOR.encode([1, 2, 3]) == [0x83, 1, 2, 3])
    #expect(try CBOR.encode([UInt8]([1, 2])) == [0x42, 1, 2])
    #expect(try CBOR.encode(1.1) == [0xFB, 0x3F, 0xF1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A])
    #expect(try CBOR.encode(Small(name: "a", count: 1, on: true, ratio: 0)).prefix(7) == [0xBF, 0x64, 0x6E, 0x61, 0x6D, 0x65, 0x61])
    #expect(try CBOR.encode(Int?.none) == [0xF6])
    #expect(try CBOR.encode(Empty()) == [0xBF, 0xFF])
  }

  /// Bytes of other encoders: definite maps and arrays, half floats, other key orders, unknown keys.
  @Test func `foreign encodings are read`() throws {
    struct Pair: Codable, Equatable {
      var a: Int
      var b: [Double]
      var c: String?
    }
    // {"b": [1.5 (half), 2], "x": {"y": [1, [_ 2]]}, "a": 7}, definite lengths.
    let bytes: [UInt8] = [
      0xA3, 0x61, 0x62, 0x82, 0xF9, 0x3E, 0x00, 0x02, 0x61, 0x78, 0xA1, 0x61, 0x79, 0x82, 0x01, 0x9F, 0x02, 0xFF, 0x61, 0x61, 0x07,
    ]
    #expect(try CBOR.decode(Pair.self, from: bytes) == Pair(a: 7, b: [1.5, 2], c: nil))
  }

  /// A key of a nested map must not be taken for one of the map around it.
  @Test func `keys of a nested container do not leak`() throws {
    struct Tricky: Codable, Equatable {
      var x = 3
      var inner = 1
      enum Keys: String, CodingKey { case a, x, b }
      init() {}
      init(from decoder: any Decoder) throws {
        let outer = try decoder.container(keyedBy: Keys.self)
        let nested = try outer.nestedContainer(keyedBy: Keys.self, forKey: .a)
        inner = try nested.decode(Int.self, forKey: .b)
        x = try outer.decode(Int.self, forKey: .x)
      }
      func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: Keys.self)
        var nested = outer.nestedContainer(keyedBy: Keys.self, forKey: .a)
        try nested.encode(inner, forKey: .b)
        try nested.encode(99, forKey: .x)
        try outer.encode(x, forKey: .x)
      }
    }
    #expect(try CBOR.decode([Tricky].self, from: CBOR.encode([Tricky(), Tricky()])) == [Tricky(), Tricky()])
  }

  class Base: Codable {
    var base = 1
    init() {}
  }
  final class Derived: Base {
    var own = "o"
    enum Keys: String, CodingKey { case own }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      own = try container.decode(String.self, forKey: .own)
      try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try super.encode(to: container.superEncoder())
      try container.encode(own, forKey: .own)
    }
  }

  @Test func `super encoders and containers asked for twice`() throws {
    let value = Derived()
    value.base = 42
    value.own = "mine"
    let back = try CBOR.decode([Derived].self, from: CBOR.encode([value, value]))
    #expect(back.map(\.base) == [42, 42] && back.map(\.own) == ["mine", "mine"])

    struct Twice: Codable, Equatable {
      var a = 1
      var b = 2
      enum Keys: String, CodingKey { case a, b, unused }
      init() {}
      init(from decoder: any Decoder) throws {
        b = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .b)
        a = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .a)
      }
      func encode(to encoder: any Encoder) throws {
        var first = encoder.container(keyedBy: Keys.self)
        try first.encode(a, forKey: .a)
        _ = first.superEncoder(forKey: .unused)
        var second = encoder.container(keyedBy: Keys.self)
        try second.encode(b, forKey: .b)
      }
    }
    #expect(try CBOR.decode([Twice].self, from: CBOR.encode([Twice(), Twice()])) == [Twice(), Twice()])
  }

  @Test func `containers written to in turns are refused, never garbage`() {
    struct Weaver: Encodable {
      func encode(to encoder: any Encoder) throws {
        var outer = encoder.unkeyedContainer()
        var one = outer.nestedUnkeyedContainer()
        var two = outer.nestedUnkeyedContainer()
        try two.encode(1)
        try one.encode(2)
      }
    }
    #expect(throws: MinervaError.self) { try CBOR.encode(Weaver()) }
  }

  @Test func `a failed try leaves the decoder where it was`() throws {
    enum Either: Decodable, Equatable {
      case number(Int)
      case text(String)
      case pair([Int])
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
          self = .number(number)
        } else if let text = try? container.decode(String.self) {
          self = .text(text)
        } else {
          self = .pair(try container.decode([Int].self))
        }
      }
    }
    struct Row: Codable {
      var a = "t"
      var b = [1, 2]
      var c = 3
    }
    #expect(try CBOR.decode([String: Either].self, from: CBOR.encode(Row())) == ["a": .text("t"), "b": .pair([1, 2]), "c": .number(3)])
  }

  @Test func `an error names the path`() throws {
    struct Outer: Codable { var rows: [Small] }
    struct Wrong: Codable { var rows: [[String: String]] }
    let bytes = try CBOR.encode(Wrong(rows: [["name": "a", "count": "x", "on": "y", "ratio": "z"]]))
    let error = #expect(throws: MinervaError.self) { try CBOR.decode(Outer.self, from: bytes) }
    #expect(error?.code == .badMessage)
    #expect(error?.message.hasPrefix("rows.0.count: expected an integer") == true, "\(error?.message ?? "")")
  }
}
