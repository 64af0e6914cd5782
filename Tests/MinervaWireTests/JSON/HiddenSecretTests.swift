import Foundation
import MinervaWire
import Testing

/// Secrets of types that a schema cannot, or can only seem to, be read of (P4).
@Suite("Secrets behind a decoder") struct HiddenSecretTests {
  private static let word = "hunter2-of-all-things"

  /// Reads as a plain string what it keeps as a secret.
  struct Login: Codable {
    enum Keys: String, CodingKey { case name, password }
    var name: String
    @Secret var password: String

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Keys.self)
      name = try fields.decode(String.self, forKey: .name)
      _password = Secret(wrappedValue: try fields.decode(String.self, forKey: .password))
    }
  }

  /// The same with one string for everything, and a rule for it.
  struct Token: Codable {
    @Secret var text: String

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard !text.isEmpty else { throw CocoaError(.coderValueNotFound) }
      self.text = text
    }
  }

  /// Looks at what it gets.
  struct Flexible: Codable {
    enum Keys: String, CodingKey { case password }
    @Secret var password: String

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Keys.self)
      password = fields.allKeys.isEmpty ? "" : try fields.decode(String.self, forKey: .password)
    }
  }

  enum Way: Codable {
    case typed(Login)
    case none
  }

  struct Nested: Codable {
    var id: Int
    var login: Login?
    var more: [Login]
  }

  struct WithWay: Codable {
    var id: Int
    var way: Way
  }

  /// Two are asked for, three are kept.
  struct Partly: Codable {
    enum Keys: String, CodingKey { case a, b, c }
    @Secret var a: String
    @Secret var b: Int
    @Secret var c: String

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Keys.self)
      _a = try fields.decode(Secret<String>.self, forKey: .a)
      _b = try fields.decode(Secret<Int>.self, forKey: .b)
      c = try fields.decode(String.self, forKey: .c)
    }
  }

  @Test(
    "P4: what a decoder of its own reads of a secret is in no text",
    arguments: ([
      (Login.self, #"{"name":"ada","password":"WORD"}"#), (Token.self, #""WORD""#), (Flexible.self, #"{"password":"WORD"}"#),
      (Way.self, #"{"typed":{"_0":{"name":"ada","password":"WORD"}}}"#),
      (Nested.self, #"{"id":1,"login":{"name":"ada","password":"WORD"},"more":[]}"#),
      (Nested.self, #"{"id":1,"more":[{"name":"ada","password":"WORD"}]}"#),
      (WithWay.self, #"{"id":1,"way":{"typed":{"_0":{"name":"ada","password":"WORD"}}}}"#),
      (Partly.self, #"{"a":"x","b":1,"c":"WORD"}"#), ([Token].self, #"["WORD"]"#), ([String: Token].self, #"{"k":"WORD"}"#),
    ] as [(any Decodable.Type, String)]).map { (PayloadSchema(of: $0, name: "X"), $1) })
  func hidden(schema: PayloadSchema, text: String) {
    let input = Array(text.replacing("WORD", with: Self.word).utf8)
    #expect(schema.mayHoldSecrets)
    #expect(!String(decoding: schema.redacted(input), as: UTF8.self).contains(Self.word), "\(schema)")
  }

  @Test("P4: the fields of a link that may fill a secret are known, of whatever type they are part")
  func fields() {
    #expect(PayloadSchema(of: Login.self, name: "L").mayHide("name"), "its decoder may do anything with it")
    #expect(PayloadSchema(of: Way.self, name: "W").mayHide("typed"))
    let nested = PayloadSchema(of: Nested.self, name: "N")
    #expect(nested.mayHide("login") && nested.mayHide("more") && !nested.mayHide("id") && !nested.mayHide("else"))
  }

  struct Plain: Codable {
    var id: UUID
    var page: URL?
    var at: Date
    var kind: Kind
    enum Kind: String, Codable, CaseIterable { case a, b }
  }

  /// Renamed keys, and a decoder that asks for the secret as one.
  struct Renamed: Codable {
    enum CodingKeys: String, CodingKey {
      case password = "pw"
      case name
    }
    var name: String
    @Secret var password: String?
  }

  @Test("what can be seen through stays so: identifiers, dates, keys by other names")
  func seen() {
    let plain = PayloadSchema(of: Plain.self, name: "P")
    #expect(!plain.mayHoldSecrets, "\(plain)")
    #expect(PayloadSchema(of: Login.self, name: "L").redacted([]).isEmpty, "a module that is opened without input")
    let input = Array(#"{"id":"00000000-0000-0000-0000-000000000001","at":1.5,"kind":"a"}"#.utf8)
    #expect(plain.redacted(input) == input)
    #expect(PayloadSchema(of: Renamed.self, name: "R").description == "R {pw?: string (secret), name: string}")
  }
}
