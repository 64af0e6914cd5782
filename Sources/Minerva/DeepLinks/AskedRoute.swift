public import MinervaNavigation
import MinervaWire

/// A route that a link is about to take, as its module's host is asked for it.
public struct AskedRoute: Sendable {
  /// The name of the scene.
  public let scene: String
  /// The path of the route as it was published.
  public let path: String
  private let values: [RouteValue]
  private let given: [UInt8]

  package init(scene: String, question: RouteQuestion, context: [UInt8]) {
    self.scene = scene
    path = question.pattern.description
    values = question.values
    given = context
  }

  /// The value of a name in the path; of a wildcard's the first.
  public subscript(name: String) -> String? { values.first { $0.name == name }?.value }

  /// All values of a name, in order.
  public func all(_ name: String) -> [String] { values.filter { $0.name == name }.map(\.value) }

  /// What was given with the link.
  /// - Throws: `input.invalid` when it is something else.
  public func context<Value: Decodable>(as type: Value.Type) throws -> Value {
    try Payload.decode(type, from: given, as: "context", code: .inputInvalid)
  }
}

/// What a module's host answers for a route.
public struct RouteAnswer: Sendable {
  package let decision: RouteDecision

  /// The route is taken.
  public static let proceed = RouteAnswer(decision: .proceed)

  /// This path, from the same module, stands in the place of the asked one: links inside links.
  public static func redirect(to path: String) -> RouteAnswer { RouteAnswer(decision: .redirect(path)) }

  /// This module is opened with this input, and the link goes on from it.
  public static func open<M: Module>(_ module: M.Type, _ input: M.Input, via presentation: Presentation = .push) throws -> RouteAnswer {
    RouteAnswer(decision: .open(RouteStep(ModuleAddress(name: M.name), input: try Payload.encode(input), via: presentation)))
  }

  /// First a module has to be opened and to end with its result; then the link is followed again (R4).
  public static func wait<M: Module>(
    for module: M.Type, _ input: M.Input, via presentation: Presentation = .modal(.sheet)
  ) throws -> RouteAnswer {
    RouteAnswer(decision: .wait(RouteStep(ModuleAddress(name: M.name), input: try Payload.encode(input), via: presentation)))
  }
}
