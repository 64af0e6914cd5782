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

  /// A secret in a case that nothing empty makes.
  enum Credential: Codable {
    case none
    case password(Secret<String>)

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      self = text.isEmpty ? .none : .password(Secret(wrappedValue: text))
    }
  }

  /// Keeps what it reads as plain text in such a case.
  struct Session: Codable {
    enum Keys: String, CodingKey { case word }
    var credential: Credential

    init(from decoder: any Decoder) throws {
      credential = .password(Secret(wrappedValue: try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .word)))
    }
  }

  /// Secrets in containers within its own.
  struct Boxed: Codable {
    enum Keys: String, CodingKey { case box }
    var logins: ContiguousArray<Login>

    init(from decoder: any Decoder) throws {
      var box = try decoder.container(keyedBy: Keys.self).nestedUnkeyedContainer(forKey: .box)
      logins = []
      while !box.isAtEnd { logins.append(try box.decode(Login.self)) }
    }
  }

  /// A secret that is kept by what is no payload itself.
  struct Kept: Codable {
    final class Store { var words: (id: Int, word: Secret<String>?) = (1, Secret(wrappedValue: "")) }
    enum Keys: String, CodingKey { case word }
    let store = Store()

    init(from decoder: any Decoder) throws {
      store.words.word = Secret(wrappedValue: try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .word))
    }
    func encode(to encoder: any Encoder) throws {}
  }

  /// Refuses whatever it is given.
  struct Picky: Codable {
    @Secret var word: String

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard text.count == 21 else { throw CocoaError(.coderValueNotFound) }
      word = text
    }
  }

  class Base: Codable { @Secret var word: String }
  final class Derived: Base {
    enum Keys: String, CodingKey { case id }
    let id: Int

    required init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Keys.self)
      id = try fields.decode(Int.self, forKey: .id)
      try super.init(from: fields.superDecoder())
    }
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
      (Credential.self, #""WORD""#), (Session.self, #"{"word":"WORD"}"#), (Boxed.self, #"{"box":[{"name":"ada","password":"WORD"}]}"#),
      (Kept.self, #"{"word":"WORD"}"#), (Picky.self, #""WORD""#), (ContiguousArray<Token>.self, #"["WORD"]"#),
      (Derived.self, #"{"id":1,"super":{"word":"WORD"}}"#), ([Way?].self, #"[{"typed":{"_0":{"name":"ada","password":"WORD"}}}]"#),
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

  enum Bare: String, Codable { case a, b }
  enum Level: Int, Codable { case low = 7, high = 9 }
  enum Mode: Codable { case fast, slow }
  struct Tag: RawRepresentable, Codable {
    var rawValue: String
  }
  struct Rank: RawRepresentable, Codable {
    var rawValue: Int
    init?(rawValue: Int) {
      guard rawValue > 0 else { return nil }
      self.rawValue = rawValue
    }
  }
  struct Wrapped<Value: Codable>: Codable {
    var value: Value
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
  }
  struct Nothing: Codable {}

  /// Looks at what it gets, and keeps nothing that may be secret.
  struct Lenient: Codable {
    enum Keys: String, CodingKey { case page, pages }
    var pages: [Int]
    var note: String?
    var at: Date?

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Keys.self)
      pages = fields.allKeys.contains(.page) ? [try fields.decode(Int.self, forKey: .page)] : []
    }
  }
  struct Point: Codable {
    var (x, y) = (0.0, 0.0)
    init(from decoder: any Decoder) throws {
      var fields = try decoder.unkeyedContainer()
      (x, y) = (try fields.decode(Double.self), try fields.decode(Double.self))
    }
    func encode(to encoder: any Encoder) throws {}
  }
  struct Around: Codable {
    var bare: Bare
    var level: Level?
    var mode: Mode
    var tag: Tag
    var rank: Rank
    var id: Int
  }

  @Test(
    "what keeps no secret is plain, however it is read",
    arguments: ([
      (Nothing.self, "{}"), (Bare.self, "string"), (Level.self, "integer"), (Mode.self, "any"), (Tag.self, "string"),
      (Rank.self, "integer"),
      (Wrapped<String>.self, "string"), (Wrapped<Int>.self, "integer"), (Wrapped<Bool>.self, "boolean"), (Wrapped<Double>.self, "number"),
      (Wrapped<[String: Int?]>.self, "{…: integer?}"), (UUID.self, "string"), (Date.self, "number"), (Data.self, "[any]"),
      (Point.self, "[any]"), (ClosedRange<Int>.self, "[any]"), (Lenient.self, "any"), ([Bare].self, "[string]"), (Level?.self, "integer?"),
      (Around.self, "{bare: string, level?: integer, mode: any, tag: string, rank: integer, id: integer}"),
    ] as [(any Decodable.Type, String)]).map { (PayloadSchema(of: $0, name: "X"), $1) })
  func plain(schema: PayloadSchema, text: String) {
    #expect(!schema.mayHoldSecrets && schema.description == "X \(text)")
  }

  @Test(
    "addresses, large decimals and what keeps them are plain",
    arguments: ([URL.self, Decimal.self, Wrapped<[URL]>.self] as [any Decodable.Type]).map { PayloadSchema(of: $0, name: "X") })
  func library(schema: PayloadSchema) {
    #expect(!schema.mayHoldSecrets, "\(schema)")
  }

  @Test("P4: of what cannot be seen through nothing is shown but that there is nothing")
  func opaque() {
    let schema = PayloadSchema(of: Way.self, name: "W")
    #expect(schema.isOpaque && !schema.hasSecrets && schema.mayHoldSecrets)
    for nothing in ["", "{}", "[]", "null"] { #expect(schema.redacted(Array(nothing.utf8)) == Array(nothing.utf8)) }
    for something in [#"{"a":1}"#, "1", #""x""#, "[0]", "nonsense"] {
      #expect(schema.redacted(Array(something.utf8)) == Array(#""•••""#.utf8))
    }
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

  /// Reads until there is no more.
  struct Words: Codable {
    var words: [String] = []

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      while let word = try? list.decode(String.self) { words.append(word) }
    }
  }

  @Test("P4: who reads a list until it throws comes to its end") func readsUntilTheEnd() {
    #expect(!PayloadSchema(of: Words.self, name: "W").mayHoldSecrets, "it keeps strings, and no secret")
  }
}
