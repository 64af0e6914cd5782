import MinervaWire

/// A question that coordinators ask each other directly, from host to host, without the broker's hop (K7).
///
/// A question changes nothing: it is answered beside the mailbox, so two coordinators may ask each other at the same time, and it
/// works while the broker is away.
///
/// ```swift
/// struct Total: Question { typealias Answer = Int }
/// // in the one that knows
/// func answer(_ asked: inout Asked) throws { try asked.reply(to: Total.self) { _ in total } }
/// // in the one that asks
/// let total = try await context.ask(Total(), of: screen)
/// ```
public protocol Question: Codable, Sendable {
  associatedtype Answer: Codable & Sendable

  /// The name by which it is known between hosts; the type's own name unless it says otherwise.
  static var name: String { get }
}

extension Question {
  public static var name: String { String(describing: Self.self) }
}

/// A question that arrived, and room for its answer.
public struct Asked {
  /// The question's name.
  public let name: String
  private let argument: [UInt8]
  package private(set) var answer: [UInt8]?

  package init(name: String, argument: [UInt8]) {
    self.name = name
    self.argument = argument
  }

  /// Answers, when this is the question that was asked.
  /// - Throws: `input.invalid` when the question's bytes are not what its type says, and whatever `body` throws.
  public mutating func reply<Posed: Question>(to question: Posed.Type, _ body: (Posed) throws -> Posed.Answer) throws {
    guard name == Posed.name, answer == nil else { return }
    answer = try Payload.encode(body(Payload.decode(Posed.self, from: argument, as: name, code: .inputInvalid)))
  }
}
