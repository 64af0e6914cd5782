public import Minerva
import MinervaNavigation
import MinervaWire

/// A module together with what makes its coordinator: what a host offers.
public struct ModuleOffer: Sendable {
  /// The module's name.
  public let name: String
  /// One line for people.
  public let summary: String
  /// The names of its embed slots.
  public let slots: [String]

  /// What its input must look like.
  let input: PayloadSchema
  /// A number over input, output and result; hosts that offer the module must agree on it.
  let fingerprint: UInt64
  /// Where a secret would be written down: `output`, `result` or `state`; `nil` for a module that is offered (P4).
  let exposedSecret: String?
  /// Whether its coordinator hears of lifecycle moments.
  let hearsLifecycle: Bool

  /// Where links lead from it.
  let routes: [ModuleRoute]
  /// Answers for those of its routes that ask.
  var answer: (@Sendable (AskedRoute) async throws -> RouteAnswer)?

  let make: @Sendable (_ input: [UInt8], _ link: any CoordinatorLink) async throws -> any CoordinatorRunning
  let checkInput: @Sendable (_ input: [UInt8]) throws -> Void

  /// Offers the module of a coordinator.
  ///
  /// ```swift
  /// ModuleOffer { input, context in ProfileCoordinator(input, context, store: store) }
  /// ```
  /// - Parameter factory: Makes the coordinator; one that throws is answered with `module.factory_failed`, or with its own
  ///   `MinervaError` (L7).
  public init<Made: Coordinator>(
    _ factory: @escaping @Sendable (_ input: Made.Subject.Input, _ context: Context<Made.Subject>) async throws -> Made
  ) {
    let name = Made.Subject.name
    self.name = name
    summary = Made.Subject.summary
    slots = Made.Subject.slots
    routes = Made.Subject.routes
    input = PayloadSchema(of: Made.Subject.Input.self, name: name)
    fingerprint = Self.fingerprint(of: [Made.Subject.Input.self, Made.Subject.Output.self, Made.Subject.Result.self])
    exposedSecret = Self.secret(in: [
      ("output", Made.Subject.Output.self), ("result", Made.Subject.Result.self), ("state", Made.State.self),
    ])
    hearsLifecycle = Made.hearsLifecycle
    let schema = input
    let read: @Sendable ([UInt8]) throws -> Made.Subject.Input = { bytes in
      // The schema's own error says what was found, but never of a secret.
      if schema.hasSecrets { try schema.validate(bytes.isEmpty ? Array("{}".utf8) : bytes) }
      return try Payload.decode(Made.Subject.Input.self, from: bytes, as: name, code: .inputInvalid, redacted: schema.mayHoldSecrets)
    }
    checkInput = { _ = try read($0) }
    make = { bytes, link in TypedCoordinator(try await factory(try read(bytes), Context(link: link)), reading: read) }
  }

  /// Offers the module of a coordinator that needs no input.
  public init<Made: Coordinator>(
    _ factory: @escaping @Sendable (_ context: Context<Made.Subject>) async throws -> Made
  ) where Made.Subject.Input == NoInput {
    self.init { (_: NoInput, context: Context<Made.Subject>) in try await factory(context) }
  }

  /// The offer with an answer for the routes of its module that ask before they are taken (R1).
  ///
  /// ```swift
  /// ModuleOffer(HomeCoordinator.init).answering { route in
  ///   try await store.isSignedIn ? .proceed : .wait(for: Login.self, .init())
  /// }
  /// ```
  /// - Parameter body: Asked in any host that offers the module, whether or not one of its screens is open; an error it throws refuses
  ///   the link with `route.failed`, or with its own `MinervaError`.
  public func answering(_ body: @escaping @Sendable (AskedRoute) async throws -> RouteAnswer) -> ModuleOffer {
    var offer = self
    offer.answer = body
    return offer
  }

  private static func secret(in places: [(name: String, type: any Decodable.Type)]) -> String? {
    places.first { $0.type != Never.self && PayloadSchema(of: $0.type, name: "").hasSecrets }?.name
  }

  private static func fingerprint(of types: [any Decodable.Type]) -> UInt64 {
    types.reduce(0) { hash, type in
      let number = type == Never.self ? 1 : PayloadSchema(of: type, name: "").fingerprint
      return (hash ^ number) &* 0x0000_0100_0000_01B3
    }
  }

  /// The schema of the input as JSON text. One of a type that cannot be seen through says so: nobody else knows that it may hold secrets.
  var schemaText: String? { (try? Payload.encode(input)).map { String(decoding: $0, as: UTF8.self) } }
}
