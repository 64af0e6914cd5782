import MinervaWire
import Testing

@Suite("JSON") struct JSONValueTests {
  private func error(_ text: String) -> JSONError? {
    do throws(JSONError) {
      _ = try JSONValue(parsing: text)
      return nil
    } catch { return error }
  }

  // MARK: E01, numbers at the edge

  @Test(
    "E01: integers of 64 bits are exact from end to end",
    arguments: [
      ("9007199254740993", Int64(9_007_199_254_740_993)), ("9223372036854775807", .max), ("-9223372036854775808", .min), ("0", 0),
    ])
  func exactIntegers(text: String, value: Int64) throws {
    let parsed = try JSONValue(parsing: text)
    #expect(parsed == .integer(value))
    #expect(parsed.text == text)
    #expect(try JSONValueDecoder().decode(Int64.self, from: parsed) == value)
    #expect(try JSONValueEncoder().encode(value) == parsed)
  }

  @Test(
    "E01: what 64 bits or a finite double cannot hold is refused with the path",
    arguments: [
      "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1234567890123456789012345678901234", "1e400", "-1e400",
      "1e-999",
      "-1e-999", "0.00000001e-400",
    ])
  func outOfRange(text: String) {
    let error = error(#"{"rows":[{"n":\#(text)}]}"#)
    #expect(error?.path.description == "rows[0].n")
    #expect(error?.place == JSONError.Place(line: 1, column: 15))
  }

  @Test("E01: doubles at the edge keep their bits, the sign of zero too")
  func doubles() throws {
    for (text, value) in [
      ("5e-324", Double.leastNonzeroMagnitude), ("1.7976931348623157e308", .greatestFiniteMagnitude), ("-0", -0.0), ("-0.0", -0.0),
      ("0e-999", 0), ("0.1000000000000000055511151231257827", 0.1),
    ] {
      guard case .number(let parsed) = try JSONValue(parsing: text) else { return #expect(Bool(false), "\(text)") }
      #expect(parsed.bitPattern == value.bitPattern, "\(text)")
      guard case .number(let again) = try JSONValue(parsing: JSONValue.number(parsed).text) else { return #expect(Bool(false), "\(text)") }
      #expect(again.bitPattern == value.bitPattern, "\(text)")
    }
  }

  @Test("E01: 1.0 and 1e2 are integers, a double beyond 2^53 is not")
  func integersAsDoubles() throws {
    let decoder = JSONValueDecoder()
    #expect(try decoder.decode(Int.self, from: JSONValue(parsing: "1.0")) == 1)
    #expect(try decoder.decode(Int.self, from: JSONValue(parsing: "1e2")) == 100)
    #expect(try decoder.decode(Int.self, from: JSONValue(parsing: "-0")) == 0)
    for text in ["1.5", "1.7976931348623157e308", "9007199254740994.0", "1e300"] {
      #expect(throws: JSONError.self, "\(text)") { try decoder.decode(Int.self, from: JSONValue(parsing: text)) }
    }
    #expect(throws: JSONError.self) { try decoder.decode(Int8.self, from: 128) }
    #expect(throws: JSONError.self) { try decoder.decode(UInt.self, from: -1) }
  }

  @Test("E01: a NaN or an infinity is an error with its path, never text")
  func notFinite() {
    struct Row: Encodable { var ratio: [Double] }
    do throws(JSONError) {
      _ = try JSONValueEncoder().encode(Row(ratio: [1, .nan]))
      #expect(Bool(false), "not refused")
    } catch { #expect(error.path.description == "ratio[1]") }
    #expect(throws: JSONError.self) { try JSONValueEncoder().encode(Float.infinity) }
    #expect(throws: JSONError.self) { try JSONValueEncoder().encode(UInt64.max) }
  }

  // MARK: E02, the same key twice

  @Test(
    "E02: a repeated key is refused with its path, in any spelling",
    arguments: [
      (#"{"a":1,"a":2}"#, "a"), (#"{"roles":["admin"],"roles":[]}"#, "roles"), (#"{"a":1,"\u0061":2}"#, "a"),
      (#"{"x":{"y":[{"z":1,"z":1}]}}"#, "x.y[0].z"), ("{\"\u{e9}\":1,\"e\u{301}\":2}", "\u{e9}"),
    ])
  func repeatedKeys(text: String, path: String) {
    let error = error(text)
    #expect(error?.path.description == path)
    #expect(error?.description.contains("twice") == true)
  }

  @Test func `E02: among many keys too`() throws {
    let keys = (0..<50).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
    #expect(try JSONValue(parsing: "{\(keys)}")["k49"] == 49)
    #expect(error("{\(keys),\"k3\":0}")?.path.description == "k3")
    #expect(error("{\(keys),\"k49\":0}")?.path.description == "k49")
  }

  // MARK: D05

  @Test func `D05: the payload of the prompt comes back byte for byte`() throws {
    let text = #"{"a":"b c","q":"\"x\"","n":"\\n","e":""}"#
    let value = try JSONValue(parsing: text)
    #expect(value.text == text)
    #expect(value["n"] == #"\n"# && value["q"] == "\"x\"")
  }

  @Test func `D05: an unquoted key is refused with its column`() {
    #expect(error(#"{userId:"x"}"#)?.place == JSONError.Place(line: 1, column: 2))
    #expect(error("{\n  \"ä\": 1,\n  b: 2}")?.place == JSONError.Place(line: 3, column: 3))
    #expect(error(#"{"a":"b}"#)?.description.contains("ends inside a string") == true)
  }

  // MARK: Texts

  @Test func `texts are carried or refused, never changed`() throws {
    #expect(try JSONValue(parsing: #""\ud83d\ude00\u0000\/""#) == "\u{1F600}\0/")
    for text in [#""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#, #""\ud800"#, #""\x""#, #""\u12g4""#, "\"\u{1}\""] {
      #expect(error(text) != nil, "\(text)")
    }
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22]) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xC0, 0xAF, 0x22]) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0x5C, 0x6E, 0xFF, 0x22]) }
    // Not normalized: one code point and two stay what they are.
    #expect(try JSONValue(parsing: "\"e\u{301}\"").bytes == Array("\"e\u{301}\"".utf8))
    #expect(JSONValue.string("\u{1f}\u{7f}\n\"\\").text == "\"\\u001f\u{7f}\\n\\\"\\\\\"")
  }

  @Test func `64 levels and no more`() {
    let inside = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(error(inside) == nil)
    #expect(error("[" + inside + "]")?.description.contains("64 levels") == true)
    #expect(error(String(repeating: "[", count: 1 << 20)) != nil)
  }

  /// What was written is read back as it was, whatever the value.
  @Test func `random values survive writing and reading`() throws {
    var random = SplitMix64(seed: 0x15)
    func value(_ levels: Int) -> JSONValue {
      switch Int.random(in: 0..<(levels > 0 ? 8 : 6), using: &random) {
      case 0: return .null
      case 1: return .bool(Bool.random(using: &random))
      case 2: return .integer(Int64(bitPattern: random.next() >> UInt64.random(in: 0...63, using: &random)))
      case 3:
        let double = Double(bitPattern: random.next())
        return double.isFinite ? .number(double) : .number(0.5)
      case 4, 5:
        let scalars = (0..<Int.random(in: 0...12, using: &random)).map { _ in
          Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random)) ?? "x"
        }
        return .string(String(String.UnicodeScalarView(scalars)))
      case 6: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(levels - 1) })
      default: return .object(JSONObject((0..<Int.random(in: 0...20, using: &random)).map { ("k\($0)", value(levels - 1)) }))
      }
    }
    for round in 0..<2_000 {
      let original = value(4)
      let again = try JSONValue(parsing: original.bytes)
      #expect(again.bytes == original.bytes, "round \(round): \(original)")
      #expect(try CBOR.decode(JSONValue.self, from: CBOR.encode(original)).bytes == original.bytes)
    }
  }

  @Test func `mutated texts never trap`() {
    var random = SplitMix64(seed: 99)
    let text = Array(#"{"a":[1,-2.5e3,"x\u0041\ud83d\ude00",true,null],"b":{"c":{}}}"#.utf8)
    for _ in 0..<50_000 {
      var bytes = text
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let value = try? JSONValue(parsing: bytes) { #expect((try? JSONValue(parsing: value.bytes)) != nil) }
    }
  }
}
