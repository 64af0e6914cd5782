/// Why a request was not done: a stable dotted code, and a text that says what to do.
public struct Refusal: Error, Hashable, Sendable, Codable {
  /// A named fact beside the text.
  public struct Detail: Hashable, Sendable, Codable {
    /// What the fact is called.
    public let name: String
    /// The fact.
    public let value: String

    /// Creates a fact.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The stable code, `nav.root_protected`. `input.*`, `module.*`, `screen.*` and `app.*` come from hosts as they are.
  public let code: String
  /// The text for people, without the code.
  public let message: String
  /// Facts for programs, in a fixed order.
  public let details: [Detail]

  /// Creates a refusal.
  public init(code: String, message: String, details: [Detail] = []) {
    self.code = code
    self.message = message
    self.details = details
  }
}

extension Refusal: CustomStringConvertible {
  public var description: String { "\(code): \(message)" }
}
