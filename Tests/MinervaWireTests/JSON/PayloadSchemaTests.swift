import MinervaWire
import Testing

@Suite("Payload schema") struct PayloadSchemaTests {
  enum Section: String, Codable, CaseIterable { case privacy, general }
  enum Bare: String, Codable { case a, b }
  enum Choice: Codable {
    case one(Int)
    case two
  }
  enum Hinted: Codable, PayloadDescribing {
    case off
    case on(Int)
    static var payloadShape: PayloadShape { .oneOf([1, 2]) }
    init(from decoder: any Decoder) throws { self = .on(try decoder.singleValueContainer().decode(Int.self)) }
    func encode(to encoder: any Encoder) throws {}
  }
  enum Marked: Codable, PayloadDescribing {
    case one(Int)
    case two
    static var payloadShape: PayloadShape { .any }
    static var payloadExample: JSONValue { ["two": [:]] }
  }
  struct Profile: Codable {
    var userID: Int
    var name: String?
    var section: Section
    var tags: [String]
    var small: UInt8
    var limits: [String: Double]
    var address: Address
    var tree: Node?
    @Secret var password: String
    @Secret var pin: Int?
  }
  struct Address: Codable {
    var street: String
    var lines: [Line]
  }
  struct Line: Codable { var text: String }
  struct Node: Codable {
    var value: Int
    var children: [Node]
  }

  private let schema = PayloadSchema(of: Profile.self, name: "Profile")

  private let good: JSONValue = [
    "userID": 42, "section": "privacy", "tags": ["a"], "small": 255, "limits": ["x": 1, "y": 1.5],
    "address": ["street": "s", "lines": [["text": "t"]]], "tree": ["value": 1, "children": [["value": 2, "children": []]]],
    "password": "hunter2", "extra": true,
  ]

  private func changed(_ key: String, _ value: JSONValue?) -> JSONValue {
    guard case .object(var object) = good else { return .null }
    object[key] = value
    return .object(object)
  }

  @Test func `a schema describes its type`() {
    #expect(
      schema.description
        == "Profile {userID: integer, name?: string, section: \"privacy\" | \"general\", tags: [string], small: integer 0…255, "
        + "limits: {…: number}, address: {street: string, lines: [{text: string}]}, tree?: {value: integer, children: [Node]}, "
        + "password: string (secret), pin?: integer (secret)}")
    #expect(schema.hasSecrets)
    #expect(schema.fields.filter(\.isRequired).map(\.name) == ["userID", "section", "tags", "small", "limits", "address", "password"])
  }

  /// The schema and the decoder say the same, word for word.
  @Test(
    "the text of a refusal names path, expectation and what was found",
    arguments: [
      ("userID", JSONValue.string("x"), #"Profile.userID: expected integer, found string "x""#),
      ("userID", nil, "Profile.userID: expected integer, found nothing"),
      ("userID", .null, "Profile.userID: expected integer, found null"),
      ("section", "private", #"Profile.section: expected one of "privacy", "general", found string "private""#),
      ("tags", ["a", 1], "Profile.tags[1]: expected string, found integer 1"),
      ("small", 256, "Profile.small: expected integer from 0 to 255, found integer 256"),
      ("limits", ["x": "y"], #"Profile.limits.x: expected number, found string "y""#),
      ("address", ["street": "s", "lines": [["text": 1]]], "Profile.address.lines[0].text: expected string, found integer 1"),
      ("address", ["street": "s", "lines": [["t": "x"]]], "Profile.address.lines[0].text: expected string, found nothing"),
      (
        "tree", ["value": 1, "children": [["value": "v", "children": []]]],
        #"Profile.tree.children[0].value: expected integer, found string "v""#
      ),
      ("userID", 1.5, "Profile.userID: expected integer, found number 1.5"),
      ("address", [], "Profile.address: expected object, found array of 0"),
    ] as [(String, JSONValue?, String)])
  func refusals(key: String, value: JSONValue?, text: String) {
    let payload = changed(key, value)
    let error = #expect(throws: MinervaError.self) { try schema.validate(payload) }
    #expect(error?.message == text && error?.code == .inputInvalid)
    do throws(JSONError) {
      _ = try JSONValueDecoder().decode(Profile.self, from: payload)
      #expect(Bool(false), "the decoder accepts what the schema refuses")
    } catch { #expect(error.described(under: "Profile") == text) }
  }

  @Test func `a good payload is accepted by both, secrets optional`() throws {
    try schema.validate(good)
    let value = try JSONValueDecoder().decode(Profile.self, from: good)
    #expect(value.userID == 42 && value.password == "hunter2" && value.pin == nil && value.tree?.children.first?.value == 2)
    try schema.validate(changed("pin", 7))
    #expect(try JSONValueDecoder().decode(Profile.self, from: changed("pin", 7)).pin == 7)
    let again = try JSONValueEncoder().encode(value)
    #expect(again["password"] == "hunter2" && again["pin"] == nil)
    #expect(try CBOR.decode(Profile.self, from: CBOR.encode(value)).password == "hunter2")
  }

  @Test func `P4: a secret is in no text`() {
    let redacted = schema.redacted(good)
    #expect(redacted["password"] == "•••" && redacted["userID"] == 42 && redacted["extra"] == true)
    #expect(
      !schema.redacted(good.bytes).contains(where: { _ in String(decoding: schema.redacted(good.bytes), as: UTF8.self).contains("hunter2") }
      ))
    let error = #expect(throws: MinervaError.self) { try schema.validate(changed("password", ["hunter2"])) }
    #expect(error?.message == "Profile.password: expected string, found something else")
    #expect(schema.redacted(["hunter2"]) == "•••", "a payload of the wrong kind is redacted as a whole")
    #expect(String(decoding: schema.redacted(Array(#"{"password":"hunter2""#.utf8)), as: UTF8.self) == "\"•••\"")
    #expect("\(Secret(wrappedValue: "hunter2"))" == "•••")
  }

  @Test func `what has no schema says so, and a hint helps`() {
    struct Opaque: Codable {
      var choice: Choice
      var after: Int
    }
    #expect(PayloadSchema(of: Choice.self, name: "C").isOpaque)
    #expect(PayloadSchema(of: Opaque.self, name: "O").description == "O Opaque (no schema)")
    #expect(PayloadSchema(of: Bare.self, name: "B").description == "B string")
    struct Helped: Codable {
      var choice: Hinted
      var after: Int
    }
    #expect(PayloadSchema(of: Helped.self, name: "H").description == "H {choice: 1 | 2, after: integer}")
    struct Exampled: Codable {
      var choice: Marked
      var after: Int
    }
    #expect(PayloadSchema(of: Exampled.self, name: "E").description == "E {choice: any, after: integer}")
    #expect(PayloadSchema(of: JSONValue.self, name: "J").description == "J any")
    #expect(PayloadSchema(of: [Int].self, name: "L").description == "L [integer]")
  }

  @Test func `schemas travel and compare by fingerprint`() throws {
    #expect(try CBOR.decode(PayloadSchema.self, from: CBOR.encode(schema)) == schema)
    #expect(try JSONValueDecoder().decode(PayloadSchema.self, from: JSONValueEncoder().encode(schema)) == schema)
    #expect(schema.fingerprint == PayloadSchema(of: Profile.self, name: "Other").fingerprint)
    #expect(schema.fingerprint != PayloadSchema(of: Address.self, name: "Profile").fingerprint)
  }
}
