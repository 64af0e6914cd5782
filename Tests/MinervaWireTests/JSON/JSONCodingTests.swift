import MinervaWire
import Testing

@Suite("JSON coding") struct JSONCodingTests {
  @Test func `a value of every shape survives`() throws {
    var value = CBORTests.Everything()
    value.u64 = 7
    value.smalls[1].ratio = 2
    let json = try JSONValueEncoder().encode(value)
    #expect(try JSONValueDecoder().decode(CBORTests.Everything.self, from: JSONValue(parsing: json.bytes)) == value)
  }

  @Test func `keys keep the order in which they are written`() throws {
    let json = try JSONValueEncoder().encode(CBORTests.Small(name: "n", count: 2, on: true, ratio: 1.5))
    #expect(json.text == #"{"name":"n","count":2,"on":true,"ratio":1.5}"#)
  }

  @Test func `a JSON value inside a type passes unchanged`() throws {
    struct Holder: Codable, Equatable { var payload: JSONValue }
    let json = try JSONValue(parsing: #"{"payload":{"z":1,"a":[-0.0,"x"]}}"#)
    let holder = try JSONValueDecoder().decode(Holder.self, from: json)
    #expect(try JSONValueEncoder().encode(holder).text == json.text)
  }

  @Test func `a path with strange keys is readable`() {
    #expect(JSONPath([.key("a.b"), .index(3), .key(""), .key("c")]).described(under: "M") == #"M."a.b"[3]."".c"#)
  }
}
